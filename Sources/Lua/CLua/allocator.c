// The allocator: a limit of memory, and charges for blocks that take long to make.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/// Blocks from this size on are charged: making and filling them takes time that no instruction counts.
static const size_t chargedBlock = 1024;

/// A stack of this many bytes, 40,000 slots, grows no further. A table as a `__call` whose own `__call` is a table
/// makes Lua put one more argument below all others each time. No instruction is counted until the stack ends, and the
/// time grows with the square of its height.
static const size_t tallStack = 40000 * 16;

/// Texts of this many bytes are kept in mind: one instruction that reads such a text, as `a < b` does, is charged for nowhere.
static const size_t longText = 16 << 10;

/// A thread's stack; null where it is not known.
static const char *stackOf(const CLuaMachine *machine, const lua_State *L) {
  const char *stack;
  if (machine->stackOffset == 0) return NULL;
  memcpy(&stack, (const char *)L + machine->stackOffset, sizeof stack);
  return stack;
}

/// The bytes of the stack but for the spare slots, of which the last pointer knows nothing.
static size_t stackSize(const CLuaMachine *machine, const lua_State *L) {
  const char *last;
  memcpy(&last, (const char *)L + machine->stackOffset - sizeof last, sizeof last);
  return (size_t)(last - stackOf(machine, L));
}

enum { slotSize = 16, firstSlots = 40, spareSlots = 5, firstTexts = 128 };

/// True if a new or moved block is for a tall stack of twice as many slots, as a growing stack has.
static bool isTallStackGrowing(const CLuaMachine *machine, const void *block, size_t newSize) {
  if (newSize <= 2 * tallStack || machine->stackOffset == 0) return false;
  if (block != NULL && block != stackOf(machine, machine->running)) return false;
  return newSize - spareSlots * slotSize == 2 * stackSize(machine, machine->running);
}

/// Notes the first blocks of a state: that of the main thread's stack, and that of the table of all short texts.
static void noteFirst(CLuaMachine *machine, const void *block, size_t size) {
  if (machine->firstStack == NULL) machine->firstStack = block;
  if (size == firstTexts * sizeof(void *)) machine->textTable = block;
}

void clua_findStack(CLuaMachine *machine, lua_State *L) {
  for (size_t offset = sizeof(void *); offset < 256; offset += sizeof(void *)) {
    machine->stackOffset = offset;
    bool isStack = stackOf(machine, L) == machine->firstStack;
    if (isStack && stackSize(machine, L) == firstSlots * slotSize) return;
  }
  machine->stackOffset = 0;
}

/// Charges for a block. The table of short texts and the stacks grow at moments that depend on what ran before. Both
/// cost nothing, since the limit of a call would otherwise depend on earlier calls too.
static void charge(CLuaMachine *machine, const void *block, size_t size) {
  if (block != NULL && (block == machine->textTable || block == stackOf(machine, machine->running))) return;
  clua_spend(machine, size >> 7);
  machine->lastCharge = block == NULL ? size >> 7 : 0;
}

/// Takes back what the block has been charged for that was made right before the running thread's stack is freed: it is the new
/// one.
static void noteFreed(CLuaMachine *machine, const void *block) {
  if (block == stackOf(machine, machine->running)) machine->remaining += (int64_t)machine->lastCharge;
  machine->lastCharge = 0;
}

void clua_noteShortage(CLuaMachine *machine) {
  if (!machine->isRepeatable || machine->exhausted != CLuaStatusDone) return;
  machine->exhausted = machine->isTall ? CLuaStatusRuntime : CLuaStatusMemory;
  clua_writeShortage(machine, machine->exhaustedMessage, sizeof machine->exhaustedMessage);
}

void clua_writeShortage(const CLuaMachine *machine, char *message, size_t capacity) {
  const char *reason = machine->isTall        ? "stack overflow (too many values at once)"
                       : machine->isPoolSpent ? "not enough memory (the Lua of all conversations has no more)"
                                              : "not enough memory";
  snprintf(message, capacity, "%s%s", machine->shortPlace, reason);
}

/// Keeps where the code is that needs memory: once that is lacking nobody is asked.
static void notePlace(CLuaMachine *machine) {
  lua_Debug record;
  int line = machine->depth > 0 ? clua_findLine(machine->running, &record) : -1;
  if (line < 0) machine->shortPlace[0] = 0;
  else snprintf(machine->shortPlace, sizeof machine->shortPlace, "%s:%d: ", record.short_src, line);
}

