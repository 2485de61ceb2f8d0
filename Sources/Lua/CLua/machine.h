// The declarations that the C files of this target share. Functions that take a lua_State may raise unless they say
// otherwise.

#ifndef CLUA_MACHINE_H
#define CLUA_MACHINE_H

#include <math.h>
#include <stdlib.h>

#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <lua5.4/lualib.h>

#include "CLua.h"

/// The stack index, on the main thread, of the error handler from the machine's opening to its end.
enum { clua_handlerIndex = 1 };

/// The fields that a callback into the host changes and its return restores.
typedef struct CLuaHostEntry {
  lua_State *current;
  bool enforcing;
} CLuaHostEntry;

static inline CLuaMachine *clua_machine(lua_State *L) { return *(CLuaMachine **)lua_getextraspace(L); }

static inline CLuaHostEntry clua_enterHost(CLuaMachine *machine, lua_State *L) {
  CLuaHostEntry entry = {machine->current, machine->enforcing};
  machine->current = L;
  machine->enforcing = false;
  return entry;
}

static inline void clua_leaveHost(CLuaMachine *machine, CLuaHostEntry entry) {
  machine->current = entry.current;
  machine->enforcing = entry.enforcing;
}

/// True if the value at an index, of that type, takes more memory than a text that Lua keeps once, whoever has it.
static inline bool clua_isLong(lua_State *L, int index, int type) {
  return type == LUA_TSTRING ? lua_rawlen(L, index) > 40 : type != LUA_TNUMBER && type != LUA_TBOOLEAN;
}

/// A number as the host takes it: what is not a number has no sign, which a file of the state would not keep.
static inline double clua_settled(double number) { return number == number ? number : (double)NAN; }

/// So many values a library function gives at most: more would make a stack tall (budget.c).
enum { CLUA_MAXIMUM_RESULTS = 1 << 15 };

// allocator.c
void *clua_allocate(void *context, void *block, size_t oldSize, size_t newSize);
/// Bytes that Lua gets once the system has none left. With them there, a short string, or a field of a small table, can
/// be made without a protected call, which would take longer than making it.
enum { CLUA_RESERVE = 1024 };
/// Gives small blocks that are free back to the system.
void clua_freeSpare(CLuaMachine *machine);
/// Writes what is said where the state got no memory.
void clua_writeShortage(const CLuaMachine *machine, char *message, size_t capacity);
/// True if the reserve is there, or could be filled.
static inline bool clua_hasReserve(CLuaMachine *machine) {
  return machine->reserve != NULL || (machine->reserve = malloc(CLUA_RESERVE)) != NULL;
}
/// Finds where a thread holds its stack, of the main one while it is new.
void clua_findStack(CLuaMachine *machine, lua_State *L);

// budget.c
/// Fills the budget and has the instructions of `L` counted; of a call that is not counted `L` is the main thread.
void clua_startBudget(CLuaMachine *machine, lua_State *L, bool isCounted);

/// Takes note of how long a call took that is at its end and that was looked at.
void clua_noteWork(CLuaMachine *machine);

/// The rest of the budget of a call that waits for a nested one.
typedef struct CLuaBudget {
  int64_t remaining;
  int64_t advance;
  int64_t deadline;
  int64_t since;
  uint64_t charged;
  size_t held;
  CLuaStatus exhausted;
} CLuaBudget;

/// Gives a nested call a budget of its own, counted on `L`; an interruption still stops it.
CLuaBudget clua_enterBudget(CLuaMachine *machine, lua_State *L);
/// Goes on with the budget of the call around it, on its thread. The outer call is charged a little, since the nested
/// call made the count begin anew. The nested call's time is not charged, unless it counts.
void clua_leaveBudget(CLuaMachine *machine, lua_State *L, CLuaBudget outer);
/// The line of the innermost Lua function that runs, whose chunk the record then names; negative: none does. Never raises.
int clua_findLine(lua_State *L, lua_Debug *record);
/// Has the budget looked at more often: much more memory is in use than when it was begun.
void clua_noteGrowth(CLuaMachine *machine);
/// Takes `cost` instructions from the budget and raises when it is used up.
void clua_charge(lua_State *L, uint64_t cost);
/// Raises when the budget is used up, the time too; `chunk` and `line` say where, null and a negative line: where Lua code
/// runs.
void clua_look(lua_State *L, const char *chunk, int line);
/// Says that another thread runs from here on; answers the one that did. The instructions of that thread since the last
/// look are counted.
lua_State *clua_switch(CLuaMachine *machine, lua_State *thread);
/// The offset, from the start of a thread, of the number of instructions until its next look; 0: not found.
size_t clua_findCountdown(lua_State *L);
/// Raises when work of the host has used up the budget.
static inline void clua_settle(lua_State *L, const CLuaMachine *machine) {
  bool isLookDue = machine->remaining <= 0 || machine->charged >= CLUA_HOOK_PERIOD;
  if (isLookDue || machine->exhausted != CLuaStatusDone) clua_charge(L, 0);
}

