#define _GNU_SOURCE
#include "layout.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include <readline/readline.h>

void layout_advance(layout_place *place, int width) {
  if (place->column + width > place->width) {
    place->row++;
    place->column = 0;
  }
  place->column += width;
  if (place->ends_rows_early && place->column >= place->width) {
    place->row++;
    place->column = 0;
  }
}

// The length of the character that a text starts with; bytes that are none count as one each.
static size_t read_character(const char *text, size_t length, wchar_t *character) {
  mbstate_t state = {0};
  size_t size = mbrtowc(character, text, length, &state);
  if (size != 0 && size <= length) return size;
  *character = L'?';
  return 1;
}

int layout_width(const char *text, size_t length) {
  wchar_t character;
  read_character(text, length, &character);
  int width = wcwidth(character);
  return width < 0 ? 1 : width;
}

size_t layout_step(layout_place *place, const char *text, size_t length) {
  wchar_t character;
  size_t size = read_character(text, length, &character);
  if (*text == RL_PROMPT_START_IGNORE) place->is_invisible = true;
  else if (*text == RL_PROMPT_END_IGNORE) place->is_invisible = false;
  else if (place->is_invisible) {
    place->invisible_bytes += (int)size;
  } else if (*text == '\n') {
    place->row++;
    place->column = 0;
  } else if (*text == '\t') {
    for (int count = 8 - place->column % 8; count > 0; count--) layout_advance(place, 1);
  } else if (iscntrl((unsigned char)*text)) {
    layout_advance(place, 1);
    layout_advance(place, 1);
  } else {
    int width = wcwidth(character);
    layout_advance(place, width < 0 ? 1 : width);
  }
  return size;
}

void layout_pass(layout_place *place, const char *text, size_t length) {
  while (length > 0) {
    size_t size = layout_step(place, text, length);
    text += size;
    length -= size;
  }
}
