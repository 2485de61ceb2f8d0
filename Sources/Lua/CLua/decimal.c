// Exact decimal numbers: userdata of a whole number of units and the count of digits after the point. Arithmetic is
// exact or an error, with whole numbers too, and with floats that show their digits for certain.

#include <stdio.h>
#include <string.h>

#include "machine.h"

/// The registry key of the metatable.
static const char metatableKey[] = "decimal";

typedef struct Decimal {
  int64_t units;
  int32_t scale;
} Decimal;

bool clua_toDecimal(lua_State *L, int index, int64_t *units, int32_t *scale) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, metatableKey);
  bool isDecimal = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  if (!isDecimal) return false;
  const Decimal *decimal = lua_touserdata(L, index);
  *units = decimal->units;
  *scale = decimal->scale;
  return true;
}

void clua_pushDecimal(lua_State *L, int64_t units, int32_t scale) {
  Decimal *decimal = lua_newuserdatauv(L, sizeof(Decimal), 0);
  memset(decimal, 0, sizeof *decimal);
  decimal->units = units;
  decimal->scale = scale;
  lua_rawgetp(L, LUA_REGISTRYINDEX, metatableKey);
  lua_setmetatable(L, -2);
}

/// Multiplies by ten as often as asked; false: the result is too large.
static bool scaleUp(int64_t *units, int32_t times) {
  for (; times > 0; times -= 1) {
    if (__builtin_mul_overflow(*units, (int64_t)10, units)) return false;
  }
  return true;
}

/// Reads digits with or without a point and an exponent; false: the text is no number, or has too many digits.
static bool parse(const char *text, size_t count, Decimal *decimal) {
  const char *end = text + count;
  bool isNegative = text < end && *text == '-';
  if (text < end && (*text == '-' || *text == '+')) text += 1;
  int64_t units = 0;
  long scale = 0, digits = 0, zeros = 0;
  bool isFraction = false;
  for (; text < end; text += 1) {
    if (*text == '.' && !isFraction) {
      isFraction = true;
      continue;
    }
    if (*text < '0' || *text > '9') break;
    digits += 1;
    scale += isFraction;
    // Zeros at the end of a fraction are worth nothing, and wait for what follows.
    if (isFraction && *text == '0' && scale > CLUA_DECIMAL_SCALE) {
      zeros += 1;
      continue;
    }
    if (!scaleUp(&units, (int32_t)(zeros < 20 ? zeros : 20) + 1)) return false;
    zeros = 0;
    if (__builtin_sub_overflow(units, (int64_t)(*text - '0'), &units)) return false;
  }
  scale -= zeros;
  if (digits == 0) return false;
  if (text < end && (*text == 'e' || *text == 'E')) {
    char *rest;
    // A text of Lua ends with a zero.
    long exponent = strtol(text + 1, &rest, 10);
    if (rest != end || rest == text + 1 || exponent < -999 || exponent > 999) return false;
    scale -= exponent;
    text = end;
  }
  if (text != end) return false;
  if (!isNegative && __builtin_sub_overflow((int64_t)0, units, &units)) return false;
  if (scale < 0 && units != 0 && (scale < -CLUA_DECIMAL_SCALE || !scaleUp(&units, (int32_t)-scale))) return false;
  if (scale < 0) scale = 0;
  while (scale > CLUA_DECIMAL_SCALE && units % 10 == 0) {
    units /= 10;
    scale -= 1;
    if (units == 0) scale = CLUA_DECIMAL_SCALE;
  }
  if (scale > CLUA_DECIMAL_SCALE) return false;
  decimal->units = units;
  decimal->scale = (int32_t)scale;
  return true;
}

/// Leaves out zeros at the end of the fraction.
static void shorten(Decimal *decimal) {
  for (; decimal->scale > 0 && decimal->units % 10 == 0; decimal->scale -= 1) decimal->units /= 10;
}

/// The number that a float shows with the fifteen digits that come through it unchanged; false: it has more.
static bool fromFloat(lua_Number number, Decimal *decimal) {
  char text[40];
  int count = snprintf(text, sizeof text, "%.15g", number);
  if (number - number != 0 || strtod(text, NULL) != number || !parse(text, (size_t)count, decimal)) return false;
  shorten(decimal);
  return true;
}