// allocator.c
/// Has garbage collected where a buffer of so many bytes would be refused: Lua's buffers ask once, and give up.
void clua_makeRoom(lua_State *L, size_t bytes);
/// The same before so many bytes are added to a buffer.
static inline void clua_makeBufferRoom(luaL_Buffer *buffer, size_t bytes) {
  if (buffer->size - buffer->n >= bytes) return;
  size_t more = buffer->size / 2;
  clua_makeRoom(buffer->L, more > bytes ? more : bytes);
}
/// Adds the text or number on top of the stack to a buffer, for which there is room before it is refused any.
static inline void clua_addValue(luaL_Buffer *buffer) {
  size_t count;
  lua_tolstring(buffer->L, -1, &count);
  clua_makeBufferRoom(buffer, count);
  luaL_addvalue(buffer);
}

// texts.c
/// Takes note of a new long text; answers whether it is the longest.
bool clua_noteText(CLuaTexts *texts, const void *block, size_t size);
/// The same for a block that goes, whether it is a long text or not.
void clua_forgetText(CLuaTexts *texts, const void *block);
void clua_freeTexts(CLuaTexts *texts);

// collector.c
/// Has garbage collected the more often the less room there is, where a machine has become crowded or is no longer.
void clua_setPace(CLuaMachine *machine);
/// True if so much memory is in use that garbage counts.
static inline bool clua_isCrowded(const CLuaMachine *machine) { return machine->memory > machine->memoryLimit / 8; }

// items.c
void clua_freeItems(CLuaItems *items);
/// Pushes the items above the mark, takes them off the buffer and answers how many values they made.
int clua_pushItems(lua_State *L, CLuaItems *items, CLuaMark mark);
/// The same for one value; nil when there is none.
void clua_pushItem(lua_State *L, CLuaItems *items, CLuaMark mark);
/// The same where it cannot raise and there is room on the stack. At the first item that could raise, answers a
/// negative number: the count of values on the stack, with the one below the items. The remaining items are then still
/// on the buffer.
int clua_pushSafely(lua_State *L, CLuaMachine *machine, CLuaMark mark);

// objects.c
/// Finds the host object at an index; false: another value is there. Never raises.
bool clua_toObject(lua_State *L, int index, CLuaObject *object);
void clua_readValue(lua_State *L, int index, CLuaValue *value);
void clua_pushObject(lua_State *L, CLuaObject object);
void clua_openObjects(lua_State *L);
/// `next` on the host object at index 1 after the key at index 2; pushes key and value, or one nil.
int clua_nextOfObject(lua_State *L);

/// Has the host put the value at index 3 into its list at index 1, where elements move up for it. False: no such list
/// is there, and nothing is done.
bool clua_insertIntoObject(lua_State *L, lua_Integer position);

/// The same for the element at a position that is to go.
bool clua_removeFromObject(lua_State *L, lua_Integer position);

// decimal.c
/// Reads the decimal at an index; false: another value is there. Never raises.
bool clua_toDecimal(lua_State *L, int index, int64_t *units, int32_t *scale);
void clua_pushDecimal(lua_State *L, int64_t units, int32_t scale);
/// Makes a decimal of a number or a text, or of options a type.
int clua_makeDecimal(lua_State *L);
int clua_round(lua_State *L);
/// True for a quotient without an end, which only `round` takes.
bool clua_isQuotient(lua_State *L, int index);
/// Once the libraries are there.
void clua_openDecimals(lua_State *L);

// windows.c
/// Pushes the field that a key names of the object at index 1 where a window shows it; false: the host has to be asked.
/// Both never raise.
bool clua_readWindow(lua_State *L, CLuaMachine *machine, CLuaObject object);
/// Assigns the value at index 3 to it.
bool clua_writeWindow(lua_State *L, CLuaMachine *machine, CLuaObject object);
void clua_freeWindows(CLuaWindows *windows);

