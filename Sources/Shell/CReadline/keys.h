// The keys of the terminal, as readline gets to see them: whole characters of the locale, byte by byte.
#ifndef KEYS_H
#define KEYS_H

#include <stdbool.h>
#include <stdio.h>

/// The byte that interrupts, as the terminal is set: Ctrl-C unless the user chose otherwise.
extern unsigned char keys_interrupt;

/// Starts a line: what the terminal has sent before was typed ahead. The terminal must still be in its own mode.
void keys_begin_line(void);

/// Ends a line, once the terminal is in its own mode again.
void keys_end_line(void);

/// Starts what readline does for one key.
void keys_begin_key(void);

/// The next byte, in place of `rl_getc`: for a key that waits for more (a paste whose end never comes)
/// Ctrl-C is that end. EOF, or readline's READERR, where there is none.
int keys_read_byte(FILE *stream);

/// True when bytes are held that the terminal has sent already: the rest of a character.
bool keys_are_held(void);

/// True when a byte can be read without waiting.
bool keys_are_waiting(void);

/// Forgets the rest of the character that is being read.
void keys_drop_character(void);

#endif
