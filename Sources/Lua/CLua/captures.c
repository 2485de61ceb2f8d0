// What a Lua function captures: a digest that tells whether it changed, and the function's bytecode.
//
// The digest is a sum over everything that is reached, so it does not depend on the order of a walk. A value in it is
// its type and content, a table, function or coroutine in it is its address and what it holds; the strings of Lua are
// not walked twice, and the table of globals and the libraries, which the sandbox protects, not at all.
//
// Nearly every reducer captures a few constants and helpers: what has been seen then fits into an array, and the walk
// allocates nothing. Where it does not, the walk begins anew with tables of Lua.

#include <string.h>

#include "machine.h"

enum { seenSlot = 2, pendingSlot = 3, nearObjects = 24, nearTexts = 8, nearDepth = 8, nearLevels = 200, nearIndexes = 16 };

/// Texts of more bytes are read once, however many tables hold them.
static const size_t shortText = 64;

typedef struct Walk {
  int32_t function;
  /// What of it is asked about; null: all that it captures.
  const CLuaUse *use;
  uint64_t sum;
  /// How many values were looked at.
  uint64_t size;
  /// Whether what was seen stands in the array below.
  bool isNear;
  /// Whether the array was too small.
  bool isTooFar;
  int depth;
  int seenCount;
  const void *seen[nearObjects];
  int textCount;
  struct {
    const char *bytes;
    uint64_t hash;
  } texts[nearTexts];
  /// The number of objects in the table of pending ones.
  lua_Integer pending;
} Walk;

static void lookInto(lua_State *L, Walk *walk);

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

/// Looks into the object at the index at once, unless it was seen.
static void noteNear(lua_State *L, int index, const void *address, Walk *walk) {
  for (int position = 0; position < walk->seenCount; position += 1) {
    if (walk->seen[position] == address) return;
  }
  if (walk->seenCount == nearObjects || walk->depth == nearDepth) {
    walk->isTooFar = true;
    return;
  }
  walk->seen[walk->seenCount++] = address;
  walk->depth += 1;
  lua_pushvalue(L, index);
  lookInto(L, walk);
  lua_pop(L, 1);
  walk->depth -= 1;
}

/// Notes the object at the index as something to look into, unless it was seen.
static void noteFar(lua_State *L, int index, Walk *walk) {
  index = lua_absindex(L, index);
  lua_pushvalue(L, index);
  if (lua_rawget(L, seenSlot) == LUA_TNIL) {
    lua_pushvalue(L, index);
    lua_pushboolean(L, true);
    lua_rawset(L, seenSlot);
    lua_pushvalue(L, index);
    lua_rawseti(L, pendingSlot, ++walk->pending);
  }
  lua_pop(L, 1);
}

static uint64_t hashNearText(const char *bytes, size_t count, Walk *walk) {
  for (int position = 0; position < walk->textCount; position += 1) {
    if (walk->texts[position].bytes == bytes) return walk->texts[position].hash;
  }
  if (walk->textCount == nearTexts) {
    walk->isTooFar = true;
    return 0;
  }
  uint64_t hash = hashBytes(bytes, count);
  walk->texts[walk->textCount].bytes = bytes;
  walk->texts[walk->textCount++].hash = hash;
  return hash;
}

static uint64_t hashText(lua_State *L, int index, Walk *walk) {
  size_t count;
  const char *bytes = lua_tolstring(L, index, &count);
  if (count <= shortText) return hashBytes(bytes, count);
  if (walk->isNear) return hashNearText(bytes, count, walk);
  index = lua_absindex(L, index);
  lua_pushvalue(L, index);
  bool isSeen = lua_rawget(L, seenSlot) != LUA_TNIL;
  uint64_t hash = isSeen ? (uint64_t)lua_tointeger(L, -1) : hashBytes(bytes, count);
  lua_pop(L, 1);
  if (isSeen) return hash;
  lua_pushvalue(L, index);
  lua_pushinteger(L, (lua_Integer)hash);
  lua_rawset(L, seenSlot);
  return hash;
}

