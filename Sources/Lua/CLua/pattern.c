// Lua's patterns (reference manual, §6.4.1) with a step budget. The search pays for every step, so a pattern with
// exponential backtracking ends like any other loop.

#include <ctype.h>
#include <string.h>

#include "pattern.h"

enum {
  maximumDepth = 200,
  stepsPerInstruction = 4,
  stepsBetweenCharges = 256,
};

enum { unfinishedCapture = -1, positionCapture = -2 };

void clua_settleSearch(CLuaSearch *search) {
  uint64_t cost = search->steps / stepsPerInstruction;
  search->steps %= stepsPerInstruction;
  clua_charge(search->L, cost);
}

static inline void step(CLuaSearch *search, uint64_t count) {
  search->steps += count;
  if (search->steps >= stepsBetweenCharges) clua_settleSearch(search);
}

CLuaSearch clua_prepareSearch(lua_State *L, const char *subject, size_t subjectCount, const char *pattern,
                              size_t patternCount) {
  CLuaSearch search;
  search.L = L;
  search.subject = subject;
  search.subjectEnd = subject + subjectCount;
  search.patternEnd = pattern + patternCount;
  search.steps = 0;
  search.depth = 0;
  search.level = 0;
  return search;
}

// Single characters

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
    case 'z': isMember = character == 0; break;
    default: return class == character;
  }
  return isupper(class) ? !isMember : isMember;
}

/// True if a character is in the set from `[` at `set` to `]` at `last`.
static bool isInSet(int character, const char *set, const char *last) {
  bool found = true;
  if (set[1] == '^') {
    found = false;
    set += 1;
  }
  while (++set < last) {
    if (*set == clua_escape) {
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

/// The end of the single-character item at `item`.
static const char *itemEnd(CLuaSearch *search, const char *item) {
  const char *next = item + 1;
  if (*item == clua_escape) {
    if (next == search->patternEnd) luaL_error(search->L, "malformed pattern (ends with '%%')");
    return next + 1;
  }
  if (*item != '[') return next;
  if (*next == '^') next += 1;
  do {
    if (next == search->patternEnd) luaL_error(search->L, "malformed pattern (missing ']')");
    if (*next++ == clua_escape && next < search->patternEnd) next += 1;
  } while (*next != ']');
  return next + 1;
}

static bool isMatching(CLuaSearch *search, const char *at, const char *item, const char *end) {
  step(search, 1 + (uint64_t)(end - item) / 4);
  if (at >= search->subjectEnd) return false;
  int character = (unsigned char)*at;
  switch (*item) {
    case '.': return true;
    case clua_escape: return isInClass(character, (unsigned char)item[1]);
    case '[': return isInSet(character, item, end - 1);
    default: return (unsigned char)*item == character;
  }
}

// Items

static const char *match(CLuaSearch *search, const char *at, const char *item);

static const char *matchBalanced(CLuaSearch *search, const char *at, const char *delimiters) {
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

static const char *matchMost(CLuaSearch *search, const char *at, const char *item, const char *end) {
  ptrdiff_t count = 0;
  while (isMatching(search, at + count, item, end)) count += 1;
  for (; count >= 0; count -= 1) {
    const char *found = match(search, at + count, end + 1);
    if (found != NULL) return found;
  }
  return NULL;
}

static const char *matchFewest(CLuaSearch *search, const char *at, const char *item, const char *end) {
  while (true) {
    const char *found = match(search, at, end + 1);
    if (found != NULL) return found;
    if (!isMatching(search, at, item, end)) return NULL;
    at += 1;
  }
}

static const char *startCapture(CLuaSearch *search, const char *at, const char *item, ptrdiff_t kind) {
  if (search->level >= clua_maximumCaptures) luaL_error(search->L, "too many captures");
  search->captures[search->level].start = at;
  search->captures[search->level].length = kind;
  search->level += 1;
  const char *found = match(search, at, item);
  if (found == NULL) search->level -= 1;
  return found;
}

static const char *endCapture(CLuaSearch *search, const char *at, const char *item) {
  int level = search->level - 1;
  while (level >= 0 && search->captures[level].length != unfinishedCapture) level -= 1;
  if (level < 0) luaL_error(search->L, "invalid pattern capture");
  search->captures[level].length = at - search->captures[level].start;
  const char *found = match(search, at, item);
  if (found == NULL) search->captures[level].length = unfinishedCapture;
  return found;
}

static const char *matchCaptured(CLuaSearch *search, const char *at, int digit) {
  int level = digit - '1';
  if (level < 0 || level >= search->level || search->captures[level].length == unfinishedCapture) {
    luaL_error(search->L, "invalid capture index %%%d", level + 1);
  }
  size_t length = (size_t)search->captures[level].length;
  if ((size_t)(search->subjectEnd - at) < length) return NULL;
  step(search, length / 16);
  return memcmp(search->captures[level].start, at, length) == 0 ? at + length : NULL;
}

static const char *matchFrontier(CLuaSearch *search, const char *at, const char *set, const char *end) {
  step(search, 1 + (uint64_t)(end - set) / 2);
  int before = at == search->subject ? 0 : (unsigned char)at[-1];
  return !isInSet(before, set, end - 1) && isInSet((unsigned char)*at, set, end - 1) ? at : NULL;
}

/// Matches the pattern from `item` on at `at`; answers where the match ends, or null. The rest in the same direction is
/// a loop, so that depth counts only steps that may have to be undone.
static const char *match(CLuaSearch *search, const char *at, const char *item) {
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
    if (*item == clua_escape && next == 'b') {
      at = matchBalanced(search, at, item + 2);
      item += 4;
      continue;
    }
    if (*item == clua_escape && next == 'f') {
      item += 2;
      if (*item != '[') luaL_error(search->L, "missing '[' after '%%f' in pattern");
      const char *end = itemEnd(search, item);
      at = matchFrontier(search, at, item, end);
      item = end;
      continue;
    }
    if (*item == clua_escape && isdigit((unsigned char)next)) {
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

const char *clua_matchFrom(CLuaSearch *search, const char *at, const char *pattern) {
  search->depth = 0;
  search->level = 0;
  return match(search, at, pattern);
}

// Captures

const char *clua_capture(CLuaSearch *search, int level, const char *start, const char *end, size_t *length) {
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

void clua_pushCapture(CLuaSearch *search, int level, const char *start, const char *end) {
  size_t length;
  const char *bytes = clua_capture(search, level, start, end, &length);
  if (bytes != NULL) lua_pushlstring(search->L, bytes, length);
}

int clua_pushCaptures(CLuaSearch *search, const char *start, const char *end) {
  int count = search->level == 0 && start != NULL ? 1 : search->level;
  luaL_checkstack(search->L, count, "too many captures");
  for (int level = 0; level < count; level += 1) clua_pushCapture(search, level, start, end);
  return count;
}
