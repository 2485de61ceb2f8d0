// Calls from the host into Lua: each is one protected call, whatever happens below it.

#include "machine.h"

/// The fields that a call into Lua changes and its end restores.
typedef struct Call {
  lua_State *thread;
  int32_t top;
  lua_State *base;
  lua_State *running;
  bool isRepeating;
  bool enforcing;
  const void *callBase;
  /// Of a call within another one.
  CLuaBudget outer;
} Call;

/// Begins a call on a thread; `hooked` is the one whose instructions count, the same unless a coroutine is resumed.
static inline void begin(CLuaMachine *machine, lua_State *L, lua_State *hooked, Call *call) {
  call->thread = L;
  call->top = lua_gettop(L);
  call->base = machine->base;
  call->running = machine->running;
  call->isRepeating = machine->isRepeating;
  call->enforcing = machine->enforcing;
  call->callBase = machine->callBase;
  machine->error.frameCount = 0;
  machine->base = L;
  if (machine->depth == 0) {
    machine->isRepeating = machine->isRepeatable;
    machine->callBase = NULL;
    machine->failureString = NULL;
    machine->missingString = NULL;
    machine->orderedTable = NULL;
    clua_startBudget(machine, hooked, true);
  } else {
    lua_Debug record;
    machine->isRepeating |= machine->isRepeatable;
    machine->callBase = lua_getstack(L, 0, &record) ? record.i_ci : NULL;
    call->outer = clua_enterBudget(machine, hooked);
  }
  machine->running = hooked;
  machine->depth += 1;
}

/// Ends a call whose results, or whose error object, are on the stack.
static inline CLuaStatus end(CLuaMachine *machine, const Call *call, CLuaMark mark, int status) {
  if (machine->refusedSize != 0) clua_noteShortage(machine);
  machine->enforcing = call->enforcing;
  machine->callBase = call->callBase;
  clua_reset(&machine->items, mark);
  CLuaStatus outcome = status == LUA_YIELD ? CLuaStatusYielded : CLuaStatusDone;
  if (status > LUA_YIELD || machine->exhausted != CLuaStatusDone) {
    outcome = clua_finishError(machine, call->thread, status);
    lua_settop(call->thread, call->top);
  }
  machine->base = call->base;
  machine->running = call->running;
  machine->isRepeating = call->isRepeating;
  machine->depth -= 1;
  if (machine->depth == 0) machine->exhausted = CLuaStatusDone;
  else clua_leaveBudget(machine, machine->current, call->outer);
  return outcome;
}

/// Says where the results of a call are.
static CLuaStatus locate(const Call *call, CLuaStatus outcome, int32_t *first, int32_t *count) {
  *first = call->top + 1;
  *count = lua_gettop(call->thread) - call->top;
  return outcome;
}

static inline bool hasRoom(CLuaMachine *machine, lua_State *L, CLuaMark mark) {
  size_t count = machine->items.count - mark.items;
  // While no call runs the stack is empty but for the handler and results that are read, and LUA_MINSTACK slots are there.
  if (machine->depth == 0 && count < 8) return true;
  return lua_checkstack(L, (int)count + LUA_MINSTACK);
}

static CLuaStatus refuse(CLuaMachine *machine, CLuaMark mark) {
  clua_reset(&machine->items, mark);
  machine->error.frameCount = 0;
  machine->error.messageCount = 0;
  machine->error.isHostFailure = false;
  return CLuaStatusMemory;
}

CLuaStatus clua_protect(CLuaMachine *machine, lua_CFunction function, void *argument) {
  lua_State *L = machine->current;
  int top = lua_gettop(L);
  if (!lua_checkstack(L, LUA_MINSTACK)) return refuse(machine, clua_mark(&machine->items));
  bool enforcing = machine->enforcing;
  machine->enforcing = false;
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, argument);
  int status = lua_pcall(L, 1, LUA_MULTRET, 0);
  machine->enforcing = enforcing;
  if (status == LUA_OK) return CLuaStatusDone;
  machine->error.frameCount = 0;
  CLuaStatus outcome = clua_finishError(machine, L, status);
  lua_settop(L, top);
  return outcome;
}