/// The hash of the value at the index itself; what it holds is looked into once.
static uint64_t hashValue(lua_State *L, int index, Walk *walk) {
  int type = lua_type(L, index);
  uint64_t content = 0;
  walk->size += 1;
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
    case LUA_TSTRING: content = hashText(L, index, walk); break;
    case LUA_TUSERDATA:
      content = (uint64_t)(uintptr_t)lua_topointer(L, index);
      // Those of the library, such as the place of gmatch in its text, have no metatable; host objects have one.
      if (lua_getmetatable(L, index)) lua_pop(L, 1);
      else content = mix(content, hashBytes(lua_touserdata(L, index), lua_rawlen(L, index)));
      break;
    default: {
      const void *address = lua_topointer(L, index);
      content = (uint64_t)(uintptr_t)address;
      if (type != LUA_TTABLE && type != LUA_TFUNCTION && type != LUA_TTHREAD) break;
      // What is read holds it, and the code may never call it: what it keeps is its own affair.
      if (walk->use != NULL && type == LUA_TFUNCTION && walk->size > 1) break;
      if (walk->isNear) noteNear(L, index, address, walk);
      else noteFar(L, index, walk);
    }
  }
  return mix((uint64_t)type, content);
}

static uint64_t hashFunction(lua_State *L, Walk *walk) {
  uint64_t sum = 0;
  const void *globals = clua_machine(L)->visibleGlobalsPointer;
  for (int number = 1; lua_getupvalue(L, -1, number) != NULL; number += 1) {
    if (lua_topointer(L, -1) != globals) sum += mix((uint64_t)number, hashValue(L, -1, walk));
    lua_pop(L, 1);
  }
  return sum;
}

static uint64_t hashTable(lua_State *L, Walk *walk) {
  uint64_t sum = 0;
  if (clua_isView(L, -1) || lua_topointer(L, -1) == clua_machine(L)->visibleGlobalsPointer) return sum;
  if (lua_getmetatable(L, -1)) {
    sum = mix(7, hashValue(L, -1, walk));
    lua_pop(L, 1);
  }
  // Where a list has holes its length depends on more than what it holds.
  sum += mix(11, (uint64_t)lua_rawlen(L, -1));
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    sum += mix(hashValue(L, -2, walk), hashValue(L, -1, walk));
    lua_pop(L, 1);
    if (!walk->isTooFar) continue;
    lua_pop(L, 1);
    break;
  }
  return sum;
}

/// Where a coroutine stands, as far as it shows from outside: its status, and the line and the locals of each function.
static uint64_t hashCoroutine(lua_State *L, Walk *walk) {
  lua_State *coroutine = lua_tothread(L, -1);
  if (coroutine == L || !lua_checkstack(coroutine, 2)) return 0;
  uint64_t sum = mix((uint64_t)lua_status(coroutine), (uint64_t)lua_gettop(coroutine));
  lua_Debug record;
  int level = 0;
  // Each is looked for from the innermost on.
  for (; level < nearLevels && lua_getstack(coroutine, level, &record); level += 1) {
    lua_getinfo(coroutine, "lf", &record);
    lua_xmove(coroutine, L, 1);
    sum += mix((uint64_t)level, mix((uint64_t)record.currentline, hashValue(L, -1, walk)));
    lua_pop(L, 1);
    for (int number = 1; lua_getlocal(coroutine, &record, number) != NULL; number += 1) {
      lua_xmove(coroutine, L, 1);
      sum += mix((uint64_t)(level << 16 | number), hashValue(L, -1, walk));
      lua_pop(L, 1);
    }
  }
  // Not begun yet: the function and its first arguments.
  for (int index = 1; level == 0 && index <= lua_gettop(coroutine); index += 1) {
    lua_pushvalue(coroutine, index);
    lua_xmove(coroutine, L, 1);
    sum += mix((uint64_t)index, hashValue(L, -1, walk));
    lua_pop(L, 1);
  }
  return sum;
}

/// Adds what the object on top holds.
static void lookInto(lua_State *L, Walk *walk) {
  uint64_t address = (uint64_t)(uintptr_t)lua_topointer(L, -1);
  uint64_t held = 0;
  switch (lua_type(L, -1)) {
    case LUA_TFUNCTION: held = hashFunction(L, walk); break;
    case LUA_TTABLE: held = hashTable(L, walk); break;
    default: held = hashCoroutine(L, walk); break;
  }
  walk->sum += mix(address, held);
}

