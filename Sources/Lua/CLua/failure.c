// Errors: from a failed callback to a Lua error, and from a Lua error to something the host can read.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/// Instructions that a `__tostring` of an error object may use.
enum { describeBudget = 10000 };

/// The registry key that anchors the text of the last host failure, so that its address stays its own.
static const char failureKey[] = "host failure";

void clua_fail(CLuaMachine *machine, const char *bytes, size_t count, bool hasLocation) {
  if (count > machine->failureCapacity) {
    char *grown = realloc(machine->failure, count);
    if (grown == NULL) {
      count = machine->failureCapacity;
    } else {
      machine->failure = grown;
      machine->failureCapacity = count;
    }
  }
  if (count > 0) memcpy(machine->failure, bytes, count);
  machine->failureCount = count;
  machine->failureHasLocation = hasLocation;
}

void clua_pushPlace(lua_State *L) {
  lua_Debug record;
  for (int level = 1; lua_getstack(L, level, &record); level += 1) {
    lua_getinfo(L, "l", &record);
    if (record.currentline >= 0) {
      luaL_where(L, level);
      return;
    }
  }
  lua_pushliteral(L, "");
}

int clua_raiseFailure(lua_State *L, CLuaMark mark) {
  CLuaMachine *machine = clua_machine(L);
  clua_reset(&machine->items, mark);
  luaL_checkstack(L, 4, NULL);
  if (machine->failureHasLocation) {
    clua_pushPlace(L);
  } else {
    lua_pushliteral(L, "");
  }
  lua_pushlstring(L, machine->failure, machine->failureCount);
  lua_concat(L, 2);
  machine->failureString = lua_tostring(L, -1);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, failureKey);
  return lua_error(L);
}

static void copyText(char *target, size_t capacity, const char *source) {
  size_t count = source == NULL ? 0 : strlen(source);
  if (count >= capacity) count = capacity - 1;
  if (count > 0) memcpy(target, source, count);
  target[count] = 0;
}

static bool isCopy(const char *copy, size_t capacity, const char *source) {
  return strncmp(copy, source == NULL ? "" : source, capacity - 1) == 0;
}

static const char *sourceName(const lua_Debug *record) {
  const char *source = record->source;
  return *source == '@' || *source == '=' ? source + 1 : record->short_src;
}

bool clua_isFrame(const CLuaFrame *frame, const lua_Debug *record) {
  return frame->line == record->currentline && frame->lineDefined == record->linedefined &&
         frame->isMain == (*record->what == 'm') && isCopy(frame->source, sizeof frame->source, sourceName(record)) &&
         isCopy(frame->name, sizeof frame->name, record->name) &&
         isCopy(frame->nameKind, sizeof frame->nameKind, record->namewhat);
}

void clua_fillFrame(CLuaFrame *frame, const lua_Debug *record) {
  copyText(frame->source, sizeof frame->source, sourceName(record));
  copyText(frame->nameKind, sizeof frame->nameKind, record->namewhat);
  copyText(frame->name, sizeof frame->name, record->name);
  frame->line = record->currentline;
  frame->lineDefined = record->linedefined;
  frame->isMain = *record->what == 'm';
}

void clua_gatherFrames(CLuaMachine *machine, lua_State *L, int level) {
  CLuaError *error = &machine->error;
  lua_Debug record;
  error->isOfCode = lua_getstack(L, level, &record) && lua_getinfo(L, "S", &record) && *record.what != 'C';
  error->frameCount = 0;
  if (error->frames == NULL) error->frames = malloc(CLUA_MAXIMUM_FRAMES * sizeof(CLuaFrame));
  if (error->frames == NULL) return;
  error->frames[0].line = -1;
  bool isComplete = true;
  for (; lua_getstack(L, level, &record); level += 1) {
    if ((const void *)record.i_ci == machine->callBase) break;
    if (!lua_getinfo(L, "Sln", &record) || *record.what == 'C') continue;
    if (error->frameCount == CLUA_MAXIMUM_FRAMES) {
      isComplete = false;
      break;
    }
    clua_fillFrame(&error->frames[error->frameCount++], &record);
  }
  // The function that the host called is the one the host will name.
  if (isComplete && error->frameCount > 0) error->frameCount -= 1;
}

void clua_missingPlace(lua_State *L, int level, char *place, size_t capacity) {
  static const char beginning[] = "attempt to ";
  lua_Debug record;
  *place = 0;
  if (lua_type(L, -1) != LUA_TSTRING || strncmp(lua_tostring(L, -1), beginning, sizeof beginning - 1) != 0) return;
  if (!lua_getstack(L, level, &record) || !lua_getinfo(L, "Sn", &record) || *record.what != 'C') return;
  if (record.name != NULL && strcmp(record.name, "error") == 0) return;
  int line = clua_findLine(L, &record);
  if (line >= 0) snprintf(place, capacity, "%s:%d: ", record.short_src, line);
}

