// The numeric argument of the key that comes next (M-5, 3dw).
#ifndef ARGUMENT_H
#define ARGUMENT_H

/// Keeps the argument within what readline does at once: a key with an argument of millions would hold the prompt up for
/// minutes, and so would one of vi's that counts down from less than nothing.
void argument_limit(void);

#endif
