#define _GNU_SOURCE
#include "CCrash.h"

#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include <unwind.h>

// The status of an internal fault (EX_SOFTWARE of sysexits.h).
enum { status = 70, most_frames = 128 };

static const struct {
  int number;
  const char *name;
} faults[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
              {SIGFPE, "SIGFPE"},   {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}};
static const size_t fault_count = sizeof faults / sizeof *faults;

// All that a handler needs is made before: it may neither allocate nor take a lock.
static char *const *crash_folders;
static const char *crash_path, *crash_heading;
static void *frames[most_frames];
static char block[4096], stack[1 << 18];
static struct termios terminal;
static int has_terminal;
static const CCrashHeld *held;
static pthread_t holder;

static int argument_count;
static char **arguments;

__attribute__((constructor)) static void keep_arguments(int count, char **words) {
  argument_count = count;
  arguments = words;
}

const char *ccrash_argument(int index) { return index < argument_count ? arguments[index] : NULL; }

static void write_all(int file, const void *bytes, size_t count) {
  const char *rest = bytes;
  for (ssize_t done; count > 0 && (done = write(file, rest, count)) > 0; count -= (size_t)done) rest += done;
}

static void put(int file, const char *text) { write_all(file, text, strlen(text)); }

static void copy(const char *source, int file) {
  int input = open(source, O_RDONLY | O_CLOEXEC);
  for (ssize_t count; input >= 0 && (count = read(input, block, sizeof block)) > 0;) write_all(file, block, (size_t)count);
  if (input >= 0) close(input);
}

// glibc's backtrace loads a library at its first call. A handler must not do that, and at each start it took a tenth of a millisecond.
static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *count) {
  int *noted = count;
  if (*noted == most_frames) return _URC_END_OF_STACK;
  frames[(*noted)++] = (void *)_Unwind_GetIP(context);
  return _URC_NO_REASON;
}

static void leave(int number) {
  (void)number;
  _exit(status);
}

static void report(int number) {
  const char *name = "signal";
  for (size_t index = 0; index < fault_count; index++)
    if (faults[index].number == number) name = faults[index].name;
  // A reader of the output may take nothing.
  signal(SIGALRM, leave);
  alarm(10);
  if (has_terminal) tcsetattr(0, TCSANOW, &terminal);
  for (char *const *folder = crash_folders; *folder; folder++) mkdir(*folder, 0700);
  int file = open(crash_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) {
    put(file, crash_heading);
    put(file, "\n");
    put(file, name);
    put(file, "\n\nstack\n");
    int count = 0;
    _Unwind_Backtrace(note_frame, &count);
    backtrace_symbols_fd(frames, count, file);
    // With these an address of the stack can be found in the program, wherever it was loaded.
    put(file, "\nmemory\n");
    copy("/proc/self/maps", file);
    close(file);
  }
  // The state of the program is not to be relied on: a second fault only ends it.
  for (size_t index = 0; index < fault_count; index++) signal(faults[index].number, leave);
  if (held && pthread_equal(holder, pthread_self())) write_all(held->descriptor, held->bytes, held->count);
  put(2, "\nerror[internal]: stsh is at fault (");
  put(2, name);
  put(2, file >= 0 ? "); the crash file is " : "); no crash file could be written at ");
  put(2, crash_path);
  put(2, "\n  hint: stsh --recover goes on from the last action of a session at the prompt\n");
  _exit(status);
}

void ccrash_install(char *const *folders, const char *path, const char *heading) {
  crash_folders = folders;
  crash_path = path;
  crash_heading = heading;
  has_terminal = tcgetattr(0, &terminal) == 0;
  // A stack that has run over has no room for the handler.
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  for (size_t index = 0; index < fault_count; index++) {
    // A fault while one is reported ends the program as it would without us.
    struct sigaction action = {.sa_handler = report, .sa_flags = SA_ONSTACK | SA_NODEFER | (int)SA_RESETHAND};
    sigaction(faults[index].number, &action, NULL);
  }
}

void ccrash_hold(const CCrashHeld *bytes) {
  holder = pthread_self();
  held = bytes;
}
