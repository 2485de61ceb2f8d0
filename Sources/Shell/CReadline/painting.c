// readline draws; then the same characters are drawn once more in colour, between saving and restoring the cursor. Its
// own drawings count on the characters that stand there, never on their colours.
#define _GNU_SOURCE
#include "painting.h"
#include "layout.h"
#include "tall.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

// The place of the cursor and the last row of the line: readline's own, which are in no header.
extern int _rl_last_v_pos __attribute__((weak));
extern int _rl_last_c_pos __attribute__((weak));
extern int _rl_vis_botlin __attribute__((weak));

static void *decorate_context;
static creadline_action decorate_action;

// The style of each byte of the line, as the program has it.
static unsigned char *styles;
static int styled_bytes;
static bool has_styles;

// The text that may come next, and the columns of it that are on the screen.
static char *hint;
static bool hint_is_suggestion;
static int hint_width;

// The length of the line behind which a suggestion was shown; -1: none was.
static int shown_behind = -1;

// True while colours are on the screen; while the line is left.
static bool is_coloured, is_left;

void painting_ask(void *context, creadline_action decorate) {
  decorate_context = context;
  decorate_action = decorate;
}

// A mark, and blanks up to the last column: from the start of a row the cursor stays in it, from elsewhere it comes to the next.
void creadline_begin_row(void) {
  if (creadline_is_dumb()) return;
  int rows, columns;
  rl_reset_screen_size();
  rl_get_screen_size(&rows, &columns);
  fprintf(rl_outstream, "\033[2m%%\033[0m%*s\r\033[K", columns - 1, "");
  // Pinned lines are written past its buffer.
  fflush(rl_outstream);
}

void painting_begin_line(void) {
  tall_forget();
  is_coloured = false;
  hint_width = 0;
  shown_behind = -1;
}

void creadline_paint(int from, int to, creadline_style style) {
  if (from < 0 || to > styled_bytes || from >= to) return;
  memset(styles + from, (int)style, (size_t)(to - from));
  has_styles = true;
}

void creadline_hint(const char *text, bool is_suggestion) {
  free(hint);
  hint = strdup(text);
  hint_is_suggestion = is_suggestion;
}

static void forget_decoration(void) {
  has_styles = hint_is_suggestion = false;
  free(hint);
  hint = NULL;
}

// Readline shows bytes that are no character of the locale in ways of its own.
static bool has_only_characters(void) {
  if (MB_CUR_MAX > 1) return true;
  for (int index = 0; index < rl_end; index++) {
    if ((unsigned char)rl_line_buffer[index] >= 0x80) return false;
  }
  return true;
}

// True where readline has the cursor and the last row at the same places.
static bool agrees(const line_places *places) {
  int column = places->cursor.column;
  if (MB_CUR_MAX == 1 && places->cursor.row == 0) column += places->cursor.invisible_bytes;
  return places->cursor.row == _rl_last_v_pos && column == _rl_last_c_pos && places->end.row == _rl_vis_botlin;
}

// True where it is known how readline shows the line.
static bool may_draw(void) {
  const char *scrolls = rl_variable_value("horizontal-scroll-mode");
  return !creadline_is_dumb() && (scrolls == NULL || strcmp(scrolls, "on") != 0) && has_only_characters();
}

static bool may_decorate(void) {
  if (decorate_action == NULL || RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH)) return false;
  return &_rl_last_v_pos != NULL && &_rl_last_c_pos != NULL && &_rl_vis_botlin != NULL && may_draw();
}

static bool fits(const line_places *places, int rows) { return places->end.row < rows; }

// Terminals differ in the columns of characters that are joined: where such a line wraps nobody knows where it stands.
static bool has_joined_characters(void) {
  for (int index = 0; index + 2 < rl_end; index++) {
    const unsigned char *byte = (const unsigned char *)rl_line_buffer + index;
    if (byte[0] == 0xE2 && byte[1] == 0x80 && byte[2] == 0x8D) return true;
    if (byte[0] == 0xEF && byte[1] == 0xB8 && byte[2] >= 0x80 && byte[2] <= 0x8F) return true;
    if (byte[0] == 0xF0 && byte[1] == 0x9F && byte[2] == 0x87) return true;
  }
  return false;
}

