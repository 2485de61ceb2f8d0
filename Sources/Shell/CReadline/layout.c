#define _GNU_SOURCE
#include "layout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
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

void layout_put(const layout_place *place, const char *text, size_t size) {
  if (*text == '\t') {
    for (int count = 8 - place->column % 8; count > 0; count--) fputc(' ', rl_outstream);
  } else if (iscntrl((unsigned char)*text)) {
    fprintf(rl_outstream, "^%c", *text == 0x7F ? '?' : toupper((unsigned char)*text | 0x40));
  } else {
    fwrite(text, 1, size, rl_outstream);
  }
}

// The mode that readline shows in front of a prompt, where somebody's inputrc has it do so.
static const char *mode(void) {
  const char *shows = rl_variable_value("show-mode-in-prompt");
  if (shows == NULL || strcmp(shows, "on") != 0 || rl_display_prompt != rl_prompt) return "";
  const char *text = rl_variable_value(
      rl_editing_mode == 1                   ? "emacs-mode-string"
      : rl_get_keymap() == vi_insertion_keymap ? "vi-ins-mode-string"
                                             : "vi-cmd-mode-string");
  return text == NULL ? "" : text;
}

const char *layout_prompt(void) {
  const char *prompt = rl_display_prompt == NULL ? "" : rl_display_prompt;
  const char *last_row = strrchr(prompt, '\n');
  if (last_row != NULL) prompt = last_row + 1;
  static char *shown;
  static size_t room;
  const char *in_front = mode();
  size_t length = strlen(in_front);
  if (length == 0) return prompt;
  size_t size = length + strlen(prompt) + 1;
  if (size > room) {
    char *grown = realloc(shown, size);
    if (grown == NULL) return prompt;
    shown = grown;
    room = size;
  }
  memcpy(shown, in_front, length);
  strcpy(shown + length, prompt);
  return shown;
}

size_t layout_before_cursor(void) { return (size_t)(rl_point < rl_end ? rl_point : rl_end); }

line_places layout_find(int columns) {
  layout_place place = {.width = columns, .ends_rows_early = true};
  line_places places;
  const char *prompt = layout_prompt();
  layout_pass(&place, prompt, strlen(prompt));
  places.start = place;
  const char *rest = rl_line_buffer + layout_before_cursor();
  size_t rest_length = (size_t)(rl_line_buffer + rl_end - rest);
  layout_pass(&place, rl_line_buffer, layout_before_cursor());
  places.cursor = place;
  // A wide character that has no room in the row takes the cursor with it.
  if (rest_length > 0 && place.column + layout_width(rest, rest_length) > columns) {
    places.cursor.row++;
    places.cursor.column = 0;
  }
  layout_pass(&place, rest, rest_length);
  places.end = place;
  return places;
}
