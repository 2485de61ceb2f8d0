// How machines collect garbage, and the seed of their hashes: what two that must behave alike can differ in.

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

static int hashOrder(lua_State *L) {
  uint64_t *order = lua_touserdata(L, 1);
  enum { keys = 64 };
  lua_createtable(L, 0, keys);
  for (int number = 0; number < keys; number += 1) {
    lua_pushfstring(L, "key %d", number);
    lua_pushinteger(L, number);
    lua_rawset(L, -3);
  }
  *order = 0;
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    *order = *order * 0x100000001b3u + (uint64_t)lua_tointeger(L, -1) + 1;
    lua_pop(L, 1);
  }
  return 0;
}

CLuaStatus clua_hashOrder(CLuaMachine *machine, uint64_t *order) { return clua_protect(machine, hashOrder, order); }