int clua_collectFrames(lua_State *L) {
  char place[80];
  clua_gatherFrames(clua_machine(L), L, 1);
  clua_missingPlace(L, 1, place, sizeof place);
  if (*place == 0) return 1;
  lua_pushstring(L, place);
  lua_insert(L, 1);
  lua_concat(L, 2);
  return 1;
}

static void setMessage(CLuaError *error, const char *bytes, size_t count) {
  char *grown = realloc(error->message, count + 1);
  if (grown == NULL) {
    error->messageCount = 0;
    return;
  }
  memcpy(grown, bytes, count);
  grown[count] = 0;
  error->message = grown;
  error->messageCount = count;
}

/// Pushes a field of the table at the bottom of the stack, where it is a text.
static bool pushTextField(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  if (lua_rawget(L, 1) == LUA_TSTRING) return true;
  lua_pop(L, 1);
  return false;
}

/// Gives the message of an error object and its code, or nil: a table tells of itself by its fields, as the errors of `command` do.
static int describeErrorObject(lua_State *L) {
  if (lua_istable(L, 1) && pushTextField(L, "message")) {
    if (!pushTextField(L, "code")) lua_pushnil(L);
    return 2;
  }
  if (luaL_getmetafield(L, 1, "__tostring") == LUA_TNIL && !lua_isnumber(L, 1)) {
    if (lua_isnil(L, 1)) lua_pushliteral(L, "(error object is nil)");
    else lua_pushfstring(L, "(error object is a %s)", luaL_typename(L, 1));
    return 1;
  }
  size_t count;
  clua_toText(L, 1, &count);
  return 1;
}

/// Sets the message about an error object, which Lua gives no place, behind the place of the function that raised it.
static void setPlacedMessage(CLuaError *error, const char *bytes, size_t count) {
  const CLuaFrame *frame = error->frames;
  char place[sizeof frame->source + 32];
  int length = 0;
  if (frame != NULL && frame->line > 0) length = snprintf(place, sizeof place, "%s:%d: ", frame->source, frame->line);
  char *text = malloc((size_t)length + count);
  if (text == NULL) return setMessage(error, bytes, count);
  memcpy(text, place, (size_t)length);
  memcpy(text + length, bytes, count);
  setMessage(error, text, (size_t)length + count);
  free(text);
}

/// Describes the error object on top of the stack within a budget of its own.
static void describeUnknown(CLuaMachine *machine, lua_State *L) {
  const char *type = luaL_typename(L, -1);
  bool enforcing = machine->enforcing;
  int64_t remaining = machine->remaining;
  machine->remaining = remaining > 0 && remaining < describeBudget ? remaining : describeBudget;
  machine->enforcing = true;
  lua_pushcfunction(L, describeErrorObject);
  lua_pushvalue(L, -2);
  int status = lua_pcall(L, 1, 2, 0);
  machine->enforcing = enforcing;
  machine->remaining = remaining;
  machine->exhausted = CLuaStatusDone;
  if (status == LUA_OK) {
    if (lua_type(L, -1) == LUA_TSTRING) {
      snprintf(machine->error.code, sizeof machine->error.code, "%s", lua_tostring(L, -1));
    }
    lua_pop(L, 1);
  }
  size_t count = 0;
  const char *text = status == LUA_OK && lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &count) : NULL;
  if (text != NULL) {
    setPlacedMessage(&machine->error, text, count);
  } else {
    char fallback[64] = "(error object is a ";
    strncat(fallback, type, 32);
    strcat(fallback, ")");
    setPlacedMessage(&machine->error, fallback, strlen(fallback));
  }
  lua_pop(L, 1);
}

CLuaStatus clua_finishError(CLuaMachine *machine, lua_State *L, int status) {
  CLuaError *error = &machine->error;
  error->isHostFailure = false;
  error->isOutsideSandbox = false;
  error->code[0] = 0;
  if (machine->exhausted != CLuaStatusDone) {
    setMessage(error, machine->exhaustedMessage, strlen(machine->exhaustedMessage));
    return machine->exhausted;
  }
  if (status == LUA_ERRMEM) {
    char message[128];
    clua_writeShortage(machine, message, sizeof message);
    setMessage(error, message, strlen(message));
    error->frameCount = 0;
    return machine->isTall ? CLuaStatusRuntime : CLuaStatusMemory;
  }
  if (lua_type(L, -1) != LUA_TSTRING) {
    describeUnknown(machine, L);
    return CLuaStatusNotText;
  }
  size_t count;
  const char *text = lua_tolstring(L, -1, &count);
  error->isHostFailure = text == machine->failureString;
  error->isOutsideSandbox = text == machine->missingString;
  setMessage(error, text, count);
  return status == LUA_ERRSYNTAX ? CLuaStatusSyntax : CLuaStatusRuntime;
}