/// Writes the digits and answers their number.
static size_t write(const Decimal *decimal, char *out) {
  char digits[24];
  int count = 0, length = 0;
  uint64_t rest = decimal->units < 0 ? 0 - (uint64_t)decimal->units : (uint64_t)decimal->units;
  do {
    digits[count++] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0 || count <= decimal->scale);
  if (decimal->units < 0) out[length++] = '-';
  while (count > 0) {
    out[length++] = digits[--count];
    if (count == decimal->scale && count > 0) out[length++] = '.';
  }
  return (size_t)length;
}

static void pushText(lua_State *L, const Decimal *decimal) {
  char text[48];
  lua_pushlstring(L, text, write(decimal, text));
}

/// Reads an operand: a decimal, a whole number, or a float that shows its digits. Raises for anything else.
static Decimal operand(lua_State *L, int index) {
  Decimal decimal = {0, 0};
  if (clua_toDecimal(L, index, &decimal.units, &decimal.scale)) return decimal;
  if (lua_isinteger(L, index)) {
    decimal.units = lua_tointeger(L, index);
  } else if (lua_type(L, index) != LUA_TNUMBER) {
    luaL_error(L, "attempt to reckon with a decimal and a %s; decimal(…) makes a decimal of a text or a number",
               luaL_typename(L, index));
  } else if (!fromFloat(lua_tonumber(L, index), &decimal)) {
    luaL_error(L, "the float %s has more digits than it tells for certain; round(…, 2) rounds it, decimal(\"…\") takes the digits that are meant",
               luaL_tolstring(L, index, NULL));
  }
  return decimal;
}

static int overflow(lua_State *L, const char *symbol) {
  Decimal left = operand(L, 1), right = operand(L, 2);
  pushText(L, &left);
  pushText(L, &right);
  return luaL_error(L, "the result of %s %s %s does not fit a decimal", lua_tostring(L, -2), symbol, lua_tostring(L, -1));
}

/// Reads the operands of a sum at one scale; that of a float is not the higher one.
static bool operands(lua_State *L, Decimal *left, Decimal *right) {
  *left = operand(L, 1);
  *right = operand(L, 2);
  bool isLeftFloat = lua_type(L, 1) == LUA_TNUMBER, isRightFloat = lua_type(L, 2) == LUA_TNUMBER;
  if ((isLeftFloat && left->scale > right->scale) || (isRightFloat && right->scale > left->scale)) {
    int place = isLeftFloat ? 1 : 2;
    luaL_error(L, "the float %s is not exact at a scale of %d; round it, or write decimal(\"…\")",
               luaL_tolstring(L, place, NULL), (int)(isLeftFloat ? right : left)->scale);
  }
  Decimal *lower = left->scale < right->scale ? left : right, *higher = lower == left ? right : left;
  bool fits = scaleUp(&lower->units, higher->scale - lower->scale);
  lower->scale = higher->scale;
  return fits;
}

static int add(lua_State *L) {
  Decimal left, right;
  int64_t units;
  if (!operands(L, &left, &right) || __builtin_add_overflow(left.units, right.units, &units)) return overflow(L, "+");
  clua_pushDecimal(L, units, left.scale);
  return 1;
}

static int subtract(lua_State *L) {
  Decimal left, right;
  int64_t units;
  if (!operands(L, &left, &right) || __builtin_sub_overflow(left.units, right.units, &units)) return overflow(L, "-");
  clua_pushDecimal(L, units, left.scale);
  return 1;
}

static int multiply(lua_State *L) {
  Decimal left = operand(L, 1), right = operand(L, 2);
  int64_t units;
  if (__builtin_mul_overflow(left.units, right.units, &units)) return overflow(L, "*");
  int32_t scale = left.scale + right.scale;
  for (; scale > CLUA_DECIMAL_SCALE && units % 10 == 0; scale -= 1) units /= 10;
  if (scale > CLUA_DECIMAL_SCALE) return overflow(L, "*");
  clua_pushDecimal(L, units, scale);
  return 1;
}

static int negate(lua_State *L) {
  Decimal decimal = operand(L, 1);
  int64_t units;
  if (__builtin_sub_overflow((int64_t)0, decimal.units, &units)) {
    pushText(L, &decimal);
    return luaL_error(L, "the opposite of %s does not fit a decimal", lua_tostring(L, -1));
  }
  clua_pushDecimal(L, units, decimal.scale);
  return 1;
}

/// A quotient without an end, which only `round` takes: a fraction in lowest terms.
typedef struct Quotient {
  int64_t numerator, denominator;
} Quotient;

