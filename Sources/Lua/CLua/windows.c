// Windows: fields of the host's memory that Lua reads and writes in place. Fields that a window does not show, and
// everything that could be an error, go to the host's callbacks.

#include <stdlib.h>
#include <string.h>

#include "machine.h"

bool clua_reserveWindow(CLuaWindows *windows, size_t number) {
  if (number >= windows->capacity) {
    size_t capacity = windows->capacity < 16 ? 16 : windows->capacity;
    while (capacity <= number) capacity *= 2;
    CLuaWindow *grown = realloc(windows->windows, capacity * sizeof(CLuaWindow));
    if (grown == NULL) return false;
    windows->windows = grown;
    windows->capacity = capacity;
  }
  while (windows->count <= number) windows->windows[windows->count++].time = -1;
  return true;
}

void clua_freeWindows(CLuaWindows *windows) {
  free(windows->windows);
  free(windows->writes);
}

static inline CLuaWindow *openWindow(CLuaWindows *windows, CLuaObject object) {
  size_t number = object & 0xffffff;
  if (object >> 24 != windows->stamp || number >= windows->count) return NULL;
  CLuaWindow *window = &windows->windows[number];
  return window->time == windows->time ? window : NULL;
}

/// The slot that the key at index 2 names.
static inline const CLuaWindowSlot *findSlot(lua_State *L, const CLuaMachine *machine, const CLuaWindow *window) {
  // The bytes of a string stand behind its header, and at no such distance behind another value.
  const char *key = (const char *)lua_topointer(L, 2) + machine->stringHeader;
  for (uint32_t index = 0; index < window->count; index += 1) {
    if (window->slots[index].key == key) return &window->slots[index];
  }
  return NULL;
}

static inline bool holds(const CLuaWindowSlot *slot, const char *field) {
  return slot->tagOffset == 0 || (uint8_t)field[slot->tagOffset] == slot->tag;
}

static inline bool isTextInPlace(const CLuaWindowSlot *slot, const char *field) {
  uint8_t mark = (uint8_t)field[15] & 0xf0;
  return mark == slot->asciiMark || mark == slot->textMark;
}

static inline size_t textCount(const char *field) { return (uint8_t)field[15] & 0x0f; }

bool clua_readWindow(lua_State *L, CLuaMachine *machine, CLuaObject object) {
  const CLuaWindow *window = openWindow(&machine->windows, object);
  const CLuaWindowSlot *slot = window == NULL ? NULL : findSlot(L, machine, window);
  if (slot == NULL) return false;
  const char *field = window->memory + slot->offset;
  if (!holds(slot, field)) return false;
  int64_t integer;
  double number;
  switch (slot->kind) {
    case CLuaSlotKindInteger:
      memcpy(&integer, field, sizeof integer);
      lua_pushinteger(L, integer);
      return true;
    case CLuaSlotKindNumber:
      memcpy(&number, field, sizeof number);
      lua_pushnumber(L, number);
      return true;
    case CLuaSlotKindBoolean:
      lua_pushboolean(L, *field & 1);
      return true;
    case CLuaSlotKindText:
      if (!isTextInPlace(slot, field)) return false;
      lua_pushlstring(L, field, textCount(field));
      return true;
    case CLuaSlotKindPart:
      if (window->parts == 0) return false;
      clua_pushObject(L, machine->windows.stamp << 24 | (window->parts + slot->part));
      return true;
    case CLuaSlotKindOther: return false;
  }
}

/// Takes text that fits in place; other text than ASCII is for the host to look at.
static inline bool takeText(lua_State *L, const CLuaWindowSlot *slot, char *bytes) {
  if (lua_type(L, 3) != LUA_TSTRING) return false;
  size_t count;
  const char *text = lua_tolstring(L, 3, &count);
  if (count > 15) return false;
  uint8_t seen = 0;
  for (size_t index = 0; index < count; index += 1) seen |= (uint8_t)text[index];
  if (seen >= 0x80) return false;
  memset(bytes, 0, 16);
  memcpy(bytes, text, count);
  bytes[15] = (char)(slot->asciiMark | count);
  return true;
}

