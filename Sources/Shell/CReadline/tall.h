// A line of more rows than the terminal has: the rows around the cursor are drawn on all of the screen.
#ifndef TALL_H
#define TALL_H

#include <stdbool.h>

/// True while the screen shows rows of such a line.
bool tall_is_shown(void);

/// Draws the rows around the cursor.
void tall_draw(void);

/// Takes the line off the screen; the cursor is at its first place.
void tall_hide(void);

/// Forgets that the screen shows it.
void tall_forget(void);

/// Shows all of the line, from its start: what has no room leaves the screen at the top. The cursor is behind its end.
void tall_leave(void);

#endif