// failure.c
/// Raises what the host's callback failed with.
int clua_raiseFailure(lua_State *L, CLuaMark mark);
int clua_collectFrames(lua_State *L);
/// Pushes the place of the innermost Lua function that runs, as it stands before a message. The host, or the code that
/// raises, may have been called through a library function, such as the iterator of ipairs.
void clua_pushPlace(lua_State *L);
/// Writes the place that the message on top lacks, else nothing. Lua's own messages about the values of an operation
/// lack a place when raised in a library function at that level. The message given to `error` stays as it is.
void clua_missingPlace(lua_State *L, int level, char *place, size_t capacity);
/// Copies what is known of a running Lua function.
void clua_fillFrame(CLuaFrame *frame, const lua_Debug *record);
/// True if filling a frame that was filled before would change nothing.
bool clua_isFrame(const CLuaFrame *frame, const lua_Debug *record);
void clua_gatherFrames(CLuaMachine *machine, lua_State *L, int level);
/// Turns the error object on top of the stack into the machine's error. Never raises.
CLuaStatus clua_finishError(CLuaMachine *machine, lua_State *L, int status);

// call.c
/// Runs a C function of one argument under protection with the memory limit off; results stay on the stack.
CLuaStatus clua_protect(CLuaMachine *machine, lua_CFunction function, void *argument);
/// The same for a function without results, on the thread of the next call: it gets as far as that does.
CLuaStatus clua_protectCall(CLuaMachine *machine, lua_CFunction function, void *argument);

// nesting.c
void clua_openThreads(lua_State *L);
/// The thread that the next call from the host runs on, with nothing on its stack, or the current one. Never raises.
lua_State *clua_threadForCall(const CLuaMachine *machine);

// coroutines.c
/// Closes the pending variables of a coroutine that does not run, and answers like lua_resetthread. Never raises.
int clua_closeThread(CLuaMachine *machine, lua_State *coroutine);

// text.c
/// Pushes what tostring gives, without addresses.
const char *clua_toText(lua_State *L, int index, size_t *count);

// order.c
/// Pushes the list of keys of the table at `index` in key order and answers their number.
int64_t clua_pushSortedKeys(lua_State *L, int index);
int clua_pairs(lua_State *L);
int clua_next(lua_State *L);

// equality.c
/// A copy of a text in which equalities that may be of a decimal and a number are calls, to be freed by clua_resize; null: there
/// is none, or the text is no Lua.
char *clua_settleEqualities(lua_State *L, const char *text, size_t count, size_t *newCount);
/// Makes, grows and frees a block as Lua does, within the limit of memory. Never raises.
void *clua_resize(lua_State *L, void *block, size_t from, size_t to);

// programs.c
/// Has the host hear, from now on, before a function is called that reaches something outside of the process.
void clua_watchLeaving(lua_State *L);
/// Tells the host where the function that is about to run is such a one.
void clua_noteCall(lua_State *L, lua_Debug *record);
/// `io.popen`, whose program ends when the call that waits for it is interrupted.
int clua_openProgram(lua_State *L);
/// Has the programs end that `io.popen` has started and that run.
void clua_endPrograms(lua_State *L);

// parsing.c
/// The same as luaL_loadbufferx of text within the budget of the call that runs.
int clua_parse(lua_State *L, const char *bytes, size_t count, const char *name);
/// `load` within the same bounds.
int clua_loadFunction(lua_State *L);

// sandbox.c
void clua_openSandbox(lua_State *L, CLuaSandbox sandbox);
/// True if the value at the index is a read-only view of a library or of the globals. Never raises.
bool clua_isView(lua_State *L, int index);
/// Replaces a read-only view at the index by the table behind it.
void clua_seeThrough(lua_State *L, int index);

// metatables.c
/// Begins to watch the metatables of a state.
void clua_watchMetatables(lua_State *L);
/// Takes note that the table at an absolute index serves as a metatable.
void clua_noteMetatable(lua_State *L, int index);

// matching.c, tables.c, coroutines.c: functions that replace the stock functions of the same name
extern const luaL_Reg clua_matchingFunctions[];
extern const luaL_Reg clua_tableFunctions[];
extern const luaL_Reg clua_coroutineFunctions[];

// charging.c: functions that run the stock functions of the same name after a charge
extern const luaL_Reg clua_chargedStringFunctions[];
extern const luaL_Reg clua_chargedBaseFunctions[];
extern const luaL_Reg clua_chargedMathFunctions[];
extern const luaL_Reg clua_chargedTextFunctions[];
/// The metamethods of strings.
extern const luaL_Reg clua_chargedArithmetic[];
/// The same as luaL_checkinteger and luaL_optinteger with a charge for what stands as text, which is read to its end.
lua_Integer clua_checkInteger(lua_State *L, int argument);
lua_Integer clua_optInteger(lua_State *L, int argument, lua_Integer other);
/// Puts charging functions around the functions of the library on top.
void clua_chargeFunctions(lua_State *L, const luaL_Reg *functions);

#endif