/// Takes the value at index 3 as the bytes that a slot holds, which is no integer; false where it is none for it.
static inline bool takeValue(lua_State *L, const CLuaWindowSlot *slot, char *bytes) {
  lua_Number number;
  switch (slot->kind) {
    case CLuaSlotKindNumber:
      if (lua_type(L, 3) != LUA_TNUMBER) return false;
      number = clua_settled(lua_tonumberx(L, 3, NULL));
      memcpy(bytes, &number, sizeof number);
      return true;
    case CLuaSlotKindBoolean:
      if (lua_type(L, 3) != LUA_TBOOLEAN) return false;
      *bytes = (char)lua_toboolean(L, 3);
      return true;
    case CLuaSlotKindText: return takeText(L, slot, bytes);
    case CLuaSlotKindInteger:
    case CLuaSlotKindPart:
    case CLuaSlotKindOther: return false;
  }
}

/// Makes room to note one more write, within the memory limit.
static bool reserveWrite(CLuaWindows *windows, size_t memoryLimit) {
  if (windows->writeCount < windows->writeCapacity) return true;
  if (windows->writeCount * sizeof(CLuaWrite) > memoryLimit) return false;
  size_t capacity = windows->writeCapacity < 16 ? 16 : windows->writeCapacity * 2;
  CLuaWrite *grown = realloc(windows->writes, capacity * sizeof(CLuaWrite));
  if (grown == NULL) return false;
  windows->writes = grown;
  windows->writeCapacity = capacity;
  return true;
}

/// The window of an object after it was opened for writing; null: it cannot be.
static CLuaWindow *openForWriting(CLuaMachine *machine, CLuaObject object) {
  machine->callbacks.open(machine->context, object);
  CLuaWindow *window = openWindow(&machine->windows, object);
  return window != NULL && window->isWritable ? window : NULL;
}

/// Notes what a write is about to overwrite, for which there is room.
static inline CLuaWrite *note(CLuaWindows *windows, CLuaObject object, const CLuaWindow *window, const CLuaWindowSlot *slot) {
  CLuaWrite *write = &windows->writes[windows->writeCount++];
  write->window = (uint32_t)(object & 0xffffff);
  write->slot = (uint32_t)(slot - window->slots);
  return write;
}

bool clua_writeWindow(lua_State *L, CLuaMachine *machine, CLuaObject object) {
  CLuaWindows *windows = &machine->windows;
  CLuaWindow *window = openWindow(windows, object);
  const CLuaWindowSlot *slot = window == NULL ? NULL : findSlot(L, machine, window);
  if (slot == NULL || !reserveWrite(windows, machine->memoryLimit)) return false;
  if (slot->kind == CLuaSlotKindInteger) {
    // The most frequent write: all of it is of a known size.
    if (!lua_isinteger(L, 3)) return false;
    lua_Integer integer = lua_tointegerx(L, 3, NULL);
    if (integer < slot->minimum || integer > slot->maximum) return false;
    if (!window->isWritable && (window = openForWriting(machine, object)) == NULL) return false;
    char *field = window->memory + slot->offset;
    if (!holds(slot, field)) return false;
    memcpy(note(windows, object, window, slot)->former, field, sizeof integer);
    memcpy(field, &integer, sizeof integer);
    return true;
  }
  char bytes[16];
  if (!takeValue(L, slot, bytes)) return false;
  if (!window->isWritable && (window = openForWriting(machine, object)) == NULL) return false;
  char *field = window->memory + slot->offset;
  if (!holds(slot, field)) return false;
  // Longer text belongs to somebody, who has to be told.
  if (slot->kind == CLuaSlotKindText && !isTextInPlace(slot, field)) return false;
  CLuaWrite *write = note(windows, object, window, slot);
  size_t size = clua_slotSize(slot);
  memcpy(write->former, field, size);
  memcpy(field, bytes, size);
  return true;
}
