// Lua's patterns with a step budget: string.find, match, gmatch and gsub. The results and the messages are those of the
// stock functions (the rules are in the reference manual, §6.4.1); the search pays for every step it takes, so that a
// pattern with exponential backtracking ends like any other loop.

#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "machine.h"

enum {
  maximumCaptures = 32,
  maximumDepth = 200,
  stepsPerInstruction = 4,
  stepsBetweenCharges = 256,
};

enum { unfinishedCapture = -1, positionCapture = -2 };

static const char escape = '%';

typedef struct Search {
  lua_State *L;
  const char *subject;
  const char *subjectEnd;
  const char *patternEnd;
  uint64_t steps;
  int depth;
  int level;
  struct {
    const char *start;
    ptrdiff_t length;
  } captures[maximumCaptures];
} Search;

static void settle(Search *search) {
  uint64_t cost = search->steps / stepsPerInstruction;
  search->steps %= stepsPerInstruction;
  clua_charge(search->L, cost);
}

static inline void step(Search *search, uint64_t count) {
  search->steps += count;
  if (search->steps >= stepsBetweenCharges) settle(search);
}

static Search prepare(lua_State *L, const char *subject, size_t subjectCount, const char *pattern,
                      size_t patternCount) {
  Search search;
  search.L = L;
  search.subject = subject;
  search.subjectEnd = subject + subjectCount;
  search.patternEnd = pattern + patternCount;
  search.steps = 0;
  search.depth = 0;
  search.level = 0;
  return search;
}

// One character

static bool isInClass(int character, int class) {
  bool isMember;
  switch (tolower(class)) {
    case 'a': isMember = isalpha(character); break;
    case 'c': isMember = iscntrl(character); break;
    case 'd': isMember = isdigit(character); break;
    case 'g': isMember = isgraph(character); break;
    case 'l': isMember = islower(character); break;
    case 'p': isMember = ispunct(character); break;
    case 's': isMember = isspace(character); break;
    case 'u': isMember = isupper(character); break;
    case 'w': isMember = isalnum(character); break;
    case 'x': isMember = isxdigit(character); break;
    default: return class == character;
  }
  return isupper(class) ? !isMember : isMember;
}

/// Whether a character is in the set from `[` at `set` to `]` at `last`.
static bool isInSet(int character, const char *set, const char *last) {
  bool found = true;
  if (set[1] == '^') {
    found = false;
    set += 1;
  }
  while (++set < last) {
    if (*set == escape) {
      set += 1;
      if (isInClass(character, (unsigned char)*set)) return found;
    } else if (set[1] == '-' && set + 2 < last) {
      if ((unsigned char)set[0] <= character && character <= (unsigned char)set[2]) return found;
      set += 2;
    } else if ((unsigned char)*set == character) {
      return found;
    }
  }
  return !found;
}

/// Where the single-character item at `item` ends.
static const char *itemEnd(Search *search, const char *item) {
  const char *next = item + 1;
  if (*item == escape) {
    if (next == search->patternEnd) luaL_error(search->L, "malformed pattern (ends with '%%')");
    return next + 1;
  }
  if (*item != '[') return next;
  if (*next == '^') next += 1;
  do {
    if (next == search->patternEnd) luaL_error(search->L, "malformed pattern (missing ']')");
    if (*next++ == escape && next < search->patternEnd) next += 1;
  } while (*next != ']');
  return next + 1;
}

static bool isMatching(Search *search, const char *at, const char *item, const char *end) {
  step(search, 1 + (uint64_t)(end - item) / 4);
  if (at >= search->subjectEnd) return false;
  int character = (unsigned char)*at;
  switch (*item) {
    case '.': return true;
    case escape: return isInClass(character, (unsigned char)item[1]);
    case '[': return isInSet(character, item, end - 1);
    default: return (unsigned char)*item == character;
  }
}

// Items

static const char *match(Search *search, const char *at, const char *item);

