#include "LuaLimit.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>

void lua_limit_call(long count) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return;
  if (luaL_dostring(L, "return function(s) s.n = s.n + 1 end, { n = 0 }") == LUA_OK) {
    for (; count > 0; count -= 1) {
      lua_pushvalue(L, -2);
      lua_pushvalue(L, -2);
      lua_call(L, 1, 0);
    }
  }
  lua_close(L);
}

size_t lua_limit_allocated(void) {
#ifdef __GLIBC__
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}
