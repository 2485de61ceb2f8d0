// `==` and `~=` of Lua code. Lua never asks a metamethod whether a number and a value of another type are equal, so
// `total == 0` would not hold of the decimal 0.00. Where both sides may be such, a text calls a function instead, before it
// is parsed: `a == b` becomes `("")["=="](a , b)`, whose name nobody can shadow, on the line where it stands.

#include <string.h>

#include "machine.h"

enum { endOfText = 0, aName = 256, aNumber, aText, aConstant, dots, concat, equal, unequal, another, aNot, anEnd, aFunction,
       aLocal, opening, anUntil, anIf, beforeValue };

/// What a value may be.
typedef enum Kind { anything, number, neither } Kind;

/// What stands at a position of the text that is to be parsed.
typedef enum EditKind { close, closeTwice, comma, open, openNegated } EditKind;
static const char *const inserts[] = {")", "))", ",", "(\"\")[\"==\"](", "(not (\"\")[\"==\"]("};

typedef struct Edit {
  size_t position;
  EditKind kind;
} Edit;

/// A text, the token at which its reading stands, and what is to change about it.
typedef struct Scan {
  lua_State *L;
  const char *text;
  size_t count, start, end, last;
  int token, depth;
  /// True if it is no Lua, of which the parser will say so, or nests deeper than the parser reads.
  bool failed;
  /// True if there was no memory.
  bool isShort;
  Edit *edits;
  size_t editCount, capacity;
} Scan;

void *clua_resize(lua_State *L, void *block, size_t from, size_t to) {
  void *context;
  lua_Alloc allocate = lua_getallocf(L, &context);
  return allocate(context, block, from, to);
}

static void add(Scan *scan, size_t position, EditKind kind) {
  if (scan->editCount == scan->capacity) {
    size_t capacity = scan->capacity * 2 + 16;
    Edit *edits = clua_resize(scan->L, scan->edits, scan->capacity * sizeof(Edit), capacity * sizeof(Edit));
    if (edits == NULL) {
      scan->failed = scan->isShort = true;
      return;
    }
    scan->edits = edits;
    scan->capacity = capacity;
  }
  scan->edits[scan->editCount++] = (Edit){position, kind};
}

// MARK: Tokens

static bool isNamePart(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}
static bool isDigit(char byte) { return byte >= '0' && byte <= '9'; }
static char at(const Scan *scan, size_t position) { return position < scan->count ? scan->text[position] : 0; }

/// The position behind a long bracket that begins at one; 0: none begins there.
static size_t afterLongBracket(Scan *scan, size_t position) {
  size_t level = 0;
  while (at(scan, position + 1 + level) == '=') level += 1;
  if (at(scan, position) != '[' || at(scan, position + 1 + level) != '[') return 0;
  for (size_t here = position + level + 2; here + level + 1 < scan->count; here += 1) {
    if (scan->text[here] != ']') continue;
    size_t signs = 0;
    while (signs < level && scan->text[here + 1 + signs] == '=') signs += 1;
    if (signs == level && at(scan, here + 1 + level) == ']') return here + level + 2;
  }
  scan->failed = true;
  return scan->count;
}

static size_t afterText(Scan *scan, size_t position) {
  char quote = scan->text[position++];
  while (position < scan->count && scan->text[position] != quote) position += scan->text[position] == '\\' ? 2 : 1;
  if (position >= scan->count) scan->failed = true;
  return position + 1;
}

static size_t afterNumber(const Scan *scan, size_t position) {
  bool isHex = at(scan, position) == '0' && (at(scan, position + 1) | 0x20) == 'x';
  while (isNamePart(at(scan, position)) || at(scan, position) == '.') {
    bool isExponent = (at(scan, position) | 0x20) == (isHex ? 'p' : 'e');
    position += 1;
    if (isExponent && (at(scan, position) == '+' || at(scan, position) == '-')) position += 1;
  }
  return position;
}

static int word(const char *text, size_t count) {
  static const struct {
    const char *name;
    int token;
  } words[] = {{"nil", aConstant},   {"true", aConstant}, {"false", aConstant}, {"not", aNot},     {"end", anEnd},
               {"function", aFunction}, {"local", aLocal}, {"if", anIf},         {"do", opening},   {"repeat", opening},
               {"until", anUntil},   {"and", beforeValue}, {"or", beforeValue}, {"then", another}, {"else", another},
               {"elseif", beforeValue}, {"while", beforeValue}, {"for", another}, {"in", beforeValue}, {"return", beforeValue},
               {"break", another},   {"goto", another}};
  for (size_t place = 0; place < sizeof words / sizeof *words; place += 1) {
    if (strlen(words[place].name) == count && memcmp(words[place].name, text, count) == 0) return words[place].token;
  }
  return aName;
}

