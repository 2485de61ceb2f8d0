// Tables in key order: numbers, then strings by their bytes, then false and true. Keys of other types come last, in no
// order, or are refused.

#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum { rankNumber, rankString, rankBoolean, rankOther };

/// Small, since a table's keys are sorted within the plugin's own memory limit.
typedef struct Key {
  union {
    lua_Integer integer;
    lua_Number number;
    const char *bytes;
    bool boolean;
  };
  uint32_t count;
  uint32_t position;
  uint8_t rank;
  bool isInteger;
} Key;

static int compareMixed(lua_Integer integer, lua_Number number) {
  // Beyond 2^53 a conversion of the integer rounds, and a float that large is a whole number.
  if (number >= 0x1p63) return -1;
  if (number < -0x1p63) return 1;
  lua_Integer whole = (lua_Integer)number;
  if (integer != whole) return integer < whole ? -1 : 1;
  lua_Number rest = number - (lua_Number)whole;
  return rest > 0 ? -1 : rest < 0 ? 1 : 0;
}

static int compareNumbers(const Key *left, const Key *right) {
  if (left->isInteger && right->isInteger) {
    return left->integer < right->integer ? -1 : left->integer > right->integer;
  }
  if (!left->isInteger && !right->isInteger) {
    return left->number < right->number ? -1 : left->number > right->number;
  }
  if (left->isInteger) return compareMixed(left->integer, right->number);
  return -compareMixed(right->integer, left->number);
}

static int compareKeys(const void *first, const void *second) {
  const Key *left = first, *right = second;
  if (left->rank != right->rank) return left->rank < right->rank ? -1 : 1;
  switch (left->rank) {
    case rankNumber: return compareNumbers(left, right);
    case rankString: {
      size_t shared = left->count < right->count ? left->count : right->count;
      int order = memcmp(left->bytes, right->bytes, shared);
      if (order != 0) return order;
      return left->count < right->count ? -1 : left->count > right->count;
    }
    case rankBoolean: return (int)left->boolean - (int)right->boolean;
    default: return left->position < right->position ? -1 : left->position > right->position;
  }
}

static Key readKey(lua_State *L, int index) {
  Key key = {.rank = rankOther};
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      key.rank = rankNumber;
      key.isInteger = lua_isinteger(L, index);
      if (key.isInteger) {
        key.integer = lua_tointeger(L, index);
      } else {
        key.number = lua_tonumber(L, index);
      }
      break;
    case LUA_TSTRING: {
      size_t count;
      key.rank = rankString;
      key.bytes = lua_tolstring(L, index, &count);
      key.count = (uint32_t)count;
      break;
    }
    case LUA_TBOOLEAN:
      key.rank = rankBoolean;
      key.boolean = lua_toboolean(L, index);
      break;
    default:
      if (clua_machine(L)->enforcing && clua_machine(L)->isRepeatable) {
        luaL_error(L, "keys of type '%s' have no order; use numbers, strings or booleans", luaL_typename(L, index));
      }
  }
  return key;
}

/// The number of keys, and whether they are exactly 1 to that number.
static lua_Integer countKeys(lua_State *L, int table, bool *isSequence) {
  lua_Integer count = 0, greatest = 0;
  *isSequence = true;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    count += 1;
    if (*isSequence) {
      lua_Integer key = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 0;
      *isSequence = key >= 1;
      if (key > greatest) greatest = key;
    }
  }
  if (greatest != count) *isSequence = false;
  return count;
}

/// Pushes a list of the keys in key order.
static void pushOrdered(lua_State *L, int table, lua_Integer count) {
  clua_charge(L, (uint64_t)count);
  lua_createtable(L, (int)count, 0);
  int unordered = lua_gettop(L);
  Key *keys = lua_newuserdatauv(L, (size_t)count * sizeof(Key), 0);
  lua_Integer position = 0;
  lua_pushnil(L);
  while (position < count && lua_next(L, table)) {
    lua_pop(L, 1);
    keys[position] = readKey(L, -1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, unordered, ++position);
    keys[position - 1].position = (uint32_t)position;
  }
  lua_settop(L, unordered + 1);
  qsort(keys, (size_t)position, sizeof(Key), compareKeys);
  lua_createtable(L, (int)position, 0);
  for (lua_Integer index = 0; index < position; index += 1) {
    lua_rawgeti(L, unordered, keys[index].position);
    lua_rawseti(L, -2, index + 1);
  }
  lua_replace(L, unordered);
  lua_settop(L, unordered);
}

