// Values that the host keeps, and raw access to tables and globals.

#include <string.h>

#include "machine.h"

typedef struct Operation {
  CLuaMark mark;
  int32_t table;
  int32_t *reference;
  const char *bytes;
  size_t count;
  const void **address;
  int64_t *length;
} Operation;

static int anchorItems(lua_State *L) {
  Operation *operation = lua_touserdata(L, 1);
  clua_pushItem(L, &clua_machine(L)->items, operation->mark);
  *operation->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

CLuaStatus clua_anchorItems(CLuaMachine *machine, CLuaMark mark, int32_t *reference) {
  Operation operation = {.mark = mark, .reference = reference};
  CLuaStatus status = clua_protectCall(machine, anchorItems, &operation);
  clua_reset(&machine->items, mark);
  return status;
}

static int anchorTop(lua_State *L) {
  *(int32_t *)lua_touserdata(L, 1) = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

CLuaStatus clua_anchor(CLuaMachine *machine, int32_t index, int32_t *reference) {
  lua_State *L = machine->current;
  if (!lua_checkstack(L, LUA_MINSTACK)) return CLuaStatusMemory;
  index = lua_absindex(L, index);
  bool enforcing = machine->enforcing;
  machine->enforcing = false;
  lua_pushcfunction(L, anchorTop);
  lua_pushlightuserdata(L, reference);
  lua_pushvalue(L, index);
  int status = lua_pcall(L, 2, 0, 0);
  machine->enforcing = enforcing;
  if (status == LUA_OK) return CLuaStatusDone;
  lua_pop(L, 1);
  return CLuaStatusMemory;
}

void clua_release(CLuaMachine *machine, int32_t reference) {
  lua_State *L = machine->current;
  // Both slots that luaL_unref writes exist since luaL_ref made the reference, so it cannot raise.
  if (lua_checkstack(L, 4)) luaL_unref(L, LUA_REGISTRYINDEX, reference);
}

static int intern(lua_State *L) {
  Operation *operation = lua_touserdata(L, 1);
  lua_pushlstring(L, operation->bytes, operation->count);
  *operation->address = lua_tostring(L, -1);
  *operation->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

CLuaStatus clua_intern(CLuaMachine *machine, const char *bytes, size_t count, int32_t *reference,
                       const void **address) {
  Operation operation = {.bytes = bytes, .count = count, .reference = reference, .address = address};
  return clua_protectCall(machine, intern, &operation);
}

static int makeCoroutine(lua_State *L) {
  Operation *operation = lua_touserdata(L, 1);
  lua_State *coroutine = lua_newthread(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, operation->table);
  lua_xmove(L, coroutine, 1);
  *operation->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

CLuaStatus clua_makeCoroutine(CLuaMachine *machine, int32_t function, int32_t *reference) {
  Operation operation = {.table = function, .reference = reference};
  return clua_protectCall(machine, makeCoroutine, &operation);
}

static int setGlobal(lua_State *L) {
  Operation *operation = lua_touserdata(L, 1);
  CLuaMachine *machine = clua_machine(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, machine->globals);
  lua_pushlstring(L, operation->bytes, operation->count);
  clua_pushItem(L, &machine->items, operation->mark);
  lua_rawset(L, -3);
  // A session's assignment hides the host's value; the host's word is the last one.
  if (machine->visibleGlobals != machine->globals) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, machine->visibleGlobals);
    lua_pushlstring(L, operation->bytes, operation->count);
    lua_pushnil(L);
    lua_rawset(L, -3);
  }
  return 0;
}

CLuaStatus clua_setGlobal(CLuaMachine *machine, const char *name, size_t count, CLuaMark mark) {
  Operation operation = {.bytes = name, .count = count, .mark = mark};
  CLuaStatus status = clua_protect(machine, setGlobal, &operation);
  clua_reset(&machine->items, mark);
  return status;
}

static int global(lua_State *L) {
  Operation *operation = lua_touserdata(L, 1);
  CLuaMachine *machine = clua_machine(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, machine->visibleGlobals);
  lua_pushlstring(L, operation->bytes, operation->count);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, 2) != LUA_TNIL) return 1;
  lua_pop(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, machine->globals);
  lua_insert(L, -2);
  lua_rawget(L, -2);
  return 1;
}

CLuaStatus clua_global(CLuaMachine *machine, const char *name, size_t count, int32_t *first) {
  *first = lua_gettop(machine->current) + 1;
  Operation operation = {.bytes = name, .count = count};
  return clua_protect(machine, global, &operation);
}

static int field(lua_State *L) {
  Operation *operation = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, operation->table);
  clua_pushItem(L, &clua_machine(L)->items, operation->mark);
  if (lua_isnil(L, -1) || !lua_istable(L, -2)) {
    lua_pushnil(L);
  } else {
    lua_rawget(L, -2);
  }
  return 1;
}

CLuaStatus clua_field(CLuaMachine *machine, int32_t table, CLuaMark mark, int32_t *first) {
  *first = lua_gettop(machine->current) + 1;
  Operation operation = {.table = table, .mark = mark};
  CLuaStatus status = clua_protect(machine, field, &operation);
  clua_reset(&machine->items, mark);
  return status;
}

static int names(lua_State *L) {
  Operation *operation = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, operation->table);
  clua_seeThrough(L, 2);
  lua_newtable(L);
  lua_Integer count = 0;
  lua_pushnil(L);
  while (lua_next(L, 2)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) continue;
    lua_pushvalue(L, -1);
    lua_rawseti(L, 3, ++count);
  }
  *operation->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