/// Charges for a full collection, whose work grows with the memory in use. The number of such collections depends on the
/// garbage of other calls; in a repeatable call this counts as time alone.
static void chargeCollection(CLuaMachine *machine) {
  if (machine->isRepeatable) machine->charged += machine->memory >> 8;
  else clua_work(machine, machine->memory >> 8);
}

/// Refuses memory. Lua then collects garbage and asks for the same once more, or gives up, as its buffers do:
/// ``clua_makeRoom``.
static void *refuse(CLuaMachine *machine, const void *block, size_t newSize) {
  notePlace(machine);
  if (machine->refusedSize != 0) clua_noteShortage(machine);
  machine->refusedBlock = block;
  machine->refusedSize = newSize;
  chargeCollection(machine);
  return NULL;
}

void clua_makeRoom(lua_State *L, size_t bytes) {
  CLuaMachine *machine = clua_machine(L);
  if (!machine->enforcing || bytes > machine->memoryLimit) return;
  if (machine->memory + bytes <= machine->memoryLimit) return;
  chargeCollection(machine);
  lua_gc(L, LUA_GCCOLLECT);
}

/// A request for something else means that Lua gave up the request that was refused last.
static void noteGranted(CLuaMachine *machine, const void *block, size_t newSize) {
  if (machine->refusedBlock != block || machine->refusedSize != newSize) clua_noteShortage(machine);
  machine->refusedSize = 0;
}

/// Gives the reserve for a new block that the system has no memory for.
static void *takeReserve(CLuaMachine *machine, const void *block, size_t newSize) {
  if (block != NULL || newSize > CLUA_RESERVE) return NULL;
  void *reserve = machine->reserve;
  machine->reserve = NULL;
  return reserve;
}

/// The memory that a machine may have whatever the others have taken: enough for statements of a line.
enum { ownShare = 128 << 10 };

/// Takes memory from the pool, or gives some back where the new size is less.
///
/// Returns false where the pool has no room, and the machine has its share.
static bool takeFromPool(const CLuaMachine *machine, size_t oldSize, size_t newSize) {
  CLuaPool *pool = machine->pool;
  size_t used = __atomic_add_fetch(&pool->used, newSize - oldSize, __ATOMIC_RELAXED);
  if (newSize <= oldSize || !machine->enforcing || used <= pool->limit) return true;
  if (machine->memory - oldSize + newSize <= ownShare) return true;
  __atomic_sub_fetch(&pool->used, newSize - oldSize, __ATOMIC_RELAXED);
  return false;
}

void clua_join(CLuaMachine *machine, CLuaPool *pool) {
  machine->pool = pool;
  __atomic_add_fetch(&pool->used, machine->memory, __ATOMIC_RELAXED);
}

// Lua makes and frees small blocks all the time. A machine keeps freed ones: to take one of them is a tenth of the work of malloc.

/// A machine keeps so many bytes at most, as many as it may have whatever others have taken.
static const size_t mostSpare = ownShare;

static inline bool isSmall(size_t size) { return size <= CLUA_SPARE_CLASSES * CLUA_SPARE_STEP; }

/// The class of a small size, which is not 0.
static inline size_t classOf(size_t size) { return (size - 1) / CLUA_SPARE_STEP; }

static inline size_t classSize(size_t class) { return (class + 1) * CLUA_SPARE_STEP; }

static inline void *take(CLuaMachine *machine, size_t size) {
  if (!isSmall(size)) return malloc(size);
  size_t class = classOf(size);
  void *block = machine->spare[class];
  if (block == NULL) return malloc(classSize(class));
  machine->spare[class] = *(void **)block;
  machine->spareBytes -= classSize(class);
  return block;
}

static inline void giveBack(CLuaMachine *machine, void *block, size_t size) {
  // A block that shrank may be larger than its class: it serves as one of that class.
  size_t class = classOf(size);
  if (block == NULL || !isSmall(size) || machine->spareBytes + classSize(class) > mostSpare) return free(block);
  *(void **)block = machine->spare[class];
  machine->spare[class] = block;
  machine->spareBytes += classSize(class);
}

