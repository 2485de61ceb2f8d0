// string.find, match, gmatch and gsub on the bounded search; results and messages equal the stock functions'.

#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "pattern.h"

static size_t startPosition(lua_Integer position, size_t count) {
  if (position > 0) return (size_t)position;
  if (position == 0 || position < -(lua_Integer)count) return 1;
  return count + (size_t)position + 1;
}

static bool isPlain(const char *pattern, size_t count) {
  for (size_t position = 0; position < count; position += 1) {
    if (pattern[position] != 0 && strchr("^$*+?.([%-", pattern[position]) != NULL) return false;
  }
  return true;
}

static int search(lua_State *L, bool isFind) {
  size_t subjectCount, patternCount;
  const char *subject = luaL_checklstring(L, 1, &subjectCount);
  const char *pattern = luaL_checklstring(L, 2, &patternCount);
  size_t start = startPosition(clua_optInteger(L, 3, 1), subjectCount) - 1;
  if (start > subjectCount) {
    luaL_pushfail(L);
    return 1;
  }
  if (isFind && (lua_toboolean(L, 4) || isPlain(pattern, patternCount))) {
    clua_charge(L, (subjectCount - start + patternCount) / 32);
    const char *found = memmem(subject + start, subjectCount - start, pattern, patternCount);
    if (found == NULL) {
      luaL_pushfail(L);
      return 1;
    }
    lua_pushinteger(L, found - subject + 1);
    lua_pushinteger(L, found - subject + (lua_Integer)patternCount);
    return 2;
  }
  bool isAnchored = patternCount > 0 && *pattern == '^';
  CLuaSearch state = clua_prepareSearch(L, subject, subjectCount, pattern, patternCount);
  if (isAnchored) pattern += 1;
  const char *at = subject + start;
  do {
    const char *end = clua_matchFrom(&state, at, pattern);
    if (end == NULL) continue;
    clua_settleSearch(&state);
    if (!isFind) return clua_pushCaptures(&state, at, end);
    lua_pushinteger(L, at - subject + 1);
    lua_pushinteger(L, end - subject);
    return clua_pushCaptures(&state, NULL, NULL) + 2;
  } while (at++ < state.subjectEnd && !isAnchored);
  clua_settleSearch(&state);
  luaL_pushfail(L);
  return 1;
}

static int find(lua_State *L) { return search(L, true); }

static int matchText(lua_State *L) { return search(L, false); }

/// The state of a gmatch: where to go on and where the last match ended.
typedef struct Walk {
  CLuaSearch search;
  const char *at;
  const char *pattern;
  const char *lastEnd;
} Walk;

static int nextMatch(lua_State *L) {
  Walk *walk = lua_touserdata(L, lua_upvalueindex(3));
  walk->search.L = L;
  for (const char *at = walk->at; at <= walk->search.subjectEnd; at += 1) {
    const char *end = clua_matchFrom(&walk->search, at, walk->pattern);
    if (end != NULL && end != walk->lastEnd) {
      walk->at = walk->lastEnd = end;
      clua_settleSearch(&walk->search);
      return clua_pushCaptures(&walk->search, at, end);
    }
  }
  clua_settleSearch(&walk->search);
  return 0;
}

static int gmatch(lua_State *L) {
  size_t subjectCount, patternCount;
  const char *subject = luaL_checklstring(L, 1, &subjectCount);
  const char *pattern = luaL_checklstring(L, 2, &patternCount);
  size_t start = startPosition(clua_optInteger(L, 3, 1), subjectCount) - 1;
  lua_settop(L, 2);
  Walk *walk = lua_newuserdatauv(L, sizeof(Walk), 0);
  if (start > subjectCount) start = subjectCount + 1;
  walk->search = clua_prepareSearch(L, subject, subjectCount, pattern, patternCount);
  walk->at = subject + start;
  walk->pattern = pattern;
  walk->lastEnd = NULL;
  lua_pushcclosure(L, nextMatch, 3);
  return 1;
}

static void addText(luaL_Buffer *buffer, const char *text, size_t count) {
  clua_makeBufferRoom(buffer, count);
  luaL_addlstring(buffer, text, count);
}

static void addReplacement(CLuaSearch *search, luaL_Buffer *buffer, const char *start, const char *end) {
  lua_State *L = search->L;
  size_t count;
  const char *text = lua_tolstring(L, 3, &count);
  clua_charge(L, count / 32);
  const char *mark;
  while ((mark = memchr(text, clua_escape, count)) != NULL) {
    addText(buffer, text, (size_t)(mark - text));
    mark += 1;
    if (*mark == clua_escape) {
      addText(buffer, mark, 1);
    } else if (*mark == '0') {
      addText(buffer, start, (size_t)(end - start));
    } else if (isdigit((unsigned char)*mark)) {
      size_t length;
      const char *bytes = clua_capture(search, *mark - '1', start, end, &length);
      if (bytes != NULL) {
        addText(buffer, bytes, length);
      } else {
        clua_addValue(buffer);
      }
    } else {
      luaL_error(L, "invalid use of '%c' in replacement string", clua_escape);
    }
    count -= (size_t)(mark + 1 - text);
    text = mark + 1;
  }
  addText(buffer, text, count);
}

/// Adds what replaces a match and answers whether that is something else.
static bool addValue(CLuaSearch *search, luaL_Buffer *buffer, const char *start, const char *end, int type) {
  lua_State *L = search->L;
  if (type == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    int count = clua_pushCaptures(search, start, end);
    lua_call(L, count, 1);
  } else if (type == LUA_TTABLE) {
    clua_pushCapture(search, 0, start, end);
    lua_gettable(L, 3);
  } else {
    addReplacement(search, buffer, start, end);
    return true;
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    addText(buffer, start, (size_t)(end - start));
    return false;
  }
  if (!lua_isstring(L, -1)) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  clua_addValue(buffer);
  return true;
}

static int gsub(lua_State *L) {
  size_t subjectCount, patternCount;
  const char *at = luaL_checklstring(L, 1, &subjectCount);
  const char *pattern = luaL_checklstring(L, 2, &patternCount);
  int type = lua_type(L, 3);
  lua_Integer limit = clua_optInteger(L, 4, (lua_Integer)subjectCount + 1);
  luaL_argexpected(L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                   "string/function/table");
  bool isAnchored = patternCount > 0 && *pattern == '^';
  CLuaSearch search = clua_prepareSearch(L, at, subjectCount, pattern, patternCount);
  if (isAnchored) pattern += 1;
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  const char *lastEnd = NULL;
  lua_Integer count = 0;
  bool isChanged = false;
  while (count < limit) {
    const char *end = clua_matchFrom(&search, at, pattern);
    if (end != NULL && end != lastEnd) {
      count += 1;
      if (addValue(&search, &buffer, at, end, type)) isChanged = true;
      at = lastEnd = end;
    } else if (at < search.subjectEnd) {
      clua_makeBufferRoom(&buffer, 1);
      luaL_addchar(&buffer, *at++);
    } else {
      break;
    }
    if (isAnchored) break;
  }
  clua_settleSearch(&search);
  if (!isChanged) {
    lua_pushvalue(L, 1);
  } else {
    addText(&buffer, at, (size_t)(search.subjectEnd - at));
    luaL_pushresult(&buffer);
  }
  lua_pushinteger(L, count);
  return 2;
}

const luaL_Reg clua_matchingFunctions[] = {
    {"find", find}, {"match", matchText}, {"gmatch", gmatch}, {"gsub", gsub}, {NULL, NULL}};