/// The registry key of the metatable of quotients.
static const char quotientKey[] = "quotient";

static __int128 powerOfTen(int32_t exponent) {
  __int128 power = 1;
  for (; exponent > 0; exponent -= 1) power *= 10;
  return power;
}

static bool fits(__int128 number) { return number >= INT64_MIN && number <= INT64_MAX; }

/// `/` of decimals: exact, where the quotient has an end.
static int divide(lua_State *L) {
  Decimal left = operand(L, 1), right = operand(L, 2);
  if (right.units == 0) return luaL_error(L, "a decimal is not divided by zero");
  __int128 numerator = left.units * powerOfTen(right.scale), denominator = right.units * powerOfTen(left.scale);
  __int128 divisor = numerator < 0 ? -numerator : numerator, rest = denominator < 0 ? -denominator : denominator;
  while (rest != 0) {
    __int128 next = divisor % rest;
    divisor = rest;
    rest = next;
  }
  if (denominator < 0) divisor = -divisor;
  numerator /= divisor;
  denominator /= divisor;
  __int128 units = numerator, left10 = denominator;
  int32_t scale = 0;
  for (; left10 > 1 && (left10 % 2 == 0 || left10 % 5 == 0) && scale <= CLUA_DECIMAL_SCALE; scale += 1) {
    if (left10 % 10 == 0) {
      left10 /= 10;
      continue;
    }
    __int128 factor = left10 % 2 == 0 ? 5 : 2;
    left10 /= factor == 5 ? 2 : 5;
    if (__builtin_mul_overflow(units, factor, &units)) return overflow(L, "/");
  }
  if (left10 == 1 && scale <= CLUA_DECIMAL_SCALE) {
    for (; scale < left.scale && fits(units * 10); scale += 1) units *= 10;
    if (!fits(units)) return overflow(L, "/");
    clua_pushDecimal(L, (int64_t)units, scale);
    return 1;
  }
  if (!fits(numerator) || !fits(denominator)) return overflow(L, "/");
  Quotient *quotient = lua_newuserdatauv(L, sizeof(Quotient), 0);
  quotient->numerator = (int64_t)numerator;
  quotient->denominator = (int64_t)denominator;
  lua_rawgetp(L, LUA_REGISTRYINDEX, quotientKey);
  lua_setmetatable(L, -2);
  return 1;
}

static int refuseQuotient(lua_State *L) {
  return luaL_error(L, "the result of this division has no end; round(a / b, 2) rounds it to two digits");
}

bool clua_isQuotient(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, quotientKey);
  bool isQuotient = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return isQuotient;
}

/// The digits of a float as a fraction; of one that is too small for any decimal, nothing. False: it is too large, or no number.
static bool fraction(lua_Number number, __int128 *numerator, __int128 *denominator) {
  if (number - number != 0) return false;
  char text[40];
  // Seventeen digits tell every float from all others.
  snprintf(text, sizeof text, "%.16e", number);
  *numerator = 0;
  *denominator = 1;
  const char *digit = text + (text[0] == '-');
  for (; *digit != 'e'; digit += 1) {
    if (*digit != '.') *numerator = *numerator * 10 + (*digit - '0');
  }
  if (text[0] == '-') *numerator = -*numerator;
  long exponent = strtol(digit + 1, NULL, 10) - 16;
  if (exponent > CLUA_DECIMAL_SCALE) return *numerator == 0;
  if (exponent < -2 * CLUA_DECIMAL_SCALE) {
    *numerator = 0;
  } else if (exponent < 0) {
    *denominator = powerOfTen((int32_t)-exponent);
  } else {
    *numerator *= powerOfTen((int32_t)exponent);
  }
  return true;
}