CLuaStatus clua_protectCall(CLuaMachine *machine, lua_CFunction function, void *argument) {
  lua_State *current = machine->current;
  machine->current = clua_threadForCall(machine);
  CLuaStatus outcome = clua_protect(machine, function, argument);
  machine->current = current;
  return outcome;
}

CLuaStatus clua_load(CLuaMachine *machine, const char *bytes, size_t count, const char *chunkName, int32_t *first) {
  lua_State *L = machine->current;
  CLuaMark mark = clua_mark(&machine->items);
  if (!lua_checkstack(L, LUA_MINSTACK)) return refuse(machine, mark);
  Call call;
  begin(machine, L, L, &call);
  machine->enforcing = true;
  int status = clua_parse(L, bytes, count, chunkName);
  int32_t results;
  return locate(&call, end(machine, &call, mark, status), first, &results);
}

typedef struct Request {
  int32_t function;
  CLuaMark mark;
} Request;

/// Makes the arguments and calls; for those that can raise while they are made.
static int callWithItems(lua_State *L) {
  Request *request = lua_touserdata(L, 1);
  CLuaMachine *machine = clua_machine(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, request->function);
  int arguments = clua_pushItems(L, &machine->items, request->mark);
  machine->enforcing = true;
  lua_call(L, arguments, LUA_MULTRET);
  return lua_gettop(L) - 1;
}

/// Pushes a function and its arguments, or what makes them where that can raise, and answers how many arguments that is.
static inline int pushCall(CLuaMachine *machine, lua_State *L, Request *request) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, request->function);
  bool hasItems = machine->items.count > request->mark.items || machine->items.outOfMemory;
  int arguments = hasItems ? clua_pushSafely(L, machine, request->mark) : 0;
  machine->enforcing = arguments >= 0;
  if (arguments >= 0) return arguments;
  lua_pop(L, -arguments);
  lua_pushcfunction(L, callWithItems);
  lua_pushlightuserdata(L, request);
  return 1;
}

/// Calls a function with the items above the mark while no other call runs: there is nothing that its end has to restore.
static inline CLuaStatus callOutermost(CLuaMachine *machine, Request request, int32_t top, int resultCount, bool isCounted) {
  lua_State *L = machine->main;
  machine->error.frameCount = 0;
  machine->callBase = NULL;
  machine->failureString = NULL;
  machine->missingString = NULL;
  machine->orderedTable = NULL;
  machine->isRepeating = machine->isRepeatable;
  clua_startBudget(machine, L, isCounted);
  machine->depth = 1;
  int arguments = pushCall(machine, L, &request);
  int status = lua_pcall(L, arguments, resultCount, clua_handlerIndex);
  machine->enforcing = false;
  if (machine->refusedSize != 0) clua_noteShortage(machine);
  if (machine->deadline > 0 && !machine->isRepeatable) clua_noteWork(machine);
  CLuaStatus outcome = CLuaStatusDone;
  if (status != LUA_OK || machine->exhausted != CLuaStatusDone) {
    clua_reset(&machine->items, request.mark);
    outcome = clua_finishError(machine, L, status);
    machine->exhausted = CLuaStatusDone;
    lua_settop(L, top);
  }
  machine->depth = 0;
  return outcome;
}

/// Moves what a call left above `top` on its thread to the current one.
static CLuaStatus bringResults(CLuaMachine *machine, lua_State *thread, int32_t top) {
  lua_State *L = machine->current;
  int count = lua_gettop(thread) - top;
  if (thread == L || count == 0) return CLuaStatusDone;
  if (!lua_checkstack(L, count + LUA_MINSTACK)) {
    lua_settop(thread, top);
    return refuse(machine, clua_mark(&machine->items));
  }
  lua_xmove(thread, L, count);
  return CLuaStatusDone;
}

/// Calls a function with the items above the mark. Above `top` there are then the results, or nothing where it failed.
static inline CLuaStatus call(CLuaMachine *machine, int32_t function, CLuaMark mark, int32_t top, int resultCount,
                          bool isCounted) {
  if (!hasRoom(machine, machine->current, mark)) return refuse(machine, mark);
  Request request = {function, mark};
  if (machine->depth == 0) return callOutermost(machine, request, top, resultCount, isCounted);
  lua_State *L = clua_threadForCall(machine);
  if (!hasRoom(machine, L, mark)) return refuse(machine, mark);
  Call call;
  begin(machine, L, L, &call);
  lua_pushcfunction(L, clua_collectFrames);
  int arguments = pushCall(machine, L, &request);
  int status = lua_pcall(L, arguments, resultCount, call.top + 1);
  CLuaStatus outcome = end(machine, &call, mark, status);
  if (outcome != CLuaStatusDone) return outcome;
  lua_remove(L, call.top + 1);
  return bringResults(machine, L, call.top);
}

