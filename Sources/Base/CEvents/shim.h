// The waiting of Linux for many descriptors at once, which the module of glibc leaves out.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
