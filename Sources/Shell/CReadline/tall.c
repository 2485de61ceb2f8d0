// Readline cannot come back to rows that have left the screen at the top. So it draws nothing of such a line, and counts on
// an empty screen.
#define _GNU_SOURCE
#include "tall.h"
#include "layout.h"

#include <stdio.h>
#include <string.h>

#include <readline/readline.h>

static bool is_shown;
// The row of the line that stands at the top of the screen.
static int top;

bool tall_is_shown(void) { return is_shown; }

void tall_forget(void) { is_shown = false; }

// Puts the rows of a text that are on the screen. The place is that of the text's first character.
static void put_rows(layout_place *place, int *row, const char *text, size_t length, int last) {
  while (length > 0) {
    layout_place before = *place;
    size_t size = layout_step(place, text, length);
    bool is_mark = *text == RL_PROMPT_START_IGNORE || *text == RL_PROMPT_END_IGNORE;
    // A wide character that has no room in a row stands in the next one.
    int own = before.column + layout_width(text, length) > before.width ? before.row + 1 : before.row;
    if (own >= top && own <= last && *text != '\n' && !is_mark) {
      for (; *row < own; ++*row) fputs("\r\n\033[K", rl_outstream);
      if (before.is_invisible) fwrite(text, 1, size, rl_outstream);
      else layout_put(&before, text, size);
    }
    text += size;
    length -= size;
  }
}

static void put_all(int columns, int last) {
  layout_place place = {.width = columns, .ends_rows_early = true};
  int row = top;
  fputs("\033[H\033[K", rl_outstream);
  put_rows(&place, &row, layout_prompt(), strlen(layout_prompt()), last);
  put_rows(&place, &row, rl_line_buffer, (size_t)rl_end, last);
  for (; row < last && row < place.row; row++) fputs("\r\n\033[K", rl_outstream);
}

void tall_draw(void) {
  int rows, columns;
  rl_get_screen_size(&rows, &columns);
  line_places places = layout_find(columns);
  if (!is_shown) {
    rl_clear_visible_line();
    rl_on_new_line();
    // What was on the screen can be scrolled back to.
    fputs("\033[9999;1H", rl_outstream);
    for (int row = 0; row < rows; row++) fputc('\n', rl_outstream);
    is_shown = true;
    top = 0;
  }
  int most = places.end.row - rows + 1;
  if (top > most) top = most;
  if (top > places.cursor.row) top = places.cursor.row;
  if (top < places.cursor.row - rows + 1) top = places.cursor.row - rows + 1;
  put_all(columns, top + rows - 1);
  fprintf(rl_outstream, "\033[%d;%dH", places.cursor.row - top + 1, places.cursor.column + 1);
  fflush(rl_outstream);
}

void tall_hide(void) {
  fputs("\033[H\033[J", rl_outstream);
  rl_on_new_line();
  is_shown = false;
}

void tall_leave(void) {
  int rows, columns;
  rl_get_screen_size(&rows, &columns);
  top = 0;
  tall_hide();
  put_all(columns, layout_find(columns).end.row);
  fflush(rl_outstream);
}
