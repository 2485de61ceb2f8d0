// What two machines that must behave alike can differ in: how they collect garbage, and the seed of their hashes.

#include "machine.h"

void clua_collectOften(CLuaMachine *machine) {
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
