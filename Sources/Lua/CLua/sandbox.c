// The libraries of a state. In a sandbox, every library and the table of globals are seen through an empty table. Its
// metatable leads to the real one, so code can read them and never write them.

#include <string.h>

#include "machine.h"

typedef struct Missing {
  const char *name;
  const char *advice;
} Missing;

static const Missing missingGlobals[] = {
    {"os", "os is not available; timestamps come in action.meta.at, delays from task:sleep()"},
    {"io", "files are not available; keep data in the plugin's state"},
    {"debug", "debug is not available; the host adds the traceback to an error"},
    {"package", "packages are not available; require(\"lib.x\") reads lib/x.lua of the plugin's own folder"},
    {"require", "require is not available here; it reads lib/x.lua of a plugin's own folder"},
    {"print", "print is not available; use log.info, cmd:print in a command, or t:print in a test"},
    {"xpcall", "xpcall is not available; use pcall, the host adds the traceback to an error"},
    {"dofile", "files are not available; require(\"lib.x\") reads lib/x.lua of the plugin's own folder"},
    {"loadfile", "files are not available; require(\"lib.x\") reads lib/x.lua of the plugin's own folder"},
    {"loadstring", "loadstring is not available; use load"},
    {"collectgarbage", "collectgarbage is not available; the host bounds the memory"},
    {"warn", "warn is not available; use log.warn"},
    {NULL, NULL},
};

/// The same names in the session's Lua, which reads no files by itself either.
static const Missing missingInSessions[] = {
    {"os", "run(\"date\").text is the time of day, env(\"HOME\") a variable of the environment"},
    {"io", "run(\"cat\", FILE).text is the text of a file; ingest reads records, export and > write"},
    {"require", "source FILE runs a script"},
    {"dofile", "source FILE runs a script"},
    {"loadfile", "source FILE runs a script"},
    {NULL, NULL},
};

/// Names that authors expect, and what goes by another one.
static const Missing expectedGlobals[] = {
    {"integer", "whole numbers have the type int()"},
    {"float", "numbers with a fraction have the type number()"},
    {"boolean", "true and false have the type bool()"},
    {"money", "amounts of money have the type decimal { scale = 2 }"},
    {"str", "texts have the type text()"},
    {"array", "lists have the type list(TYPE)"},
    {"choice", "one of several names has the type enum { \"a\", \"b\" }"},
    {"dispatch", "ctx:dispatch in a middleware, and so of task, cmd and t; a reducer dispatches nothing"},
    {"state", "it is an argument, or ctx.state, cmd.state; a reducer has its draft"},
    {"action", "it is the first argument of before, of after and of an interceptor's function; a reducer has its arguments"},
    {"meta", "it is the third argument of a reducer, and action.meta in a middleware"},
    {"ctx", "it is the second argument of before and of after"},
    {"cmd", "it is the second argument of a command's run"},
    {"task", "ctx:task(key, function(task) … end) in after starts one"},
    {"sleep", "it is a method of a task: task:sleep(1)"},
    {"wait_for", "it is a method of a task: task:wait_for(\"tasks.add\")"},
    {"wait", "it is a method of a command: cmd:wait(1); a task has task:sleep and task:wait_for"},
    {"project", "it is a method of a command: cmd:project(\"PLUGIN.left\")"},
    {"dispatch_wait", "it is a method of a thunk: t:dispatch_wait(\"add\")"},
    {"equals", "it is a method of a test: t:equals(found, expected)"},
    {NULL, NULL},
};

/// Libraries that have the name of what authors may take for a type.
static const Missing calledLibraries[] = {
    {"string", "texts have the type text()"},
    {"table", "a table of named fields is a record, one of keys and values a map, one of items a list"},
    {NULL, NULL},
};

static const Missing missingMembers[] = {
    {"math.random", "random numbers are not available; pass them as arguments of an action"},
    {"math.randomseed", "random numbers are not available; pass them as arguments of an action"},
    {"string.dump", "bytecode is not available"},
    {NULL, NULL},
};

static const char viewKey[] = "view";
/// The key in the metatable of a table that the host hands out, which keeps nothing.
static const char hostTableKey[] = "host table";

static const char pluginSandbox[] = "plugin sandbox";

/// The registry key that anchors the last message about a missing name, so that its address stays its own.
static const char missingKey[] = "missing name";