CLuaStatus clua_names(CLuaMachine *machine, int32_t table, int32_t *reference) {
  Operation operation = {.table = table, .reference = reference};
  return clua_protectCall(machine, names, &operation);
}

int64_t clua_length(CLuaMachine *machine, int32_t table) {
  lua_State *L = machine->current;
  if (!lua_checkstack(L, 2)) return 0;
  lua_rawgeti(L, LUA_REGISTRYINDEX, table);
  int64_t length = (int64_t)lua_rawlen(L, -1);
  lua_pop(L, 1);
  return length;
}

static bool isOneOf(const char *bytes, const void *const *keys, size_t count) {
  for (size_t position = 0; position < count; position += 1) {
    if (keys[position] == bytes) return true;
  }
  return false;
}

bool clua_hasOnlyKeys(CLuaMachine *machine, int32_t table, const void *const *keys, size_t count) {
  lua_State *L = machine->current;
  if (!lua_checkstack(L, 4)) return false;
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, table);
  bool isAsExpected = !lua_getmetatable(L, -1);
  if (isAsExpected) lua_pushnil(L);
  // The walk starts at nil and changes nothing, so that lua_next has nothing to raise.
  while (isAsExpected && lua_next(L, -2)) {
    isAsExpected = lua_type(L, -2) == LUA_TSTRING && isOneOf(lua_tostring(L, -2), keys, count);
    lua_pop(L, 1);
  }
  lua_settop(L, top);
  return isAsExpected;
}

void clua_dropLong(CLuaMachine *machine, int32_t table) {
  lua_State *L = machine->current;
  if (!lua_checkstack(L, 4)) return;
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, table);
  lua_pushnil(L);
  // The walk starts at nil, and a field that is there takes nil without memory: nothing raises.
  while (lua_next(L, -2)) {
    bool isLong = clua_isLong(L, -1, lua_type(L, -1));
    lua_pop(L, 1);
    if (!isLong) continue;
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, -4);
  }
  lua_settop(L, top);
}

const void *clua_keyAddress(const CLuaMachine *machine, int32_t index) {
  // The bytes of a string stand behind its header, and at no such distance behind another value.
  return (const char *)lua_topointer(machine->current, index) + machine->stringHeader;
}

/// Reads the number, string or truth value on top of the stack; false: it is something else.
static inline bool readScalar(lua_State *L, CLuaValue *value) {
  if (lua_isinteger(L, -1)) {
    value->kind = CLuaKindInteger;
    value->integer = lua_tointegerx(L, -1, NULL);
    return true;
  }
  int type = lua_type(L, -1);
  if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TBOOLEAN) return false;
  clua_readValue(L, lua_gettop(L), value);
  return true;
}

int32_t clua_fields(CLuaMachine *machine, int32_t index, const void *const *keys, size_t count, CLuaValue *values) {
  lua_State *L = machine->current;
  if (!lua_istable(L, index) || !lua_checkstack(L, 4)) return -1;
  int top = lua_gettop(L);
  if (lua_getmetatable(L, index)) {
    lua_settop(L, top);
    return -1;
  }
  for (size_t position = 0; position < count; position += 1) values[position].kind = CLuaKindNil;
  int32_t found = 0;
  lua_pushnil(L);
  // The walk starts at nil and changes nothing, so that lua_next has nothing to raise.
  for (; lua_next(L, index); found += 1) {
    // The bytes of a string stand behind its header, and at no such distance behind another value.
    const char *key = (const char *)lua_topointer(L, -2) + machine->stringHeader;
    size_t position = 0;
    while (position < count && keys[position] != key) position += 1;
    if (position == count || !readScalar(L, &values[position])) {
      lua_settop(L, top);
      return -1;
    }
    lua_pop(L, 1);
  }
  return found;
}

static int sortedKeys(lua_State *L) {
  Operation *operation = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, operation->table);
  *operation->length = clua_pushSortedKeys(L, -1);
  return 1;
}

CLuaStatus clua_sortedKeys(CLuaMachine *machine, int32_t table, int32_t *first, int64_t *count) {
  *first = lua_gettop(machine->current) + 1;
  Operation operation = {.table = table, .length = count};
  return clua_protect(machine, sortedKeys, &operation);
}

void clua_entry(CLuaMachine *machine, int32_t table, int32_t list, int64_t position, int32_t *first) {
  lua_State *L = machine->current;
  *first = lua_gettop(L) + 1;
  if (!lua_checkstack(L, 4)) {
    *first = 0;
    return;
  }
  lua_rawgeti(L, list, position);
  lua_rawgeti(L, LUA_REGISTRYINDEX, table);
  lua_pushvalue(L, -2);
  lua_rawget(L, -2);
  lua_remove(L, -2);
}

const CLuaFrame *clua_caller(CLuaMachine *machine, bool *isSame) {
  lua_State *L = machine->current;
  lua_Debug record;
  // The host may have been called by way of a library function, such as pcall.
  for (int level = 1; lua_getstack(L, level, &record) && lua_getinfo(L, "Sln", &record); level += 1) {
    if (*record.what != 'C') {
      *isSame = clua_isFrame(&machine->caller, &record);
      if (!*isSame) clua_fillFrame(&machine->caller, &record);
      return &machine->caller;
    }
    if ((const void *)record.i_ci == machine->callBase) break;
  }
  return NULL;
}

bool clua_isYieldable(CLuaMachine *machine) {
  return machine->current == machine->resumed && lua_isyieldable(machine->current);
}
