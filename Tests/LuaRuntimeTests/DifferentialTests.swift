import StoreCore
import LuaRuntime
import Testing

extension SeededGenerator {
  fileprivate mutating func text(_ pieces: [String], upTo count: Int) -> String {
    (0..<Int.random(in: 0...count, using: &self)).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
  }

  fileprivate mutating func pick<Element>(_ elements: [Element], _ fallback: Element) -> Element {
    elements.randomElement(using: &self) ?? fallback
  }
}

/// The bounded functions of the sandbox against the stock functions of an unrestricted state.
@Suite struct DifferentialTests {
  static let calls = """
    local function pack(...) return {n = select('#', ...), ...} end
    local function listed(walk)
      local all = {}
      for a, b, c in walk do all[#all + 1] = tostring(a) .. '|' .. tostring(b) .. '|' .. tostring(c) end
      return table.concat(all, ';')
    end
    local functions = {
      find = function(...) local r = pack(string.find(...)) return r end,
      match = function(...) local r = pack(string.match(...)) return r end,
      gmatch = function(...) local r = listed(string.gmatch(...)) return r end,
      gsub = function(...) local r = pack(string.gsub(...)) return r end,
      gsubTable = function(s, p, n) local r = pack(string.gsub(s, p, {a = 'A', b = false, ab = 7, ['('] = 'x'}, n)) return r end,
      gsubFunction = function(s, p, n)
        local seen = {}
        local r = pack(string.gsub(s, p, function(...)
          seen[#seen + 1] = listed(ipairs({...}))
          if #seen % 3 == 0 then return nil elseif #seen % 7 == 0 then return #seen end
          return '<' .. tostring((...)) .. '>'
        end, n))
        r.seen = table.concat(seen, '/')
        return r
      end,
      rep = function(...) local r = pack(string.rep(...)) return r end,
      byte = function(...) local r = pack(string.byte(...)) return r end,
      format = function(...) local r = pack(string.format(...)) return r end,
      len = function(...) local r = pack(utf8.len(...)) return r end,
      offset = function(...) local r = pack(utf8.offset(...)) return r end,
      codepoint = function(...) local r = pack(utf8.codepoint(...)) return r end,
      packText = function(...) local r = pack(string.pack(...)) return r end,
      packsize = function(...) local r = pack(string.packsize(...)) return r end,
      unpackText = function(...) local r = pack(string.unpack(...)) return r end,
      text = function(...) local r = pack(tostring((...))) return r end,
      walk = function(t)
        local seen = {}
        for k, v in pairs(t) do seen[k] = v end
        for k, v in next, t do if seen[k] ~= v then seen[#seen + 1] = k end end
        return {seen, rawlen(t), next({}), rawget(t, 1)}
      end,
      concat = function(...) local r = pack(table.concat(...)) return r end,
      move = function(t, ...) local r = table.move(t, ...) return {r, t} end,
      moveTo = function(t, u, a, b, c) local r = table.move(t, a, b, c, u) return {r, t} end,
      unpack = function(...) local r = pack(table.unpack(...)) return r end,
      insert = function(t, ...) table.insert(t, ...) return t end,
      remove = function(t, ...) local r = pack(table.remove(t, ...)) return {r, t} end,
      sort = function(t) table.sort(t) return t end,
      sortDown = function(t) table.sort(t, function(a, b) return a > b end) return t end,
    }
    local function show(value)
      if type(value) ~= 'table' then return math.type(value) == 'float' and value == value and string.format('%a', value) or tostring(value) end
      local keys, all = {}, {}
      for k in next, value do keys[#keys + 1] = k end
      table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
      for _, k in ipairs(keys) do all[#all + 1] = tostring(k) .. '=' .. show(value[k]) end
      return '{' .. table.concat(all, ',') .. '}'
    end
    return function(name, ...)
      local ok, result = pcall(functions[name], ...)
      return ok, show(result)
    end
    """

  let sandboxed: LuaState
  let stock: LuaState
  let inSandbox: LuaFunction
  let inStock: LuaFunction

