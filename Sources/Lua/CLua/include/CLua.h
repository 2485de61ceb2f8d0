// The system's Lua 5.4 behind functions that never let a Lua error jump across the caller's frame.
//
// Every Lua call that can raise runs below lua_pcall inside this target. The caller describes values as a stream of
// items; one C function turns the stream into Lua values under protection. Callbacks into the caller return a status,
// and the C function that called them raises the error.

#ifndef CLUA_H
#define CLUA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CLuaWindows.h"

typedef struct lua_State lua_State;

#pragma clang assume_nonnull begin

/// The kind of a Lua value, as the host sees it.
typedef enum CLUA_CLOSED CLuaKind : uint32_t {
  CLuaKindNil,
  CLuaKindBoolean,
  CLuaKindInteger,
  CLuaKindNumber,
  CLuaKindString,
  CLuaKindTable,
  CLuaKindFunction,
  CLuaKindObject,
  CLuaKindDecimal,
  CLuaKindOther,
} CLuaKind;

/// An object of the host: a number that the host chooses, below 2^56. Lua carries it in a light userdata, so that
/// handing one out allocates nothing.
typedef uint64_t CLuaObject;

/// The most digits that a decimal has behind its point.
enum { CLUA_DECIMAL_SCALE = 18 };

/// A Lua value on a stack, read without conversion; of a decimal `integer` is its units and `count` its scale. `bytes` live as long as the stack slot.
typedef struct CLuaValue {
  CLuaKind kind;
  int32_t index;
  union {
    bool boolean;
    int64_t integer;
    double number;
    const char *bytes;
    CLuaObject object;
    const char *typeName;
  };
  size_t count;
} CLuaValue;

typedef enum CLUA_CLOSED CLuaItemKind : uint32_t {
  CLuaItemKindNil,
  CLuaItemKindBoolean,
  CLuaItemKindInteger,
  CLuaItemKindNumber,
  CLuaItemKindObject,
  CLuaItemKindReference,
  CLuaItemKindString,
  CLuaItemKindDecimal,
  CLuaItemKindBeginTable,
  CLuaItemKindRefillTable,
  CLuaItemKindEndTable,
  CLuaItemKindKey,
  CLuaItemKindKeyReference,
  CLuaItemKindKeyInteger,
} CLuaItemKind;

/// A step in the description of Lua values. Strings are copied to the buffer's bytes and named by their offset.
typedef struct CLuaItem {
  CLuaItemKind kind;
  uint32_t tag;
  union {
    bool boolean;
    int64_t integer;
    double number;
    CLuaObject object;
    size_t offset;
  };
  size_t count;
} CLuaItem;

/// A growing stack of items; users take a mark before they write and the consumer returns to it.
typedef struct CLuaItems {
  CLuaItem *_Null_unspecified items;
  size_t count;
  size_t capacity;
  char *_Nullable bytes;
  size_t byteCount;
  size_t byteCapacity;
  bool outOfMemory;
} CLuaItems;

typedef struct CLuaMark {
  size_t items;
  size_t bytes;
} CLuaMark;

/// The answer of a host callback to the C function that called it.
typedef enum CLUA_CLOSED CLuaAnswer : uint32_t {
  CLuaAnswerDone,
  CLuaAnswerFailed,
  CLuaAnswerEnd,
  CLuaAnswerYield,
} CLuaAnswer;

/// The host's side. Results go to the machine's `items`: of `next` a key, then its value.
typedef struct CLuaCallbacks {
  CLuaAnswer (*get)(void *context, CLuaObject object, const CLuaValue *key);
  CLuaAnswer (*set)(void *context, CLuaObject object, const CLuaValue *key, const CLuaValue *value);
  /// Changes a list as a whole; `CLuaAnswerEnd`: nothing was done.
  CLuaAnswer (*insert)(void *context, CLuaObject object, int64_t position, const CLuaValue *value);
  CLuaAnswer (*remove)(void *context, CLuaObject object, int64_t position);
  CLuaAnswer (*next)(void *context, CLuaObject object, const CLuaValue *_Nullable key, bool isWalk);
  CLuaAnswer (*length)(void *context, CLuaObject object);
  CLuaAnswer (*describe)(void *context, CLuaObject object);
  CLuaAnswer (*invoke)(void *context, int64_t function, int32_t argumentCount);
  /// Makes an object's window writable, if it can be.
  void (*open)(void *context, CLuaObject object);
  /// Code of an unrestricted state is about to reach something outside of the process.
  void (*leave)(void *context);
} CLuaCallbacks;