/// The token of two or three signs at a position, or the sign itself; sets the end.
static int sign(Scan *scan) {
  char first = scan->text[scan->start], second = at(scan, scan->start + 1);
  scan->end = scan->start + 2;
  if (first == '.' && second == '.') {
    if (at(scan, scan->end) != '.') return concat;
    scan->end += 1;
    return dots;
  }
  if (second == '=' && first == '=') return equal;
  if (second == '=' && first == '~') return unequal;
  if (second == '=' && (first == '<' || first == '>')) return first;
  // They give numbers, as `%` does.
  if (first == second && (first == '<' || first == '>' || first == '/')) return '%';
  if (first == ':' && second == ':') return another;
  scan->end = scan->start + 1;
  return first;
}

/// Goes to the next token.
static void advance(Scan *scan) {
  scan->last = scan->end;
  size_t here = scan->end;
  for (;;) {
    while (here < scan->count && strchr(" \t\r\n\f\v", scan->text[here]) != NULL && scan->text[here] != 0) here += 1;
    if (at(scan, here) != '-' || at(scan, here + 1) != '-') break;
    size_t after = afterLongBracket(scan, here + 2);
    if (after == 0) {
      const char *line = memchr(scan->text + here, '\n', scan->count - here);
      after = line == NULL ? scan->count : (size_t)(line - scan->text);
    }
    here = after;
  }
  scan->start = here;
  char first = at(scan, here);
  if (here >= scan->count || scan->failed) {
    scan->end = here;
    scan->token = endOfText;
  } else if (isDigit(first) || (first == '.' && isDigit(at(scan, here + 1)))) {
    scan->end = afterNumber(scan, here);
    scan->token = aNumber;
  } else if (isNamePart(first)) {
    while (isNamePart(at(scan, scan->end = here))) here += 1;
    scan->token = word(scan->text + scan->start, scan->end - scan->start);
  } else if (first == '"' || first == '\'') {
    scan->end = afterText(scan, here);
    scan->token = aText;
  } else if (first == '[' && (scan->end = afterLongBracket(scan, here)) != 0) {
    scan->token = aText;
  } else {
    scan->token = sign(scan);
  }
}

// MARK: Expressions

static Kind operand(Scan *scan);
static void comparison(Scan *scan);
static void nested(Scan *scan, int token);

static void expect(Scan *scan, int token) {
  if (scan->token != token) scan->failed = true;
  if (!scan->failed) advance(scan);
}

static bool beginsOperand(int token) {
  return (token >= aName && token <= dots) || token == aNot || token == aFunction || (token != 0 && token < 256 && strchr("({-#~", token) != NULL);
}

/// The names behind `local`, whose attributes are no comparisons.
static void locals(Scan *scan) {
  advance(scan);
  while (scan->token == aName && !scan->failed) {
    advance(scan);
    if (scan->token == '<') {
      advance(scan);
      expect(scan, aName);
      expect(scan, '>');
    }
    if (scan->token != ',') break;
    advance(scan);
  }
}

/// True if a value follows a token of a block. What else begins there is a statement, which compares nothing.
static bool isBeforeValue(int token) {
  return token == '=' || token == ',' || token == beforeValue || token == anIf || token == anUntil;
}

/// Reads up to a token and goes behind it; blocks that begin before it end before it.
static void through(Scan *scan, int token) {
  int blocks = 0;
  bool isBlock = token == anEnd || token == endOfText, isValue = !isBlock;
  while (!scan->failed && (scan->token != token || (token == anEnd && blocks > 0))) {
    bool wasValue = isValue;
    isValue = !isBlock || isBeforeValue(scan->token);
    if (scan->token == aLocal) {
      locals(scan);
    } else if (beginsOperand(scan->token)) {
      if (wasValue) comparison(scan);
      else operand(scan);
    } else if (scan->token == '[') {
      nested(scan, ']');
    } else {
      bool opens = scan->token == opening || scan->token == anIf;
      blocks += opens ? 1 : scan->token == anEnd || scan->token == anUntil ? -1 : 0;
      if (scan->token == endOfText || scan->token == ')' || scan->token == ']' || scan->token == '}' || blocks < 0) scan->failed = true;
      advance(scan);
    }
  }
  if (token != endOfText) expect(scan, token);
}

static void nested(Scan *scan, int token) {
  if (++scan->depth > 190) scan->failed = true;
  advance(scan);
  through(scan, token);
  scan->depth -= 1;
}

/// Reads fields, positions and calls of what stands before them.
static Kind suffixes(Scan *scan) {
  for (;;) {
    if (scan->failed) return anything;
    switch (scan->token) {
    case '.':
    case ':':
      advance(scan);
      expect(scan, aName);
      break;
    case '[': nested(scan, ']'); break;
    case '(': nested(scan, ')'); break;
    case '{': nested(scan, '}'); break;
    case aText: advance(scan); break;
    default: return anything;
    }
  }
}

