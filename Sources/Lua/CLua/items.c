// The item stream: how the host describes values without touching a Lua stack.

#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum { maximumTableDepth = 100 };

void clua_growItems(CLuaItems *items) {
  size_t capacity = items->capacity < 32 ? 32 : items->capacity * 2;
  CLuaItem *grown = realloc(items->items, capacity * sizeof(CLuaItem));
  if (grown == NULL) {
    // The last slot is written again and the push raises: the writer itself has no way to fail.
    items->outOfMemory = true;
    items->count -= 1;
    return;
  }
  items->items = grown;
  items->capacity = capacity;
}

void clua_writeBytes(CLuaItems *items, CLuaItemKind kind, const void *bytes, size_t count) {
  if (count > items->byteCapacity - items->byteCount) {
    size_t capacity = items->byteCapacity < 256 ? 256 : items->byteCapacity;
    while (capacity - items->byteCount < count) capacity *= 2;
    char *grown = realloc(items->bytes, capacity);
    if (grown == NULL) {
      items->outOfMemory = true;
      count = 0;
    } else {
      items->bytes = grown;
      items->byteCapacity = capacity;
    }
  }
  CLuaItem *item = clua_write(items, kind);
  item->offset = items->byteCount;
  item->count = count;
  if (count > 0) memcpy(items->bytes + items->byteCount, bytes, count);
  items->byteCount += count;
}

void clua_freeItems(CLuaItems *items) {
  free(items->items);
  free(items->bytes);
}

static void pushKey(lua_State *L, const CLuaItems *items, const CLuaItem *item) {
  switch (item->kind) {
    case CLuaItemKindKey: lua_pushlstring(L, items->bytes + item->offset, item->count); break;
    case CLuaItemKindKeyReference: lua_rawgeti(L, LUA_REGISTRYINDEX, item->integer); break;
    default: lua_pushinteger(L, item->integer); break;
  }
}

static size_t pushOne(lua_State *L, const CLuaItems *items, size_t position, int depth);

/// Pushes what is neither a string nor a table.
static inline void pushPlain(lua_State *L, const CLuaItem *item) {
  switch (item->kind) {
    case CLuaItemKindBoolean: lua_pushboolean(L, item->boolean); break;
    case CLuaItemKindInteger: lua_pushinteger(L, item->integer); break;
    case CLuaItemKindNumber: lua_pushnumber(L, item->number); break;
    case CLuaItemKindReference: lua_rawgeti(L, LUA_REGISTRYINDEX, item->integer); break;
    case CLuaItemKindObject: clua_pushObject(L, item->object); break;
    default: lua_pushnil(L); break;
  }
}

static size_t pushTable(lua_State *L, const CLuaItems *items, size_t position, int depth) {
  const CLuaItem *begin = &items->items[position];
  if (depth >= maximumTableDepth) luaL_error(L, "a table is nested more than %d levels deep", maximumTableDepth);
  // A C function has room for more than the first one needs.
  if (depth > 1) luaL_checkstack(L, 4, "a table is nested too deep");
  if (begin->kind == CLuaItemKindRefillTable) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, begin->integer);
  } else {
    lua_createtable(L, (int)begin->tag, (int)begin->count);
  }
  position += 1;
  lua_Integer length = 0;
  while (position < items->count) {
    const CLuaItem *item = &items->items[position];
    if (item->kind == CLuaItemKindEndTable) return position + 1;
    if (item->kind >= CLuaItemKindKey) {
      pushKey(L, items, item);
      position += 1;
      if (position == items->count || items->items[position].kind >= CLuaItemKindEndTable) {
        lua_pop(L, 1);
        continue;
      }
      position = pushOne(L, items, position, depth);
      lua_rawset(L, -3);
    } else {
      position = pushOne(L, items, position, depth);
      lua_rawseti(L, -2, ++length);
    }
  }
  return position;
}

