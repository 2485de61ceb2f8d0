// Host functions: C closures that carry the host's number for the function. When Lua lets go of one, its number waits
// in the machine's list of freed functions until the host asks.

#include <stdlib.h>

#include "machine.h"

static const char functionMetatable[] = "host function";

static int callHost(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  int64_t function = *(int64_t *)lua_touserdata(L, lua_upvalueindex(1));
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

static int letGo(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  // The room was made when the function was.
  if (machine->freedCount < machine->freedCapacity) {
    machine->freed[machine->freedCount++] = *(int64_t *)lua_touserdata(L, 1);
  }
  return 0;
}

int64_t clua_nextFreed(CLuaMachine *machine) {
  if (machine->freedCount == 0) return -1;
  machine->functionCount -= 1;
  return machine->freed[--machine->freedCount];
}

typedef struct NewFunction {
  int64_t number;
  int32_t *reference;
} NewFunction;

static int makeFunction(lua_State *L) {
  NewFunction *new = lua_touserdata(L, 1);
  int64_t *number = lua_newuserdatauv(L, sizeof(int64_t), 0);
  *number = new->number;
  lua_rawgetp(L, LUA_REGISTRYINDEX, functionMetatable);
  lua_setmetatable(L, -2);
  lua_pushcclosure(L, callHost, 1);
  *new->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

CLuaStatus clua_makeFunction(CLuaMachine *machine, int64_t function, int32_t *reference) {
  if (machine->functionCount == machine->freedCapacity) {
    size_t capacity = machine->freedCapacity < 32 ? 32 : machine->freedCapacity * 2;
    int64_t *grown = realloc(machine->freed, capacity * sizeof(int64_t));
    if (grown == NULL) return CLuaStatusMemory;
    machine->freed = grown;
    machine->freedCapacity = capacity;
  }
  NewFunction new = {function, reference};
  CLuaStatus status = clua_protectCall(machine, makeFunction, &new);
  if (status == CLuaStatusDone) machine->functionCount += 1;
  return status;
}

void clua_openFunctions(lua_State *L) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, letGo);
  lua_setfield(L, -2, "__gc");
  lua_rawsetp(L, LUA_REGISTRYINDEX, functionMetatable);
}
