// Functions of the table library that can run long inside C, with a charge for every element they touch. The results
// and messages equal the stock functions'. The function sort is a merge sort: equal elements keep their order, and an
// inconsistent comparison cannot make it run longer.

#include <limits.h>

#include "machine.h"

enum { reads = 1, writes = 2, measures = 4 };

static bool hasField(lua_State *L, const char *key, int metatable) {
  lua_pushstring(L, key);
  return lua_rawget(L, -metatable) != LUA_TNIL;
}

/// Raises unless the argument is a table, or something that behaves like one for what will be done with it.
static void checkTable(lua_State *L, int argument, int uses) {
  if (lua_type(L, argument) == LUA_TTABLE) return;
  int pushed = 1;
  if (lua_getmetatable(L, argument) && (!(uses & reads) || hasField(L, "__index", ++pushed)) &&
      (!(uses & writes) || hasField(L, "__newindex", ++pushed)) &&
      (!(uses & measures) || hasField(L, "__len", ++pushed))) {
    lua_pop(L, pushed);
  } else {
    luaL_checktype(L, argument, LUA_TTABLE);
  }
}

static lua_Integer lengthOf(lua_State *L, int argument, int uses) {
  checkTable(L, argument, uses | measures);
  return luaL_len(L, argument);
}

static int insert(lua_State *L) {
  lua_Integer end = (lua_Integer)((lua_Unsigned)lengthOf(L, 1, reads | writes) + 1u);
  lua_Integer position = end;
  switch (lua_gettop(L)) {
    case 2: break;
    case 3:
      position = clua_checkInteger(L, 2);
      luaL_argcheck(L, (lua_Unsigned)position - 1u < (lua_Unsigned)end, 2, "position out of bounds");
      if (clua_insertIntoObject(L, position)) return 0;
      for (lua_Integer index = end; index > position; index -= 1) {
        clua_charge(L, 1);
        lua_geti(L, 1, index - 1);
        lua_seti(L, 1, index);
      }
      break;
    default: return luaL_error(L, "wrong number of arguments to 'insert'");
  }
  lua_seti(L, 1, position);
  return 0;
}

static int remove_(lua_State *L) {
  lua_Integer size = lengthOf(L, 1, reads | writes);
  lua_Integer position = clua_optInteger(L, 2, size);
  if (position != size) {
    // Lua 5.4.4 names the first argument here.
    luaL_argcheck(L, (lua_Unsigned)position - 1u <= (lua_Unsigned)size, 1, "position out of bounds");
  }
  lua_geti(L, 1, position);
  if (position < size && clua_removeFromObject(L, position)) return 1;
  for (; position < size; position += 1) {
    clua_charge(L, 1);
    lua_geti(L, 1, position + 1);
    lua_seti(L, 1, position);
  }
  lua_pushnil(L);
  lua_seti(L, 1, position);
  return 1;
}

static void moveOne(lua_State *L, lua_Integer from, int target, lua_Integer to) {
  clua_charge(L, 1);
  lua_geti(L, 1, from);
  lua_seti(L, target, to);
}

static int move(lua_State *L) {
  lua_Integer first = clua_checkInteger(L, 2);
  lua_Integer last = clua_checkInteger(L, 3);
  lua_Integer to = clua_checkInteger(L, 4);
  int target = lua_isnoneornil(L, 5) ? 1 : 5;
  checkTable(L, 1, reads);
  checkTable(L, target, writes);
  if (last >= first) {
    luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
    lua_Integer count = last - first + 1;
    luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    if (to > last || to <= first || (target != 1 && !lua_compare(L, 1, target, LUA_OPEQ))) {
      for (lua_Integer index = 0; index < count; index += 1) moveOne(L, first + index, target, to + index);
    } else {
      // A list of the host has no holes: what goes behind its end goes there in order.
      lua_Integer within = count;
      CLuaObject object;
      if (clua_toObject(L, target, &object)) {
        lua_Integer length = luaL_len(L, target);
        within = to > length ? 0 : length - to + 1 < count ? length - to + 1 : count;
      }
      for (lua_Integer index = within; index < count; index += 1) moveOne(L, first + index, target, to + index);
      for (lua_Integer index = within - 1; index >= 0; index -= 1) moveOne(L, first + index, target, to + index);
    }
  }
  lua_pushvalue(L, target);
  return 1;
}

static void addItem(lua_State *L, luaL_Buffer *buffer, lua_Integer index) {
  clua_charge(L, 1);
  lua_geti(L, 1, index);
  if (!lua_isstring(L, -1)) {
    luaL_error(L, "invalid value (%s) at index %I in table for 'concat'", luaL_typename(L, -1), (LUAI_UACINT)index);
  }
  clua_addValue(buffer);
}

static int concat(lua_State *L) {
  lua_Integer last = lengthOf(L, 1, reads);
  size_t separatorCount;
  const char *separator = luaL_optlstring(L, 2, "", &separatorCount);
  lua_Integer index = clua_optInteger(L, 3, 1);
  last = clua_optInteger(L, 4, last);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (; index < last; index += 1) {
    addItem(L, &buffer, index);
    clua_makeBufferRoom(&buffer, separatorCount);
    luaL_addlstring(&buffer, separator, separatorCount);
  }
  if (index == last) addItem(L, &buffer, index);
  luaL_pushresult(&buffer);
  return 1;
}

