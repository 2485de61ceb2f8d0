#define _GNU_SOURCE
#include "CReadline.h"
#include "argument.h"
#include "keys.h"
#include "offering.h"
#include "painting.h"
#include "reflow.h"
#include "tall.h"

#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include <readline/history.h>
#include <readline/readline.h>

static bool is_open, is_initialized, is_dumb, is_editing, is_reading_key, is_display_behind;
static creadline_actions actions;
static creadline_result result;
static char *finished_line;

// The place that a key jumps to when readline gives up on it (Ctrl-G, an unbound key): readline's own, which is in no
// header. In its callback interface that may be a function that has returned. A key of a search or of a macro that is
// followed by others leaves it behind. So each such jump is made to end in `creadline_read_keys` instead.
extern sigjmp_buf _rl_top_level __attribute__((weak));
static sigjmp_buf key_start;

static void catch_up_display(void) {
  if (!is_display_behind) return;
  is_display_behind = false;
  painting_draw();
}

// In place of rl_redisplay, whose cost grows with the length of the line: a paste would draw each of its characters.
// Before it jumps, readline draws too. A key that it has read and put back is the next one whatever waits, and may end
// the line.
static void redisplay(void) {
  // The keys of a macro are not read from the terminal; but each argument is shown before its key.
  argument_limit();
  if (is_reading_key && &_rl_top_level != NULL) memcpy(_rl_top_level, key_start, sizeof key_start);
  is_display_behind = is_reading_key && keys_are_waiting() && !RL_ISSTATE(RL_STATE_INPUTPENDING);
  if (!is_display_behind) painting_draw();
}

// A key that is no text may end the line or move away from it: it finds what was typed before it on the screen.
static int read_key(FILE *stream) {
  int byte = keys_read_byte(stream);
  argument_limit();
  if ((byte >= 0 && byte < 0x20) || byte == 0x7F) catch_up_display();
  if ((byte == '\r' || byte == '\n') && !RL_ISSTATE(RL_STATE_MOREINPUT)) painting_settle();
  return byte;
}

static int on_interrupt(int count, int key) {
  creadline_note_interrupt();
  return 0;
}

static const char *const key_maps[] = {"emacs-standard", "vi-insert", "vi-command", NULL};

// While a line is edited Ctrl-C is a key like any other, in its place among the keys. As a signal it would make the
// kernel throw away the keys typed before it and not read yet.
static void prep_terminal(int meta) {
  struct termios settings;
  if (tcgetattr(fileno(rl_instream), &settings) == 0 && settings.c_cc[VINTR] != _POSIX_VDISABLE) {
    keys_interrupt = settings.c_cc[VINTR];
  }
  rl_prep_terminal(meta);
  if (tcgetattr(fileno(rl_instream), &settings) != 0) return;
  settings.c_cc[VINTR] = _POSIX_VDISABLE;
  // Nor may a slip of the finger (Ctrl-\) end the program with a half-typed line.
  settings.c_cc[VQUIT] = _POSIX_VDISABLE;
  tcsetattr(fileno(rl_instream), TCSADRAIN, &settings);
  for (const char *const *map = key_maps; *map != NULL; map++) {
    rl_bind_key_in_map(keys_interrupt, on_interrupt, rl_get_keymap_by_name(*map));
  }
}

// readline ends the line itself on end of input when bracketed paste is on, and only then. The newline is ours always.
static void deprep_terminal(void) {
  rl_eof_found = 0;
  rl_deprep_terminal();
}

/// Lines of the history that were edited and left keep what undoes that. When a line ends in the middle of a search,
/// readline frees some of it and keeps the pointers. So that none is followed, all of it is let go of, which is little.
static void forget_undo(void) {
  HIST_ENTRY **entries = history_list();
  for (int index = 0; entries != NULL && entries[index] != NULL; index += 1) entries[index]->data = NULL;
}

static void end_line(void) {
  rl_callback_handler_remove();
  keys_end_line();
  forget_undo();
  creadline_watch_suspend(false);
  is_editing = false;
}

static void accept_line(char *line) {
  if (tall_is_shown()) {
    tall_leave();
    fputc('\n', rl_outstream);
  }
  end_line();
  if (line == NULL) fputc('\n', rl_outstream);
  fflush(rl_outstream);
  free(finished_line);
  finished_line = line;
  result = line == NULL ? CREADLINE_END_OF_INPUT : CREADLINE_LINE;
}

static int on_complete(int count, int key) {
  actions.complete(actions.context);
  return 0;
}

static int on_edit(int count, int key) {
  actions.edit(actions.context);
  return 0;
}

static char *no_completion(const char *text, int state) { return NULL; }

static int on_search_backward(int count, int key);
static int on_search_forward(int count, int key);

// Searches as readline does, and goes on from the same beginning; the cursor stands at the end of what was found.
static int search(rl_command_func_t *function, int count, int key) {
  if (rl_last_func == on_search_backward || rl_last_func == on_search_forward) rl_last_func = function;
  int before = where_history();
  int status = function(count, key);
  if (where_history() != before) rl_point = rl_end;
  return status;
}

