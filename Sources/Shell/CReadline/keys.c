#define _GNU_SOURCE
#include "keys.h"
#include "CReadline.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <readline/readline.h>

unsigned char keys_interrupt = 0x03;

// True if the next byte, when it is a NUL, is a Ctrl-D.
static bool starts_with_end;

// True if a line was ended with keys behind it: back in its own mode the terminal takes them for a line.
static bool was_left_over;

// True if readline has asked for a byte before in its work for one key: it waits for the end of a paste.
static bool asks_for_more;

// Bytes that were read and not handed out yet: the rest of a character, and what came instead of one's next byte.
static unsigned char held[16];
static int held_next, held_end, put_back = -1;

// True if the last byte of a paste ended a line: a line feed behind it is part of that end.
static bool follows_return;

static bool is_readable(void) {
  struct pollfd source = {.fd = fileno(rl_instream), .events = POLLIN};
  return poll(&source, 1, 0) > 0 && (source.revents & POLLIN) != 0;
}

// The kernel stores a Ctrl-D that is typed while a command runs (canonical mode) as a NUL, which is what Ctrl-Space
// sends. As the first key it makes the terminal readable, with nothing to read: a Ctrl-Space does not.
void keys_begin_line(void) {
  keys_drop_character();
  int count;
  starts_with_end =
      !was_left_over && is_readable() && ioctl(fileno(rl_instream), FIONREAD, &count) == 0 && count == 0;
}

void keys_end_line(void) { was_left_over = is_readable(); }

void keys_begin_key(void) { asks_for_more = false; }

bool keys_are_held(void) { return held_next < held_end || put_back >= 0; }

bool keys_are_waiting(void) {
  int count;
  return keys_are_held() || (ioctl(fileno(rl_instream), FIONREAD, &count) == 0 && count > 0);
}

void keys_drop_character(void) { held_next = held_end; }

// Reads one byte of a character that has begun: the terminal sends them together.
static bool read_next_byte(int source, unsigned char *byte) {
  struct pollfd sources = {.fd = source, .events = POLLIN};
  return poll(&sources, 1, 100) > 0 && read(source, byte, 1) == 1;
}

// Holds the character that starts with a byte. A byte that starts no character is held as U+FFFD, or as a question
// mark. Over half a character some of readline's functions go round for ever.
static void hold_character(int source, unsigned char byte) {
  mbstate_t state = {0};
  held_next = held_end = 0;
  for (;;) {
    held[held_end++] = byte;
    size_t size = mbrtowc(NULL, (char *)&held[held_end - 1], 1, &state);
    if (size != (size_t)-1 && size != (size_t)-2) return;
    if (size == (size_t)-1 && held_end > 1) put_back = byte;
    if (size == (size_t)-1 || held_end > 8 || !read_next_byte(source, &byte)) break;
  }
  memset(&state, 0, sizeof state);
  size_t size = wcrtomb((char *)held, L'\uFFFD', &state);
  held_end = size == (size_t)-1 ? 1 : (int)size;
  if (size == (size_t)-1) held[0] = '?';
}

// Ends what waits for more. Of a paste that ends otherwise than by its own last key, readline reads beyond what it holds.
static int end_of_paste(void) {
  static const char key[] = "\033[201~";
  held_next = 0;
  held_end = sizeof key - 1;
  memcpy(held, key, sizeof key - 1);
  return held[held_next++];
}

int keys_read_byte(FILE *stream) {
  struct pollfd sources[2] = {
      {.fd = fileno(stream), .events = POLLIN},
      {.fd = creadline_interrupt_descriptor(), .events = POLLIN},
  };
  // A search asks for its keys one by one; the one that ends it is its own.
  bool is_key_of_search = RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH) && !asks_for_more;
  asks_for_more = true;
  for (;;) {
    if (held_next < held_end) return held[held_next++];
    if (RL_ISSTATE(RL_STATE_MOREINPUT) && put_back < 0) {
      if (poll(sources, 2, -1) < 0 && errno != EINTR) return EOF;
      if (sources[0].revents == 0 && sources[1].revents != 0) return end_of_paste();
      if (sources[0].revents == 0) continue;
    }
    unsigned char byte = (unsigned char)put_back;
    ssize_t count = 1;
    if (put_back >= 0) {
      put_back = -1;
    } else {
      count = read(sources[0].fd, &byte, 1);
      if (count == 1 && byte == 0 && starts_with_end) byte = 0x04;
      starts_with_end = false;
    }
    if (count == 1 && byte == keys_interrupt && RL_ISSTATE(RL_STATE_MOREINPUT) && !is_key_of_search) {
      creadline_note_interrupt();
      return end_of_paste();
    }
    bool is_in_paste = count == 1 && RL_ISSTATE(RL_STATE_MOREINPUT);
    bool is_second_half = is_in_paste && follows_return && byte == '\n';
    follows_return = is_in_paste && byte == '\r';
    if (is_second_half) continue;
    if (count == 1 && byte >= 0x80 && MB_CUR_MAX > 1) {
      hold_character(sources[0].fd, byte);
      continue;
    }
    if (count == 1) return byte;
    if (count == 0) return EOF;
    if (errno == EAGAIN) poll(sources, 1, -1);
    else if (errno != EINTR) return RL_ISSTATE(RL_STATE_READCMD) ? READERR : EOF;
  }
}