int64_t clua_pushSortedKeys(lua_State *L, int index) {
  index = lua_absindex(L, index);
  luaL_checkstack(L, 8, NULL);
  bool isSequence;
  lua_Integer count = countKeys(L, index, &isSequence);
  clua_charge(L, (uint64_t)count);
  if (!isSequence) {
    pushOrdered(L, index, count);
    return count;
  }
  lua_createtable(L, (int)count, 0);
  for (lua_Integer position = 1; position <= count; position += 1) {
    lua_pushinteger(L, position);
    lua_rawseti(L, -2, position);
  }
  return count;
}

/// The upvalues of the step function of `pairs`: the list of the table's keys (nil for 1 to their number), the position
/// of the key given last, the number of keys, and the table.
enum { listUpvalue = 1, positionUpvalue, countUpvalue, tableUpvalue };

/// Pushes the upvalues for the table at an index.
static void pushWalk(lua_State *L, int table) {
  bool isSequence;
  lua_Integer count = countKeys(L, table, &isSequence);
  clua_charge(L, (uint64_t)count);
  if (isSequence) {
    lua_pushnil(L);
  } else {
    pushOrdered(L, table, count);
  }
  lua_pushinteger(L, 0);
  lua_pushinteger(L, count);
  lua_pushvalue(L, table);
}

/// Begins again, as a loop does that is given the same function once more.
static void restart(lua_State *L) {
  pushWalk(L, 1);
  for (int upvalue = tableUpvalue; upvalue >= listUpvalue; upvalue -= 1) lua_replace(L, lua_upvalueindex(upvalue));
}

/// True if the key at index 2 is the one that was given last of the table at index 1.
static bool isCurrent(lua_State *L, lua_Integer position, bool hasList) {
  if (!lua_rawequal(L, 1, lua_upvalueindex(tableUpvalue))) return false;
  if (position == 0) return lua_isnil(L, 2);
  if (!hasList) return lua_isinteger(L, 2) && lua_tointeger(L, 2) == position;
  lua_rawgeti(L, lua_upvalueindex(listUpvalue), position);
  bool isEqual = lua_rawequal(L, -1, 2);
  lua_pop(L, 1);
  return isEqual;
}

/// Steps through a table. A key asked for out of turn, as `next` may be, is answered as `next` does.
static int step(lua_State *L) {
  lua_settop(L, 2);
  lua_Integer position = lua_tointeger(L, lua_upvalueindex(positionUpvalue));
  bool hasList = lua_istable(L, lua_upvalueindex(listUpvalue));
  if (!isCurrent(L, position, hasList)) {
    if (!lua_isnil(L, 2) || !lua_rawequal(L, 1, lua_upvalueindex(tableUpvalue))) return clua_next(L);
    restart(L);
    position = 0;
    hasList = lua_istable(L, lua_upvalueindex(listUpvalue));
  }
  lua_Integer count = lua_tointeger(L, lua_upvalueindex(countUpvalue));
  while (position < count) {
    position += 1;
    if (hasList) {
      lua_rawgeti(L, lua_upvalueindex(listUpvalue), position);
      lua_pushvalue(L, -1);
      lua_rawget(L, 1);
    } else {
      lua_pushinteger(L, position);
      lua_rawgeti(L, 1, position);
    }
    if (!lua_isnil(L, -1)) {
      lua_pushinteger(L, position);
      lua_replace(L, lua_upvalueindex(positionUpvalue));
      return 2;
    }
    lua_settop(L, 2);
    clua_charge(L, 1);
  }
  lua_pushnil(L);
  return 1;
}

/// Answers what `__pairs` gave, which may have yielded.
static int answerPairs(lua_State *L, int status, lua_KContext context) {
  (void)L, (void)status, (void)context;
  return 3;
}

