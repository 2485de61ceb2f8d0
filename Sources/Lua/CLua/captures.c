// The captures of a Lua function: a digest that tells if they changed, and the function's bytecode.
//
// The digest is a sum over everything that is reached, so it does not depend on the order of a walk. A value counts by
// its type and content; a table, function or coroutine by its address and contents. The strings of Lua are not walked
// twice. The table of globals and the libraries, which the sandbox protects, are not walked at all.

#include <string.h>

#include "machine.h"

/// The slots of two tables: the values seen, with the hashes of long texts, and a list of values still to visit.
enum { seenSlot = 2, pendingSlot = 3, mostLevels = 200 };

/// Texts of more bytes are read once, however many tables hold them.
static const size_t shortText = 64;

typedef struct Walk {
  int32_t reference;
  lua_Integer pending;
  CLuaDigest digest;
} Walk;

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

/// Has the object on top looked into later, unless it was seen.
static void note(lua_State *L, Walk *walk) {
  lua_pushvalue(L, -1);
  if (lua_rawget(L, seenSlot) == LUA_TNIL) {
    lua_pushvalue(L, -2);
    lua_pushboolean(L, true);
    lua_rawset(L, seenSlot);
    lua_pushvalue(L, -2);
    lua_rawseti(L, pendingSlot, ++walk->pending);
  }
  lua_pop(L, 1);
}

static uint64_t hashText(lua_State *L) {
  size_t count;
  const char *bytes = lua_tolstring(L, -1, &count);
  if (count <= shortText) return hashBytes(bytes, count);
  lua_pushvalue(L, -1);
  bool isSeen = lua_rawget(L, seenSlot) != LUA_TNIL;
  uint64_t hash = isSeen ? (uint64_t)lua_tointeger(L, -1) : hashBytes(bytes, count);
  lua_pop(L, 1);
  if (isSeen) return hash;
  lua_pushvalue(L, -1);
  lua_pushinteger(L, (lua_Integer)hash);
  lua_rawset(L, seenSlot);
  return hash;
}

/// Takes the value on top off the stack and answers its own hash; what it holds is looked into once.
static uint64_t takeHash(lua_State *L, Walk *walk) {
  int type = lua_type(L, -1);
  uint64_t content = (uint64_t)(uintptr_t)lua_topointer(L, -1);
  walk->digest.size += 1;
  switch (type) {
    case LUA_TNIL: break;
    case LUA_TBOOLEAN: content = (uint64_t)lua_toboolean(L, -1) + 1; break;
    case LUA_TNUMBER:
      if (lua_isinteger(L, -1)) {
        content = (uint64_t)lua_tointeger(L, -1);
      } else {
        lua_Number number = lua_tonumber(L, -1);
        memcpy(&content, &number, sizeof content);
        content = mix(content, 1);
      }
      break;
    case LUA_TSTRING: content = hashText(L); break;
    case LUA_TUSERDATA:
      // Userdata of the library, such as the place of gmatch in its text, have no metatable; decimals are their contents.
      if (!lua_getmetatable(L, -1)) {
        content = mix(content, hashBytes(lua_touserdata(L, -1), lua_rawlen(L, -1)));
        break;
      }
      lua_pop(L, 1);
      int64_t units;
      int32_t scale;
      if (clua_toDecimal(L, -1, &units, &scale)) content = mix((uint64_t)units, (uint64_t)scale);
      break;
    case LUA_TTABLE:
    case LUA_TFUNCTION:
    case LUA_TTHREAD: note(L, walk); break;
    default: break;
  }
  lua_pop(L, 1);
  return mix((uint64_t)type, content);
}

static uint64_t hashFunction(lua_State *L, Walk *walk) {
  uint64_t sum = 0;
  for (int number = 1; lua_getupvalue(L, -1, number) != NULL; number += 1) {
    sum += mix((uint64_t)number, takeHash(L, walk));
  }
  return sum;
}

