// A machine from its opening to its end.

#include <stdlib.h>

#include "machine.h"

static int openState(lua_State *L) {
  CLuaSandbox sandbox = (CLuaSandbox)lua_tointeger(L, 1);
  lua_pushliteral(L, "string");
  clua_machine(L)->stringHeader = (size_t)(lua_tostring(L, -1) - (const char *)lua_topointer(L, -1));
  clua_openObjects(L);
  clua_openSandbox(L, sandbox);
  clua_openDecimals(L);
  clua_openThreads(L);
  return 0;
}

CLuaMachine *clua_open(CLuaSandbox sandbox, size_t memoryLimit, void *context, const CLuaCallbacks *callbacks) {
  CLuaMachine *machine = calloc(1, sizeof(CLuaMachine));
  if (machine == NULL) return NULL;
  machine->context = context;
  machine->callbacks = *callbacks;
  machine->memoryLimit = memoryLimit;
  machine->instructionLimit = CLUA_HOOK_PERIOD;
  // Until there is a budget.
  machine->memorySeen = SIZE_MAX;
  // Writers expect room for one item; the buffer grows from here.
  clua_growItems(&machine->items);
  lua_State *L = machine->items.capacity > 0 ? lua_newstate(clua_allocate, machine) : NULL;
  if (L == NULL) {
    clua_close(machine);
    return NULL;
  }
  machine->main = L;
  machine->current = L;
  machine->base = L;
  machine->running = L;
  *(CLuaMachine **)lua_getextraspace(L) = machine;
  machine->countdown = clua_findCountdown(L);
  clua_findStack(machine, L);
  lua_pushcfunction(L, openState);
  lua_pushinteger(L, sandbox);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    clua_close(machine);
    return NULL;
  }
  lua_pushcfunction(L, clua_collectFrames);
  machine->isCrowded = true;
  // Coroutines inherit the hook, those made before the first call too.
  clua_startBudget(machine, L, true);
  return machine;
}

void clua_close(CLuaMachine *machine) {
  if (machine->main != NULL) lua_close(machine->main);
  clua_freeItems(&machine->items);
  clua_freeWindows(&machine->windows);
  clua_freeTexts(&machine->texts);
  clua_freeSpare(machine);
  free(machine->reserve);
  free(machine->failure);
  free(machine->error.message);
  free(machine->error.frames);
  free(machine);
}

static int collect(lua_State *L) {
  lua_gc(L, LUA_GCCOLLECT);
  return 0;
}

CLuaStatus clua_collect(CLuaMachine *machine) { return clua_protect(machine, collect, NULL); }
