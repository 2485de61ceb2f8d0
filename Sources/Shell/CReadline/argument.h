// The numeric argument of the key that comes next (M-5, 3dw).
#ifndef ARGUMENT_H
#define ARGUMENT_H

/// Keeps the argument within the range that readline does at once. A key with an argument of millions would hold the
/// prompt up for minutes. A key of vi's that counts down from less than nothing would do so too.
void argument_limit(void);

#endif