/// `round(number, places)`: half a unit is rounded away from zero.
int clua_round(lua_State *L) {
  lua_Integer places = luaL_optinteger(L, 2, 0);
  luaL_argcheck(L, places >= 0 && places <= CLUA_DECIMAL_SCALE, 2, "a number is rounded to 0 to 18 places");
  __int128 numerator, denominator;
  if (clua_isQuotient(L, 1)) {
    const Quotient *quotient = lua_touserdata(L, 1);
    numerator = quotient->numerator;
    denominator = quotient->denominator;
  } else if (lua_type(L, 1) == LUA_TNUMBER && !lua_isinteger(L, 1) && !fromFloat(lua_tonumber(L, 1), &(Decimal){0, 0})) {
    if (!fraction(lua_tonumber(L, 1), &numerator, &denominator)) return luaL_error(L, "the number does not fit a decimal");
  } else {
    Decimal decimal = operand(L, 1);
    numerator = decimal.units;
    denominator = powerOfTen(decimal.scale);
  }
  for (lua_Integer place = 0; place < places; place += 1) {
    if (__builtin_mul_overflow(numerator, (__int128)10, &numerator)) return luaL_error(L, "the number does not fit a decimal");
  }
  __int128 units = numerator / denominator, rest = numerator % denominator;
  __int128 size = rest < 0 ? -rest : rest;
  if (size >= denominator - size) units += numerator < 0 ? -1 : 1;
  if (!fits(units)) return luaL_error(L, "the number does not fit a decimal");
  clua_pushDecimal(L, (int64_t)units, (int32_t)places);
  return 1;
}

static int refuseRemainder(lua_State *L) {
  return luaL_error(L, "a decimal has no remainder here; reckon with its .units and .scale");
}

static int refusePower(lua_State *L) {
  return luaL_error(L, "a decimal is not raised to a power, since the result may not fit it; reckon with its .units and .scale");
}

/// Negative, zero or positive, as the left number is less, the same or more.
static int order(Decimal left, Decimal right) {
  __int128 leftUnits = left.units, rightUnits = right.units;
  for (int32_t times = left.scale; times < right.scale; times += 1) leftUnits *= 10;
  for (int32_t times = right.scale; times < left.scale; times += 1) rightUnits *= 10;
  return leftUnits < rightUnits ? -1 : leftUnits > rightUnits;
}

static int compare(lua_State *L) { return order(operand(L, 1), operand(L, 2)); }

static int isEqual(lua_State *L) {
  int64_t units;
  int32_t scale;
  // Another userdata is no decimal.
  bool areDecimals = clua_toDecimal(L, 1, &units, &scale) && clua_toDecimal(L, 2, &units, &scale);
  lua_pushboolean(L, areDecimals && compare(L) == 0);
  return 1;
}

/// Answers what a metamethod gave, which may have yielded.
static int answerTruth(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  lua_pushboolean(L, lua_toboolean(L, -1));
  return 1;
}

/// `==` of Lua itself. A comparison by lua_compare could not yield.
static int areEqual(lua_State *L) {
  int type = lua_type(L, 1);
  bool isAsked = type == lua_type(L, 2) && (type == LUA_TTABLE || type == LUA_TUSERDATA) && !lua_rawequal(L, 1, 2) &&
                 (luaL_getmetafield(L, 1, "__eq") != LUA_TNIL || luaL_getmetafield(L, 2, "__eq") != LUA_TNIL);
  if (!isAsked) {
    lua_pushboolean(L, lua_rawequal(L, 1, 2));
    return 1;
  }
  lua_insert(L, 1);
  lua_callk(L, 2, 1, 0, answerTruth);
  return answerTruth(L, LUA_OK, 0);
}

/// `==` as the texts of Lua have it (equality.c): of a decimal and a number, for which Lua asks no metamethod, too.
static int isSame(lua_State *L) {
  lua_settop(L, 2);
  int place = lua_type(L, 1) == LUA_TNUMBER ? 1 : 2, isWhole = 0;
  Decimal decimal, number = {0, 0};
  if (lua_type(L, place) != LUA_TNUMBER || !clua_toDecimal(L, 3 - place, &decimal.units, &decimal.scale)) return areEqual(L);
  number.units = lua_tointegerx(L, place, &isWhole);
  bool isExact = isWhole || fromFloat(lua_tonumber(L, place), &number);
  lua_pushboolean(L, isExact && order(decimal, number) == 0);
  return 1;
}

static int isLess(lua_State *L) {
  lua_pushboolean(L, compare(L) < 0);
  return 1;
}

static int isAtMost(lua_State *L) {
  lua_pushboolean(L, compare(L) <= 0);
  return 1;
}

static int describe(lua_State *L) {
  Decimal decimal = operand(L, 1);
  pushText(L, &decimal);
  return 1;
}

static int concatenate(lua_State *L) {
  for (int index = 1; index <= 2; index += 1) {
    Decimal decimal;
    if (clua_toDecimal(L, index, &decimal.units, &decimal.scale)) {
      pushText(L, &decimal);
    } else if (lua_isstring(L, index)) {
      lua_pushvalue(L, index);
    } else {
      return luaL_error(L, "attempt to concatenate a %s value", luaL_typename(L, index));
    }
  }
  lua_concat(L, 2);
  return 1;
}