/// Replaces the table on top by its field, which a chain of `__index` tables may have; false, and nothing is done: where it comes
/// from is not to be told.
static bool replaceByField(lua_State *L, const char *field, size_t count) {
  if (!lua_istable(L, -1)) return false;
  lua_pushvalue(L, -1);
  for (int link = 0; link < nearIndexes; link += 1) {
    lua_pushlstring(L, field, count);
    bool isThere = lua_rawget(L, -2) != LUA_TNIL;
    if (isThere || !lua_getmetatable(L, -2)) {
      lua_replace(L, -3);
      lua_pop(L, 1);
      return true;
    }
    lua_pushliteral(L, "__index");
    lua_rawget(L, -2);
    lua_replace(L, -4);
    lua_pop(L, 2);
    if (!lua_istable(L, -1)) break;
  }
  lua_pop(L, 1);
  return false;
}

/// Pushes what is asked about: a function or table, or what a function reads. False: the latter is in the table of globals.
static bool pushSubject(lua_State *L, const Walk *walk) {
  const CLuaUse *use = walk->use;
  lua_rawgeti(L, LUA_REGISTRYINDEX, walk->function);
  if (use == NULL) return true;
  if (lua_getupvalue(L, -1, use->capture) == NULL) lua_pushnil(L);
  lua_remove(L, -2);
  if (lua_topointer(L, -1) == clua_machine(L)->visibleGlobalsPointer) return false;
  for (int depth = 0; depth < CLUA_USE_FIELDS && use->fields[depth] != NULL; depth += 1) {
    if (!replaceByField(L, use->fields[depth], use->fieldCounts[depth])) break;
  }
  return true;
}

static int digestNear(lua_State *L) {
  Walk *walk = lua_touserdata(L, 1);
  luaL_checkstack(L, nearDepth * 8, NULL);
  pushSubject(L, walk);
  uint64_t hash = hashValue(L, -1, walk);
  if (walk->use != NULL) walk->sum += hash;
  return 0;
}

static int digestFar(lua_State *L) {
  Walk *walk = lua_touserdata(L, 1);
  lua_newtable(L);
  lua_newtable(L);
  pushSubject(L, walk);
  uint64_t hash = hashValue(L, -1, walk);
  if (walk->use != NULL) walk->sum += hash;
  lua_pop(L, 1);
  while (walk->pending > 0) {
    lua_rawgeti(L, pendingSlot, walk->pending);
    lua_pushnil(L);
    lua_rawseti(L, pendingSlot, walk->pending);
    walk->pending -= 1;
    lookInto(L, walk);
    lua_pop(L, 1);
  }
  return 0;
}

static CLuaStatus walkCaptures(CLuaMachine *machine, int32_t function, const CLuaUse *use, CLuaDigest *digest) {
  Walk walk;
  walk.function = function;
  walk.use = use;
  walk.sum = 0;
  walk.size = 0;
  walk.isNear = true;
  walk.isTooFar = false;
  walk.depth = 0;
  walk.seenCount = 0;
  walk.textCount = 0;
  CLuaStatus status = clua_protectCall(machine, digestNear, &walk);
  if (status == CLuaStatusDone && walk.isTooFar) {
    walk = (Walk){.function = function, .use = use};
    status = clua_protectCall(machine, digestFar, &walk);
  }
  *digest = (CLuaDigest){walk.sum, walk.size};
  return status;
}

CLuaStatus clua_digestCaptures(CLuaMachine *machine, int32_t function, CLuaDigest *digest) {
  return walkCaptures(machine, function, NULL, digest);
}

typedef struct Subject {
  Walk walk;
  bool isGlobal;
  int32_t *reference;
} Subject;

/// Anchors what is asked about where it is a function of Lua.
static int anchorFunction(lua_State *L) {
  Subject *subject = lua_touserdata(L, 1);
  subject->isGlobal = !pushSubject(L, &subject->walk);
  if (!lua_isfunction(L, -1) || lua_iscfunction(L, -1)) return 0;
  subject->walk.sum = (uint64_t)(uintptr_t)lua_topointer(L, -1);
  *subject->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

CLuaStatus clua_digestUse(CLuaMachine *machine, int32_t function, const CLuaUse *use, CLuaDigest *digest,
                          int32_t *reference) {
  Subject subject = {.walk = {.function = function, .use = use}, .reference = reference};
  *reference = LUA_NOREF;
  CLuaStatus status = clua_protectCall(machine, anchorFunction, &subject);
  bool isFunction = *reference != LUA_NOREF;
  if (status == CLuaStatusDone && !isFunction && !subject.isGlobal) return walkCaptures(machine, function, use, digest);
  *digest = (CLuaDigest){subject.walk.sum, subject.isGlobal ? 0 : 1};
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