static int on_search_backward(int count, int key) { return search(rl_history_search_backward, count, key); }

static int on_search_forward(int count, int key) { return search(rl_history_search_forward, count, key); }

// What somebody has bound otherwise stays so.
static void bind_keys(const char *map) {
  Keymap keys = rl_get_keymap_by_name(map);
  if (keys['\t'].type == ISFUNC && keys['\t'].function == rl_complete) rl_bind_key_in_map('\t', on_complete, keys);
  int type = ISFUNC;
  if (rl_function_of_keyseq("\030\005", keys, &type) == NULL) {
    rl_bind_keyseq_in_map("\\C-x\\C-e", on_edit, keys);
  }
  static const char *const up[] = {"\033[A", "\033OA"};
  static const char *const down[] = {"\033[B", "\033OB"};
  for (int index = 0; index < 2; index += 1) {
    if (rl_function_of_keyseq(up[index], keys, &type) == rl_get_previous_history) {
      rl_bind_keyseq_in_map(up[index], on_search_backward, keys);
    }
    if (rl_function_of_keyseq(down[index], keys, &type) == rl_get_next_history) {
      rl_bind_keyseq_in_map(down[index], on_search_forward, keys);
    }
  }
  painting_bind_keys(map);
}

static bool is_set(const char *name) {
  const char *value = getenv(name);
  return value != NULL && *value != '\0';
}

// Someone who has set no locale at all still expects to type an umlaut.
static void choose_locale(void) {
  setlocale(LC_CTYPE, "");
  if (!is_set("LC_ALL") && !is_set("LC_CTYPE") && !is_set("LANG")) {
    setlocale(LC_CTYPE, "C.UTF-8");
  }
}

static void initialize(const char *program) {
  choose_locale();
  rl_readline_name = strdup(program);
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  // readline would call setenv, which is not safe while other threads read the environment.
  rl_change_environment = 0;
  rl_getc_function = read_key;
  rl_prep_term_function = prep_terminal;
  rl_deprep_term_function = deprep_terminal;
  rl_completion_entry_function = no_completion;
  rl_attempted_completion_function = offering_matches;
  rl_add_defun("complete-statement", on_complete, -1);
  rl_add_defun("edit-statement", on_edit, -1);
  rl_initialize();
  // After that: readline asks nothing of the terminal where something else draws.
  rl_redisplay_function = redisplay;
  bind_keys("emacs-standard");
  bind_keys("vi-insert");
  const char *terminal = getenv("TERM");
  is_dumb = terminal == NULL || *terminal == '\0' || strcmp(terminal, "dumb") == 0 || rl_get_termcap("up") == NULL;
  if (is_dumb) rl_variable_bind("enable-bracketed-paste", "off");
}

int creadline_open(const char *program, creadline_actions given) {
  if (is_open) return EBUSY;
  if (!isatty(STDIN_FILENO)) return ENOTTY;
  FILE *output = isatty(STDOUT_FILENO) ? stdout : isatty(STDERR_FILENO) ? stderr : NULL;
  if (output == NULL) return ENOTTY;
  int problem = creadline_watch_signals();
  if (problem != 0) return problem;
  actions = given;
  offering_ask(given.context, given.offer);
  painting_ask(given.context, given.decorate);
  rl_instream = stdin;
  rl_outstream = output;
  if (!is_initialized) initialize(program);
  is_initialized = true;
  is_open = true;
  return 0;
}

void creadline_close(void) {
  if (!is_open) return;
  if (is_editing) {
    creadline_hide_line();
    end_line();
    fflush(rl_outstream);
  }
  rl_clear_history();
  free(finished_line);
  finished_line = NULL;
  creadline_unwatch_signals();
  is_open = false;
}

bool creadline_is_dumb(void) { return is_dumb; }

bool creadline_is_multibyte(void) { return MB_CUR_MAX > 1; }

// readline divides by the width, less one on some terminals: what is narrower than this is drawn as if it were not.
static const int least_columns = 4;

static void take_screen_size(void) {
  int rows, columns;
  rl_reset_screen_size();
  rl_get_screen_size(&rows, &columns);
  if (columns < least_columns) rl_set_screen_size(rows, least_columns);
}

void creadline_begin_line(const char *prompt) {
  fflush(rl_outstream);
  // An interrupt that nobody asked for while a command ran has nothing left to interrupt.
  creadline_take_interrupt();
  creadline_watch_suspend(true);
  is_editing = true;
  take_screen_size();
  keys_begin_line();
  painting_begin_line();
  rl_callback_handler_install(prompt, accept_line);
}

void creadline_begin_text(const char *text) {
  rl_insert_text(text);
  painting_draw();
  painting_show_hint();
}

bool creadline_is_editing(void) { return is_editing; }