static int field(lua_State *L) {
  Decimal decimal = operand(L, 1);
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(name, "units") == 0) {
    lua_pushinteger(L, decimal.units);
  } else if (strcmp(name, "scale") == 0) {
    lua_pushinteger(L, decimal.scale);
  } else {
    return luaL_error(L, "a decimal has .units and .scale, not '%s'", luaL_tolstring(L, 2, NULL));
  }
  return 1;
}

/// The type of decimals of a scale, from its options.
static int makeType(lua_State *L) {
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, 2);
  }
  lua_pushliteral(L, "decimal");
  lua_setfield(L, -2, "kind");
  return 1;
}

/// `decimal(value)` and `decimal(value, scale)`; with a table, `decimal { scale = 2 }`, a type.
int clua_makeDecimal(lua_State *L) {
  if (lua_istable(L, 1)) {
    lua_settop(L, 1);
    return makeType(L);
  }
  Decimal decimal;
  if (lua_type(L, 1) == LUA_TSTRING) {
    size_t count;
    const char *text = lua_tolstring(L, 1, &count);
    if (!parse(text, count, &decimal)) {
      return luaL_error(L, "decimal(…) needs the digits of a number, such as \"12.50\", got \"%s\"", text);
    }
  } else if (lua_isnone(L, 1) || lua_isnil(L, 1)) {
    return luaL_error(L, "decimal(…) needs a number or its digits, such as decimal(\"12.50\"); the type is decimal { scale = 2 }");
  } else {
    decimal = operand(L, 1);
  }
  if (!lua_isnoneornil(L, 2)) {
    lua_Integer scale = luaL_checkinteger(L, 2);
    luaL_argcheck(L, scale >= 0 && scale <= CLUA_DECIMAL_SCALE, 2, "a scale is from 0 to 18");
    while (decimal.scale > scale && decimal.units % 10 == 0) {
      decimal.units /= 10;
      decimal.scale -= 1;
    }
    if (decimal.scale > scale) {
      pushText(L, &decimal);
      return luaL_error(L, "%s does not fit a scale of %d", lua_tostring(L, -1), (int)scale);
    }
    if (!scaleUp(&decimal.units, (int32_t)scale - decimal.scale)) {
      return luaL_error(L, "%s does not fit a decimal of scale %d", luaL_tolstring(L, 1, NULL), (int)scale);
    }
    decimal.scale = (int32_t)scale;
  }
  clua_pushDecimal(L, decimal.units, decimal.scale);
  return 1;
}

void clua_openDecimals(lua_State *L) {
  static const luaL_Reg metamethods[] = {
      {"__add", add},          {"__sub", subtract},       {"__mul", multiply},      {"__unm", negate},
      {"__div", divide},       {"__idiv", refuseRemainder}, {"__mod", refuseRemainder}, {"__pow", refusePower},
      {"__eq", isEqual},       {"__lt", isLess},          {"__le", isAtMost},       {"__tostring", describe},
      {"__concat", concatenate}, {"__index", field},      {NULL, NULL},
  };
  luaL_newlib(L, metamethods);
  lua_pushliteral(L, "decimal");
  lua_setfield(L, -2, "__metatable");
  lua_pushliteral(L, "decimal");
  lua_setfield(L, -2, "__name");
  lua_rawsetp(L, LUA_REGISTRYINDEX, metatableKey);
  static const char *const uses[] = {
      "__add", "__sub", "__mul", "__unm", "__div", "__idiv", "__mod", "__pow", "__eq", "__lt", "__le", "__tostring",
      "__concat", "__index", "__len", "__call", NULL,
  };
  lua_newtable(L);
  for (const char *const *name = uses; *name != NULL; name += 1) {
    lua_pushcfunction(L, refuseQuotient);
    lua_setfield(L, -2, *name);
  }
  lua_pushliteral(L, "quotient");
  lua_setfield(L, -2, "__metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, quotientKey);
  // Each text leads to it, whatever names the code has.
  lua_pushliteral(L, "");
  luaL_getmetafield(L, -1, "__index");
  lua_pushcfunction(L, isSame);
  lua_setfield(L, -2, "==");
  lua_pop(L, 2);
}
