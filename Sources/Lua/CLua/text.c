// tostring without addresses.

#include "machine.h"

const char *clua_toText(lua_State *L, int index, size_t *count) {
  index = lua_absindex(L, index);
  if (luaL_callmeta(L, index, "__tostring")) {
    if (!lua_isstring(L, -1)) luaL_error(L, "'__tostring' must return a string");
    return lua_tolstring(L, -1, count);
  }
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
    case LUA_TSTRING:
    case LUA_TBOOLEAN:
    case LUA_TNIL:
      return luaL_tolstring(L, index, count);
    default:
      if (luaL_getmetafield(L, index, "__name") != LUA_TSTRING) lua_pushstring(L, luaL_typename(L, index));
      return lua_tolstring(L, -1, count);
  }
}
