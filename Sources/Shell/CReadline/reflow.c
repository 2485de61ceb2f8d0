#define _GNU_SOURCE
#include "reflow.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <readline/readline.h>

// The row of the cursor and the last row of the line, both counted from its first: readline's own, which are in no header.
extern int _rl_last_v_pos __attribute__((weak));
extern int _rl_vis_botlin __attribute__((weak));

// The place of the next character.
typedef struct {
  int width, row, column;
} place;

static void advance(place *place, int width) {
  if (place->column + width > place->width) {
    place->row++;
    place->column = 0;
  }
  place->column += width;
}

// Goes past a text as readline shows it.
static void pass(place *place, const char *text, size_t length) {
  mbstate_t state = {0};
  bool is_invisible = false;
  while (length > 0) {
    wchar_t character;
    size_t size = mbrtowc(&character, text, length, &state);
    if (size == 0 || size > length) {
      memset(&state, 0, sizeof state);
      character = L'?';
      size = 1;
    }
    if (*text == RL_PROMPT_START_IGNORE) is_invisible = true;
    else if (*text == RL_PROMPT_END_IGNORE) is_invisible = false;
    else if (is_invisible) {
    } else if (*text == '\n') {
      place->row++;
      place->column = 0;
    } else if (*text == '\t') {
      for (int count = 8 - place->column % 8; count > 0; count--) advance(place, 1);
    } else if (iscntrl((unsigned char)*text)) {
      advance(place, 1);
      advance(place, 1);
    } else {
      int width = wcwidth(character);
      advance(place, width < 0 ? 1 : width);
    }
    text += size;
    length -= size;
  }
}

// These leave each row where it is and cut off what has no room.
static bool terminal_cuts_rows(void) {
  if (getenv("TMUX") != NULL) return false;
  const char *terminal = getenv("TERM");
  return getenv("XTERM_VERSION") != NULL || getenv("STY") != NULL ||
         (terminal != NULL && strncmp(terminal, "linux", 5) == 0);
}

void reflow_line(int columns) {
  if (&_rl_last_v_pos == NULL || &_rl_vis_botlin == NULL || columns < 1 || terminal_cuts_rows()) return;
  place place = {.width = columns};
  if (rl_display_prompt != NULL) pass(&place, rl_display_prompt, strlen(rl_display_prompt));
  pass(&place, rl_line_buffer, (size_t)rl_point);
  _rl_last_v_pos = place.row;
  pass(&place, rl_line_buffer + rl_point, (size_t)(rl_end - rl_point));
  _rl_vis_botlin = place.row;
}
