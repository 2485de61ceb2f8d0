// Programs that unrestricted code starts, and the rule for whatever reaches something outside of the process: what has happened is
// as durable as was asked before that.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"

// Leaving

/// The key, in the registry, of a table: by the address of a C function, whether it reaches something outside.
static const char leavingKey;

/// Functions of the libraries `io` and `os` that reach nothing.
static const char *const harmless[] = {"type", "clock", "date", "difftime", "getenv", "time", NULL};

static bool isHarmless(const char *name) {
  for (const char *const *other = harmless; *other != NULL; other += 1) {
    if (strcmp(name, *other) == 0) return true;
  }
  return false;
}

/// Notes a function, and leaves the table of functions on top.
static void note(lua_State *L, lua_CFunction function, bool leaves) {
  if (function == NULL) return;
  lua_pushboolean(L, leaves);
  lua_rawsetp(L, -2, (const void *)function);
}

/// Notes the functions of the table on top, which is below them then, and takes it away.
static void noteLibrary(lua_State *L, bool leaves) {
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    return;
  }
  lua_insert(L, -2);
  lua_pushnil(L);
  while (lua_next(L, -3) != 0) {
    lua_CFunction function = lua_tocfunction(L, -1);
    bool isLeaving = leaves && !(lua_type(L, -2) == LUA_TSTRING && isHarmless(lua_tostring(L, -2)));
    lua_pop(L, 1);
    // The key stays for lua_next.
    lua_insert(L, -2);
    note(L, function, isLeaving);
    lua_insert(L, -2);
  }
  lua_remove(L, -2);
}

static void noteGlobal(lua_State *L, const char *name) {
  lua_getglobal(L, name);
  lua_CFunction function = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  note(L, function, true);
}

/// Notes the function that io.lines returns, which no table holds.
static void noteLines(lua_State *L) {
  lua_getglobal(L, "io");
  lua_getfield(L, -1, "lines");
  lua_remove(L, -2);
  lua_pushliteral(L, "/dev/null");
  if (lua_pcall(L, 1, 4, 0) != LUA_OK) {
    lua_pop(L, 1);
    return;
  }
  lua_CFunction function = lua_tocfunction(L, -4);
  if (luaL_getmetafield(L, -1, "__close") != LUA_TNIL) {
    lua_pushvalue(L, -2);
    lua_pcall(L, 1, 0, 0);
  }
  lua_pop(L, 4);
  note(L, function, true);
}

void clua_watchLeaving(lua_State *L) {
  lua_newtable(L);
  for (const char *const *name = (const char *const[]){LUA_IOLIBNAME, LUA_OSLIBNAME, LUA_LOADLIBNAME, NULL}; *name != NULL;
       name += 1) {
    lua_getglobal(L, *name);
    noteLibrary(L, true);
  }
  luaL_getmetatable(L, LUA_FILEHANDLE);
  lua_getfield(L, -1, "__index");
  lua_remove(L, -2);
  noteLibrary(L, true);
  for (const char *const *name = (const char *const[]){"require", "dofile", "loadfile", NULL}; *name != NULL; name += 1) {
    noteGlobal(L, *name);
  }
  noteLines(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &leavingKey);
  clua_machine(L)->watchesLeaving = true;
}

/// True if a function is part of Lua or of this target, whose functions are all known.
static bool isKnown(lua_CFunction function) {
  Dl_info own, lua, other;
  if (dladdr((const void *)function, &other) == 0) return false;
  if (dladdr((const void *)clua_watchLeaving, &own) != 0 && own.dli_fbase == other.dli_fbase) return true;
  return dladdr((const void *)lua_newstate, &lua) != 0 && lua.dli_fbase == other.dli_fbase;
}

void clua_noteCall(lua_State *L, lua_Debug *record) {
  CLuaMachine *machine = clua_machine(L);
  lua_getinfo(L, "f", record);
  lua_CFunction function = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  if (function == NULL) return;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &leavingKey);
  if (lua_rawgetp(L, -1, (const void *)function) == LUA_TNIL) {
    // A library that code has loaded: its functions may do anything.
    bool leaves = !isKnown(function);
    lua_pop(L, 1);
    note(L, function, leaves);
    lua_pushboolean(L, leaves);
  }
  bool leaves = lua_toboolean(L, -1);
  lua_pop(L, 2);
  if (!leaves) return;
  CLuaHostEntry entry = clua_enterHost(machine, L);
  machine->callbacks.leave(machine->context);
  clua_leaveHost(machine, entry);
}

// Programs

/// The key, in the registry, of the first program that runs.
static const char programsKey;

