// From text to functions. The time of Lua's parser can grow with the square of the text. Each `and` of a chain walks
// the jumps of all before it; each name is looked for among the locals of all functions around it. So the parser is
// given the text in small pieces, and the budget is looked at between them.

#include <string.h>

#include "machine.h"

/// So few bytes that no piece takes long, whatever was before it.
static const size_t pieceSize = 64;

/// The rest of a text.
typedef struct Text {
  const char *bytes;
  size_t count;
  /// The name and the line that the errors of a used up budget give. Null and negative where Lua code runs, which has a
  /// place itself.
  const char *name;
  int line;
  /// What `load` takes, text or bytecode or both; null: text.
  const char *mode;
  /// True if the function at index 1 gives it, piece by piece; index 5 keeps it alive then.
  bool isToCome;
  bool isSettled;
  /// What stands in for the text; null: nothing does.
  char *settled;
  size_t settledCount;
} Text;

/// Has the function give the whole text.
static void gather(lua_State *L, Text *text) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (size_t count = 1; count > 0;) {
    luaL_checkstack(L, 2, "too many nested functions");
    lua_pushvalue(L, 1);
    lua_call(L, 0, 1);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      break;
    }
    if (!lua_isstring(L, -1)) luaL_error(L, "reader function must return a string");
    lua_tolstring(L, -1, &count);
    clua_charge(L, 1 + count / 2);
    clua_addValue(&buffer);
  }
  luaL_pushresult(&buffer);
  lua_replace(L, 5);
  text->bytes = lua_tolstring(L, 5, &text->count);
}

/// Raises Lua's own error unless the text may be read. There is no other code than text: bytecode is refused in any mode.
static void checkMode(lua_State *L, const Text *text) {
  bool isText = text->count == 0 || text->bytes[0] != LUA_SIGNATURE[0];
  if (text->mode == NULL || (isText && strchr(text->mode, 't') != NULL)) return;
  lua_pushfstring(L, "attempt to load a %s chunk (mode is '%s')", isText ? "text" : "binary", isText ? text->mode : "t");
  lua_error(L);
}

static const char *nextPiece(lua_State *L, void *data, size_t *count) {
  Text *text = data;
  if (!text->isSettled) {
    text->isSettled = true;
    if (text->isToCome) gather(L, text);
    checkMode(L, text);
    text->settled = clua_settleEqualities(L, text->bytes, text->count, &text->settledCount);
    if (text->settled != NULL) (text->bytes = text->settled, text->count = text->settledCount);
  }
  clua_look(L, text->name, text->line);
  const char *piece = text->bytes;
  *count = text->count < pieceSize ? text->count : pieceSize;
  text->bytes += *count;
  text->count -= *count;
  for (size_t position = 0; text->line > 0 && position < *count; position += 1) text->line += piece[position] == '\n';
  return *count > 0 ? piece : NULL;
}

static int load(lua_State *L, Text text, const char *name) {
  int status = lua_load(L, nextPiece, &text, name, "t");
  clua_resize(L, text.settled, text.settledCount, 0);
  return status;
}

int clua_parse(lua_State *L, const char *bytes, size_t count, const char *name) {
  // A chunk's name begins with a character that says what it is the name of.
  return load(L, (Text){bytes, count, name + 1, 1}, name);
}

int clua_loadFunction(lua_State *L) {
  clua_machine(L)->hasHiddenCode = true;
  Text text = {.line = -1};
  text.bytes = lua_tolstring(L, 1, &text.count);
  const char *name = luaL_optstring(L, 2, text.bytes != NULL ? text.bytes : "=(load)");
  text.mode = luaL_optstring(L, 3, "bt");
  bool hasEnvironment = !lua_isnone(L, 4);
  if (text.bytes != NULL) {
    clua_charge(L, 1 + text.count / 2);
  } else {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 5);
    text.isToCome = true;
  }
  int status = load(L, text, name);
  if (status != LUA_OK) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (hasEnvironment) {
    lua_pushvalue(L, 4);
    if (lua_setupvalue(L, -2, 1) == NULL) lua_pop(L, 1);
  }
  return 1;
}
