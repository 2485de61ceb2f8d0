// A signal handler may only set a flag and write a byte; a pipe wakes the poll that waits for keys. The pipes live as
// long as the process, so that a late signal never writes to a descriptor that means something else by now.
#define _GNU_SOURCE
#include "CReadline.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_bool interrupted, resized, suspended;
static int interrupt_pipe[2] = {-1, -1}, notice_pipe[2] = {-1, -1};
static struct sigaction former_interrupt, former_resize, former_suspend;
static bool watching, watching_suspend;

static void wake(int descriptor) {
  int saved = errno;
  // A full pipe has already woken its reader.
  if (write(descriptor, "", 1) < 0) errno = saved;
}

static void on_signal(int number) {
  switch (number) {
  case SIGINT:
    creadline_note_interrupt();
    break;
  case SIGWINCH:
    atomic_store(&resized, true);
    wake(notice_pipe[1]);
    break;
  case SIGTSTP:
    atomic_store(&suspended, true);
    wake(notice_pipe[1]);
    break;
  }
}

// Without SA_RESTART: a blocked system call of the shell returns on Ctrl-C.
static void install(int number, struct sigaction *former) {
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, former);
}

static int open_pipe(int ends[2]) {
  if (ends[0] >= 0) return 0;
  return pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0 ? 0 : errno;
}

static void drain(int descriptor) {
  char bytes[64];
  while (read(descriptor, bytes, sizeof bytes) > 0) continue;
}

int creadline_watch_signals(void) {
  int problem = open_pipe(interrupt_pipe);
  if (problem == 0) problem = open_pipe(notice_pipe);
  if (problem != 0) return problem;
  install(SIGINT, &former_interrupt);
  install(SIGWINCH, &former_resize);
  watching = true;
  return 0;
}

void creadline_unwatch_signals(void) {
  if (!watching) return;
  creadline_watch_suspend(false);
  sigaction(SIGINT, &former_interrupt, NULL);
  sigaction(SIGWINCH, &former_resize, NULL);
  watching = false;
}

void creadline_watch_suspend(bool watch) {
  if (watch == watching_suspend) return;
  if (watch) {
    // A program started with Ctrl-Z ignored (by a shell without job control) must not stop.
    sigaction(SIGTSTP, NULL, &former_suspend);
    if (former_suspend.sa_handler == SIG_IGN) return;
    install(SIGTSTP, &former_suspend);
  } else {
    sigaction(SIGTSTP, &former_suspend, NULL);
  }
  watching_suspend = watch;
}

void creadline_note_interrupt(void) {
  atomic_store(&interrupted, true);
  wake(interrupt_pipe[1]);
}

bool creadline_interrupt_pending(void) { return atomic_load(&interrupted); }

bool creadline_take_interrupt(void) {
  // Drained first: a signal between the two lines leaves a byte too many, which wakes once in vain, never too few.
  drain(interrupt_pipe[0]);
  return atomic_exchange(&interrupted, false);
}

int creadline_interrupt_descriptor(void) { return interrupt_pipe[0]; }

int creadline_notice_descriptor(void) { return notice_pipe[0]; }

void creadline_take_notices(bool *was_resized, bool *was_suspended) {
  drain(notice_pipe[0]);
  *was_resized = atomic_exchange(&resized, false);
  *was_suspended = atomic_exchange(&suspended, false);
}
