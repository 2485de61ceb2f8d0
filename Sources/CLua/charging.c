// Stock library functions with a charge before them. The stock function runs in the frame of the one that charges, so
// results and messages are its own; it stands in upvalue 1.

#include <string.h>

#include "machine.h"

static int runStock(lua_State *L) { return lua_tocfunction(L, lua_upvalueindex(1))(L); }

/// For functions that look at every byte of their strings.
static int chargeBytes(lua_State *L) {
  uint64_t bytes = 0;
  for (int argument = lua_gettop(L); argument > 0; argument -= 1) {
    if (lua_type(L, argument) == LUA_TSTRING) bytes += lua_rawlen(L, argument);
  }
  clua_charge(L, bytes / 16);
  return runStock(L);
}

static int rep(lua_State *L) {
  size_t count, separatorCount;
  luaL_checklstring(L, 1, &count);
  lua_Integer times = luaL_checkinteger(L, 2);
  luaL_optlstring(L, 3, "", &separatorCount);
  // The stock loop copies nothing `times` times.
  if (times <= 0 || count + separatorCount == 0) {
    lua_pushliteral(L, "");
    return 1;
  }
  return runStock(L);
}

/// For functions that give a value for what is between two positions of a string.
static int chargeSlice(lua_State *L) {
  if (lua_gettop(L) > 2) {
    size_t count;
    luaL_checklstring(L, 1, &count);
    lua_Integer size = (lua_Integer)count;
    lua_Integer first = luaL_optinteger(L, 2, 1), last = luaL_optinteger(L, 3, first);
    if (first < 0) first = first < -size ? 1 : size + first + 1;
    if (last < 0) last = last < -size ? 0 : size + last + 1;
    if (last > size) last = size;
    if (first < 1) first = 1;
    if (last - first >= CLUA_MAXIMUM_RESULTS) return luaL_error(L, "string slice too long");
    if (first < last) clua_charge(L, (uint64_t)(last - first) / 4);
  }
  return runStock(L);
}

/// Refuses `%p` and gives `%s` the text of a value without its address; everything else is the stock function's.
static int format(lua_State *L) {
  size_t count;
  const char *text = luaL_checklstring(L, 1, &count);
  const char *end = text + count;
  int top = lua_gettop(L), argument = 1;
  uint64_t cost = count / 4;
  for (const char *at = text; at < end; at += 1) {
    if (*at != '%') continue;
    at += 1;
    if (at < end && *at == '%') continue;
    while (at < end && *at != 0 && strchr("-+ #0123456789.", *at) != NULL) at += 1;
    argument += 1;
    if (at < end && *at == 'p') return luaL_error(L, "addresses are not available ('%%p')");
    if (at == end || *at != 's' || argument > top) continue;
    if (lua_type(L, argument) == LUA_TSTRING) {
      cost += lua_rawlen(L, argument) / 16;
    } else if (lua_type(L, argument) != LUA_TNUMBER) {
      size_t length;
      clua_toText(L, argument, &length);
      lua_replace(L, argument);
      lua_settop(L, top);
    }
  }
  clua_charge(L, cost);
  return runStock(L);
}

void clua_chargeFunctions(lua_State *L, const luaL_Reg *functions) {
  for (; functions->name != NULL; functions += 1) {
    lua_getfield(L, -1, functions->name);
    lua_pushcclosure(L, functions->func, 1);
    lua_setfield(L, -2, functions->name);
  }
}

const luaL_Reg clua_chargedStringFunctions[] = {
    {"rep", rep},          {"byte", chargeSlice},   {"format", format},        {"pack", chargeBytes},
    {"unpack", chargeBytes}, {"packsize", chargeBytes}, {NULL, NULL},
};

const luaL_Reg clua_chargedTextFunctions[] = {
    {"len", chargeBytes}, {"codepoint", chargeSlice}, {"offset", chargeBytes}, {NULL, NULL}};
