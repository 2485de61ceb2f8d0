// The places on the screen of a text, as readline shows it.
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

/// The place of the next character.
typedef struct {
  int width, row, column;
  /// True where a full row ends at once, as readline counts; false: with the next character, as terminals do.
  bool ends_rows_early;
  /// True between the marks in a prompt around what takes no room, and the bytes between them so far.
  bool is_invisible;
  int invisible_bytes;
} layout_place;

/// Goes past some columns.
void layout_advance(layout_place *place, int width);

/// Goes past the character that a text starts with.
///
/// Returns its length in bytes.
size_t layout_step(layout_place *place, const char *text, size_t length);

/// Goes past a text.
void layout_pass(layout_place *place, const char *text, size_t length);

/// The columns of the character that a text starts with.
int layout_width(const char *text, size_t length);

/// Writes the character that a text starts with, which is no line feed, as readline shows it at a place.
void layout_put(const layout_place *place, const char *text, size_t size);

/// The last row of the prompt.
const char *layout_prompt(void);

/// The bytes of the line that stand before the cursor. While readline is at work its cursor may stand behind the line's end.
size_t layout_before_cursor(void);

/// The places where the line starts and ends and where its cursor is, as readline counts them.
typedef struct {
  layout_place start, cursor, end;
} line_places;

/// Finds them on a terminal of some columns.
line_places layout_find(int columns);

#endif