  init() throws {
    let limits = LuaState.Limits(instructions: 50_000_000, memory: 64 << 20)
    sandboxed = try LuaState(limits: limits)
    stock = try LuaState(limits: limits, sandbox: .unrestricted)
    inSandbox = try #require(try sandboxed.call(sandboxed.load(Self.calls, chunkName: "d")).first?.asFunction)
    inStock = try #require(try stock.call(stock.load(Self.calls, chunkName: "d")).first?.asFunction)
  }

  private func compare(_ name: String, _ arguments: [LuaValue], sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    try compare(name, sourceLocation: sourceLocation) { writer in
      for argument in arguments { writer.append(argument) }
    }
  }

  private func compare(
    _ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ write: (inout LuaWriter) -> Void
  ) throws {
    let body: (inout LuaWriter) -> Void = { writer in
      writer.append(name)
      write(&writer)
    }
    let ours = try sandboxed.call(inSandbox, arguments: body)
    let theirs = try stock.call(inStock, arguments: body)
    #expect(ours == theirs, "\(name)", sourceLocation: sourceLocation)
  }

  private static let subjects = [
    "a", "b", "ab", "(", ")", "%", " ", "1", "9", "_", "\n", "\0", "A", "é", "[", "]", "-", ".",
  ]
  private static let items = [
    "a", "b", ".", "%a", "%d", "%s", "%w", "%p", "%x", "%l", "%u", "%c", "%g", "%A", "%D", "%W", "[ab]", "[^ab]",
    "[a-z]",
    "[%a_]", "[%]]", "[]]", "[^]]", "[a-]", "[%w%s]", "%%", "%.", "%-", "\0", "[\0-a]", "é",
  ]
  private static let suffixes = ["", "", "", "*", "+", "-", "?"]
  private static let specials = [
    "(", ")", "()", "(a)", "(a*)", "(.-)", "(%a+)", "%1", "%2", "%0", "%b()", "%bab", "%b", "%f[%a]", "%f[^%a]", "%f",
    "%", "[", "[^",
    "[a", "[%", "^", "$", "(()", "(%1)", "(a(b))", "%9",
  ]