static const char *matchBalanced(Search *search, const char *at, const char *delimiters) {
  if (delimiters >= search->patternEnd - 1) {
    luaL_error(search->L, "malformed pattern (missing arguments to '%%b')");
  }
  if (*at != delimiters[0]) return NULL;
  int open = 1;
  while (++at < search->subjectEnd) {
    step(search, 1);
    if (*at == delimiters[1]) {
      if (--open == 0) return at + 1;
    } else if (*at == delimiters[0]) {
      open += 1;
    }
  }
  return NULL;
}

static const char *matchMost(Search *search, const char *at, const char *item, const char *end) {
  ptrdiff_t count = 0;
  while (isMatching(search, at + count, item, end)) count += 1;
  for (; count >= 0; count -= 1) {
    const char *found = match(search, at + count, end + 1);
    if (found != NULL) return found;
  }
  return NULL;
}

static const char *matchFewest(Search *search, const char *at, const char *item, const char *end) {
  while (true) {
    const char *found = match(search, at, end + 1);
    if (found != NULL) return found;
    if (!isMatching(search, at, item, end)) return NULL;
    at += 1;
  }
}

static const char *startCapture(Search *search, const char *at, const char *item, ptrdiff_t kind) {
  if (search->level >= maximumCaptures) luaL_error(search->L, "too many captures");
  search->captures[search->level].start = at;
  search->captures[search->level].length = kind;
  search->level += 1;
  const char *found = match(search, at, item);
  if (found == NULL) search->level -= 1;
  return found;
}

static const char *endCapture(Search *search, const char *at, const char *item) {
  int level = search->level - 1;
  while (level >= 0 && search->captures[level].length != unfinishedCapture) level -= 1;
  if (level < 0) luaL_error(search->L, "invalid pattern capture");
  search->captures[level].length = at - search->captures[level].start;
  const char *found = match(search, at, item);
  if (found == NULL) search->captures[level].length = unfinishedCapture;
  return found;
}

static const char *matchCaptured(Search *search, const char *at, int digit) {
  int level = digit - '1';
  if (level < 0 || level >= search->level || search->captures[level].length == unfinishedCapture) {
    luaL_error(search->L, "invalid capture index %%%d in pattern", level + 1);
  }
  size_t length = (size_t)search->captures[level].length;
  if ((size_t)(search->subjectEnd - at) < length) return NULL;
  step(search, length / 16);
  return memcmp(search->captures[level].start, at, length) == 0 ? at + length : NULL;
}

static const char *matchFrontier(Search *search, const char *at, const char *set, const char *end) {
  step(search, 1 + (uint64_t)(end - set) / 2);
  int before = at == search->subject ? 0 : (unsigned char)at[-1];
  return !isInSet(before, set, end - 1) && isInSet((unsigned char)*at, set, end - 1) ? at : NULL;
}

/// Matches the pattern from `item` on at `at`; answers where the match ends, or null. What follows in the same
/// direction is a loop, so that depth counts only what may have to be undone.
static const char *match(Search *search, const char *at, const char *item) {
  if (search->depth++ == maximumDepth) luaL_error(search->L, "pattern too complex");
  while (at != NULL && item != search->patternEnd) {
    step(search, 1);
    char next = item + 1 < search->patternEnd ? item[1] : 0;
    if (*item == '(') {
      at = next == ')' ? startCapture(search, at, item + 2, positionCapture)
                       : startCapture(search, at, item + 1, unfinishedCapture);
      break;
    }
    if (*item == ')') {
      at = endCapture(search, at, item + 1);
      break;
    }
    if (*item == '$' && item + 1 == search->patternEnd) {
      if (at != search->subjectEnd) at = NULL;
      break;
    }
    if (*item == escape && next == 'b') {
      at = matchBalanced(search, at, item + 2);
      item += 4;
      continue;
    }
    if (*item == escape && next == 'f') {
      item += 2;
      if (*item != '[') luaL_error(search->L, "missing '[' after '%%f' in pattern");
      const char *end = itemEnd(search, item);
      at = matchFrontier(search, at, item, end);
      item = end;
      continue;
    }
    if (*item == escape && isdigit((unsigned char)next)) {
      at = matchCaptured(search, at, (unsigned char)next);
      item += 2;
      continue;
    }
    const char *end = itemEnd(search, item);
    char suffix = end < search->patternEnd ? *end : 0;
    if (!isMatching(search, at, item, end)) {
      if (suffix != '*' && suffix != '?' && suffix != '-') at = NULL;
      item = end + 1;
      continue;
    }
    if (suffix == '*' || suffix == '+') {
      at = matchMost(search, suffix == '+' ? at + 1 : at, item, end);
      break;
    }
    if (suffix == '-') {
      at = matchFewest(search, at, item, end);
      break;
    }
    if (suffix == '?') {
      const char *found = match(search, at + 1, end + 1);
      if (found != NULL) {
        at = found;
        break;
      }
      item = end + 1;
      continue;
    }
    at += 1;
    item = end;
  }
  search->depth -= 1;
  return at;
}

