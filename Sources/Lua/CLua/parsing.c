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
  /// True if the function at index 1 gives more; index 5 keeps alive the piece that it gave.
  bool hasMore;
} Text;

static void askForMore(lua_State *L, Text *text) {
  luaL_checkstack(L, 2, "too many nested functions");
  lua_pushvalue(L, 1);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return;
  }
  if (lua_type(L, -1) != LUA_TSTRING) luaL_error(L, "reader function must return a string");
  lua_replace(L, 5);
  text->bytes = lua_tolstring(L, 5, &text->count);
  clua_charge(L, 1 + text->count / 2);
}

static const char *nextPiece(lua_State *L, void *data, size_t *count) {
  Text *text = data;
  if (text->count == 0 && text->hasMore) askForMore(L, text);
  clua_look(L, text->name, text->line);
  const char *piece = text->bytes;
  *count = text->count < pieceSize ? text->count : pieceSize;
  text->bytes += *count;
  text->count -= *count;
  for (size_t position = 0; text->line > 0 && position < *count; position += 1) text->line += piece[position] == '\n';
  return *count > 0 ? piece : NULL;
}

int clua_parse(lua_State *L, const char *bytes, size_t count, const char *name) {
  // A chunk's name begins with a character that says what it is the name of.
  Text text = {bytes, count, name + 1, 1, false};
  return lua_load(L, nextPiece, &text, name, "t");
}

int clua_loadFunction(lua_State *L) {
  Text text = {.line = -1};
  text.bytes = lua_tolstring(L, 1, &text.count);
  const char *name = luaL_optstring(L, 2, text.bytes != NULL ? text.bytes : "=(load)");
  // There is no other code than text: bytecode is refused in any mode, and everything in one that takes no text.
  const char *mode = strchr(luaL_optstring(L, 3, "bt"), 't') != NULL ? "t" : "none";
  bool hasEnvironment = !lua_isnone(L, 4);
  if (text.bytes != NULL) {
    clua_charge(L, 1 + text.count / 2);
  } else {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 5);
    text.hasMore = true;
  }
  int status = lua_load(L, nextPiece, &text, name, mode);
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
