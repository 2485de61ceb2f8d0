// GNU readline behind functions: Swift 6 refuses a C library's mutable globals, so they stay here.
//
// There is one editor in a process, because readline's state is global. All functions belong to the thread that
// opened it, except where "any thread" is said.
#ifndef CREADLINE_H
#define CREADLINE_H

#include <stdbool.h>

/// Called with the context given to `creadline_open`.
typedef void (*creadline_action)(void *context);

/// The effect of a key on the line.
typedef enum {
  CREADLINE_EDITING,
  CREADLINE_LINE,
  CREADLINE_END_OF_INPUT,
} creadline_result;

// editor.c: the line

/// What the program does in the middle of a line, each with the context.
typedef struct {
  void *context;
  /// Tab, unless the user's inputrc binds something else to it.
  creadline_action complete;
  /// One of readline's own functions completes: calls `creadline_offer`.
  creadline_action offer;
  /// Ctrl-X Ctrl-E, unless the user's inputrc binds something else to it.
  creadline_action edit;
  /// The line is about to be drawn: calls `creadline_paint` and `creadline_hint`.
  creadline_action decorate;
} creadline_actions;

/// Prepares readline on the terminal of standard input. 0, or an errno: EBUSY when one is open, ENOTTY without a
/// terminal.
int creadline_open(const char *program, creadline_actions actions);

/// Offers a text that may take the place of what stands between `from` and the cursor; `suffix` follows it where it is the only
/// one, 0: nothing does. To be called by `offer` alone.
void creadline_offer(int from, const char *text, char suffix);

/// True if the user's inputrc says that completion makes no difference between small and large letters.
bool creadline_ignores_case(void);

/// The styles of characters in the line.
typedef enum {
  CREADLINE_PLAIN,
  CREADLINE_VERB,
  CREADLINE_UNKNOWN,
  CREADLINE_OPEN,
  CREADLINE_BRACKET,
} creadline_style;

/// Has the bytes from `from` to `to` of the text drawn in a style. To be called by `decorate` alone.
void creadline_paint(int from, int to, creadline_style style);

/// Shows a text behind the line while the cursor is there. The keys that move forward take a suggestion. To be called by
/// `decorate` alone.
void creadline_hint(const char *text, bool is_suggestion);

/// Gives the terminal and the signals back. Harmless when none is open.
void creadline_close(void);

/// True when the terminal understands no control sequences (TERM=dumb).
bool creadline_is_dumb(void);

/// True when the terminal's locale has characters beyond ASCII.
bool creadline_is_multibyte(void);

/// Sees to it that what is written next comes to the start of a row, whatever stands before the cursor: output without an end of line,
/// or keys that the terminal has echoed. Their row is marked.
void creadline_begin_row(void);

/// Takes the terminal over and shows the prompt of a new line.
void creadline_begin_line(const char *prompt);

/// Puts a text into the line that was begun, to be edited.
void creadline_begin_text(const char *text);

/// True from `creadline_begin_line` until the line is finished or dropped.
bool creadline_is_editing(void);

/// Changes the prompt of the line being edited.
void creadline_set_prompt(const char *prompt);

/// Reads keys from standard input, which must be readable, and does what they are bound to. Takes the keys that are
/// there, up to the end of the line and a thousand at most. A finished line gives the terminal back.
creadline_result creadline_read_keys(void);

/// The text of the last finished line, to be freed by the caller; NULL when there is none.
char *creadline_take_line(void);

/// Shows `^C` after the end of the text, drops the line and gives the terminal back. True when it held text.
bool creadline_drop_line(void);

/// The text being edited, valid until the next call.
const char *creadline_text(void);

/// Byte offset of the cursor in the text.
int creadline_cursor(void);

/// Replaces the bytes from `from` to `to` of the text, as one step of undo. The cursor ends behind the new text.
void creadline_replace(int from, int to, const char *text);

/// Rings the bell as the user has set it.
void creadline_ring(void);

/// Has `decorate` asked again, and the line that is being edited drawn as it says.
void creadline_redecorate(void);

/// Takes the line off the screen, so that whole lines can be printed in its place.
void creadline_hide_line(void);

/// Draws the line at the cursor, which stands at the start of a screen line.
void creadline_show_line(void);

/// Gives the terminal to another program for a while, in its usual mode.
void creadline_lend_terminal(void);

/// Changes the prompt with which the line is drawn when the terminal is taken back.
void creadline_set_lent_prompt(const char *prompt);

/// Takes the terminal back and draws the line.
void creadline_reclaim_terminal(void);

/// Redraws after a change of the terminal's size.
void creadline_resize(void);

/// Stops the process as Ctrl-Z asks, and draws the line again once it is continued.
void creadline_suspend(void);

/// Size of the terminal in characters.
void creadline_screen_size(int *rows, int *columns);

/// Screen columns that a character takes in the terminal's locale.
int creadline_width(unsigned scalar);

void creadline_add_history(const char *entry);

// signals.c: Ctrl-C, Ctrl-Z and changes of size

/// Installs the handlers of SIGINT and SIGWINCH. 0, or an errno.
int creadline_watch_signals(void);

/// Puts the former handlers back.
void creadline_unwatch_signals(void);

/// Ctrl-Z is a notice while a line is edited, and stops the process at once otherwise.
void creadline_watch_suspend(bool watch);

/// Takes note of a Ctrl-C that came as a key. Safe in a signal handler.
void creadline_note_interrupt(void);

/// True when Ctrl-C was pressed since `creadline_take_interrupt`. Any thread.
bool creadline_interrupt_pending(void);

/// True, once, when Ctrl-C was pressed since the last call. Any thread.
bool creadline_take_interrupt(void);

/// A descriptor that is readable while an interrupt is pending.
int creadline_interrupt_descriptor(void);

/// A descriptor that is readable while a change of size or a Ctrl-Z waits to be served.
int creadline_notice_descriptor(void);

/// Tells which notices came since the last call.
void creadline_take_notices(bool *resized, bool *suspended);

#endif