/// `realloc` of a block, null for a new one; null: there is no memory for it. A block that shrinks is never lost.
static void *move(CLuaMachine *machine, void *block, size_t oldSize, size_t newSize) {
  if (block == NULL) return take(machine, newSize);
  bool isSmallBlock = isSmall(oldSize);
  if (!isSmallBlock && !isSmall(newSize)) return realloc(block, newSize);
  if (isSmallBlock && isSmall(newSize) && classOf(oldSize) == classOf(newSize)) return block;
  void *moved = take(machine, newSize);
  // Lua relies on it that a block can shrink.
  if (moved == NULL) return newSize <= oldSize ? block : NULL;
  memcpy(moved, block, oldSize < newSize ? oldSize : newSize);
  giveBack(machine, block, oldSize);
  return moved;
}

void clua_freeSpare(CLuaMachine *machine) {
  for (size_t class = 0; class < CLUA_SPARE_CLASSES; class += 1) {
    while (machine->spare[class] != NULL) {
      void *block = machine->spare[class];
      machine->spare[class] = *(void **)block;
      free(block);
    }
  }
  machine->spareBytes = 0;
}

/// Gives a new block of a small size where nothing but the limits has to be looked at; null: more has.
static inline void *takeQuickly(CLuaMachine *machine, size_t size) {
  size_t memory = machine->memory + size;
  if (memory > machine->memorySeen || (memory > machine->memoryLimit && machine->enforcing)) return NULL;
  if (machine->pool != NULL && !takeFromPool(machine, 0, size)) return NULL;
  void *made = take(machine, size);
  if (made != NULL) machine->memory = memory;
  else if (machine->pool != NULL) takeFromPool(machine, size, 0);
  return made;
}

static __attribute__((noinline)) void *allocate(CLuaMachine *machine, void *block, size_t oldSize, size_t newSize) {
  // Instead of the size that a new block had, Lua gives the type of the object that it is for.
  size_t type = block == NULL ? oldSize : 0;
  if (block == NULL) oldSize = 0;
  if (newSize == 0) {
    machine->memory -= oldSize;
    if (machine->pool != NULL) takeFromPool(machine, oldSize, 0);
    if (oldSize >= longText) clua_forgetText(&machine->texts, block);
    if (machine->lastCharge != 0) noteFreed(machine, block);
    giveBack(machine, block, oldSize);
    return NULL;
  }
  machine->lastCharge = 0;
  if (newSize > oldSize && machine->enforcing) {
    bool isTooTall = newSize >= chargedBlock && type == 0 && isTallStackGrowing(machine, block, newSize);
    if (isTooTall || machine->memory - oldSize + newSize > machine->memoryLimit) {
      machine->isTall = isTooTall;
      return refuse(machine, block, newSize);
    }
    if (machine->refusedSize != 0) noteGranted(machine, block, newSize);
    if (newSize >= chargedBlock) charge(machine, block, newSize);
  }
  if (machine->pool != NULL && !takeFromPool(machine, oldSize, newSize)) {
    machine->isPoolSpent = true;
    return refuse(machine, block, newSize);
  }
  void *moved = move(machine, block, oldSize, newSize);
  if (moved == NULL && (moved = takeReserve(machine, block, newSize)) == NULL) {
    if (machine->pool != NULL) takeFromPool(machine, newSize, oldSize);
    return NULL;
  }
  machine->memory += newSize - oldSize;
  if (machine->memory > machine->memorySeen) clua_noteGrowth(machine);
  if (block != NULL && block == machine->textTable) machine->textTable = moved;
  if (type == LUA_TSTRING && newSize >= longText && clua_noteText(&machine->texts, moved, newSize)) {
    clua_shortenPeriod(machine);
  }
  if (machine->main == NULL && block == NULL && type == 0) noteFirst(machine, moved, newSize);
  return moved;
}

void *clua_allocate(void *context, void *block, size_t oldSize, size_t newSize) {
  CLuaMachine *machine = context;
  // Nearly all blocks are small, and made or freed while nothing else is under way.
  bool isPlain = machine->lastCharge == 0 && machine->refusedSize == 0;
  if (block == NULL) {
    if (newSize == 0) return NULL;
    void *made = isPlain && isSmall(newSize) && machine->main != NULL ? takeQuickly(machine, newSize) : NULL;
    if (made != NULL) return made;
  } else if (newSize == 0 && isPlain && isSmall(oldSize)) {
    machine->memory -= oldSize;
    if (machine->pool != NULL) __atomic_sub_fetch(&machine->pool->used, oldSize, __ATOMIC_RELAXED);
    giveBack(machine, block, oldSize);
    return NULL;
  }
  return allocate(machine, block, oldSize, newSize);
}