static const char *matchFrom(Search *search, const char *at, const char *pattern) {
  search->depth = 0;
  search->level = 0;
  return match(search, at, pattern);
}

// Captures

/// The bytes of a capture, the whole match when there are none; a position is pushed instead and null answered.
static const char *capture(Search *search, int level, const char *start, const char *end, size_t *length) {
  if (level >= search->level) {
    if (level != 0) luaL_error(search->L, "invalid capture index %%%d", level + 1);
    *length = (size_t)(end - start);
    return start;
  }
  ptrdiff_t captured = search->captures[level].length;
  if (captured == unfinishedCapture) luaL_error(search->L, "unfinished capture");
  if (captured == positionCapture) {
    lua_pushinteger(search->L, search->captures[level].start - search->subject + 1);
    return NULL;
  }
  *length = (size_t)captured;
  return search->captures[level].start;
}

static void pushCapture(Search *search, int level, const char *start, const char *end) {
  size_t length;
  const char *bytes = capture(search, level, start, end, &length);
  if (bytes != NULL) lua_pushlstring(search->L, bytes, length);
}

static int pushCaptures(Search *search, const char *start, const char *end) {
  int count = search->level == 0 && start != NULL ? 1 : search->level;
  luaL_checkstack(search->L, count, "too many captures");
  for (int level = 0; level < count; level += 1) pushCapture(search, level, start, end);
  return count;
}

// The functions

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
  size_t start = startPosition(luaL_optinteger(L, 3, 1), subjectCount) - 1;
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
  Search state = prepare(L, subject, subjectCount, pattern, patternCount);
  if (isAnchored) pattern += 1;
  const char *at = subject + start;
  do {
    const char *end = matchFrom(&state, at, pattern);
    if (end == NULL) continue;
    settle(&state);
    if (!isFind) return pushCaptures(&state, at, end);
    lua_pushinteger(L, at - subject + 1);
    lua_pushinteger(L, end - subject);
    return pushCaptures(&state, NULL, NULL) + 2;
  } while (at++ < state.subjectEnd && !isAnchored);
  settle(&state);
  luaL_pushfail(L);
  return 1;
}

static int find(lua_State *L) { return search(L, true); }

static int matchText(lua_State *L) { return search(L, false); }

/// The state of a gmatch: where to go on and where the last match ended.
typedef struct Walk {
  Search search;
  const char *at;
  const char *pattern;
  const char *lastEnd;
} Walk;

static int nextMatch(lua_State *L) {
  Walk *walk = lua_touserdata(L, lua_upvalueindex(3));
  walk->search.L = L;
  for (const char *at = walk->at; at <= walk->search.subjectEnd; at += 1) {
    const char *end = matchFrom(&walk->search, at, walk->pattern);
    if (end != NULL && end != walk->lastEnd) {
      walk->at = walk->lastEnd = end;
      settle(&walk->search);
      return pushCaptures(&walk->search, at, end);
    }
  }
  settle(&walk->search);
  return 0;
}