/// The advice of a table about a name; NULL: none.
static const char *adviceOn(const Missing *table, const char *name) {
  while (table->name != NULL && strcmp(table->name, name) != 0) table += 1;
  return table->advice;
}

static void raiseIfMissing(lua_State *L, const Missing *table, const char *name, const char *sandbox) {
  const char *advice = adviceOn(table, name);
  if (advice == NULL) return;
  luaL_where(L, 1);
  lua_pushfstring(L, "'%s' is not part of the %s (%s)", name, sandbox, advice);
  lua_concat(L, 2);
  clua_machine(L)->missingString = lua_tostring(L, -1);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, missingKey);
  lua_error(L);
}

bool clua_isView(lua_State *L, int index) {
  if (!lua_istable(L, index) || !lua_getmetatable(L, index)) return false;
  bool isView = lua_rawgetp(L, -1, viewKey) != LUA_TNIL;
  lua_pop(L, 2);
  return isView;
}

void clua_seeThrough(lua_State *L, int index) {
  if (!lua_getmetatable(L, index)) return;
  if (lua_rawgetp(L, -1, viewKey) == LUA_TTABLE) {
    lua_replace(L, index);
    lua_pop(L, 1);
  } else {
    lua_pop(L, 2);
  }
}

/// Replaces the table on top by a view of it that `newindex` guards.
static void makeView(lua_State *L, lua_CFunction newindex) {
  lua_newtable(L);
  lua_createtable(L, 0, 4);
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, newindex);
  lua_setfield(L, -2, "__newindex");
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_pushvalue(L, -3);
  lua_rawsetp(L, -2, viewKey);
  lua_setmetatable(L, -2);
  lua_remove(L, -2);
}

static int refuseGlobal(lua_State *L) {
  return luaL_error(L, "plugins may not create globals ('%s'); use 'local'", luaL_tolstring(L, 2, NULL));
}

static int refuseMember(lua_State *L) {
  return luaL_error(L, "the libraries are read-only (%s)", luaL_tolstring(L, 2, NULL));
}

static int undefinedGlobal(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *name = lua_tostring(L, 2);
  raiseIfMissing(L, missingGlobals, name, pluginSandbox);
  const char *advice = adviceOn(expectedGlobals, name);
  if (advice != NULL) return luaL_error(L, "undefined global '%s' (%s)", name, advice);
  return luaL_error(L, "undefined global '%s'", name);
}

static int undefinedSessionGlobal(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  raiseIfMissing(L, missingInSessions, lua_tostring(L, 2), "session's sandbox");
  raiseIfMissing(L, missingGlobals, lua_tostring(L, 2), "session's sandbox");
  // The host may know the name.
  lua_pushliteral(L, "(missing)");
  if (lua_rawget(L, 1) != LUA_TFUNCTION) return 0;
  lua_pushvalue(L, 2);
  lua_call(L, 1, 1);
  return 1;
}

/// Refuses the second of three arguments as the name of a global where the host keeps it for itself, as the table at `index` says.
static void refuseOwn(lua_State *L, int index) {
  lua_pushliteral(L, "(own)");
  if (lua_rawget(L, index) == LUA_TTABLE && lua_type(L, 2) == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    if (lua_rawget(L, -2) != LUA_TNIL) {
      luaL_error(L, "'%s' is the shell's own; give yours another name, or write local", lua_tostring(L, 2));
    }
  }
  lua_settop(L, 3);
}

/// Sets a global of the session's, unless the host keeps the name for itself.
static int setSessionGlobal(lua_State *L) {
  lua_settop(L, 3);
  refuseOwn(L, lua_upvalueindex(1));
  lua_rawset(L, 1);
  return 0;
}

static int undefinedMember(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  raiseIfMissing(L, missingMembers,
                 lua_pushfstring(L, "%s.%s", lua_tostring(L, lua_upvalueindex(1)), lua_tostring(L, 2)), pluginSandbox);
  return 0;
}

static int toString(lua_State *L) {
  size_t count;
  luaL_checkany(L, 1);
  clua_toText(L, 1, &count);
  return 1;
}

