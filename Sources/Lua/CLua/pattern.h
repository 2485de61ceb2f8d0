// A search for a Lua pattern that pays for its steps. Its functions raise.

#ifndef CLUA_PATTERN_H
#define CLUA_PATTERN_H

#include "machine.h"

enum { clua_maximumCaptures = 32, clua_escape = '%' };

typedef struct CLuaSearch {
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
  } captures[clua_maximumCaptures];
} CLuaSearch;

CLuaSearch clua_prepareSearch(lua_State *L, const char *subject, size_t subjectCount, const char *pattern,
                              size_t patternCount);
/// The end of a match that begins at `at`, or null.
const char *clua_matchFrom(CLuaSearch *search, const char *at, const char *pattern);
/// Charges the steps that have not been charged yet.
void clua_settleSearch(CLuaSearch *search);
/// The bytes of a capture, the whole match when there are none; a position is pushed instead and null answered.
const char *clua_capture(CLuaSearch *search, int level, const char *start, const char *end, size_t *length);
void clua_pushCapture(CLuaSearch *search, int level, const char *start, const char *end);
/// Pushes all captures, or the whole match when there are none and `start` is given; answers how many.
int clua_pushCaptures(CLuaSearch *search, const char *start, const char *end);

#endif