static int unpack(lua_State *L) {
  lua_Integer first = clua_optInteger(L, 2, 1);
  lua_Integer last = luaL_opt(L, clua_checkInteger, 3, luaL_len(L, 1));
  if (first > last) return 0;
  lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first;
  if (count >= CLUA_MAXIMUM_RESULTS || !lua_checkstack(L, (int)(count + 1))) {
    return luaL_error(L, "too many results to unpack");
  }
  clua_charge(L, count / 2);
  for (; first < last; first += 1) lua_geti(L, 1, first);
  lua_geti(L, 1, last);
  return (int)(count + 1);
}

// Sorting: elements go to a scratch list, are merged back and forth between two, and come back at the end.

enum { tableSlot = 1, comparisonSlot = 2, sourceSlot = 3, targetSlot = 4, runLength = 8 };

/// Raises where the two elements on top are parts of the state, which Lua would call userdata.
static void requireOrder(lua_State *L) {
  CLuaObject left, right;
  if (!clua_toObject(L, -1, &left) || !clua_toObject(L, -2, &right)) return;
  clua_pushPlace(L);
  lua_pushliteral(L, "records and lists have no order; give table.sort a function(a, b) that says whether a goes before b");
  lua_concat(L, 2);
  lua_error(L);
}

/// True if the element on top goes before the one below it; leaves both.
static bool isTopBefore(lua_State *L) {
  clua_charge(L, 1);
  if (lua_isnil(L, comparisonSlot)) {
    requireOrder(L);
    return lua_compare(L, -1, -2, LUA_OPLT);
  }
  lua_pushvalue(L, comparisonSlot);
  lua_pushvalue(L, -2);
  lua_pushvalue(L, -4);
  lua_call(L, 2, 1);
  bool isBefore = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return isBefore;
}

/// Sorts the elements from `first` to `last` by insertion.
static void sortRun(lua_State *L, lua_Integer first, lua_Integer last) {
  for (lua_Integer next = first + 1; next <= last; next += 1) {
    lua_rawgeti(L, sourceSlot, next);
    lua_Integer hole = next;
    for (; hole > first; hole -= 1) {
      lua_rawgeti(L, sourceSlot, hole - 1);
      lua_insert(L, -2);
      if (!isTopBefore(L)) {
        lua_remove(L, -2);
        break;
      }
      lua_insert(L, -2);
      lua_rawseti(L, sourceSlot, hole);
    }
    lua_rawseti(L, sourceSlot, hole);
  }
}

static void mergeRuns(lua_State *L, lua_Integer first, lua_Integer middle, lua_Integer last) {
  lua_Integer left = first, right = middle + 1;
  for (lua_Integer target = first; target <= last; target += 1) {
    bool takesRight = left > middle;
    if (!takesRight && right <= last) {
      lua_rawgeti(L, sourceSlot, left);
      lua_rawgeti(L, sourceSlot, right);
      takesRight = isTopBefore(L);
      lua_pop(L, 2);
    }
    lua_rawgeti(L, sourceSlot, takesRight ? right++ : left++);
    lua_rawseti(L, targetSlot, target);
  }
}

static void swapSlots(lua_State *L) {
  lua_pushvalue(L, sourceSlot);
  lua_pushvalue(L, targetSlot);
  lua_replace(L, sourceSlot);
  lua_replace(L, targetSlot);
}

static int sort(lua_State *L) {
  lua_Integer count = lengthOf(L, 1, reads | writes);
  if (count <= 1) return 0;
  luaL_argcheck(L, count < INT_MAX, 1, "array too big");
  if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  clua_charge(L, (uint64_t)count);
  luaL_checkstack(L, 12, "");
  lua_createtable(L, (int)count, 0);
  bool isLong = count > runLength;
  lua_createtable(L, isLong ? (int)count : 0, 0);
  for (lua_Integer index = 1; index <= count; index += 1) {
    lua_geti(L, tableSlot, index);
    lua_rawseti(L, sourceSlot, index);
  }
  for (lua_Integer first = 1; first <= count; first += runLength) {
    lua_Integer last = first + runLength - 1;
    sortRun(L, first, last < count ? last : count);
  }
  for (lua_Integer width = runLength; width < count; width *= 2) {
    for (lua_Integer first = 1; first <= count; first += 2 * width) {
      lua_Integer middle = first + width - 1, last = middle + width;
      if (middle > count) middle = count;
      mergeRuns(L, first, middle, last < count ? last : count);
    }
    swapSlots(L);
  }
  for (lua_Integer index = 1; index <= count; index += 1) {
    lua_rawgeti(L, sourceSlot, index);
    lua_seti(L, tableSlot, index);
  }
  return 0;
}

const luaL_Reg clua_tableFunctions[] = {
    {"concat", concat}, {"insert", insert}, {"move", move}, {"remove", remove_},
    {"sort", sort},     {"unpack", unpack}, {NULL, NULL},
};
