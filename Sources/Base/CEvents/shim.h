// What the module of glibc leaves out: the waiting of Linux for many descriptors at once, and the thresholds of its allocator.
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
