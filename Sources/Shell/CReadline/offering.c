#include "offering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <readline/readline.h>

static void *offer_context;
static creadline_action offer_action;

void offering_ask(void *context, creadline_action offer) {
  offer_context = context;
  offer_action = offer;
}

bool creadline_ignores_case(void) {
  const char *ignores = rl_variable_value("completion-ignore-case");
  return ignores != NULL && strcmp(ignores, "on") == 0;
}

// The texts that readline's own functions choose from, such as `menu-complete`: none at first, for what they have in common.
static char **offered;
static int offered_count;
static int offered_start;

void creadline_offer(int from, const char *text, char suffix) {
  int typed = from > offered_start ? from - offered_start : 0;
  int left_out = from < offered_start ? offered_start - from : 0;
  if (strlen(text) < (size_t)left_out) return;
  char **grown = realloc(offered, (size_t)(offered_count + 3) * sizeof *offered);
  if (grown == NULL) return;
  offered = grown;
  size_t length = strlen(text + left_out);
  char *match = malloc((size_t)typed + length + 1);
  if (match == NULL) return;
  memcpy(match, rl_line_buffer + offered_start, (size_t)typed);
  memcpy(match + typed, text + left_out, length + 1);
  offered[++offered_count] = match;
  offered[offered_count + 1] = NULL;
  rl_completion_append_character = suffix;
}

// Whatever readline calls for completion asks the same completer as Tab does.
char **offering_matches(const char *text, int start, int end) {
  rl_attempted_completion_over = 1;
  offered = NULL;
  offered_count = 0;
  offered_start = start;
  offer_action(offer_context);
  if (offered_count == 0) return NULL;
  size_t common = strlen(offered[1]);
  for (int index = 2; index <= offered_count; index++) {
    size_t length = 0;
    while (length < common && offered[index][length] == offered[1][length]) length++;
    common = length;
  }
  // Not within a character.
  while (common > 0 && (offered[1][common] & 0xC0) == 0x80) common--;
  offered[0] = strndup(offered[1], common);
  if (offered_count == 1) {
    free(offered[1]);
    offered[1] = NULL;
  }
  return offered;
}