/// What a call left in a slot.
typedef enum CLUA_CLOSED CLuaKept : uint32_t {
  CLuaKeptNil,
  /// A truth value, a number, or a text that Lua keeps once, whoever has it.
  CLuaKeptShort,
  /// Something whose memory counts for other calls.
  CLuaKeptLong,
} CLuaKept;

/// The end of a call.
typedef enum CLUA_CLOSED CLuaStatus : uint32_t {
  CLuaStatusDone,
  CLuaStatusYielded,
  CLuaStatusSyntax,
  CLuaStatusRuntime,
  CLuaStatusMemory,
  CLuaStatusInstructions,
  CLuaStatusTime,
  CLuaStatusInterrupted,
  CLuaStatusNotText,
} CLuaStatus;

/// A Lua function that is running, or was when an error was raised. Texts end with a zero byte.
typedef struct CLuaFrame {
  char source[512];
  char nameKind[16];
  char name[64];
  int32_t line;
  int32_t lineDefined;
  bool isMain;
} CLuaFrame;

enum { CLUA_MAXIMUM_FRAMES = 16 };

/// Instructions between two looks at the budget.
enum { CLUA_HOOK_PERIOD = 1000 };
/// So many threads there are for calls within calls.
enum { CLUA_THREADS = 5 };

/// The last error; valid until the next call.
typedef struct CLuaError {
  char *_Nullable message;
  size_t messageCount;
  CLuaFrame *_Nullable frames;
  int32_t frameCount;
  /// The field `code` of an error object that is a table; empty: there is none.
  char code[48];
  bool isHostFailure;
  /// True if Lua code itself failed, rather than a function that it called.
  bool isOfCode;
  /// True if Lua code asked for a name that the sandbox leaves out.
  bool isOutsideSandbox;
} CLuaError;

/// A long text that Lua holds.
typedef struct CLuaText {
  const void *block;
  size_t size;
} CLuaText;

/// All of them, in no order, and the size of the longest; 0: there is none.
typedef struct CLuaTexts {
  CLuaText *_Nullable texts;
  size_t count;
  size_t capacity;
  size_t longest;
} CLuaTexts;

/// A value that a function captures.
typedef enum CLUA_CLOSED CLuaCapture : uint32_t {
  /// A truth value, a number, a text or nil.
  CLuaCaptureScalar,
  /// A function in Lua.
  CLuaCaptureFunction,
  /// The table of globals.
  CLuaCaptureGlobals,
  CLuaCaptureOther,
} CLuaCapture;

/// The captures of a function, in numbers.
typedef struct CLuaDigest {
  uint64_t value;
  /// The number of values visited.
  uint64_t size;
} CLuaDigest;

/// The memory that several machines may take together. Its counter is shared by their threads.
typedef struct CLuaPool {
  size_t limit;
  size_t used;
} CLuaPool;

/// A Lua state with its budgets and buffers. The host reads and writes only `items`, `windows`, the
/// limits, and what it holds of a call.
/// The size classes of small blocks, in steps of so many bytes.
enum { CLUA_SPARE_CLASSES = 16, CLUA_SPARE_STEP = 16 };