int clua_pairs(lua_State *L) {
  luaL_checkany(L, 1);
  if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
    lua_pushvalue(L, 1);
    lua_callk(L, 1, 3, 0, answerPairs);
    return 3;
  }
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  clua_seeThrough(L, 1);
  pushWalk(L, 1);
  lua_pushcclosure(L, step, tableUpvalue);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/// The registry keys of the list that `next` walks: a key list and its table, anchored while the walk lasts.
static const char walkedTable[] = "walked table", walkedKeys[] = "walked keys";

static void forgetWalk(lua_State *L) {
  clua_machine(L)->orderedTable = NULL;
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, walkedTable);
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, walkedKeys);
}

static int firstEntry(lua_State *L) {
  forgetWalk(L);
  lua_Integer count = 0;
  Key least = {.rank = rankOther};
  lua_pushnil(L);
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    lua_pop(L, 1);
    Key key = readKey(L, -1);
    key.position = (uint32_t)count;
    if (count == 0 || compareKeys(&key, &least) < 0) {
      least = key;
      lua_pushvalue(L, -1);
      lua_replace(L, 3);
    }
    count += 1;
  }
  clua_charge(L, (uint64_t)count);
  lua_settop(L, 3);
  if (count == 0) return 1;
  lua_pushvalue(L, 3);
  lua_rawget(L, 1);
  return 2;
}

static bool isKeyAt(lua_State *L, lua_Integer position) {
  lua_rawgeti(L, 3, position);
  // As in Lua, 1.0 is no key of a walk that gave 1.
  bool isFound = lua_rawequal(L, -1, 2) && lua_isinteger(L, -1) == lua_isinteger(L, 2);
  lua_pop(L, 1);
  return isFound;
}

/// Raises Lua's own error if the table at index 1 never had the key at index 2. Lua still knows a key that was cleared.
static void requireKnownKey(lua_State *L) {
  lua_pushvalue(L, 2);
  lua_next(L, 1);
  lua_settop(L, 3);
}

/// The position, in the key list at index 3, of the last key not after the key at index 2. That key may have been
/// cleared since the list was made.
static lua_Integer findKey(lua_State *L) {
  requireKnownKey(L);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 3);
  Key key = readKey(L, 2);
  if (key.rank == rankOther) {
    lua_Integer position = count;
    while (position > 0 && !isKeyAt(L, position)) position -= 1;
    clua_charge(L, (uint64_t)(count - position));
    if (position == 0) luaL_error(L, "invalid key to 'next'");
    return position;
  }
  lua_Integer low = 0, high = count;
  while (low < high) {
    lua_Integer middle = low + (high - low + 1) / 2;
    lua_rawgeti(L, 3, middle);
    Key other = readKey(L, -1);
    lua_pop(L, 1);
    if (compareKeys(&other, &key) <= 0) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

int clua_next(lua_State *L) {
  CLuaObject object;
  if (clua_toObject(L, 1, &object)) return clua_nextOfObject(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  clua_seeThrough(L, 1);
  if (lua_isnil(L, 2)) return firstEntry(L);
  CLuaMachine *machine = clua_machine(L);
  bool isWalked = machine->orderedTable == lua_topointer(L, 1);
  if (isWalked) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, walkedKeys);
  } else {
    clua_pushSortedKeys(L, 1);
    lua_pushvalue(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, walkedTable);
    lua_pushvalue(L, 3);
    lua_rawsetp(L, LUA_REGISTRYINDEX, walkedKeys);
    machine->orderedTable = lua_topointer(L, 1);
    machine->orderedPosition = 0;
  }
  lua_Integer position = machine->orderedPosition;
  if (position == 0 || !isKeyAt(L, position)) position = findKey(L);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 3);
  while (position < count) {
    position += 1;
    lua_rawgeti(L, 3, position);
    lua_pushvalue(L, -1);
    if (lua_rawget(L, 1) != LUA_TNIL) {
      machine->orderedPosition = position;
      return 2;
    }
    lua_settop(L, 3);
    clua_charge(L, 1);
  }
  forgetWalk(L);
  lua_pushnil(L);
  return 1;
}