CLuaStatus clua_call(CLuaMachine *machine, int32_t function, CLuaMark mark, int32_t *first, int32_t *count) {
  lua_State *L = machine->current;
  int32_t top = lua_gettop(L);
  CLuaStatus outcome = call(machine, function, mark, top, LUA_MULTRET, true);
  *first = top + 1;
  *count = lua_gettop(L) - top;
  return outcome;
}

CLuaStatus clua_callCounting(CLuaMachine *machine, int32_t function, bool isCounted, CLuaMark mark, int32_t *count) {
  lua_State *L = machine->current;
  int32_t top = lua_gettop(L);
  CLuaStatus outcome = call(machine, function, mark, top, LUA_MULTRET, isCounted);
  *count = lua_gettop(L) - top;
  if (*count > 0) lua_settop(L, top);
  return outcome;
}

CLuaStatus clua_callDropping(CLuaMachine *machine, int32_t function, bool isCounted, CLuaMark mark) {
  return call(machine, function, mark, lua_gettop(machine->current), 0, isCounted);
}

CLuaStatus clua_callKeeping(CLuaMachine *machine, int32_t function, bool isCounted, CLuaMark mark, int32_t slot,
                            CLuaKept *kept) {
  lua_State *L = machine->current;
  CLuaStatus outcome = call(machine, function, mark, lua_gettop(L), 1, isCounted);
  if (outcome != CLuaStatusDone) return outcome;
  int type = lua_type(L, -1);
  *kept = type == LUA_TNIL ? CLuaKeptNil : clua_isLong(L, -1, type) ? CLuaKeptLong : CLuaKeptShort;
  if (type == LUA_TNIL) {
    // A slot that holds nil may be lost, and making it again could raise.
    lua_pop(L, 1);
    lua_pushboolean(L, false);
  }
  lua_rawseti(L, LUA_REGISTRYINDEX, slot);
  return outcome;
}

void clua_emptySlot(CLuaMachine *machine, int32_t slot) {
  lua_State *L = machine->current;
  if (!lua_checkstack(L, 1)) return;
  lua_pushboolean(L, false);
  lua_rawseti(L, LUA_REGISTRYINDEX, slot);
}

static int describeItem(lua_State *L) {
  size_t count;
  clua_pushItem(L, &clua_machine(L)->items, *(CLuaMark *)lua_touserdata(L, 1));
  clua_toText(L, -1, &count);
  return 1;
}

CLuaStatus clua_describe(CLuaMachine *machine, CLuaMark mark, int32_t *first) {
  lua_State *L = machine->current;
  if (!lua_checkstack(L, LUA_MINSTACK)) return refuse(machine, mark);
  Call call;
  begin(machine, L, L, &call);
  machine->enforcing = true;
  lua_pushcfunction(L, describeItem);
  lua_pushlightuserdata(L, &mark);
  int32_t count;
  return locate(&call, end(machine, &call, mark, lua_pcall(L, 1, 1, 0)), first, &count);
}

typedef struct Resumption {
  lua_State *coroutine;
  CLuaMark mark;
  int status;
  int count;
} Resumption;

