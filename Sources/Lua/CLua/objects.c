// Host objects: light userdata, one number each, whose metamethods call back into the host.

#include "machine.h"

_Static_assert(sizeof(void *) == sizeof(CLuaObject), "an object of the host is carried in a pointer");

/// Stands in the topmost byte, where the address of nothing that a process allocates has anything but zero.
static const CLuaObject objectMark = 0xc5ull << 56;

bool clua_toObject(lua_State *L, int index, CLuaObject *object) {
  if (lua_type(L, index) != LUA_TLIGHTUSERDATA) return false;
  *object = (CLuaObject)(uintptr_t)lua_touserdata(L, index) ^ objectMark;
  return *object >> 56 == 0;
}

void clua_pushObject(lua_State *L, CLuaObject object) { lua_pushlightuserdata(L, (void *)(uintptr_t)(object ^ objectMark)); }

static CLuaObject checkObject(lua_State *L, int index) {
  // Null for what is no userdata; no block of a full one has the mark.
  CLuaObject object = (CLuaObject)(uintptr_t)lua_touserdata(L, index) ^ objectMark;
  if (object >> 56 != 0) luaL_typeerror(L, index, "object of the host");
  return object;
}

void clua_readValue(lua_State *L, int index, CLuaValue *value) {
  value->index = index;
  int type = lua_type(L, index);
  switch (type) {
    case LUA_TSTRING:
      value->kind = CLuaKindString;
      value->bytes = lua_tolstring(L, index, &value->count);
      break;
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) {
        value->kind = CLuaKindInteger;
        value->integer = lua_tointegerx(L, index, NULL);
      } else {
        value->kind = CLuaKindNumber;
        value->number = clua_settled(lua_tonumberx(L, index, NULL));
      }
      break;
    case LUA_TBOOLEAN:
      value->kind = CLuaKindBoolean;
      value->boolean = lua_toboolean(L, index);
      break;
    case LUA_TNONE:
    case LUA_TNIL:
      value->kind = CLuaKindNil;
      break;
    case LUA_TTABLE:
      value->kind = CLuaKindTable;
      break;
    case LUA_TFUNCTION:
      value->kind = CLuaKindFunction;
      break;
    default:
      if (clua_toObject(L, index, &value->object)) {
        value->kind = CLuaKindObject;
      } else {
        int32_t scale;
        if (clua_toDecimal(L, index, &value->integer, &scale)) {
          value->kind = CLuaKindDecimal;
          value->count = (size_t)scale;
        } else {
          value->kind = CLuaKindOther;
          value->typeName = clua_isQuotient(L, index) ? "quotient without an end, which round(a / b, 2) makes a number" : lua_typename(L, type);
        }
      }
  }
}

/// Reads the key at index 2, a float that is a whole number as an integer: so do tables.
static inline void readKey(lua_State *L, CLuaValue *key) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    key->kind = CLuaKindString;
    key->index = 2;
    key->bytes = lua_tolstring(L, 2, &key->count);
    return;
  }
  clua_readValue(L, 2, key);
  lua_Integer integer;
  if (key->kind != CLuaKindNumber || !lua_numbertointeger(key->number, &integer)) return;
  if ((lua_Number)integer != key->number) return;
  key->kind = CLuaKindInteger;
  key->integer = integer;
}

/// A callback into the host: where its results begin, and what its end restores.
typedef struct Question {
  CLuaMachine *machine;
  CLuaMark mark;
  CLuaHostEntry entry;
} Question;

static inline Question begin(lua_State *L, CLuaMachine *machine) {
  return (Question){machine, clua_mark(&machine->items), clua_enterHost(machine, L)};
}

/// Raises where the callback failed, or used up the budget.
static inline CLuaAnswer end(lua_State *L, Question question, CLuaAnswer answer) {
  clua_leaveHost(question.machine, question.entry);
  clua_settle(L, question.machine);
  if (answer == CLuaAnswerFailed) clua_raiseFailure(L, question.mark);
  return answer;
}

// Apart from getField and setField, most of whose calls end at a window and need no room for this.

static __attribute__((noinline)) int askForField(lua_State *L, CLuaMachine *machine, CLuaObject object) {
  CLuaValue key;
  readKey(L, &key);
  Question question = begin(L, machine);
  end(L, question, machine->callbacks.get(machine->context, object, &key));
  clua_pushItem(L, &machine->items, question.mark);
  return 1;
}