typedef struct CLuaMachine {
  CLuaItems items;
  CLuaWindows windows;

  int64_t instructionLimit;
  int64_t millisecondLimit;
  size_t memoryLimit;
  /// True if the behaviour of code may depend on nothing but its arguments.
  bool isRepeatable;
  /// True if the running call, or one around it, is such a call.
  bool isRepeating;
  /// True if calls that must be repeatable end only by counted instructions, however long they work.
  bool isUnhurried;
  /// True if a call that must be repeatable took longer than it should.
  bool wasLate;
  /// True if code made a table weak and entries of it went with a collection.
  bool isWeak;
  /// True if code has made a coroutine or compiled a text: there may be assignments to captured locals that no chunk of the host's
  /// shows.
  bool hasHiddenCode;
  /// True if code ran when it was interrupted.
  bool wasInterrupted;

  lua_State *_Nullable main;
  lua_State *_Nullable current;
  /// The thread on which the running call from the host began.
  lua_State *_Nullable base;
  /// Threads for calls within calls: for a repeatable one, then for one within so many as its index.
  lua_State *_Nullable threads[CLUA_THREADS];
  /// The thread whose code runs, while a call does.
  lua_State *_Nullable running;
  /// The coroutine that the host resumed last and that runs still; null: none.
  lua_State *_Nullable resumed;
  void *_Nullable context;
  CLuaCallbacks callbacks;

  /// Small blocks that Lua freed and gets again, by size class: the first, which begins with the address of the next.
  void *_Nullable spare[CLUA_SPARE_CLASSES];
  /// The bytes of all of them.
  size_t spareBytes;
  size_t memory;
  /// With more memory in use than this, the budget is to be looked at more often.
  size_t memorySeen;
  /// What its memory is taken from, besides its own limit; null: nothing.
  CLuaPool *_Nullable pool;
  /// True if the pool had no room for what was refused last.
  bool isPoolSpent;
  /// True if garbage is collected as in a machine with little room, or without pauses.
  bool isCrowded;
  bool collectsOften;
  /// Bytes that the host holds of what the running call has handed over.
  size_t held;
  /// True if memory that the host takes counts while no call runs, too.
  bool isMetered;
  /// True if the host found no room for a value since it last looked.
  bool isShort;
  /// The block given out once the system has no memory left; null: it was given, or there was never need of it.
  void *_Nullable reserve;
  /// True if the running call was refused a stack that had become too tall.
  bool isTall;
  /// The place of the code when the running call was last refused memory, as it stands before a message; empty:
  /// nowhere.
  char shortPlace[80];
  /// The block that the state was last refused, and the size it was to have; 0: it has got memory since.
  const void *_Nullable refusedBlock;
  size_t refusedSize;
  /// The charge for the last new block, while it may turn out to be a stack.
  size_t lastCharge;
  /// The first block of the main thread's stack, and the present one of the table of all short texts.
  const void *_Nullable firstStack;
  const void *_Nullable textTable;
  /// The offset of a thread's stack pointer from the start of the thread; 0: unknown.
  size_t stackOffset;
  int64_t remaining;
  /// Instructions that the running call has yet to run of those that it took from its budget at once.
  int64_t advance;
  uint64_t charged;
  int64_t deadline;
  /// When the running call was first looked at, in milliseconds, and how long the thread had worked by then; 0: not yet.
  int64_t firstLook;
  int64_t workBefore;
  /// Milliseconds that calls have taken which were looked at, but for repeatable ones, since the host set it to zero.
  int64_t worked;
  uint32_t interruption;
  int32_t depth;
  /// True if the time of a nested call counts for the call around it, too.
  bool countsNested;
  /// The number of coroutines being closed, each within the closing of the one before.
  int32_t closings;
  bool enforcing;
  /// True if the instructions of the main thread are counted.
  bool isCounting;
  /// True if the host hears when code reaches something outside of the process.
  bool watchesLeaving;
  /// True while texts are no numbers, whatever their digits.
  bool refusesArithmeticOfTexts;
  CLuaStatus exhausted;
  char exhaustedMessage[640];

  int32_t globals;
  int32_t visibleGlobals;
  const void *_Nullable visibleGlobalsPointer;
  const void *_Nullable callBase;

  char *_Nullable failure;
  size_t failureCount;
  size_t failureCapacity;
  bool failureHasLocation;
  const void *_Nullable failureString;
  const void *_Nullable missingString;

  CLuaTexts texts;
  /// The offset, from the start of a thread, of the number of instructions until its next look; 0: unknown.
  size_t countdown;
  /// The offset of a string's bytes from its start.
  size_t stringHeader;
  /// The table that `next` walks, in the outermost call that runs; null: none.
  const void *_Nullable orderedTable;
  int64_t orderedPosition;

  CLuaError error;
  /// The result of the last look for a caller.
  CLuaFrame caller;
} CLuaMachine;

/// The libraries of a state, and the rule for undefined globals.
typedef enum CLUA_CLOSED CLuaSandbox : uint32_t {
  CLuaSandboxPlugin,
  CLuaSandboxSession,
  CLuaSandboxUnrestricted,
} CLuaSandbox;

// A machine

/// A new machine, or null when memory is out.
CLuaMachine *_Nullable clua_open(CLuaSandbox sandbox, size_t memoryLimit, void *_Nullable context,
                                 const CLuaCallbacks *callbacks);
void clua_close(CLuaMachine *machine);
/// Has its memory taken from a pool, which outlives it, from now on.
void clua_join(CLuaMachine *machine, CLuaPool *pool);
/// Stops the call that runs, if one does; may be called from any thread while the machine lives.
void clua_interrupt(CLuaMachine *machine);
/// A full garbage collection.
CLuaStatus clua_collect(CLuaMachine *machine);
/// Has garbage collected without pauses from now on.
void clua_collectOften(CLuaMachine *machine);

// Lua's values that the host takes over

/// Notes that there is no memory. A call that is repeatable ends by it, whatever it catches: how much memory is in use depends
/// on what ran before.
void clua_noteShortage(CLuaMachine *machine);

