// Host functions: C closures that carry the host's number for the function.

#include "machine.h"

static int callHost(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  int64_t function = lua_tointeger(L, lua_upvalueindex(1));
  CLuaMark mark = clua_mark(&machine->items);
  CLuaHostEntry entry = clua_enterHost(machine, L);
  CLuaAnswer answer = machine->callbacks.invoke(machine->context, function, lua_gettop(L));
  clua_leaveHost(machine, entry);
  clua_settle(L, machine);
  if (answer == CLuaAnswerFailed) return clua_raiseFailure(L, mark);
  int count = clua_pushItems(L, &machine->items, mark);
  if (answer != CLuaAnswerYield) return count;
  if (!lua_isyieldable(L)) return luaL_error(L, "attempt to yield from outside a coroutine");
  return lua_yield(L, count);
}

typedef struct NewFunction {
  int64_t number;
  int32_t *reference;
} NewFunction;

static int makeFunction(lua_State *L) {
  NewFunction *new = lua_touserdata(L, 1);
  lua_pushinteger(L, new->number);
  lua_pushcclosure(L, callHost, 1);
  *new->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

CLuaStatus clua_makeFunction(CLuaMachine *machine, int64_t function, int32_t *reference) {
  NewFunction new = {function, reference};
  return clua_protectCall(machine, makeFunction, &new);
}
