// The long texts, and the length of the longest: the budget is looked at the more often, the longer one instruction may
// read.

#include <stdlib.h>

#include "machine.h"

static bool grow(CLuaTexts *texts) {
  size_t capacity = texts->capacity == 0 ? 16 : texts->capacity * 2;
  CLuaText *grown = realloc(texts->texts, capacity * sizeof(CLuaText));
  if (grown == NULL) return false;
  texts->texts = grown;
  texts->capacity = capacity;
  return true;
}

bool clua_noteText(CLuaTexts *texts, const void *block, size_t size) {
  bool isLongest = size > texts->longest;
  if (isLongest) texts->longest = size;
  // A text that there is no room for counts as long as another one that is as long is there.
  if (texts->count < texts->capacity || grow(texts)) texts->texts[texts->count++] = (CLuaText){block, size};
  return isLongest;
}

void clua_forgetText(CLuaTexts *texts, const void *block) {
  // The newest go first, mostly.
  size_t position = texts->count;
  while (position > 0 && texts->texts[position - 1].block != block) position -= 1;
  if (position == 0) return;
  size_t size = texts->texts[position - 1].size;
  texts->texts[position - 1] = texts->texts[--texts->count];
  if (size < texts->longest) return;
  texts->longest = 0;
  for (position = 0; position < texts->count; position += 1) {
    if (texts->texts[position].size > texts->longest) texts->longest = texts->texts[position].size;
  }
}

void clua_freeTexts(CLuaTexts *texts) { free(texts->texts); }
