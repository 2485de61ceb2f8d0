// How machines collect garbage: what two that must behave alike can differ in.

#include "machine.h"

void clua_setPace(CLuaMachine *machine) {
  machine->isCrowded = !machine->isCrowded;
  if (machine->collectsOften) return;
  // Lua's own pause has a small heap collected time and again, and the arguments that come back made anew each time: with four
  // times the heap a dispatch with a text in it takes 600 instructions less of 7,000.
  lua_gc(machine->main, LUA_GCINC, machine->isCrowded ? 200 : 400, 0, 0);
}

void clua_collectOften(CLuaMachine *machine) {
  machine->collectsOften = true;
  // A new cycle begins as soon as one has ended, and works as fast as it can.
  lua_gc(machine->main, LUA_GCINC, 1, 1000, 8);
}
