// Watches for metatables that make tables weak. `setmetatable` refuses such a metatable, but sees no key that is set
// later. The contents of a weak table would depend on when garbage is collected. So the end of each collection looks at
// them all.

#include <string.h>

#include "machine.h"

static const char metatablesKey[] = "metatables";

/// From now on every call fails: what a weak table has lost is hidden state.
static void refuse(CLuaMachine *machine) {
  static const char message[] = "plugins may not use '__mode'";
  machine->isWeak = true;
  machine->exhausted = CLuaStatusRuntime;
  memcpy(machine->exhaustedMessage, message, sizeof message);
}

/// Runs at the end of a collection, and has itself run at the end of the next one.
static int lookAtMetatables(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  lua_getmetatable(L, 1);
  lua_setmetatable(L, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, metatablesKey);
  lua_pushnil(L);
  while (!machine->isWeak && lua_next(L, 2)) {
    lua_pop(L, 1);
    lua_pushliteral(L, "__mode");
    if (lua_rawget(L, -2) != LUA_TNIL) refuse(machine);
    lua_pop(L, 1);
  }
  return 0;
}

void clua_watchMetatables(lua_State *L) {
  // The set of metatables, which is weak itself.
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, metatablesKey);
  // Garbage at once; its end marks the end of a collection.
  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, lookAtMetatables);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

void clua_noteMetatable(lua_State *L, int index) {
  int top = lua_gettop(L);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, metatablesKey) == LUA_TTABLE) {
    lua_pushvalue(L, index);
    if (lua_rawget(L, -2) == LUA_TNIL) {
      lua_pushvalue(L, index);
      lua_pushboolean(L, true);
      lua_rawset(L, -4);
    }
  }
  lua_settop(L, top);
}