  private func pattern(_ random: inout SeededGenerator) -> String {
    var text = Int.random(in: 0..<5, using: &random) == 0 ? "^" : ""
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      if Int.random(in: 0..<4, using: &random) == 0 {
        text += random.pick(Self.specials, "")
      } else {
        text += random.pick(Self.items, "") + random.pick(Self.suffixes, "")
      }
    }
    return Int.random(in: 0..<6, using: &random) == 0 ? text + "$" : text
  }

  @Test(arguments: 0..<8)
  func patterns(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let replacements = ["x", "%0", "%1", "<%1>", "%%", "%2", "%", "%x", "", "\0", "%0%0"]
    for _ in 0..<1500 {
      let subject = LuaValue.string(random.text(Self.subjects, upTo: 14))
      let pattern = LuaValue.string(pattern(&random))
      let start = random.pick(
        [.nil, .nil, .integer(2), .integer(-3), .integer(0), .integer(20), .integer(.min), .integer(.max)], LuaValue.nil
      )
      let limit = random.pick([.nil, .nil, .integer(1), .integer(0), .integer(-1)], LuaValue.nil)
      try compare("find", [subject, pattern, start, .boolean(Bool.random(using: &random))])
      try compare("find", [subject, pattern, start])
      try compare("match", [subject, pattern, start])
      try compare("gmatch", [subject, pattern, start])
      try compare("gsub", [subject, pattern, .string(random.pick(replacements, "")), limit])
      try compare("gsubTable", [subject, pattern, limit])
      try compare("gsubFunction", [subject, pattern, limit])
    }
  }

  @Test func patternsAtTheEdges() throws {
    let long = String(repeating: "a", count: 1000)
    for (subject, pattern) in [
      (long, "a-b"), (long, String(repeating: "a?", count: 199)), (long, String(repeating: "a?", count: 201)),
      (long, String(repeating: "(a)", count: 32)), (long, String(repeating: "(a)", count: 33)), ("", ""), ("", "^$"),
      ("", ".*"),
      (long, "(a*)%1"), ("abc", "()"), ("hello world", "(o)(.-)(o)"), ("THE (quick) fox", "%((%a+)%)"), ("a\0b", "%z"),
      ("[[x]]", "[[]"),
    ] {
      for name in ["find", "match", "gmatch", "gsubFunction"] {
        try compare(name, [.string(subject), .string(pattern)])
      }
      try compare("gsub", [.string(subject), .string(pattern), .string("%1")])
    }
    for arguments: [LuaValue] in [
      [], [.nil], [.string("a")], [.boolean(true), .string("a")], [.integer(12), .integer(1)],
      [.string("a"), .string("a"), .boolean(true)],
      [.string("a"), .string("a"), .string("x"), .string("y")], [.string("a"), .string("a"), .integer(3), .number(1)],
    ] {
      for name in ["find", "match", "gmatch", "gsub"] { try compare(name, arguments) }
    }
  }

  @Test func formats() throws {
    var random = SeededGenerator(seed: 7)
    let flags = ["", "", "-", "+", " ", "#", "0", "-+", "00", "+-#0 "]
    let widths = ["", "", "5", "20", "99", "100", "0"]
    let precisions = ["", "", ".", ".0", ".3", ".20", ".99", ".100"]
    let conversions = [
      "d", "i", "u", "c", "x", "X", "o", "a", "A", "e", "E", "f", "F", "g", "G", "s", "q", "%", "y", "", "5",
    ]
    let values: [LuaValue] = [
      .nil, .boolean(true), .integer(0), .integer(-5), .integer(.max), .integer(.min), .number(0.1), .number(-1e308),
      .number(.infinity),
      .number(.nan), .number(3), .string(""), .string("text"), .string("a\0b"), .string("12"), .string("0x1p4"),
      .string("é\n\"\\"),
      .string(String(repeating: "long", count: 60)),
    ]
    for _ in 0..<6000 {
      let spec =
        "%" + random.pick(flags, "") + random.pick(widths, "") + random.pick(precisions, "")
        + random.pick(conversions, "")
      try compare("format", [.string("[\(spec)]"), random.pick(values, .nil)])
      try compare(
        "format",
        [.string("%s\(spec)|%d"), random.pick(values, .nil), random.pick(values, .nil), random.pick(values, .nil)])
    }
    try compare("format", [])
    try compare("format", [.string("%s")])
    try compare("format", [.string("%d %d"), .integer(1)])
    try compare("format", [.string("%%%%")])
    try compare("format", [.string("%0000000000000000000000000000000000d"), .integer(1)])
  }

  @Test func textFunctions() throws {
    var random = SeededGenerator(seed: 11)
    let counts: [LuaValue] = [
      .nil, .integer(0), .integer(1), .integer(3), .integer(-2), .integer(7), .integer(.max), .integer(.min),
      .string("2"), .number(2),
      .number(2.5), .boolean(false),
    ]
    for _ in 0..<3000 {
      let text = LuaValue.string(random.text(Self.subjects, upTo: 8))
      let first = random.pick(counts, .nil)
      let second = random.pick(counts, .nil)
      if first != .integer(.max) {
        try compare("rep", [text, first, random.pick([.nil, .string(","), .string("")], .nil)])
      }
      try compare("byte", [text, first, second])
      try compare("len", [text, first, second])
      try compare("offset", [text, first, second])
    }
    try compare("rep", [.string("x"), .integer(.max)])
    try compare("rep", [.string("xy"), .integer(.max), .string("z")])
    try compare("rep", [])
    try compare("byte", [.string("x")])
    try compare("byte", [])
  }

  @Test func packedText() throws {
    var random = SeededGenerator(seed: 19)
    let options = [
      "b", "B", "h", "i3", "I7", "j", "n", "d", "f", "s1", "s4", "z", "x", "c4", "!4", "<", ">", "=", "Xi4", " ", "i17",
      "c", "y", "!", "s",
    ]
    let values: [LuaValue] = [
      .integer(0), .integer(-1), .integer(200), .integer(.max), .number(1.5), .string("ab"), .string("a\0b"),
      .string(""), .nil, .string("long text"),
    ]
    for _ in 0..<3000 {
      let format = random.text(options, upTo: 4)
      let arguments = (0..<4).map { _ in random.pick(values, .nil) }
      try compare("packText", [.string(format)] + arguments)
      try compare("packsize", [.string(format)])
      let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        random.pick(["\0", "\u{1}", "\u{4}", "a", "é"], "")
      }.joined()
      try compare("unpackText", [.string(format), .string(bytes)])
      try compare(
        "unpackText", [.string(format), .string(bytes), random.pick([.integer(2), .integer(-3), .nil], .nil)])
      try compare("codepoint", [.string(bytes), .integer(1), random.pick([.integer(-1), .integer(2), .nil], .nil)])
      try compare("text", [random.pick(values, .nil)])
    }
    for name in ["packText", "packsize", "unpackText", "codepoint", "text"] { try compare(name, []) }
  }

  @Test func tables() throws {
    var random = SeededGenerator(seed: 13)
    let bounds: [LuaValue] = [
      .nil, .integer(0), .integer(1), .integer(2), .integer(3), .integer(5), .integer(9), .integer(-1), .string("2"),
      .number(1.5),
      .integer(.max), .integer(.min),
    ]
    let elements: [LuaValue] = [.integer(1), .integer(2), .number(0.5), .string("a"), .string(""), .integer(7)]
    for _ in 0..<4000 {
      let list = (0..<Int.random(in: 0...6, using: &random)).map { _ in random.pick(elements, .nil) }
      let isMixed = Int.random(in: 0..<8, using: &random) == 0
      let a = random.pick(bounds, .nil)
      let b = random.pick(bounds, .nil)
      let c = random.pick(bounds, .nil)
      func write(_ extra: [LuaValue]) -> (inout LuaWriter) -> Void {
        { writer in
          writer.beginTable()
          for element in list { writer.append(element) }
          if isMixed {
            writer.key(2)
            writer.append(true)
          }
          writer.endTable()
          for value in extra { writer.append(value) }
        }
      }
      try compare("concat", write([random.pick([.nil, .string(","), .integer(3), .boolean(true)], .nil), a, b]))
      if a != .integer(.min) || b != .integer(.max) { try compare("unpack", write([a, b])) }
      if b != .integer(.max) && a != .integer(.min) {
        try compare("move", write([a, b, c]))
        try compare("moveTo") { writer in
          write([])(&writer)
          write([a, b, c])(&writer)
        }
      }
      try compare("walk", write([]))
      try compare("insert", write([a]))
      try compare("insert", write([a, b]))
      try compare("insert", write([a, b, c]))
      try compare("remove", write(a == .nil ? [] : [a]))
    }
    for name in ["concat", "unpack", "move", "insert", "remove", "sort"] {
      try compare(name, [])
      try compare(name, [.integer(3), .integer(1), .integer(2), .integer(3)])
    }
  }

  @Test func sortsUnderAStrictOrder() throws {
    var random = SeededGenerator(seed: 17)
    for count in [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100, 1000] {
      let texts = (0..<count).map { _ in LuaValue.string(random.text(Self.subjects, upTo: 6)) }
      let numbers = (0..<count).map { _ in
        Bool.random(using: &random)
          ? LuaValue.integer(.random(in: -50...50, using: &random)) : .number(.random(in: -9...9, using: &random))
      }
      for list in [texts, numbers] {
        for name in ["sort", "sortDown"] {
          try compare(name) { writer in
            writer.beginTable()
            for element in list { writer.append(element) }
            writer.endTable()
          }
        }
      }
    }
  }

  @Test func sortKeepsTies() throws {
    let source = """
      local t = {}
      for i = 1, 500 do t[i] = {key = i * 7919 % 10, place = i} end
      table.sort(t, function(a, b) return a.key < b.key end)
      for i = 2, 500 do
        local a, b = t[i - 1], t[i]
        if a.key > b.key or (a.key == b.key and a.place > b.place) then return false end
      end
      return true
      """
    #expect(try run(sandboxed, source) == [.boolean(true)])
  }
}
