#define _GNU_SOURCE
#include "argument.h"

#include <stdio.h>

#include <readline/readline.h>

// Negative where the argument is: readline's own variable, which is in no header.
extern int rl_arg_sign __attribute__((weak));

// `d` multiplies two arguments: a million times of anything is done at once.
static const int most = 1000;

void argument_limit(void) {
  if (rl_numeric_arg > most) rl_numeric_arg = most;
  if (rl_numeric_arg < -most) rl_numeric_arg = -most;
  // vi has no negative arguments, and some of its commands count down until they meet 0.
  if (rl_get_keymap() == rl_get_keymap_by_name("vi-command")) {
    if (&rl_arg_sign != NULL && rl_arg_sign < 0) rl_arg_sign = 1;
    if (rl_numeric_arg < 0) rl_numeric_arg = 1;
  }
}