static Kind primary(Scan *scan) {
  int token = scan->token;
  switch (token) {
  case aNumber:
  case aText:
  case aConstant:
  case dots: advance(scan); return token == aNumber ? number : token == dots ? anything : neither;
  case aName: advance(scan); return suffixes(scan);
  case '(': nested(scan, ')'); return suffixes(scan);
  case '{': nested(scan, '}'); return neither;
  case aFunction:
    while (scan->token != '(' && scan->token != endOfText) advance(scan);
    if (scan->token == '(') nested(scan, ')');
    if (++scan->depth > 190) scan->failed = true;
    through(scan, anEnd);
    scan->depth -= 1;
    return neither;
  default: scan->failed = true; return neither;
  }
}

/// Reads what stands on one side of a comparison.
static Kind operand(Scan *scan) {
  Kind kind = number;
  bool isSum = false, isNumber = false, isText = false;
  for (int operators = 0; !scan->failed; operators += 1) {
    int unary = 0;
    while (scan->token == aNot || scan->token == '-' || scan->token == '#' || scan->token == '~') {
      if (unary == 0) unary = scan->token;
      advance(scan);
    }
    Kind part = primary(scan);
    if (unary == aNot) part = neither;
    if (unary == '#' || unary == '~' || (unary == '-' && part == neither)) part = number;
    if (part == anything || operators == 0) kind = part;
    int token = scan->token;
    isText = isText || token == concat;
    isSum = isSum || token == '+' || token == '-' || token == '*' || token == '/';
    isNumber = isNumber || token == '&' || token == '|' || token == '~';
    if (token != concat && (token == 0 || token > 255 || strchr("+-*/%^&|~", token) == NULL)) {
      if (operators == 0) return kind;
      return isNumber ? number : isText ? neither : isSum && kind == anything ? anything : number;
    }
    advance(scan);
  }
  return neither;
}

/// Reads operands and the comparisons between them, of which all but the first compare a boolean.
static void comparison(Scan *scan) {
  size_t start = scan->start;
  Kind left = operand(scan);
  while (!scan->failed && (scan->token == equal || scan->token == unequal || scan->token == '<' || scan->token == '>')) {
    int token = scan->token;
    size_t position = scan->start;
    advance(scan);
    Kind right = operand(scan);
    bool isEquality = token == equal || token == unequal;
    if (isEquality && left != neither && right != neither && (left == anything || right == anything)) {
      add(scan, start, token == equal ? open : openNegated);
      add(scan, position, comma);
      add(scan, scan->last, token == equal ? close : closeTwice);
    }
    left = neither;
  }
}

// MARK: The text

static int isBefore(const void *left, const void *right) {
  const Edit *one = left, *other = right;
  if (one->position != other->position) return one->position < other->position ? -1 : 1;
  return (int)one->kind - (int)other->kind;
}

/// True if the text compares anything.
static bool compares(const char *text, size_t count) {
  for (size_t here = 1; here < count; here += 1) {
    if (text[here] == '=' && (text[here - 1] == '=' || text[here - 1] == '~')) return true;
  }
  return false;
}

/// Writes the text with its edits, or where it is null only counts.
static size_t write(const Scan *scan, char *out) {
  size_t from = 0, to = 0;
  for (size_t place = 0; place <= scan->editCount; place += 1) {
    const Edit *edit = place < scan->editCount ? &scan->edits[place] : NULL;
    size_t until = edit != NULL ? edit->position : scan->count;
    const char *insert = edit != NULL ? inserts[edit->kind] : "";
    if (out != NULL) memcpy(out + to, scan->text + from, until - from);
    to += until - from;
    if (out != NULL) memcpy(out + to, insert, strlen(insert));
    to += strlen(insert);
    // The comma stands in for two signs.
    from = edit != NULL && edit->kind == comma ? until + 2 : until;
  }
  return to;
}

static const char *wholeText(lua_State *L, void *data, size_t *count) {
  Scan *scan = data;
  (void)L;
  *count = scan->end;
  scan->end = 0;
  return scan->text;
}

/// True if the text is Lua. With the edits, texts that are none would become Lua.
static bool isLua(Scan *scan) {
  scan->end = scan->count;
  bool isLua = lua_load(scan->L, wholeText, scan, "=text", "t") == LUA_OK;
  lua_pop(scan->L, 1);
  return isLua;
}

char *clua_settleEqualities(lua_State *L, const char *text, size_t count, size_t *newCount) {
  if (!compares(text, count)) return NULL;
  Scan scan = {.L = L, .text = text, .count = count};
  char *settled = NULL;
  advance(&scan);
  through(&scan, endOfText);
  bool isToChange = !scan.failed && scan.editCount > 0 && isLua(&scan);
  if (isToChange) {
    qsort(scan.edits, scan.editCount, sizeof(Edit), isBefore);
    *newCount = write(&scan, NULL);
    settled = clua_resize(L, NULL, 0, *newCount);
    if (settled != NULL) write(&scan, settled);
  }
  clua_resize(L, scan.edits, scan.capacity * sizeof(Edit), 0);
  if (scan.isShort || (isToChange && settled == NULL)) luaL_error(L, "not enough memory to read the text");
  return settled;
}