static int setMetatable(lua_State *L) {
  int type = lua_type(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected metatable");
  static const char *const refused[] = {"__gc", "__mode"};
  for (int position = 0; type == LUA_TTABLE && position < 2; position += 1) {
    lua_pushstring(L, refused[position]);
    if (lua_rawget(L, 2) != LUA_TNIL) return luaL_error(L, "plugins may not use '%s'", refused[position]);
  }
  lua_settop(L, 2);
  if (type == LUA_TTABLE) clua_noteMetatable(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

typedef struct HostTable {
  int32_t table;
  int32_t metatable;
} HostTable;

static int makeHostTable(lua_State *L) {
  const HostTable *made = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, made->table);
  lua_rawgeti(L, LUA_REGISTRYINDEX, made->metatable);
  lua_pushboolean(L, true);
  lua_rawsetp(L, -2, hostTableKey);
  lua_setmetatable(L, -2);
  return 0;
}

CLuaStatus clua_makeHostTable(CLuaMachine *machine, int32_t table, int32_t metatable) {
  HostTable made = {table, metatable};
  return clua_protectCall(machine, makeHostTable, &made);
}

static int rawSet(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  luaL_checkany(L, 3);
  lua_settop(L, 3);
  if (clua_isView(L, 1)) {
    bool isGlobal = lua_topointer(L, 1) == clua_machine(L)->visibleGlobalsPointer;
    return isGlobal ? refuseGlobal(L) : refuseMember(L);
  }
  if (lua_getmetatable(L, 1)) {
    if (lua_rawgetp(L, -1, hostTableKey) != LUA_TNIL) {
      // The host refuses it, with a message of its own.
      lua_settop(L, 3);
      lua_settable(L, 1);
      return 1;
    }
    lua_pop(L, 1);
    lua_pushliteral(L, "__newindex");
    lua_rawget(L, -2);
    bool isGlobal = lua_tocfunction(L, -1) == setSessionGlobal;
    if (isGlobal && lua_getupvalue(L, -1, 1) != NULL) refuseOwn(L, lua_gettop(L));
    lua_settop(L, 3);
  }
  lua_rawset(L, 1);
  return 1;
}

static int rawGet(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  clua_seeThrough(L, 1);
  lua_rawget(L, 1);
  return 1;
}

/// Stands in for the call of a library, which an author takes for a type.
static int callLibrary(lua_State *L) {
  return luaL_error(L, "attempt to call the library '%s' (%s)", lua_tostring(L, lua_upvalueindex(1)),
                    lua_tostring(L, lua_upvalueindex(2)));
}

/// Adds the library on top to the globals below it as a view.
static void addLibrary(lua_State *L, const char *name) {
  lua_createtable(L, 0, 1);
  lua_pushstring(L, name);
  lua_pushcclosure(L, undefinedMember, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  makeView(L, refuseMember);
  const char *advice = adviceOn(calledLibraries, name);
  if (advice != NULL) {
    lua_getmetatable(L, -1);
    lua_pushstring(L, name);
    lua_pushstring(L, advice);
    lua_pushcclosure(L, callLibrary, 2);
    lua_setfield(L, -2, "__call");
    lua_pop(L, 1);
  }
  lua_setfield(L, -2, name);
}

/// Lists the functions on top where Lua's error messages look for names: `pcall(next)` fails as a call of 'next', not of '?'.
static void nameBaseFunctions(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, -4)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_settable(L, -4);
  }
  lua_setfield(L, -2, LUA_GNAME);
  lua_pop(L, 1);
}

static void openBase(lua_State *L) {
  static const char *const names[] = {"assert",  "error",  "getmetatable", "ipairs",   "pcall", "rawequal", "rawlen",
                                      "select", "tonumber", "type",         "_VERSION", NULL};
  static const luaL_Reg replaced[] = {
      {"decimal", clua_makeDecimal}, {"load", clua_loadFunction}, {"next", clua_next},            {"pairs", clua_pairs},  {"rawget", rawGet},
      {"rawset", rawSet},          {"round", clua_round},          {"setmetatable", setMetatable}, {"tostring", toString}, {NULL, NULL},
  };
  lua_pushcfunction(L, luaopen_base);
  lua_call(L, 0, 1);
  for (const char *const *name = names; *name != NULL; name += 1) {
    lua_getfield(L, -1, *name);
    lua_setfield(L, -3, *name);
  }
  lua_pop(L, 1);
  clua_chargeFunctions(L, clua_chargedBaseFunctions);
  luaL_setfuncs(L, replaced, 0);
  nameBaseFunctions(L);
}

/// A library, the names left out of it, and the functions that are charged for or replaced.
typedef struct Library {
  const char *name;
  lua_CFunction open;
  const char *missing[2];
  const luaL_Reg *charged;
  const luaL_Reg *replaced;
} Library;

/// Replaces the arithmetic of texts, and leaves one of them and their metatable on the stack.
static void openArithmeticOfTexts(lua_State *L) {
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  clua_chargeFunctions(L, clua_chargedArithmetic);
}

static void openLibraries(lua_State *L) {
  static const luaL_Reg none[] = {{NULL, NULL}};
  const Library libraries[] = {
      {LUA_STRLIBNAME, luaopen_string, {"dump", NULL}, clua_chargedStringFunctions, clua_matchingFunctions},
      {LUA_TABLIBNAME, luaopen_table, {NULL, NULL}, none, clua_tableFunctions},
      {LUA_MATHLIBNAME, luaopen_math, {"random", "randomseed"}, clua_chargedMathFunctions, none},
      {LUA_UTF8LIBNAME, luaopen_utf8, {NULL, NULL}, clua_chargedTextFunctions, none},
      {LUA_COLIBNAME, luaopen_coroutine, {NULL, NULL}, none, clua_coroutineFunctions},
  };
  for (size_t position = 0; position < sizeof libraries / sizeof *libraries; position += 1) {
    const Library *library = &libraries[position];
    // The registry's list of libraries, which this fills, only serves error messages: nothing in the sandbox can reach it.
    luaL_requiref(L, library->name, library->open, 0);
    for (int number = 0; number < 2 && library->missing[number] != NULL; number += 1) {
      lua_pushnil(L);
      lua_setfield(L, -2, library->missing[number]);
    }
    clua_chargeFunctions(L, library->charged);
    luaL_setfuncs(L, library->replaced, 0);
    addLibrary(L, library->name);
  }
  openArithmeticOfTexts(L);
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
}

static void openSandbox(lua_State *L, CLuaSandbox sandbox) {
  CLuaMachine *machine = clua_machine(L);
  lua_newtable(L);
  openBase(L);
  openLibraries(L);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, sandbox == CLuaSandboxPlugin ? undefinedGlobal : undefinedSessionGlobal);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);

  lua_pushvalue(L, -1);
  machine->globals = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushvalue(L, -1);
  if (sandbox == CLuaSandboxPlugin) {
    clua_watchMetatables(L);
    makeView(L, refuseGlobal);
  } else {
    lua_newtable(L);
    lua_createtable(L, 0, 3);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, -3);
    lua_pushcclosure(L, setSessionGlobal, 1);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, false);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_remove(L, -2);
  }
  machine->visibleGlobalsPointer = lua_topointer(L, -1);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "_G");
  lua_pushvalue(L, -1);
  machine->visibleGlobals = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  lua_pop(L, 1);
}