/// Runs below lua_pcall, so that the check for too many nested C calls comes before the same check in lua_resume. An
/// error that lua_resume itself raised would not be raised in this thread.
static int resume(lua_State *L) {
  Resumption *resumption = lua_touserdata(L, 1);
  CLuaMachine *machine = clua_machine(L);
  lua_State *coroutine = resumption->coroutine;
  int arguments = clua_pushItems(L, &machine->items, resumption->mark);
  if (!lua_checkstack(coroutine, arguments)) return luaL_error(L, "too many arguments to resume");
  lua_xmove(L, coroutine, arguments);
  machine->enforcing = true;
  resumption->status = lua_resume(coroutine, L, arguments, &resumption->count);
  machine->enforcing = false;
  if (resumption->status > LUA_YIELD) {
    char place[80];
    clua_gatherFrames(machine, coroutine, 0);
    clua_missingPlace(coroutine, 0, place, sizeof place);
    const char *message = *place != 0 ? lua_tostring(coroutine, -1) : NULL;
    // The error object lies twice on the coroutine's stack; closing its variables takes the second one.
    lua_pop(coroutine, 1);
    machine->enforcing = true;
    resumption->status = clua_closeThread(machine, coroutine);
    machine->enforcing = false;
    lua_xmove(coroutine, L, 1);
    // A closed variable may have put any object in its place.
    if (message == NULL || lua_type(L, -1) != LUA_TSTRING || lua_tostring(L, -1) != message) return 1;
    lua_pushstring(L, place);
    lua_insert(L, -2);
    lua_concat(L, 2);
    return 1;
  }
  luaL_checkstack(L, resumption->count, "too many results to resume");
  lua_xmove(coroutine, L, resumption->count);
  return resumption->count;
}

static bool isResumable(lua_State *coroutine) {
  if (lua_status(coroutine) == LUA_YIELD) return true;
  lua_Debug record;
  return lua_status(coroutine) == LUA_OK && !lua_getstack(coroutine, 0, &record) && lua_gettop(coroutine) > 0;
}

static lua_State *referencedThread(CLuaMachine *machine, int32_t reference) {
  lua_State *L = machine->current;
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
  lua_State *coroutine = lua_tothread(L, -1);
  lua_pop(L, 1);
  return coroutine;
}

static int refuseResumption(lua_State *L) { return luaL_error(L, "cannot resume dead coroutine"); }

CLuaStatus clua_resume(CLuaMachine *machine, int32_t reference, CLuaMark mark, int32_t *first, int32_t *count) {
  lua_State *L = machine->current;
  if (!lua_checkstack(L, LUA_MINSTACK)) return refuse(machine, mark);
  lua_State *coroutine = referencedThread(machine, reference);
  if (coroutine == NULL || !isResumable(coroutine)) {
    clua_reset(&machine->items, mark);
    return clua_protect(machine, refuseResumption, NULL);
  }
  *first = lua_gettop(L) + 1;
  L = clua_threadForCall(machine);
  if (!lua_checkstack(L, LUA_MINSTACK)) return refuse(machine, mark);
  Call call;
  begin(machine, L, coroutine, &call);
  machine->enforcing = false;
  Resumption resumption = {coroutine, mark, LUA_OK, 0};
  lua_State *outer = machine->resumed;
  machine->resumed = coroutine;
  lua_pushcfunction(L, resume);
  lua_pushlightuserdata(L, &resumption);
  int status = lua_pcall(L, 1, LUA_MULTRET, 0);
  machine->resumed = outer;
  CLuaStatus outcome = end(machine, &call, mark, status == LUA_OK ? resumption.status : status);
  CLuaStatus brought = bringResults(machine, L, call.top);
  *count = lua_gettop(machine->current) + 1 - *first;
  return brought == CLuaStatusDone ? outcome : brought;
}

CLuaStatus clua_closeCoroutine(CLuaMachine *machine, int32_t reference) {
  lua_State *L = machine->current;
  CLuaMark mark = clua_mark(&machine->items);
  if (!lua_checkstack(L, LUA_MINSTACK)) return refuse(machine, mark);
  lua_State *coroutine = referencedThread(machine, reference);
  lua_Debug record;
  bool isRunning =
      coroutine != NULL && lua_status(coroutine) == LUA_OK && lua_getstack(coroutine, 0, &record);
  if (coroutine == NULL || isRunning) return CLuaStatusDone;
  Call call;
  begin(machine, L, coroutine, &call);
  machine->enforcing = true;
  int status = clua_closeThread(machine, coroutine);
  if (status != LUA_OK) lua_xmove(coroutine, L, 1);
  return end(machine, &call, mark, status);
}

void clua_drop(CLuaMachine *machine, int32_t first) { lua_settop(machine->current, first - 1); }

void clua_read(CLuaMachine *machine, int32_t index, CLuaValue *value) {
  clua_readValue(machine->current, index, value);
}
