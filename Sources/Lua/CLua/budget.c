// Budgets: instructions and time by the count hook and by charges of long C functions and of the allocator.
//
// Once a budget is used up the hook fires at every instruction, so that code that catches the error gets no further.
// New coroutines inherit the hook of the thread that makes them. A call takes its first period of instructions from its budget at
// once. So the budget is the same for a call that ends within that period whatever it does, whether its instructions are counted
// or not.

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "machine.h"

// Budgets of time are counted in seconds: a clock that is some milliseconds late is several times quicker to read.
#ifdef CLOCK_MONOTONIC_COARSE
static const clockid_t budgetClock = CLOCK_MONOTONIC_COARSE;
#else
static const clockid_t budgetClock = CLOCK_MONOTONIC;
#endif

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(budgetClock, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Stands for a deadline until the first look at the budget. Reading the clock costs as much as a small call, and most
/// calls end before anybody looks.
static const int64_t deadlineToCome = -1;

static bool isLate(CLuaMachine *machine) {
  if (machine->deadline == 0) return false;
  int64_t now = milliseconds();
  if (machine->deadline == deadlineToCome) machine->deadline = now + machine->millisecondLimit;
  return now >= machine->deadline;
}

/// Counts instructions that code ran; those that were taken from the budget at once are not taken again.
static inline void pass(CLuaMachine *machine, int64_t instructions) {
  int64_t taken = instructions < machine->advance ? instructions : machine->advance;
  machine->advance -= taken;
  machine->remaining -= instructions - taken;
}

/// The instructions of the running call, with what it was charged.
static inline int64_t used(const CLuaMachine *machine) {
  return machine->instructionLimit - machine->remaining - machine->advance;
}

/// Nanoseconds that this thread has worked.
static int64_t workingTime(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// So much work, in milliseconds, is never looked at closer.
static const int64_t littleWork = 500;

/// So many nanoseconds an instruction takes at most, on average, on any machine: here it is 5.
static const int64_t instructionTime = 250;

/// True if the instructions of a repeatable call take as long as instructions that read megabytes each. For example,
/// `for i = 1, text` reads its limit to the end as a number, and asks neither a function nor the allocator. The
/// thread's own time is taken, and much of it, so that whether other code ends well does not depend on the machine.
static bool isSluggish(CLuaMachine *machine) {
  if (machine->isUnhurried) return false;
  int64_t now = milliseconds();
  if (machine->firstLook == 0) {
    machine->firstLook = now;
    machine->workBefore = workingTime();
    return false;
  }
  if (now - machine->firstLook < littleWork) return false;
  int64_t counted = used(machine) * instructionTime;
  return workingTime() - machine->workBefore > littleWork * 1000000 + counted;
}

static CLuaStatus usedUp(CLuaMachine *machine) {
  if (machine->exhausted != CLuaStatusDone) return machine->exhausted;
  if (machine->remaining <= 0) return CLuaStatusInstructions;
  if (__atomic_load_n(&machine->interruption, __ATOMIC_RELAXED) != 0) {
    machine->wasInterrupted = true;
    // A repeated call was not interrupted when it was recorded.
    if (!machine->isRepeatable || !machine->isUnhurried) return CLuaStatusInterrupted;
  }
  if (machine->isRepeatable) {
    if (isLate(machine)) {
      machine->wasLate = true;
      machine->deadline = 0;
    }
    return isSluggish(machine) ? CLuaStatusTime : CLuaStatusDone;
  }
  return isLate(machine) ? CLuaStatusTime : CLuaStatusDone;
}

static void hook(lua_State *L, lua_Debug *record);

/// The events at which the hook is called.
static int events(const CLuaMachine *machine) {
  return machine->watchesLeaving ? LUA_MASKCOUNT | LUA_MASKCALL : LUA_MASKCOUNT;
}

int clua_findLine(lua_State *L, lua_Debug *record) {
  int line = -1;
  for (int level = 0; line < 0 && lua_getstack(L, level, record); level += 1) {
    lua_getinfo(L, "Sl", record);
    line = record->currentline;
  }
  return line;
}

/// Raises the error of a used up budget; `chunk` and `line` say where the code was, a negative line that no one knows.
static void stop(lua_State *L, CLuaStatus status, const char *chunk, int line) {
  CLuaMachine *machine = clua_machine(L);
  if (machine->exhausted == CLuaStatusDone) {
    machine->exhausted = status;
    if (status == CLuaStatusInterrupted && machine->watchesLeaving) clua_endPrograms(L);
    char place[560] = "";
    if (line >= 0) snprintf(place, sizeof place, "%s:%d: ", chunk, line);
    if (status == CLuaStatusInstructions) {
      snprintf(machine->exhaustedMessage, sizeof machine->exhaustedMessage, "%sused more than %lld VM instructions",
               place, (long long)machine->instructionLimit);
    } else if (status == CLuaStatusInterrupted) {
      snprintf(machine->exhaustedMessage, sizeof machine->exhaustedMessage, "%sinterrupted", place);
    } else if (machine->isRepeatable) {
      snprintf(machine->exhaustedMessage, sizeof machine->exhaustedMessage, "%sworked for %lld ms on %lld VM instructions",
               place, (long long)((workingTime() - machine->workBefore) / 1000000),
               (long long)used(machine));
    } else {
      snprintf(machine->exhaustedMessage, sizeof machine->exhaustedMessage, "%sran longer than %lld ms", place,
               (long long)machine->millisecondLimit);
    }
  }
  lua_sethook(L, hook, events(machine), 1);
  machine->isCounting = true;
  lua_pushstring(L, machine->exhaustedMessage);
  lua_error(L);
}

/// With more memory in use than this, one instruction may work on so much of it that they are looked at more often.
static const size_t ordinaryMemory = 8 << 20;

/// The number of bytes that the C library may read between two looks, as `a < b` does where all are NUL.
static const int64_t readBytes = 4 << 20;

static int nextPeriod(const CLuaMachine *machine) {
  if (machine->exhausted != CLuaStatusDone) return 1;
  int64_t period = CLUA_HOOK_PERIOD;
  if (machine->memory > ordinaryMemory) {
    period = period * (int64_t)(ordinaryMemory >> 10) / (int64_t)(machine->memory >> 10) + 1;
  }
  if (machine->texts.longest > 0 && period > readBytes / (int64_t)machine->texts.longest) {
    period = readBytes / (int64_t)machine->texts.longest + 1;
  }
  int64_t left = machine->remaining > 0 ? machine->remaining + machine->advance : 1;
  return (int)(left < period ? left : period);
}

static void hook(lua_State *L, lua_Debug *record) {
  if (record->event != LUA_HOOKCOUNT) {
    clua_noteCall(L, record);
    return;
  }
  CLuaMachine *machine = clua_machine(L);
  int passed = lua_gethookcount(L);
  pass(machine, passed);
  CLuaStatus status = usedUp(machine);
  if (status != CLuaStatusDone) {
    lua_getinfo(L, "Sl", record);
    stop(L, status, record->short_src, record->currentline);
  }
  int period = nextPeriod(machine);
  if (period != passed) lua_sethook(L, hook, events(machine), period);
}

size_t clua_findCountdown(lua_State *L) {
  // A thread holds the length of its period and, right behind, how much of it is left.
  static const int mark = 0x2f5a6b7c;
  lua_sethook(L, hook, LUA_MASKCOUNT, mark);
  for (size_t offset = 0; offset < 256; offset += sizeof mark) {
    int pair[2];
    memcpy(pair, (const char *)L + offset, sizeof pair);
    if (pair[0] == mark && pair[1] == mark) return offset + sizeof mark;
  }
  return 0;
}

/// Counts what a thread ran since it was looked at last, and begins a new period of it.
static void beginPeriod(CLuaMachine *machine, lua_State *L) {
  if (machine->countdown > 0 && lua_gethook(L) != NULL) {
    int left;
    memcpy(&left, (const char *)L + machine->countdown, sizeof left);
    pass(machine, lua_gethookcount(L) - left);
  }
  lua_sethook(L, hook, events(machine), nextPeriod(machine));
  if (L == machine->main) machine->isCounting = true;
}

void clua_shortenPeriod(CLuaMachine *machine) {
  lua_State *L = machine->running;
  int count = lua_gethook(L) != NULL ? lua_gethookcount(L) : CLUA_HOOK_PERIOD;
  if (machine->depth > 0 && count > nextPeriod(machine)) beginPeriod(machine, L);
}

lua_State *clua_switch(CLuaMachine *machine, lua_State *thread) {
  lua_State *outer = machine->running;
  beginPeriod(machine, outer);
  machine->running = thread;
  clua_shortenPeriod(machine);
  return outer;
}

void clua_charge(lua_State *L, uint64_t cost) {
  CLuaMachine *machine = clua_machine(L);
  if (!machine->enforcing) return;
  uint64_t remaining = machine->remaining > 0 ? (uint64_t)machine->remaining : 0;
  clua_spend(machine, cost < remaining ? cost : remaining);
  machine->charged += cost;
  if (machine->remaining > 0 && machine->exhausted == CLuaStatusDone && machine->charged < CLUA_HOOK_PERIOD) return;
  clua_look(L, NULL, -1);
}

void clua_look(lua_State *L, const char *chunk, int line) {
  CLuaMachine *machine = clua_machine(L);
  if (!machine->enforcing) return;
  machine->charged = 0;
  CLuaStatus status = usedUp(machine);
  if (status == CLuaStatusDone) return;
  lua_Debug record;
  record.short_src[0] = 0;
  if (line < 0) line = clua_findLine(L, &record);
  stop(L, status, chunk != NULL ? chunk : record.short_src, line);
}

/// Has memory in use looked at again once there is twice as much.
static inline void noteMemory(CLuaMachine *machine) {
  machine->memorySeen = machine->memory > ordinaryMemory / 2 ? machine->memory * 2 : ordinaryMemory;
}

void clua_noteGrowth(CLuaMachine *machine) {
  noteMemory(machine);
  clua_shortenPeriod(machine);
}

static inline void fill(CLuaMachine *machine) {
  machine->remaining = machine->instructionLimit > 0 ? machine->instructionLimit : 1;
  // A smaller budget is counted from the first instruction.
  machine->advance = machine->remaining > 2 * CLUA_HOOK_PERIOD ? CLUA_HOOK_PERIOD : 0;
  machine->remaining -= machine->advance;
  machine->exhausted = machine->isWeak ? CLuaStatusRuntime : CLuaStatusDone;
  machine->deadline = machine->millisecondLimit > 0 ? deadlineToCome : 0;
  machine->firstLook = 0;
  noteMemory(machine);
}

/// Counts the instructions of a thread from here on. Those of the main thread count too, where code that describes the
/// error of a coroutine runs.
static inline void count(CLuaMachine *machine, lua_State *L) {
  int period = nextPeriod(machine);
  lua_sethook(L, hook, events(machine), period);
  if (L != machine->main && !machine->isCounting) lua_sethook(machine->main, hook, events(machine), period);
  machine->isCounting = true;
}

void clua_startBudget(CLuaMachine *machine, lua_State *L, bool isCounted) {
  __atomic_store_n(&machine->interruption, 0, __ATOMIC_RELAXED);
  fill(machine);
  if (clua_isCrowded(machine) != machine->isCrowded) clua_setPace(machine);
  machine->held = 0;
  machine->isShort = false;
  machine->isTall = false;
  machine->isPoolSpent = false;
  machine->shortPlace[0] = 0;
  machine->refusedSize = 0;
  // Under a shorter period, a call that fits into a whole one may need looks after all.
  if (isCounted || machine->watchesLeaving || machine->advance == 0 || nextPeriod(machine) < CLUA_HOOK_PERIOD) {
    count(machine, L);
  } else if (machine->isCounting) {
    // A hook costs each instruction as much as some instructions do.
    lua_sethook(L, NULL, 0, 0);
    machine->isCounting = false;
  }
}

void clua_noteWork(CLuaMachine *machine) {
  machine->worked += milliseconds() - (machine->deadline - machine->millisecondLimit);
}

/// The cost of a nested call to the call around it, in instructions.
static const int64_t nestedCallCost = 50;

CLuaBudget clua_enterBudget(CLuaMachine *machine, lua_State *L) {
  beginPeriod(machine, machine->running);
  CLuaBudget outer = {machine->remaining, machine->advance, machine->deadline, machine->deadline > 0 ? milliseconds() : 0,
                      machine->charged, machine->held, machine->exhausted};
  fill(machine);
  count(machine, L);
  return outer;
}

void clua_leaveBudget(CLuaMachine *machine, lua_State *L, CLuaBudget outer) {
  machine->remaining = outer.remaining - nestedCallCost;
  machine->advance = outer.advance;
  bool isExtended = outer.deadline > 0 && !machine->countsNested;
  machine->deadline = isExtended ? outer.deadline + (milliseconds() - outer.since) : outer.deadline;
  machine->firstLook = 0;
  // A nested call whose time counts has the clock looked at at once.
  machine->charged = machine->countsNested ? CLUA_HOOK_PERIOD : outer.charged + nestedCallCost;
  machine->held = outer.held;
  machine->exhausted = outer.exhausted;
  count(machine, L);
}

void clua_interrupt(CLuaMachine *machine) { __atomic_store_n(&machine->interruption, 1, __ATOMIC_RELAXED); }
