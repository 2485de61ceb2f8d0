// What the module of glibc leaves out: the waiting of Linux for many descriptors at once, the thresholds of its allocator, and a
// descriptor that takes the number of another.
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

// glibc declares it for its own extensions alone.
int dup3(int from, int to, int flags);
