// Threads for calls within calls.
//
// Lua counts how many C calls lie within each other on a thread, and fails at 200 of them. A call that continued the
// count of the call around it would get less far, the deeper the calling code is. The result of a reducer would depend
// on who dispatched. So a nested call runs on a thread of its own, whose count begins anew as that of the main thread
// does.

#include "machine.h"

void clua_openThreads(lua_State *L) {
  CLuaMachine *machine = clua_machine(L);
  for (int level = 0; level < CLUA_THREADS; level += 1) {
    machine->threads[level] = lua_newthread(L);
    luaL_ref(L, LUA_REGISTRYINDEX);
  }
}

lua_State *clua_threadForCall(const CLuaMachine *machine) {
  // The count of a repeatable call began as always.
  if (machine->depth == 0 || machine->isRepeating) return machine->current;
  // Repeatable calls, which are not within each other, have the first thread.
  if (machine->isRepeatable) return machine->threads[0];
  // Each thread may use as much of the C stack as one may: there are not any number of them.
  return machine->depth < CLUA_THREADS ? machine->threads[machine->depth] : machine->current;
}