/// A file of Lua whose other end is a program.
typedef struct CLuaProgram {
  luaL_Stream stream;
  pid_t process;
  /// The processes that a signal is for: the program's group; at a terminal, whose group must be ours, the program alone.
  pid_t target;
  struct CLuaProgram *next;
  /// The action for SIGPIPE before; a program that reads no more is no fault.
  struct sigaction formerPipe;
  bool ignoresPipe;
} CLuaProgram;

static bool isInterrupted(lua_State *L) {
  return __atomic_load_n(&clua_machine(L)->interruption, __ATOMIC_RELAXED) != 0;
}

/// Ends a program that was to stop: it is asked to, and a second later it has to. Returns its status.
static int end(pid_t process, pid_t target) {
  static const struct timespec pause = {0, 10000000};
  int status = 0;
  kill(target, SIGTERM);
  kill(target, SIGCONT);
  for (int count = 0; count < 100; count += 1) {
    if (waitpid(process, &status, WNOHANG) == process) return status;
    nanosleep(&pause, NULL);
  }
  kill(target, SIGKILL);
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

static CLuaProgram *programs(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &programsKey);
  CLuaProgram *first = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return first;
}

static void setPrograms(lua_State *L, CLuaProgram *first) {
  lua_pushlightuserdata(L, first);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &programsKey);
}

void clua_endPrograms(lua_State *L) {
  for (CLuaProgram *program = programs(L); program != NULL; program = program->next) {
    kill(program->target, SIGTERM);
    kill(program->target, SIGCONT);
  }
}

static void forget(lua_State *L, CLuaProgram *program) {
  CLuaProgram *first = programs(L);
  if (first == program) setPrograms(L, program->next);
  for (; first != NULL; first = first->next) {
    if (first->next == program) first->next = program->next;
  }
}

static int closeProgram(lua_State *L) {
  CLuaProgram *program = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  int status = -1;
  forget(L, program);
  fclose(program->stream.f);
  if (program->ignoresPipe) sigaction(SIGPIPE, &program->formerPipe, NULL);
  while (waitpid(program->process, &status, 0) < 0) {
    if (errno != EINTR) return luaL_fileresult(L, 0, NULL);
    if (!isInterrupted(L)) continue;
    status = end(program->process, program->target);
    break;
  }
  // Lua takes an error that is left for the reason of the status.
  errno = 0;
  return luaL_execresult(L, status);
}

/// Has the system keep the status of a program that ends, also where the parent of this process had SIGCHLD ignored.
static void keepStatuses(void) {
  struct sigaction action;
  sigaction(SIGCHLD, NULL, &action);
  if (action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT) != 0) signal(SIGCHLD, SIG_DFL);
}

/// Starts a line of the system's shell with one of its ends.
static int startProgram(const char *line, int given, int end, pid_t *process, bool hasGroup) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults;
  char *const arguments[] = {"sh", "-c", (char *)line, NULL};
  keepStatuses();
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, given, end);
  posix_spawnattr_init(&attributes);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | (hasGroup ? POSIX_SPAWN_SETPGROUP : 0));
  int problem = posix_spawn(process, "/bin/sh", &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return problem;
}

int clua_openProgram(lua_State *L) {
  const char *line = luaL_checkstring(L, 1);
  const char *mode = luaL_optstring(L, 2, "r");
  luaL_argcheck(L, (mode[0] == 'r' || mode[0] == 'w') && mode[1] == 0, 2, "invalid mode");
  bool writes = mode[0] == 'w';
  CLuaProgram *program = lua_newuserdatauv(L, sizeof(CLuaProgram), 0);
  memset(program, 0, sizeof *program);
  luaL_setmetatable(L, LUA_FILEHANDLE);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return luaL_fileresult(L, 0, line);
  bool hasGroup = isatty(STDIN_FILENO) != 1;
  int problem =
      startProgram(line, ends[writes ? 0 : 1], writes ? STDIN_FILENO : STDOUT_FILENO, &program->process, hasGroup);
  program->target = hasGroup ? -program->process : program->process;
  close(ends[writes ? 0 : 1]);
  program->stream.f = problem == 0 ? fdopen(ends[writes ? 1 : 0], mode) : NULL;
  if (program->stream.f == NULL) {
    if (problem == 0) problem = errno;
    close(ends[writes ? 1 : 0]);
    if (program->process > 0) end(program->process, program->target);
    errno = problem;
    return luaL_fileresult(L, 0, line);
  }
  if (writes) {
    struct sigaction ignoring = {.sa_handler = SIG_IGN};
    program->ignoresPipe = sigaction(SIGPIPE, &ignoring, &program->formerPipe) == 0;
  }
  program->stream.closef = closeProgram;
  program->next = programs(L);
  setPrograms(L, program);
  return 1;
}