static uint64_t hashTable(lua_State *L, Walk *walk) {
  uint64_t sum = 0;
  if (clua_isView(L, -1) || lua_topointer(L, -1) == clua_machine(L)->visibleGlobalsPointer) return sum;
  if (lua_getmetatable(L, -1)) sum = mix(7, takeHash(L, walk));
  // The length of a list with holes depends on more than its contents.
  sum += mix(11, (uint64_t)lua_rawlen(L, -1));
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    uint64_t value = takeHash(L, walk);
    lua_pushvalue(L, -1);
    sum += mix(takeHash(L, walk), value);
  }
  return sum;
}

static uint64_t takeHashFrom(lua_State *coroutine, lua_State *L, Walk *walk) {
  lua_xmove(coroutine, L, 1);
  return takeHash(L, walk);
}

/// The point that a coroutine has reached, as seen from outside: its status, and the line and the locals of each
/// function.
static uint64_t hashCoroutine(lua_State *L, Walk *walk) {
  lua_State *coroutine = lua_tothread(L, -1);
  if (coroutine == L || !lua_checkstack(coroutine, 2)) return 0;
  uint64_t sum = mix((uint64_t)lua_status(coroutine), (uint64_t)lua_gettop(coroutine));
  lua_Debug record;
  int level = 0;
  // Each is looked for from the innermost on.
  for (; level < mostLevels && lua_getstack(coroutine, level, &record); level += 1) {
    lua_getinfo(coroutine, "lf", &record);
    sum += mix((uint64_t)level, mix((uint64_t)record.currentline, takeHashFrom(coroutine, L, walk)));
    for (int number = 1; lua_getlocal(coroutine, &record, number) != NULL; number += 1) {
      sum += mix((uint64_t)(level << 16 | number), takeHashFrom(coroutine, L, walk));
    }
  }
  // Not begun yet: the function and its first arguments.
  for (int index = 1; level == 0 && index <= lua_gettop(coroutine); index += 1) {
    lua_pushvalue(coroutine, index);
    sum += mix((uint64_t)index, takeHashFrom(coroutine, L, walk));
  }
  return sum;
}

/// The contents of the object on top.
static uint64_t hashHeld(lua_State *L, Walk *walk) {
  switch (lua_type(L, -1)) {
    case LUA_TFUNCTION: return hashFunction(L, walk);
    case LUA_TTABLE: return hashTable(L, walk);
    default: return hashCoroutine(L, walk);
  }
}

static int walkCaptures(lua_State *L) {
  Walk *walk = lua_touserdata(L, 1);
  lua_newtable(L);
  lua_newtable(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, walk->reference);
  takeHash(L, walk);
  while (walk->pending > 0) {
    lua_rawgeti(L, pendingSlot, walk->pending--);
    walk->digest.value += mix((uint64_t)(uintptr_t)lua_topointer(L, -1), hashHeld(L, walk));
    lua_pop(L, 1);
  }
  return 0;
}

CLuaStatus clua_digestCaptures(CLuaMachine *machine, int32_t reference, CLuaDigest *digest) {
  Walk walk = {.reference = reference};
  CLuaStatus status = clua_protectCall(machine, walkCaptures, &walk);
  *digest = walk.digest;
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

CLuaCapture clua_captured(CLuaMachine *machine, int32_t function, int32_t position, int32_t *reference) {
  lua_State *L = machine->current;
  if (!lua_checkstack(L, 2)) return CLuaCaptureOther;
  int top = lua_gettop(L);
  CLuaCapture capture = CLuaCaptureOther;
  lua_rawgeti(L, LUA_REGISTRYINDEX, function);
  if (lua_getupvalue(L, -1, position) != NULL) {
    int type = lua_type(L, -1);
    bool isLuaFunction = type == LUA_TFUNCTION && !lua_iscfunction(L, -1);
    if (type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING) {
      capture = CLuaCaptureScalar;
    } else if (lua_topointer(L, -1) == machine->visibleGlobalsPointer) {
      capture = CLuaCaptureGlobals;
    } else if (isLuaFunction && clua_anchor(machine, -1, reference) == CLuaStatusDone) {
      capture = CLuaCaptureFunction;
    }
  }
  lua_settop(L, top);
  return capture;
}