/// Has the running thread looked at as often as must be now, with what it ran since the last look counted. Never raises, nor
/// allocates.
void clua_shortenPeriod(CLuaMachine *machine);

/// Takes instructions from the budget. The rest may be so small that the next look has to come early: the limit of a
/// call does not depend on when the looks come.
static inline void clua_spend(CLuaMachine *machine, size_t instructions) {
  machine->remaining -= (int64_t)instructions;
  if (machine->remaining < CLUA_HOOK_PERIOD) clua_shortenPeriod(machine);
}

/// Counts work of the host for the running call, as so many instructions.
static inline void clua_work(CLuaMachine *machine, size_t instructions) {
  clua_spend(machine, instructions);
  machine->charged += instructions;
}

/// Counts bytes that the host is about to hold until the running call ends, up to the memory limit. A value in the host
/// takes memory that Lua knows nothing of, as often as it is handed over. False: there is no room for them.
static inline bool clua_hold(CLuaMachine *machine, size_t bytes) {
  if (machine->depth == 0 && !machine->isMetered) return true;
  // Nobody has looked yet at what was lost before: the call is about to fail.
  if (machine->isShort) return false;
  clua_work(machine, bytes >> 7);
  if (bytes <= machine->memoryLimit && machine->held <= machine->memoryLimit - bytes) {
    machine->held += bytes;
    return true;
  }
  machine->isShort = true;
  clua_noteShortage(machine);
  return false;
}

// Items

static inline CLuaItems *clua_items(CLuaMachine *machine) { return &machine->items; }

static inline CLuaWindows *clua_windows(CLuaMachine *machine) { return &machine->windows; }

void clua_growItems(CLuaItems *items);
void clua_writeBytes(CLuaItems *items, CLuaItemKind kind, const void *_Nullable bytes, size_t count);

static inline CLuaMark clua_mark(const CLuaItems *items) {
  return (CLuaMark){items->count, items->byteCount};
}

static inline void clua_reset(CLuaItems *items, CLuaMark mark) {
  items->count = mark.items;
  items->byteCount = mark.bytes;
}

static inline CLuaItem *clua_write(CLuaItems *items, CLuaItemKind kind) {
  if (items->count == items->capacity) clua_growItems(items);
  CLuaItem *item = &items->items[items->count++];
  item->kind = kind;
  return item;
}

// Calls. Results stay on the current stack from `first` on; clua_drop removes them.

/// Compiles text; the function is the one result.
CLuaStatus clua_load(CLuaMachine *machine, const char *_Nullable bytes, size_t count,
                     const char *chunkName, int32_t *first);
/// Calls a referenced function with the items above the mark.
CLuaStatus clua_call(CLuaMachine *machine, int32_t function, CLuaMark mark, int32_t *first, int32_t *count);
/// The same where only the number of results is wanted. Instructions need not be counted of a function that ends within
/// CLUA_HOOK_PERIOD of them, whatever it does and gets. The count runs all the same where the limits ask for more
/// looks.
CLuaStatus clua_callCounting(CLuaMachine *machine, int32_t function, bool isCounted, CLuaMark mark, int32_t *count);
/// The same where no result is wanted, nor how many there were.
CLuaStatus clua_callDropping(CLuaMachine *machine, int32_t function, bool isCounted, CLuaMark mark);
/// The same where the first result is put into a slot, a reference made for it, unseen by the host. A nil result leaves
/// false in the slot.
CLuaStatus clua_callKeeping(CLuaMachine *machine, int32_t function, bool isCounted, CLuaMark mark, int32_t slot,
                            CLuaKept *kept);
/// Empties a slot.
void clua_emptySlot(CLuaMachine *machine, int32_t slot);
/// Starts or continues a referenced coroutine.
CLuaStatus clua_resume(CLuaMachine *machine, int32_t coroutine, CLuaMark mark, int32_t *first,
                       int32_t *count);
/// Closes a coroutine, running what it has to close.
CLuaStatus clua_closeCoroutine(CLuaMachine *machine, int32_t coroutine);
/// Removes everything from stack index `first` on.
void clua_drop(CLuaMachine *machine, int32_t first);
/// Reads the value at an index of the current stack.
void clua_read(CLuaMachine *machine, int32_t index, CLuaValue *value);
/// Notes what a callback failed with, before it answers CLuaAnswerFailed. The bytes are copied.
void clua_fail(CLuaMachine *machine, const char *_Nullable bytes, size_t count, bool hasLocation);
/// The Lua function that called the running host function, until the next look; null when no Lua function did. `isSame` says
/// whether it is to the letter what the last look found.
const CLuaFrame *_Nullable clua_caller(CLuaMachine *machine, bool *isSame);
/// True if the running host function may yield to the host: a coroutine that Lua made yields to Lua.
bool clua_isYieldable(CLuaMachine *machine);