void creadline_set_prompt(const char *prompt) {
  if (strcmp(prompt, rl_prompt) == 0 || RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG)) return;
  rl_set_prompt(prompt);
  painting_draw();
  painting_show_hint();
}

void creadline_set_lent_prompt(const char *prompt) { rl_set_prompt(prompt); }

// As many keys as one call reads when they are there already: between calls timers and effects have their turn.
static const int keys_at_once = 1000;

// True when readline has read a key that comes after what it did, or has such keys from a macro.
static bool is_key_put_back(void) { return RL_ISSTATE(RL_STATE_INPUTPENDING | RL_STATE_MACROINPUT); }

static bool is_searching(void) { return RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH); }

// True from the first key of a search until the line that it ended with is drawn.
static bool has_searched;

static void read_one_key(void) {
  keys_begin_key();
  if (is_searching()) has_searched = true;
  rl_callback_read_char();
}

creadline_result creadline_read_keys(void) {
  result = CREADLINE_EDITING;
  painting_take_back_hint();
  is_reading_key = true;
  volatile int count = 0;
  // After a jump the rest of a character has lost its meaning; the keys behind it have theirs.
  if (sigsetjmp(key_start, 0) == 0) read_one_key();
  else keys_drop_character();
  while (result == CREADLINE_EDITING && !creadline_interrupt_pending() && (is_key_put_back() || keys_are_waiting()) &&
         (keys_are_held() || ++count < keys_at_once)) {
    read_one_key();
  }
  is_reading_key = false;
  if (has_searched && !is_searching()) {
    // Readline has drawn the line that a search ended with as a part of the search.
    if (result == CREADLINE_EDITING) is_display_behind = true;
    has_searched = false;
  }
  if (result == CREADLINE_EDITING && !keys_are_waiting()) catch_up_display();
  if (result == CREADLINE_EDITING && !is_display_behind) painting_show_hint();
  return result;
}

char *creadline_take_line(void) {
  char *line = finished_line;
  finished_line = NULL;
  return line;
}

bool creadline_drop_line(void) {
  rl_callback_sigcleanup();
  rl_free_line_state();
  bool had_text = rl_end > 0;
  rl_point = rl_end;
  painting_leave();
  fputs("^C\n", rl_outstream);
  end_line();
  fflush(rl_outstream);
  return had_text;
}

const char *creadline_text(void) { return rl_line_buffer; }

int creadline_cursor(void) { return rl_point; }

void creadline_replace(int from, int to, const char *text) {
  rl_begin_undo_group();
  rl_delete_text(from, to);
  rl_point = from;
  rl_insert_text(text);
  rl_end_undo_group();
}

void creadline_ring(void) { rl_ding(); }

// The width of the terminal where it is no longer the one that the line was drawn for; 0 where it is.
static int other_width(void) {
  int rows, columns;
  rl_get_screen_size(&rows, &columns);
  struct winsize size;
  if (ioctl(fileno(rl_instream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 0;
  return size.ws_col == columns ? 0 : size.ws_col;
}

void creadline_hide_line(void) {
  if (is_dumb) {
    rl_crlf();
  } else if (tall_is_shown()) {
    tall_hide();
    take_screen_size();
  } else {
    // The last thing drawn of a paste that goes on is not known.
    if (!is_display_behind) reflow_line(other_width(), painting_hint_width());
    rl_clear_visible_line();
    painting_begin_line();
    take_screen_size();
  }
  fflush(rl_outstream);
}

void creadline_redecorate(void) {
  if (!is_editing || is_display_behind || RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG)) return;
  painting_draw();
  painting_show_hint();
}

// Not by rl_forced_update_display, which in readline 8.2 clears what it drew last up to a zero that need not be there.
void creadline_show_line(void) {
  rl_on_new_line();
  redisplay();
  if (!is_reading_key) painting_show_hint();
  fflush(rl_outstream);
}

void creadline_lend_terminal(void) {
  creadline_hide_line();
  rl_deprep_terminal();
  fflush(rl_outstream);
}

void creadline_reclaim_terminal(void) {
  prep_terminal(1);
  take_screen_size();
  creadline_show_line();
}

void creadline_resize(void) {
  if (is_dumb) {
    take_screen_size();
  } else {
    creadline_hide_line();
    creadline_show_line();
  }
}

void creadline_suspend(void) {
  int point = rl_point;
  rl_point = rl_end;
  painting_leave();
  rl_point = point;
  rl_crlf();
  rl_deprep_terminal();
  fflush(rl_outstream);
  creadline_watch_suspend(false);
  raise(SIGTSTP);
  creadline_watch_suspend(true);
  creadline_reclaim_terminal();
}

void creadline_screen_size(int *rows, int *columns) { rl_get_screen_size(rows, columns); }

int creadline_width(unsigned scalar) {
  int width = wcwidth((wchar_t)scalar);
  return width < 0 ? 1 : width;
}

void creadline_add_history(const char *entry) { add_history(entry); }