/// Refuses another hook: the only one of a thread ends code that is interrupted or takes too long.
static int refuseHook(lua_State *L) {
  return luaL_error(L, "debug.sethook cannot be called here: the hook that ends Lua which runs too long has its place");
}

void clua_openSandbox(lua_State *L, CLuaSandbox sandbox) {
  CLuaMachine *machine = clua_machine(L);
  if (sandbox != CLuaSandboxUnrestricted) {
    openSandbox(L, sandbox);
    return;
  }
  luaL_openlibs(L);
  lua_register(L, "decimal", clua_makeDecimal);
  lua_register(L, "round", clua_round);
  openArithmeticOfTexts(L);
  lua_pop(L, 2);
  lua_getglobal(L, LUA_IOLIBNAME);
  lua_pushcfunction(L, clua_openProgram);
  lua_setfield(L, -2, "popen");
  lua_pop(L, 1);
  lua_getglobal(L, LUA_DBLIBNAME);
  lua_pushcfunction(L, refuseHook);
  lua_setfield(L, -2, "sethook");
  lua_pop(L, 1);
  clua_watchLeaving(L);
  lua_pushglobaltable(L);
  machine->visibleGlobalsPointer = lua_topointer(L, -1);
  machine->globals = luaL_ref(L, LUA_REGISTRYINDEX);
  machine->visibleGlobals = machine->globals;
}