// References: values kept alive in the registry

/// Keeps the items above the mark (one value) alive.
CLuaStatus clua_anchorItems(CLuaMachine *machine, CLuaMark mark, int32_t *reference);
/// Keeps the value at an index of the current stack alive.
CLuaStatus clua_anchor(CLuaMachine *machine, int32_t index, int32_t *reference);
void clua_release(CLuaMachine *machine, int32_t reference);
/// Keeps a string alive and gives its address, the same for every equal string of up to 40 bytes.
CLuaStatus clua_intern(CLuaMachine *machine, const char *_Nullable bytes, size_t count,
                       int32_t *reference, const void *_Nullable *_Nonnull address);
/// A Lua function that calls the host's `invoke` with `function`.
CLuaStatus clua_makeFunction(CLuaMachine *machine, int64_t function, int32_t *reference);
CLuaStatus clua_makeCoroutine(CLuaMachine *machine, int32_t function, int32_t *reference);

/// Gives a referenced table a metatable, and has `rawset` change it no more than an assignment does.
CLuaStatus clua_makeHostTable(CLuaMachine *machine, int32_t table, int32_t metatable);

// The captures of a function

/// Computes a number that changes when a captured local changes, or anything in a table that is reached from one. For a
/// table, the number changes with its contents.
CLuaStatus clua_digestCaptures(CLuaMachine *machine, int32_t reference, CLuaDigest *digest);
/// Tells what a referenced function captures at a position, from 1. A function in Lua gets a reference of its own.
CLuaCapture clua_captured(CLuaMachine *machine, int32_t function, int32_t position, int32_t *reference);
/// Hands the bytecode of a referenced function to `take`, piece by piece; false when it is no Lua function.
bool clua_dump(CLuaMachine *machine, int32_t function, void *context,
               void (*take)(void *context, const void *bytes, size_t count));

// Globals and tables, raw

/// Sets a global to the item above the mark.
CLuaStatus clua_setGlobal(CLuaMachine *machine, const char *_Nullable name, size_t count, CLuaMark mark);
/// Pushes a global, nil when there is none.
CLuaStatus clua_global(CLuaMachine *machine, const char *_Nullable name, size_t count, int32_t *first);
/// Pushes the field of a referenced table that the item above the mark names.
CLuaStatus clua_field(CLuaMachine *machine, int32_t table, CLuaMark mark, int32_t *first);
/// References a list of the strings among the keys of a referenced table, in no order. Of a library in the sandbox they are
/// those that it shows.
CLuaStatus clua_names(CLuaMachine *machine, int32_t table, int32_t *reference);
int64_t clua_length(CLuaMachine *machine, int32_t table);
/// True if a referenced table has no metatable and no keys but these, the addresses of interned strings.
bool clua_hasOnlyKeys(CLuaMachine *machine, int32_t table, const void *_Nonnull const *_Nullable keys,
                      size_t count);
/// Takes away the fields of a referenced table that hold long texts or anything with memory of its own.
void clua_dropLong(CLuaMachine *machine, int32_t table);
/// The address at which the bytes of the string at a stack index stand; of another value one at which no string's do.
const void *clua_keyAddress(const CLuaMachine *machine, int32_t index);
/// Reads the fields of a table at a stack index whose keys are among these, the addresses of interned strings. The values are numbers,
/// strings or truth values, each at the position of its key, and nil where there is none. They are valid while the table stays as it is.
///
/// \returns the number of fields; -1 where one is something else, or the table has a metatable.
int32_t clua_fields(CLuaMachine *machine, int32_t index, const void *_Nonnull const *_Nullable keys, size_t count,
                    CLuaValue *values);
/// Pushes the keys of a referenced table as one list in key order, and the number of them.
CLuaStatus clua_sortedKeys(CLuaMachine *machine, int32_t table, int32_t *first,
                           int64_t *count);
/// Pushes key and value number `position` of a key list at stack index `list` and a referenced table.
void clua_entry(CLuaMachine *machine, int32_t table, int32_t list, int64_t position, int32_t *first);
/// Pushes what tostring gives for the item above the mark.
CLuaStatus clua_describe(CLuaMachine *machine, CLuaMark mark, int32_t *first);

#pragma clang assume_nonnull end

#endif
