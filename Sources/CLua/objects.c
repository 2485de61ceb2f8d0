// Host objects: userdata of a few plain numbers whose metamethods call back into the host.

#include "machine.h"

CLuaUserdata *clua_toObject(lua_State *L, int index) {
  CLuaUserdata *userdata = lua_touserdata(L, index);
  // A full userdata of exactly this size that names this machine can only be one of its objects: the size rules out
  // light userdata, the address in it every other kind.
  if (userdata == NULL || lua_rawlen(L, index) != sizeof(CLuaUserdata)) return NULL;
  return userdata->owner == clua_machine(L) ? userdata : NULL;
}

static CLuaUserdata *checkObject(lua_State *L, int index) {
  CLuaUserdata *userdata = clua_toObject(L, index);
  if (userdata == NULL) luaL_typeerror(L, index, "object of the host");
  return userdata;
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
        value->number = lua_tonumberx(L, index, NULL);
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
    default: {
      CLuaUserdata *userdata = type == LUA_TUSERDATA ? clua_toObject(L, index) : NULL;
      if (userdata != NULL) {
        value->kind = CLuaKindObject;
        value->object = userdata->object;
      } else {
        value->kind = CLuaKindOther;
        value->typeName = lua_typename(L, type);
      }
    }
  }
}

void clua_pushObject(lua_State *L, CLuaObject object) {
  CLuaMachine *machine = clua_machine(L);
  CLuaUserdata *userdata = lua_newuserdatauv(L, sizeof(CLuaUserdata), 0);
  userdata->owner = machine;
  userdata->object = object;
  lua_rawgeti(L, LUA_REGISTRYINDEX, machine->objectMetatable);
  lua_setmetatable(L, -2);
}

static int getField(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  CLuaUserdata *userdata = checkObject(L, 1);
  CLuaValue key;
  clua_readValue(L, 2, &key);
  CLuaMark mark = clua_mark(&machine->items);
  CLuaHostEntry entry = clua_enterHost(machine, L);
  CLuaAnswer answer = machine->callbacks.get(machine->context, &userdata->object, &key);
  clua_leaveHost(machine, entry);
  if (answer == CLuaAnswerFailed) return clua_raiseFailure(L, mark);
  clua_pushItem(L, &machine->items, mark);
  return 1;
}

static int setField(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  CLuaUserdata *userdata = checkObject(L, 1);
  CLuaValue key, value;
  clua_readValue(L, 2, &key);
  clua_readValue(L, 3, &value);
  CLuaMark mark = clua_mark(&machine->items);
  CLuaHostEntry entry = clua_enterHost(machine, L);
  CLuaAnswer answer = machine->callbacks.set(machine->context, &userdata->object, &key, &value);
  clua_leaveHost(machine, entry);
  if (answer == CLuaAnswerFailed) return clua_raiseFailure(L, mark);
  clua_reset(&machine->items, mark);
  return 0;
}

static int lengthOf(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  CLuaUserdata *userdata = checkObject(L, 1);
  CLuaMark mark = clua_mark(&machine->items);
  CLuaHostEntry entry = clua_enterHost(machine, L);
  CLuaAnswer answer = machine->callbacks.length(machine->context, &userdata->object);
  clua_leaveHost(machine, entry);
  if (answer == CLuaAnswerFailed) return clua_raiseFailure(L, mark);
  clua_pushItem(L, &machine->items, mark);
  return 1;
}

static int describe(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  CLuaUserdata *userdata = checkObject(L, 1);
  CLuaMark mark = clua_mark(&machine->items);
  CLuaHostEntry entry = clua_enterHost(machine, L);
  CLuaAnswer answer = machine->callbacks.describe(machine->context, &userdata->object);
  clua_leaveHost(machine, entry);
  if (answer == CLuaAnswerFailed) return clua_raiseFailure(L, mark);
  clua_pushItem(L, &machine->items, mark);
  return 1;
}

static int equal(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  CLuaUserdata *left = clua_toObject(L, 1);
  CLuaUserdata *right = clua_toObject(L, 2);
  if (left == NULL || right == NULL) {
    lua_pushboolean(L, lua_rawequal(L, 1, 2));
    return 1;
  }
  CLuaHostEntry entry = clua_enterHost(machine, L);
  bool isEqual = machine->callbacks.equals(machine->context, &left->object, &right->object);
  clua_leaveHost(machine, entry);
  lua_pushboolean(L, isEqual);
  return 1;
}

int clua_nextOfObject(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  CLuaUserdata *userdata = checkObject(L, 1);
  clua_charge(L, 1);
  lua_settop(L, 2);
  CLuaValue key;
  clua_readValue(L, 2, &key);
  CLuaMark mark = clua_mark(&machine->items);
  CLuaMark keyMark = clua_mark(&machine->keys);
  CLuaHostEntry entry = clua_enterHost(machine, L);
  CLuaAnswer answer =
      machine->callbacks.next(machine->context, &userdata->object, key.kind == CLuaKindNil ? NULL : &key);
  clua_leaveHost(machine, entry);
  if (answer != CLuaAnswerDone) {
    clua_reset(&machine->keys, keyMark);
    if (answer == CLuaAnswerFailed) return clua_raiseFailure(L, mark);
    clua_reset(&machine->items, mark);
    lua_pushnil(L);
    return 1;
  }
  clua_pushItem(L, &machine->keys, keyMark);
  clua_pushItem(L, &machine->items, mark);
  return 2;
}

static int pairsOfObject(lua_State *L) {
  checkObject(L, 1);
  lua_pushcfunction(L, clua_nextOfObject);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

void clua_openObjects(lua_State *L) {
  static const luaL_Reg metamethods[] = {
      {"__index", getField}, {"__newindex", setField}, {"__len", lengthOf},        {"__tostring", describe},
      {"__eq", equal},       {"__pairs", pairsOfObject}, {NULL, NULL},
  };
  luaL_newlib(L, metamethods);
  lua_pushliteral(L, "object");
  lua_setfield(L, -2, "__metatable");
  clua_machine(L)->objectMetatable = luaL_ref(L, LUA_REGISTRYINDEX);
}
