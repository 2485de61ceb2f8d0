// Stock library functions with a charge before them. The stock function runs in the frame of the one that charges, so
// results and messages are its own; it stands in upvalue 1.

#include <string.h>

#include "machine.h"

static int runStock(lua_State *L) { return lua_tocfunction(L, lua_upvalueindex(1))(L); }

/// The bytes of all texts among the arguments.
static uint64_t textBytes(lua_State *L) {
  uint64_t bytes = 0;
  for (int argument = lua_gettop(L); argument > 0; argument -= 1) {
    if (lua_type(L, argument) == LUA_TSTRING) bytes += lua_rawlen(L, argument);
  }
  return bytes;
}

/// For functions that look at every byte of their strings.
static int chargeBytes(lua_State *L) {
  uint64_t bytes = textBytes(L);
  clua_charge(L, bytes / 16);
  clua_makeRoom(L, bytes);
  return runStock(L);
}

/// For functions whose result is as long as their text.
static int makeText(lua_State *L) {
  clua_makeRoom(L, textBytes(L));
  return runStock(L);
}

/// Numbers that stand as text and are as long as this or shorter are read in no time.
static const uint64_t shortNumeral = 32;

static void chargeNumeral(lua_State *L, uint64_t bytes) {
  if (bytes > shortNumeral) clua_charge(L, bytes / 8);
}

lua_Integer clua_checkInteger(lua_State *L, int argument) {
  if (lua_type(L, argument) == LUA_TSTRING) chargeNumeral(L, lua_rawlen(L, argument));
  return luaL_checkinteger(L, argument);
}

lua_Integer clua_optInteger(lua_State *L, int argument, lua_Integer other) {
  return luaL_opt(L, clua_checkInteger, argument, other);
}

/// Refuses a text where texts are no numbers.
static void requireNumber(lua_State *L, int argument) {
  if (!clua_machine(L)->refusesArithmeticOfTexts || lua_type(L, argument) != LUA_TSTRING) return;
  luaL_typeerror(L, argument, "number");
}

/// Charges for texts from an argument on that will be read as numbers.
static void chargeNumerals(lua_State *L, int first) {
  uint64_t bytes = 0;
  for (int argument = lua_gettop(L); argument >= first; argument -= 1) {
    if (lua_type(L, argument) == LUA_TSTRING) bytes += lua_rawlen(L, argument);
  }
  chargeNumeral(L, bytes);
}

/// For functions all of whose arguments are numbers.
static int chargeNumbers(lua_State *L) {
  chargeNumerals(L, 1);
  return runStock(L);
}

/// For functions that compute with all of their arguments.
static int computeNumbers(lua_State *L) {
  for (int argument = lua_gettop(L); argument > 0; argument -= 1) requireNumber(L, argument);
  return chargeNumbers(L);
}

/// For functions whose arguments after the first are numbers.
static int chargePositions(lua_State *L) {
  chargeNumerals(L, 2);
  return runStock(L);
}

/// For functions with one argument that is a number.
static int chargeFirst(lua_State *L) {
  if (lua_type(L, 1) == LUA_TSTRING) chargeNumeral(L, lua_rawlen(L, 1));
  return runStock(L);
}

static int rep(lua_State *L) {
  size_t count, separatorCount;
  luaL_checklstring(L, 1, &count);
  lua_Integer times = clua_checkInteger(L, 2);
  luaL_optlstring(L, 3, "", &separatorCount);
  // The stock loop copies nothing `times` times.
  if (times <= 0 || count + separatorCount == 0) {
    lua_pushliteral(L, "");
    return 1;
  }
  // Of more the stock function says that it is too long.
  if (count + separatorCount < SIZE_MAX / 2 / (size_t)times) clua_makeRoom(L, (count + separatorCount) * (size_t)times);
  return runStock(L);
}

/// For functions that give a value for what is between two positions of a string.
static int chargeSlice(lua_State *L) {
  chargeNumerals(L, 2);
  if (lua_gettop(L) > 2) {
    size_t count;
    luaL_checklstring(L, 1, &count);
    lua_Integer size = (lua_Integer)count;
    lua_Integer first = luaL_optinteger(L, 2, 1), last = luaL_optinteger(L, 3, first);
    if (first < 0) first = first < -size ? 1 : size + first + 1;
    if (last < 0) last = last < -size ? 0 : size + last + 1;
    if (last > size) last = size;
    if (first < 1) first = 1;
    if (last - first >= CLUA_MAXIMUM_RESULTS) return luaL_error(L, "string slice too long");
    if (first < last) clua_charge(L, (uint64_t)(last - first) / 4);
  }
  return runStock(L);
}

