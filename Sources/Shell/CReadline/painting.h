// Colours over the characters that readline draws, and a hint behind them.
#ifndef PAINTING_H
#define PAINTING_H

#include <stdbool.h>

#include "CReadline.h"

/// Has a function asked for styles and hint before each drawing; it calls `creadline_paint` and `creadline_hint`.
void painting_ask(void *context, creadline_action decorate);

/// Has the keys that move forward take a suggestion where one is shown behind the cursor.
void painting_bind_keys(const char *map);

/// Forgets the former line: nothing of the next one is on the screen.
void painting_begin_line(void);

/// Draws the line, in place of `rl_redisplay`.
void painting_draw(void);

/// Draws the line as it is left: without the marks that belong to the cursor.
void painting_leave(void);

/// The same, where there are such marks on the screen.
void painting_settle(void);

/// True while the line has more rows than the terminal.
bool painting_is_taller_than_screen(void);

/// Shows the hint. From now on the terminal belongs to nobody until `painting_take_back_hint`.
void painting_show_hint(void);

/// Takes the hint off the screen; the cursor is where it was when the hint was shown.
void painting_take_back_hint(void);

/// The columns of the hint on the screen.
int painting_hint_width(void);

#endif
