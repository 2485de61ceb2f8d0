#pragma once

#include <stddef.h>

// Bytes that are to be written before a fault ends the program, such as results that wait in a buffer.
typedef struct {
  const unsigned char *bytes;
  size_t count;
  int descriptor;
} CCrashHeld;

// Has faults of the program reported from now on: in a file, on standard error and by the status 70.
//
// folders: the folders that the file stands in, outermost first; NULL ends them. Each is made when there is a first report.
// path: the file. heading: its first line.
// The texts must stay as long as the program runs.
void ccrash_install(char *const *folders, const char *path, const char *heading);

// A word of the command line, from 0; NULL behind the last. Swift's own words come from /proc, which may not be there.
const char *ccrash_argument(int index);

// Has bytes written before a fault of this thread ends the program. They are read when that happens.
void ccrash_hold(const CCrashHeld *held);