/// Refuses `%p` and gives `%s` the text of a value without its address; everything else is the stock function's.
static int format(lua_State *L) {
  size_t count;
  const char *text = luaL_checklstring(L, 1, &count);
  const char *end = text + count;
  int top = lua_gettop(L), argument = 1;
  uint64_t cost = count / 4;
  for (const char *at = text; at < end; at += 1) {
    if (*at != '%') continue;
    at += 1;
    if (at < end && *at == '%') continue;
    while (at < end && *at != 0 && strchr("-+ #0123456789.", *at) != NULL) at += 1;
    argument += 1;
    if (at < end && *at == 'p') return luaL_error(L, "addresses are not available ('%%p')");
    if (at == end || argument > top) continue;
    if (lua_type(L, argument) == LUA_TSTRING) {
      if (*at != 's' && *at != 'q') requireNumber(L, argument);
      // Of another conversion than to text it is a number that stands as text.
      cost += lua_rawlen(L, argument) / (*at == 's' ? 16 : 8);
    } else if (*at != 's') {
      continue;
    } else if (lua_type(L, argument) != LUA_TNUMBER) {
      size_t length;
      clua_toText(L, argument, &length);
      lua_replace(L, argument);
      lua_settop(L, top);
    }
  }
  clua_charge(L, cost);
  return makeText(L);
}

/// Of a decimal it is the decimal: `tonumber(amount) or 0` loses no money.
static int toNumber(lua_State *L) {
  int64_t units;
  int32_t scale;
  if (lua_gettop(L) != 1 || !clua_toDecimal(L, 1, &units, &scale)) return chargeNumbers(L);
  return 1;
}

void clua_chargeFunctions(lua_State *L, const luaL_Reg *functions) {
  for (; functions->name != NULL; functions += 1) {
    lua_getfield(L, -1, functions->name);
    lua_pushcclosure(L, functions->func, 1);
    lua_setfield(L, -2, functions->name);
  }
}

const luaL_Reg clua_chargedStringFunctions[] = {
    {"rep", rep},
    {"byte", chargeSlice},
    {"char", chargeNumbers},
    {"format", format},
    {"lower", makeText},
    {"pack", chargeBytes},
    {"packsize", chargeBytes},
    {"reverse", makeText},
    {"sub", chargePositions},
    {"unpack", chargeBytes},
    {"upper", makeText},
    {NULL, NULL},
};

/// The most digits that show a float.
static const int floatDigits = 17;

/// Refuses a text whose number has digits that a float would lose.
static void requireDigits(lua_State *L, int argument) {
  const char *text = lua_tostring(L, argument);
  int digits = 0, zeros = 0;
  for (const char *at = text; *at != 0 && strchr("eExX", *at) == NULL; at += 1) {
    if (*at == '0') zeros += digits > 0;
    if (*at < '1' || *at > '9') continue;
    digits += zeros + 1;
    zeros = 0;
  }
  if (digits <= floatDigits || lua_stringtonumber(L, text) == 0) return;
  if (!lua_isinteger(L, -1)) luaL_error(L, "the text %s has more digits than a number holds", text);
  lua_pop(L, 1);
}

/// Arithmetic of which an operand is a text.
static int reckonTexts(lua_State *L) {
  chargeNumerals(L, 1);
  for (int argument = 1; argument <= 2; argument += 1) {
    if (lua_type(L, argument) == LUA_TSTRING) requireDigits(L, argument);
  }
  if (clua_machine(L)->refusesArithmeticOfTexts) return luaL_error(L, "attempt to perform arithmetic on a text");
  return runStock(L);
}

/// `+` joins texts in other languages.
static int addTexts(lua_State *L) {
  bool isReckoning = true, areTexts = true;
  for (int argument = 1; argument <= 2; argument += 1) {
    isReckoning = isReckoning && lua_isnumber(L, argument);
    areTexts = areTexts && lua_isstring(L, argument);
  }
  if (isReckoning || !areTexts) return reckonTexts(L);
  return luaL_error(L, "attempt to add a '%s' with a '%s' (.. joins texts)", luaL_typename(L, 1), luaL_typename(L, 2));
}

const luaL_Reg clua_chargedArithmetic[] = {
    {"__add", addTexts},    {"__sub", reckonTexts},  {"__mul", reckonTexts},  {"__mod", reckonTexts},
    {"__pow", reckonTexts}, {"__div", reckonTexts}, {"__idiv", reckonTexts}, {"__unm", reckonTexts},
    {NULL, NULL},
};

const luaL_Reg clua_chargedBaseFunctions[] = {
    {"error", chargePositions}, {"select", chargeFirst}, {"tonumber", toNumber}, {NULL, NULL}};

const luaL_Reg clua_chargedMathFunctions[] = {
    {"abs", computeNumbers}, {"acos", computeNumbers}, {"asin", computeNumbers}, {"atan", computeNumbers},
    {"ceil", computeNumbers}, {"cos", computeNumbers}, {"deg", computeNumbers}, {"exp", computeNumbers},
    {"floor", computeNumbers}, {"fmod", computeNumbers}, {"log", computeNumbers}, {"max", computeNumbers},
    {"min", computeNumbers}, {"modf", computeNumbers}, {"rad", computeNumbers}, {"sin", computeNumbers},
    {"sqrt", computeNumbers}, {"tan", computeNumbers}, {"tointeger", computeNumbers}, {"ult", computeNumbers},
    {NULL, NULL},
};

const luaL_Reg clua_chargedTextFunctions[] = {{"char", chargeNumbers},
                                              {"codepoint", chargeSlice},
                                              {"len", chargeBytes},
                                              {"offset", chargeBytes},
                                              {NULL, NULL}};