static int getField(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  CLuaObject object = checkObject(L, 1);
  return clua_readWindow(L, machine, object) ? 1 : askForField(L, machine, object);
}

static __attribute__((noinline)) int handOverField(lua_State *L, CLuaMachine *machine, CLuaObject object) {
  CLuaValue key, value;
  readKey(L, &key);
  clua_readValue(L, 3, &value);
  Question question = begin(L, machine);
  end(L, question, machine->callbacks.set(machine->context, object, &key, &value));
  clua_reset(&machine->items, question.mark);
  return 0;
}

static int setField(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  CLuaObject object = checkObject(L, 1);
  return clua_writeWindow(L, machine, object) ? 0 : handOverField(L, machine, object);
}

/// Asks the host to change one of its lists as a whole; false where that is to be done element by element.
static bool changeList(lua_State *L, CLuaObject object, lua_Integer position, const CLuaValue *value) {
  CLuaMachine *machine = clua_machine(L);
  Question question = begin(L, machine);
  CLuaAnswer answer = value == NULL ? machine->callbacks.remove(machine->context, object, position)
                                    : machine->callbacks.insert(machine->context, object, position, value);
  end(L, question, answer);
  clua_reset(&machine->items, question.mark);
  return answer == CLuaAnswerDone;
}

bool clua_insertIntoObject(lua_State *L, lua_Integer position) {
  CLuaObject object;
  if (!clua_toObject(L, 1, &object)) return false;
  CLuaValue value;
  clua_readValue(L, 3, &value);
  return changeList(L, object, position, &value);
}

bool clua_removeFromObject(lua_State *L, lua_Integer position) {
  CLuaObject object;
  return clua_toObject(L, 1, &object) && changeList(L, object, position, NULL);
}

/// Pushes what a callback tells of the object at index 1.
static int tell(lua_State *L, CLuaAnswer (*callback)(void *context, CLuaObject object)) {
  CLuaMachine *machine = clua_machine(L);
  CLuaObject object = checkObject(L, 1);
  Question question = begin(L, machine);
  end(L, question, callback(machine->context, object));
  clua_pushItem(L, &machine->items, question.mark);
  return 1;
}

static int lengthOf(lua_State *L) { return tell(L, clua_machine(L)->callbacks.length); }

static int describe(lua_State *L) { return tell(L, clua_machine(L)->callbacks.describe); }

static int entryBehind(lua_State *L, bool isWalk) {
  CLuaMachine *machine = clua_machine(L);
  CLuaObject object = checkObject(L, 1);
  clua_charge(L, 1);
  lua_settop(L, 2);
  CLuaValue key;
  readKey(L, &key);
  Question question = begin(L, machine);
  CLuaAnswer answer = machine->callbacks.next(machine->context, object, key.kind == CLuaKindNil ? NULL : &key, isWalk);
  bool hasEntry = end(L, question, answer) == CLuaAnswerDone;
  if (!hasEntry) clua_reset(&machine->items, question.mark);
  int count = clua_pushItems(L, &machine->items, question.mark);
  // At the end no key, of an optional that is not there no value.
  if (count < 1 + hasEntry) lua_pushnil(L);
  return 1 + hasEntry;
}

int clua_nextOfObject(lua_State *L) { return entryBehind(L, false); }

static int stepThroughObject(lua_State *L) { return entryBehind(L, true); }

static int pairsOfObject(lua_State *L) {
  checkObject(L, 1);
  lua_pushcfunction(L, stepThroughObject);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

void clua_openObjects(lua_State *L) {
  static const luaL_Reg metamethods[] = {
      {"__index", getField},     {"__newindex", setField},  {"__len", lengthOf},
      {"__tostring", describe}, {"__pairs", pairsOfObject}, {NULL, NULL},
  };
  // All light userdata of a state share one metatable.
  clua_pushObject(L, 0);
  luaL_newlib(L, metamethods);
  lua_pushliteral(L, "object");
  lua_setfield(L, -2, "__metatable");
  // The name of an object in Lua's own messages; without it: a light userdata.
  lua_pushliteral(L, "userdata");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}