// Asks for the decoration of the line as it is now.
static void decorate(void) {
  forget_decoration();
  int rows, columns;
  rl_get_screen_size(&rows, &columns);
  // Most characters take a column, and few more than four bytes.
  if (!may_decorate() || rl_end / 4 > rows * columns) return;
  line_places places = layout_find(columns);
  if (!fits(&places, rows) || (places.end.row > 0 && has_joined_characters())) return;
  if (rl_end > styled_bytes || styles == NULL) {
    unsigned char *grown = realloc(styles, (size_t)rl_end + 256);
    if (grown == NULL) return;
    styles = grown;
  }
  styled_bytes = rl_end;
  memset(styles, CREADLINE_PLAIN, (size_t)rl_end + 1);
  decorate_action(decorate_context);
}

static const char *const sequences[] = {
    [CREADLINE_PLAIN] = "", [CREADLINE_VERB] = ";34",   [CREADLINE_UNKNOWN] = ";31",
    [CREADLINE_OPEN] = ";33", [CREADLINE_BRACKET] = ";1;4",
};

static void put_character(layout_place *place, bool *is_row_full, const char *text, size_t size) {
  layout_place before = *place;
  layout_step(place, text, size);
  if (*text == '\n') {
    // A terminal waits at the end of a full row; readline has begun the next one.
    if (*is_row_full) fputs("\r\n", rl_outstream);
    fputs("\r\n", rl_outstream);
  } else {
    layout_put(&before, text, size);
  }
  *is_row_full = *text != '\n' && place->row > before.row && place->column == 0;
}

// Draws the characters of the line in their colours. The cursor is where readline has it.
static void paint(const line_places *places) {
  int marked_from = rl_mark < rl_point ? rl_mark : rl_point;
  int marked_to = rl_mark < rl_point ? rl_point : rl_mark;
  bool has_mark = rl_mark_active_p();
  // A key that was put back comes next, and may end the line.
  bool has_cursor = !is_left && !RL_ISSTATE(RL_STATE_INPUTPENDING);
  fputs("\0337\r", rl_outstream);
  if (places->cursor.row > places->start.row) {
    fprintf(rl_outstream, "\033[%dA", places->cursor.row - places->start.row);
  }
  if (places->start.column > 0) fprintf(rl_outstream, "\033[%dC", places->start.column);
  layout_place place = places->start;
  bool is_row_full = false;
  int current = -1;
  for (int index = 0; index < rl_end;) {
    int style = has_styles ? styles[index] : CREADLINE_PLAIN;
    if (!has_cursor && style == CREADLINE_BRACKET) style = CREADLINE_PLAIN;
    bool is_marked = has_mark && index >= marked_from && index < marked_to;
    if (current != (style | is_marked << 8)) {
      fprintf(rl_outstream, "\033[0%s%sm", sequences[style], is_marked ? ";7" : "");
      current = style | is_marked << 8;
    }
    layout_place next = place;
    size_t size = layout_step(&next, rl_line_buffer + index, (size_t)(rl_end - index));
    put_character(&place, &is_row_full, rl_line_buffer + index, size);
    index += (int)size;
  }
  fputs("\033[0m\0338", rl_outstream);
  is_coloured = has_styles;
}

static bool is_ascii(const char *text) {
  while (*text != '\0' && (unsigned char)*text < 0x80) text++;
  return *text == '\0';
}

// Where rows hold characters of several bytes, readline 8.2 loses count of the bytes of a row that it changes, and writes beyond
// its buffers. Such a line is drawn anew.
static void draw_plainly(void) {
  static bool was_ascii;
  bool is_plain = MB_CUR_MAX == 1 || &_rl_vis_botlin == NULL || creadline_is_dumb();
  bool is_now_ascii = is_plain || (is_ascii(layout_prompt()) && is_ascii(rl_line_buffer));
  if (!is_plain && _rl_vis_botlin > 0 && !(was_ascii && is_now_ascii)) {
    rl_clear_visible_line();
    rl_on_new_line();
  }
  was_ascii = is_now_ascii;
  rl_redisplay();
}

void painting_draw(void) {
  painting_take_back_hint();
  if (painting_is_taller_than_screen() && may_draw()) {
    forget_decoration();
    is_coloured = false;
    tall_draw();
    return;
  }
  if (tall_is_shown()) {
    // The whole screen was the line's.
    tall_hide();
    draw_plainly();
  }
  decorate();
  if (!has_styles && !is_coloured) {
    draw_plainly();
    return;
  }
  int rows, columns;
  rl_get_screen_size(&rows, &columns);
  line_places places = layout_find(columns);
  if (is_coloured && (!may_decorate() || !fits(&places, rows))) {
    // Colours that nobody would draw over are taken away with the characters.
    rl_clear_visible_line();
    rl_on_new_line();
    draw_plainly();
    is_coloured = false;
    return;
  }
  draw_plainly();
  if (agrees(&places)) paint(&places);
  fflush(rl_outstream);
}

