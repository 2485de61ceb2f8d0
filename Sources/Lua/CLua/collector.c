// The way that machines collect garbage: machines that must behave alike may differ in it.

#include "machine.h"

void clua_setPace(CLuaMachine *machine) {
  machine->isCrowded = !machine->isCrowded;
  if (machine->collectsOften) return;
  // With Lua's own pause, a small heap is collected time and again, and returning arguments are made anew each time.
  // With four times the heap, a dispatch with a text in it takes 600 instructions less of 7,000.
  lua_gc(machine->main, LUA_GCINC, machine->isCrowded ? 200 : 400, 0, 0);
}

void clua_collectOften(CLuaMachine *machine) {
  machine->collectsOften = true;
  // A new cycle begins as soon as one has ended, and works as fast as it can.
  lua_gc(machine->main, LUA_GCINC, 1, 1000, 8);
}
