#define _GNU_SOURCE
#include "reflow.h"
#include "layout.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

// The row of the cursor and the last row of the line, both counted from its first: readline's own, which are in no header.
extern int _rl_last_v_pos __attribute__((weak));
extern int _rl_vis_botlin __attribute__((weak));

// These leave each row where it is and cut off what has no room.
static bool terminal_cuts_rows(void) {
  if (getenv("TMUX") != NULL) return false;
  const char *terminal = getenv("TERM");
  return getenv("XTERM_VERSION") != NULL || getenv("STY") != NULL ||
         (terminal != NULL && strncmp(terminal, "linux", 5) == 0);
}

void reflow_line(int columns, int columns_behind) {
  if (&_rl_last_v_pos == NULL || &_rl_vis_botlin == NULL || columns < 1 || terminal_cuts_rows()) return;
  layout_place place = {.width = columns};
  if (rl_display_prompt != NULL) layout_pass(&place, rl_display_prompt, strlen(rl_display_prompt));
  size_t before = layout_before_cursor();
  layout_pass(&place, rl_line_buffer, before);
  _rl_last_v_pos = place.row;
  layout_pass(&place, rl_line_buffer + before, (size_t)rl_end - before);
  for (; columns_behind > 0; columns_behind--) layout_advance(&place, 1);
  _rl_vis_botlin = place.row;
}