static int gmatch(lua_State *L) {
  size_t subjectCount, patternCount;
  const char *subject = luaL_checklstring(L, 1, &subjectCount);
  const char *pattern = luaL_checklstring(L, 2, &patternCount);
  size_t start = startPosition(luaL_optinteger(L, 3, 1), subjectCount) - 1;
  lua_settop(L, 2);
  Walk *walk = lua_newuserdatauv(L, sizeof(Walk), 0);
  if (start > subjectCount) start = subjectCount + 1;
  walk->search = prepare(L, subject, subjectCount, pattern, patternCount);
  walk->at = subject + start;
  walk->pattern = pattern;
  walk->lastEnd = NULL;
  lua_pushcclosure(L, nextMatch, 3);
  return 1;
}

static void addReplacement(Search *search, luaL_Buffer *buffer, const char *start, const char *end) {
  lua_State *L = search->L;
  size_t count;
  const char *text = lua_tolstring(L, 3, &count);
  clua_charge(L, count / 32);
  const char *mark;
  while ((mark = memchr(text, escape, count)) != NULL) {
    luaL_addlstring(buffer, text, (size_t)(mark - text));
    mark += 1;
    if (*mark == escape) {
      luaL_addchar(buffer, escape);
    } else if (*mark == '0') {
      luaL_addlstring(buffer, start, (size_t)(end - start));
    } else if (isdigit((unsigned char)*mark)) {
      size_t length;
      const char *bytes = capture(search, *mark - '1', start, end, &length);
      if (bytes != NULL) {
        luaL_addlstring(buffer, bytes, length);
      } else {
        luaL_addvalue(buffer);
      }
    } else {
      luaL_error(L, "invalid use of '%c' in replacement string", escape);
    }
    count -= (size_t)(mark + 1 - text);
    text = mark + 1;
  }
  luaL_addlstring(buffer, text, count);
}

/// Adds what replaces a match and answers whether that is something else.
static bool addValue(Search *search, luaL_Buffer *buffer, const char *start, const char *end, int type) {
  lua_State *L = search->L;
  if (type == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    int count = pushCaptures(search, start, end);
    lua_call(L, count, 1);
  } else if (type == LUA_TTABLE) {
    pushCapture(search, 0, start, end);
    lua_gettable(L, 3);
  } else {
    addReplacement(search, buffer, start, end);
    return true;
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    luaL_addlstring(buffer, start, (size_t)(end - start));
    return false;
  }
  if (!lua_isstring(L, -1)) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  luaL_addvalue(buffer);
  return true;
}

static int gsub(lua_State *L) {
  size_t subjectCount, patternCount;
  const char *at = luaL_checklstring(L, 1, &subjectCount);
  const char *pattern = luaL_checklstring(L, 2, &patternCount);
  int type = lua_type(L, 3);
  lua_Integer limit = luaL_optinteger(L, 4, (lua_Integer)subjectCount + 1);
  luaL_argexpected(L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                   "string/function/table");
  bool isAnchored = patternCount > 0 && *pattern == '^';
  Search search = prepare(L, at, subjectCount, pattern, patternCount);
  if (isAnchored) pattern += 1;
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  const char *lastEnd = NULL;
  lua_Integer count = 0;
  bool isChanged = false;
  while (count < limit) {
    const char *end = matchFrom(&search, at, pattern);
    if (end != NULL && end != lastEnd) {
      count += 1;
      if (addValue(&search, &buffer, at, end, type)) isChanged = true;
      at = lastEnd = end;
    } else if (at < search.subjectEnd) {
      luaL_addchar(&buffer, *at++);
    } else {
      break;
    }
    if (isAnchored) break;
  }
  settle(&search);
  if (!isChanged) {
    lua_pushvalue(L, 1);
  } else {
    luaL_addlstring(&buffer, at, (size_t)(search.subjectEnd - at));
    luaL_pushresult(&buffer);
  }
  lua_pushinteger(L, count);
  return 2;
}

const luaL_Reg clua_matchingFunctions[] = {
    {"find", find}, {"match", matchText}, {"gmatch", gmatch}, {"gsub", gsub}, {NULL, NULL}};
