// The cost of Lua itself, by its C interface and with nothing around it: the limits of the benchmarks that run Lua.
#ifndef LUA_LIMIT_H
#define LUA_LIMIT_H

#include <stddef.h>

/// Calls a Lua function that increments a field of a plain table, `count` times.
void lua_limit_call(long count);

/// The number of bytes that this process has allocated and not given back; 0 where the system does not say.
size_t lua_limit_allocated(void);

#endif
