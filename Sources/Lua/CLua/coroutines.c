// The coroutine library of the sandbox. A new coroutine runs up to a hook period uncounted, so making one is charged.
// The code never asks lua_resume to resume what it would refuse: its refusal may allocate outside any protected call of
// that thread. The function lua_resetthread counts no nested C calls, so they are counted here.

#include "machine.h"

enum {
  creationCost = 100,
  /// The number of coroutines that can be closed within each other's closing; each has a C stack of its own to spend.
  maximumClosings = 8,
};

static lua_State *toCoroutine(lua_State *L) {
  lua_State *coroutine = lua_tothread(L, 1);
  luaL_argexpected(L, coroutine != NULL, 1, "thread");
  return coroutine;
}

/// The thread that runs as code knows it: where calls from the host begin is the main one, whichever it is.
static lua_State *runningThread(lua_State *L) {
  const CLuaMachine *machine = clua_machine(L);
  return L == machine->base ? machine->main : L;
}

static int running(lua_State *L) {
  bool isMain = runningThread(L) == clua_machine(L)->main;
  if (isMain) lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  else lua_pushthread(L);
  lua_pushboolean(L, isMain);
  return 2;
}

static int yield(lua_State *L) {
  if (L == clua_machine(L)->base) return luaL_error(L, "attempt to yield from outside a coroutine");
  return lua_yield(L, lua_gettop(L));
}

static int create(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  clua_charge(L, creationCost);
  clua_machine(L)->hasHiddenCode = true;
  lua_State *coroutine = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, coroutine, 1);
  return 1;
}

int clua_closeThread(CLuaMachine *machine, lua_State *coroutine) {
  machine->closings += 1;
  lua_State *outer = clua_switch(machine, coroutine);
  int status = lua_resetthread(coroutine);
  clua_switch(machine, outer);
  machine->closings -= 1;
  return status;
}

static void checkClosings(lua_State *L) {
  if (clua_machine(L)->closings >= maximumClosings) luaL_error(L, "C stack overflow (coroutines closed within closings)");
}

static bool isActive(lua_State *coroutine) {
  lua_Debug record;
  return lua_status(coroutine) == LUA_OK && lua_getstack(coroutine, 0, &record);
}

static const char *statusName(lua_State *L, lua_State *coroutine) {
  if (runningThread(L) == coroutine) return "running";
  if (lua_status(coroutine) == LUA_YIELD) return "suspended";
  if (lua_status(coroutine) != LUA_OK) return "dead";
  if (isActive(coroutine)) return "normal";
  return lua_gettop(coroutine) == 0 ? "dead" : "suspended";
}

static int status(lua_State *L) {
  lua_pushstring(L, statusName(L, toCoroutine(L)));
  return 1;
}

static int close(lua_State *L) {
  lua_State *coroutine = toCoroutine(L);
  if (runningThread(L) == coroutine) return luaL_error(L, "cannot close a running coroutine");
  if (isActive(coroutine)) return luaL_error(L, "cannot close a normal coroutine");
  checkClosings(L);
  bool isClosed = clua_closeThread(clua_machine(L), coroutine) == LUA_OK;
  lua_pushboolean(L, isClosed);
  if (isClosed) return 1;
  lua_xmove(coroutine, L, 1);
  return 2;
}

static const char *refusal(lua_State *L, lua_State *coroutine) {
  if (L == coroutine) return "cannot resume non-suspended coroutine";
  switch (lua_status(coroutine)) {
    case LUA_YIELD: return NULL;
    case LUA_OK:
      if (isActive(coroutine)) return "cannot resume non-suspended coroutine";
      return lua_gettop(coroutine) == 0 ? "cannot resume dead coroutine" : NULL;
    default: return "cannot resume dead coroutine";
  }
}

/// Resumes with the top `arguments` values; answers the number of results on top, or -1 with an error object there.
static int resumeWith(lua_State *L, lua_State *coroutine, int arguments) {
  const char *reason = refusal(L, coroutine);
  if (reason == NULL && !lua_checkstack(coroutine, arguments)) reason = "too many arguments to resume";
  if (reason != NULL) {
    lua_pushstring(L, reason);
    return -1;
  }
  lua_xmove(L, coroutine, arguments);
  int count = 0;
  lua_State *outer = clua_switch(clua_machine(L), coroutine);
  int status = lua_resume(coroutine, L, arguments, &count);
  clua_switch(clua_machine(L), outer);
  if (status > LUA_YIELD) {
    lua_xmove(coroutine, L, 1);
    return -1;
  }
  if (!lua_checkstack(L, count + 1)) {
    lua_pop(coroutine, count);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(coroutine, L, count);
  return count;
}

static int resume(lua_State *L) {
  lua_State *coroutine = toCoroutine(L);
  int count = resumeWith(L, coroutine, lua_gettop(L) - 1);
  lua_pushboolean(L, count >= 0);
  if (count < 0) count = 1;
  lua_insert(L, -(count + 1));
  return count + 1;
}

static int resumeWrapped(lua_State *L) {
  lua_State *coroutine = lua_tothread(L, lua_upvalueindex(1));
  int count = resumeWith(L, coroutine, lua_gettop(L));
  if (count >= 0) return count;
  int status = lua_status(coroutine);
  if (status != LUA_OK && status != LUA_YIELD) {
    checkClosings(L);
    if (clua_closeThread(clua_machine(L), coroutine) != LUA_OK) lua_xmove(coroutine, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int wrap(lua_State *L) {
  create(L);
  lua_pushcclosure(L, resumeWrapped, 1);
  return 1;
}

const luaL_Reg clua_coroutineFunctions[] = {
    {"close", close},   {"create", create}, {"resume", resume}, {"running", running},
    {"status", status}, {"wrap", wrap},     {"yield", yield},   {NULL, NULL}};
