// What readline's own functions for completion choose from: what the program's completer offers.
#ifndef OFFERING_H
#define OFFERING_H

#include "CReadline.h"

/// Has them ask a function, which calls `creadline_offer`.
void offering_ask(void *context, creadline_action offer);

/// The texts that fit, as readline wants them of `rl_attempted_completion_function`; NULL: none does.
char **offering_matches(const char *text, int start, int end);

#endif
