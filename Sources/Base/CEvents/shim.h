// What the module of glibc leaves out: the waiting of Linux for many descriptors at once, the thresholds of its allocator, a
// descriptor that takes the number of another, and a search for bytes.
#include <malloc.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

// glibc declares these for its own extensions alone.
int dup3(int from, int to, int flags);
void *memmem(const void *bytes, size_t count, const void *mark, size_t markCount);
