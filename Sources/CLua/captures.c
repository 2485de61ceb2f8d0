// What a Lua function captures: a digest that tells whether it changed, and the function's bytecode.
//
// The digest is a sum over everything that is reached, so it does not depend on the order of a walk. A value in it is
// its type and content, a table or function in it is its address and what it holds; the strings of Lua are not walked
// twice, and the table of globals, which the sandbox protects, not at all.

#include <string.h>

#include "machine.h"

enum { seenSlot = 2, pendingSlot = 3 };

static uint64_t mix(uint64_t left, uint64_t right) {
  uint64_t mixed = (left ^ (right + 0x9e3779b97f4a7c15u + (left << 6) + (left >> 2))) * 0xff51afd7ed558ccdu;
  return mixed ^ (mixed >> 32);
}

static uint64_t hashBytes(const char *bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t position = 0; position < count; position += 1) {
    hash = (hash ^ (unsigned char)bytes[position]) * 0x100000001b3u;
  }
  return mix(hash, count);
}

/// The hash of the value at the index itself; tables and functions are noted once as something to look into.
static uint64_t hashValue(lua_State *L, int index, lua_Integer *pending) {
  int type = lua_type(L, index);
  uint64_t content = 0;
  switch (type) {
    case LUA_TNIL: break;
    case LUA_TBOOLEAN: content = (uint64_t)lua_toboolean(L, index) + 1; break;
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) {
        content = (uint64_t)lua_tointeger(L, index);
      } else {
        lua_Number number = lua_tonumber(L, index);
        memcpy(&content, &number, sizeof content);
        content = mix(content, 1);
      }
      break;
    case LUA_TSTRING: {
      size_t count;
      const char *bytes = lua_tolstring(L, index, &count);
      content = hashBytes(bytes, count);
      break;
    }
    default:
      content = (uint64_t)(uintptr_t)lua_topointer(L, index);
      if (type != LUA_TTABLE && type != LUA_TFUNCTION) break;
      index = lua_absindex(L, index);
      lua_pushvalue(L, index);
      if (lua_rawget(L, seenSlot) == LUA_TNIL) {
        lua_pushvalue(L, index);
        lua_pushboolean(L, true);
        lua_rawset(L, seenSlot);
        lua_pushvalue(L, index);
        lua_rawseti(L, pendingSlot, ++*pending);
      }
      lua_pop(L, 1);
  }
  return mix((uint64_t)type, content);
}

static uint64_t hashFunction(lua_State *L, lua_Integer *pending) {
  uint64_t sum = 0;
  if (lua_iscfunction(L, -1)) return sum;
  const void *globals = clua_machine(L)->visibleGlobalsPointer;
  for (int number = 1; lua_getupvalue(L, -1, number) != NULL; number += 1) {
    if (lua_topointer(L, -1) != globals) sum += mix((uint64_t)number, hashValue(L, -1, pending));
    lua_pop(L, 1);
  }
  return sum;
}

static uint64_t hashTable(lua_State *L, lua_Integer *pending) {
  uint64_t sum = 0;
  if (lua_topointer(L, -1) == clua_machine(L)->visibleGlobalsPointer) return sum;
  if (lua_getmetatable(L, -1)) {
    sum = mix(7, hashValue(L, -1, pending));
    lua_pop(L, 1);
  }
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    sum += mix(hashValue(L, -2, pending), hashValue(L, -1, pending));
    lua_pop(L, 1);
  }
  return sum;
}

typedef struct Digest {
  int32_t function;
  uint64_t sum;
} Digest;

static int digestCaptures(lua_State *L) {
  Digest *digest = lua_touserdata(L, 1);
  lua_newtable(L);
  lua_newtable(L);
  lua_Integer pending = 0;
  lua_rawgeti(L, LUA_REGISTRYINDEX, digest->function);
  hashValue(L, -1, &pending);
  lua_pop(L, 1);
  while (pending > 0) {
    lua_rawgeti(L, pendingSlot, pending);
    lua_pushnil(L);
    lua_rawseti(L, pendingSlot, pending);
    pending -= 1;
    uint64_t address = (uint64_t)(uintptr_t)lua_topointer(L, -1);
    uint64_t held = lua_isfunction(L, -1) ? hashFunction(L, &pending) : hashTable(L, &pending);
    digest->sum += mix(address, held);
    lua_pop(L, 1);
  }
  return 0;
}

CLuaStatus clua_digestCaptures(CLuaMachine *machine, int32_t function, uint64_t *digest) {
  Digest work = {function, 0};
  CLuaStatus status = clua_protect(machine, digestCaptures, &work);
  *digest = work.sum;
  return status;
}

typedef struct Taker {
  void *context;
  void (*take)(void *context, const void *bytes, size_t count);
} Taker;

static int handOver(lua_State *L, const void *bytes, size_t count, void *data) {
  (void)L;
  Taker *taker = data;
  if (count > 0) taker->take(taker->context, bytes, count);
  return 0;
}

bool clua_dump(CLuaMachine *machine, int32_t function, void *context,
               void (*take)(void *context, const void *bytes, size_t count)) {
  lua_State *L = machine->current;
  if (!lua_checkstack(L, 2)) return false;
  Taker taker = {context, take};
  lua_rawgeti(L, LUA_REGISTRYINDEX, function);
  // lua_dump allocates nothing, and the writer never fails.
  bool isDumped = lua_isfunction(L, -1) && lua_dump(L, handOver, &taker, 0) == 0;
  lua_pop(L, 1);
  return isDumped;
}