static size_t pushOne(lua_State *L, const CLuaItems *items, size_t position, int depth) {
  const CLuaItem *item = &items->items[position];
  switch (item->kind) {
    case CLuaItemKindString: lua_pushlstring(L, items->bytes + item->offset, item->count); break;
    case CLuaItemKindDecimal: clua_pushDecimal(L, item->integer, (int32_t)item->tag); break;
    case CLuaItemKindBeginTable:
    case CLuaItemKindRefillTable: return pushTable(L, items, position, depth + 1);
    default: pushPlain(L, item); break;
  }
  return position + 1;
}

/// Pushes a scalar, or a string that the reserve has room for; false, and nothing is pushed, where that could raise.
static inline bool pushSafely(lua_State *L, CLuaMachine *machine, const CLuaItem *item) {
  if (item->kind <= CLuaItemKindReference) {
    pushPlain(L, item);
    return true;
  }
  if (item->kind != CLuaItemKindString || item->count > CLUA_RESERVE / 2 || !clua_hasReserve(machine)) return false;
  lua_pushlstring(L, machine->items.bytes + item->offset, item->count);
  return true;
}

/// Pushes a table that is there already after it has set its fields to such values. Answers the position behind it; 0, and
/// nothing is pushed, where that could raise.
static inline size_t refillSafely(lua_State *L, CLuaMachine *machine, size_t position) {
  const CLuaItems *items = &machine->items;
  lua_rawgeti(L, LUA_REGISTRYINDEX, items->items[position++].integer);
  // So many keys fit into the reserve, should the table have to make room for them anew.
  size_t last = position + 2 * (CLUA_RESERVE / 64);
  for (; position + 1 < items->count && position < last; position += 2) {
    const CLuaItem *key = &items->items[position];
    if (key->kind != CLuaItemKindKeyReference || !clua_hasReserve(machine)) break;
    lua_rawgeti(L, LUA_REGISTRYINDEX, key->integer);
    if (!pushSafely(L, machine, key + 1)) {
      lua_pop(L, 1);
      break;
    }
    lua_rawset(L, -3);
  }
  if (position < items->count && items->items[position].kind == CLuaItemKindEndTable) return position + 1;
  lua_pop(L, 1);
  return 0;
}

int clua_pushSafely(lua_State *L, CLuaMachine *machine, CLuaMark mark) {
  CLuaItems *items = &machine->items;
  if (items->outOfMemory) return -1;
  int count = 0;
  for (size_t position = mark.items; position < items->count; count += 1) {
    const CLuaItem *item = &items->items[position];
    if (item->kind == CLuaItemKindRefillTable) {
      position = refillSafely(L, machine, position);
      if (position == 0) return -1 - count;
    } else if (pushSafely(L, machine, item)) {
      position += 1;
    } else {
      return -1 - count;
    }
  }
  clua_reset(items, mark);
  return count;
}

static void checkMemory(lua_State *L, CLuaItems *items) {
  if (!items->outOfMemory) return;
  items->outOfMemory = false;
  luaL_error(L, "not enough memory for the values of the host");
}

/// Pushes what stands above the mark where it is one value that is neither a string nor a table; false: it is something else.
static inline bool pushOnePlain(lua_State *L, CLuaItems *items, CLuaMark mark) {
  if (items->count != mark.items + 1 || items->items[mark.items].kind > CLuaItemKindReference) return false;
  pushPlain(L, &items->items[mark.items]);
  clua_reset(items, mark);
  return true;
}

int clua_pushItems(lua_State *L, CLuaItems *items, CLuaMark mark) {
  checkMemory(L, items);
  if (pushOnePlain(L, items, mark)) return 1;
  int count = 0;
  for (size_t position = mark.items; position < items->count; count += 1) {
    if (count >= 8) luaL_checkstack(L, 4, "too many values");
    position = pushOne(L, items, position, 0);
  }
  clua_reset(items, mark);
  return count;
}

void clua_pushItem(lua_State *L, CLuaItems *items, CLuaMark mark) {
  checkMemory(L, items);
  if (pushOnePlain(L, items, mark)) return;
  if (mark.items < items->count) {
    pushOne(L, items, mark.items, 0);
  } else {
    lua_pushnil(L);
  }
  clua_reset(items, mark);
}