bool painting_is_taller_than_screen(void) {
  int rows, columns;
  rl_get_screen_size(&rows, &columns);
  line_places places = layout_find(columns);
  return !creadline_is_dumb() && !fits(&places, rows);
}

void painting_leave(void) {
  if (tall_is_shown()) {
    tall_leave();
    return;
  }
  is_left = true;
  painting_draw();
  is_left = false;
}

void painting_settle(void) {
  if (is_coloured) painting_leave();
}

void painting_show_hint(void) {
  if (hint == NULL || *hint == '\0' || rl_point != rl_end || rl_end == 0 || !may_decorate()) return;
  if (RL_ISSTATE(RL_STATE_NUMERICARG | RL_STATE_MACROINPUT | RL_STATE_INPUTPENDING | RL_STATE_DONE)) return;
  int rows, columns;
  rl_get_screen_size(&rows, &columns);
  line_places places = layout_find(columns);
  if (!fits(&places, rows) || !agrees(&places)) return;
  // The last column stays free: a terminal that waits at the end of a row would keep it from its reader.
  const char *mark = MB_CUR_MAX > 1 ? "…" : "...";
  int mark_width = MB_CUR_MAX > 1 ? 1 : 3;
  int room = columns - 1 - places.end.column;
  size_t length = strlen(hint), taken = 0, cut = 0;
  int width = 0, cut_width = 0;
  while (taken < length && width <= room && !iscntrl((unsigned char)hint[taken])) {
    layout_place place = {.width = columns};
    width += layout_width(hint + taken, length - taken);
    taken += layout_step(&place, hint + taken, length - taken);
    if (width + mark_width > room) continue;
    cut = taken;
    cut_width = width;
  }
  bool is_cut = taken < length || width > room;
  if (is_cut && cut_width == 0) return;
  fputs("\0337\033[2m", rl_outstream);
  fwrite(hint, 1, is_cut ? cut : length, rl_outstream);
  if (is_cut) fputs(mark, rl_outstream);
  fputs("\033[0m\0338", rl_outstream);
  fflush(rl_outstream);
  hint_width = is_cut ? cut_width + mark_width : width;
  shown_behind = hint_is_suggestion ? rl_end : -1;
}

void painting_take_back_hint(void) {
  if (hint_width == 0) return;
  fputs("\033[K", rl_outstream);
  hint_width = 0;
}

int painting_hint_width(void) { return hint_width; }

// True where a person has seen what would be taken. A key may come with others, such as those of an arrow.
static bool offers_suggestion(void) {
  return hint != NULL && hint_is_suggestion && rl_point == rl_end && shown_behind == rl_end;
}

static int on_forward(int count, int key) {
  if (!offers_suggestion()) return rl_forward_char(count, key);
  rl_insert_text(hint);
  return 0;
}

static int on_forward_word(int count, int key) {
  int end = rl_end;
  if (!offers_suggestion() || count < 1) return rl_forward_word(count, key);
  rl_begin_undo_group();
  rl_insert_text(hint);
  rl_point = end;
  rl_forward_word(count, key);
  rl_delete_text(rl_point, rl_end);
  rl_end_undo_group();
  return 0;
}

static void bind_keys(Keymap keys) {
  for (int key = 0; key < KEYMAP_SIZE; key++) {
    if (keys[key].type == ISKMAP && keys[key].function != NULL) bind_keys((Keymap)keys[key].function);
    if (keys[key].type != ISFUNC) continue;
    if (keys[key].function == rl_forward_char) keys[key].function = on_forward;
    if (keys[key].function == rl_forward_word) keys[key].function = on_forward_word;
  }
}

void painting_bind_keys(const char *map) {
  Keymap keys = rl_get_keymap_by_name(map);
  bind_keys(keys);
  // In vi's insert mode it would be a character of the line, which nobody means.
  KEYMAP_ENTRY *key = &keys['F' & 0x1F];
  if (key->type == ISFUNC && key->function == rl_insert) key->function = on_forward;
}
