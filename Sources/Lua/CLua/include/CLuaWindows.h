// Windows: fields of records in the host's memory that Lua reads and writes in place, behind objects of the host.

#ifndef CLUA_WINDOWS_H
#define CLUA_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

#define CLUA_CLOSED __attribute__((enum_extensibility(closed)))

/// The content of a window's slot.
typedef enum CLUA_CLOSED CLuaSlotKind : uint32_t {
  /// Nothing that Lua reads without the host.
  CLuaSlotKindOther,
  CLuaSlotKindInteger,
  CLuaSlotKindNumber,
  CLuaSlotKindBoolean,
  CLuaSlotKindText,
  /// Something that the host has an object for.
  CLuaSlotKindPart,
} CLuaSlotKind;

/// A field of a record in the host's memory: eight bytes, one byte for a boolean, or sixteen bytes for text. The host
/// keeps short text in place: up to fifteen bytes, zeros and one byte that is the count plus a mark.
typedef struct CLuaWindowSlot {
  /// The address of the interned name.
  const void *_Nullable key;
  uint32_t offset;
  CLuaSlotKind kind;
  /// The offset of the tag byte from the field's start, and the value that the tag must have; 0: no tag.
  uint16_t tagOffset;
  uint8_t tag;
  /// The mark of text in place that is ASCII, and of other text in place.
  uint8_t asciiMark;
  uint8_t textMark;
  /// The number of the part within the record, from 0.
  uint32_t part;
  /// The bounds of an integer.
  int64_t minimum;
  int64_t maximum;
} CLuaWindowSlot;

/// The memory behind a host object, which Lua reads and writes in place without asking the host. Open while its time
/// equals the time of the machine's windows.
typedef struct CLuaWindow {
  const CLuaWindowSlot *_Nullable slots;
  char *_Nullable memory;
  int64_t time;
  uint32_t count;
  /// The `id` of the object of the first part, followed by the others in order; 0: the host has to be asked for them.
  uint32_t parts;
  bool isWritable;
} CLuaWindow;

/// The bytes that a write through a window overwrote: as many as the slot has.
typedef struct CLuaWrite {
  uint32_t window;
  uint32_t slot;
  uint8_t former[16];
} CLuaWrite;

/// The windows of a machine, by the `id` of the objects that they stand behind, and what was written through them.
typedef struct CLuaWindows {
  CLuaWindow *_Null_unspecified windows;
  size_t count;
  size_t capacity;
  /// The required value of the bits above the `id`.
  uint64_t stamp;
  int64_t time;
  CLuaWrite *_Null_unspecified writes;
  size_t writeCount;
  size_t writeCapacity;
} CLuaWindows;

/// Makes room for the window of a number and shuts those between; false where there is no memory for it.
bool clua_reserveWindow(CLuaWindows *windows, size_t number);

/// Opens a window under a number, of those with lower numbers none or some are open. Without memory for it nothing happens.
static inline void clua_openWindow(CLuaWindows *windows, size_t number, const CLuaWindowSlot *slots, uint32_t count,
                                   void *memory, bool isWritable, uint32_t parts) {
  if (number >= windows->count && !clua_reserveWindow(windows, number)) return;
  CLuaWindow *window = &windows->windows[number];
  window->slots = slots;
  window->memory = memory;
  window->time = windows->time;
  window->count = count;
  window->isWritable = isWritable;
  window->parts = parts;
}

/// The number of bytes in a slot.
static inline size_t clua_slotSize(const CLuaWindowSlot *slot) {
  return slot->kind == CLuaSlotKindBoolean ? 1 : slot->kind == CLuaSlotKindText ? 16 : 8;
}

#pragma clang assume_nonnull end

#endif
