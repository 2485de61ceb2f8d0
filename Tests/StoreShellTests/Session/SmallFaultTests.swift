import Testing

@testable import StoreShell

/// Small things that were met elsewhere.
@Suite struct SmallFaultTests {
  @Test(
    arguments: ["lua state = nil", "lua dispatch = 5", "lua function project() end", "lua _G.print = print"],
    [false, true])
  func whatTheSessionGivesToLuaStays(line: String, isUnsafe: Bool) throws {
    let shell = try Shell { $0.allowsUnsafeLua = isUnsafe }
    let outcome = try shell.type(line)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("is the shell's own; give yours another name, or write local"), "\(outcome.errors)")
    #expect(
      try shell.type("= state.counter.value", "lua dispatch('counter.increment')", "= project('counter.value')").output
        == "0\n1\n")
  }

  @Test func aRawSetLeavesThemToo() throws {
    let shell = try Shell()
    #expect(try shell.type("lua rawset(_G, 'state', 5)").errors.contains("'state' is the shell's own"))
    #expect(
      try shell.type("= state.counter.value", "lua rawset(_G, 'mine', 5) rawset({}, 'state', 1)", "= mine").output
        == "0\n5\n")
  }

  @Test func otherGlobalsAreSetAndTakenAway() throws {
    let shell = try Shell()
    #expect(
      try shell.type("lua n = 3", "let m = 4", "lua m = 5 local state = { 1 } print(state[1])", "= n + m").output
        == "1\n8\n")
    #expect(try shell.type("lua n = nil", "= n").errors.contains("'n' is not defined"))
  }

  @Test func controlsOfDirectionAreShownEscaped() throws {
    let shell = try Shell()
    _ = try shell.type(
      "dispatch tasks.add \"a\u{202E}b\u{2066}\u{200F}\" --quiet", "dispatch tasks.add \"e\u{301}\u{200D}👍🏽\" --quiet")
    let table = try shell.type("show tasks.items").output
    #expect(
      table == """
        id  title                    done
        1   a\\u{202e}b\\u{2066}\\u{200f}  false
        2   e\u{301}\u{200D}👍🏽\(String(repeating: " ", count: 20))false

        """ || table.contains("a\\u{202e}b\\u{2066}\\u{200f}"))
    #expect(!table.unicodeScalars.contains("\u{202E}"))
    let told = try shell.type(
      "watch tasks.nextId", "watch tasks.items[1].title", "middleware on logger --quiet", "diff 0 1",
      "why tasks.items[id=1]",
      "dispatch tasks.add \"a\u{202E}b\"", "log", "= 'a\u{202E}b'", "plugin list")
    #expect(!(told.output + told.errors).unicodeScalars.contains("\u{202E}"))
    #expect((told.output + told.errors).split(separator: "\"a\\u202eb").count > 7, "\(told)")
    // It reads back, in the language and in Lua.
    #expect(try shell.type("= 'a\\u{202e}b' == 'a\u{202E}b'").output == "true\n")
    _ = try shell.type("dispatch tasks.add \"x\\u{202e}y\"")
    #expect(try shell.type("show tasks.items[4].title --as raw").output == "x\u{202E}y\n")
    // What is read by programs is as it is.
    #expect(try shell.type("show tasks.items[1].title --as raw").output == "a\u{202E}b\u{2066}\u{200F}\n")
  }

  @Test(arguments: ["7", "\"a\"", "null", "true"])
  func aRecordThatIsJSONButNoObjectIsCalledSo(record: String) throws {
    let shell = try Shell()
    let file = try shell.write("a.jsonl", "\(record)\n")
    let outcome = try shell.type("ingest \(file) --as tasks.add")
    #expect(outcome.errors.contains(":1: expected a JSON object, got "), "\(outcome.errors)")
    #expect(!outcome.errors.contains("not JSON"))
  }

  /// In the keys of paths, and in the names of files.
  @Test func controlsOfDirectionInNamesAreShownEscaped() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { state = { field("m", map(int())) }, actions = { { name = "add", args = { field("k", text()) } } },
        reducers = { add = function(s, a) s.m[a.k] = 1 end } }
      """)
    let file = try shell.write("a\u{202E}b.csv", "ti\u{202E}tle\na\n")
    let told = try shell.type(
      "plugin load \(folder)", "dispatch p.add \"k\u{202E}l\"", "diff 0 head", "why p.m", "log",
      "ingest '\(file)' --as tasks.add --keep-going", "source '\(file)'", "export state '\(shell.folder)/c\u{202E}d'",
      "trace on", "dispatch p.add \"m\u{202E}n\"", "trace off")
    #expect(!(told.output + told.errors).unicodeScalars.contains("\u{202E}"), "\(told)")
    #expect(try shell.type(#"show p.m["k\u202el"]"#).output == "1\n")
  }

  private static func utf16(_ text: String, hasMark: Bool = true) -> [UInt8] {
    (hasMark ? [0xFF, 0xFE] : []) + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  @Test(arguments: [
    ("a.jsonl", "ingest FILE --as tasks.add"), ("a.csv", "ingest FILE --as tasks.add"), ("a.json", "import state FILE"),
    ("a.stsh", "source FILE"), ("a.tsv", "ingest FILE --as tasks.add"),
    ("a.jsonl", "replay FILE"),
  ])
  func anotherEncodingIsNamed(name: String, line: String) throws {
    for hasMark in [true, false] { try anotherEncodingIsNamed(name, line, hasMark) }
  }

  private func anotherEncodingIsNamed(_ name: String, _ line: String, _ hasMark: Bool) throws {
    let shell = try Shell()
    let text = name.hasSuffix("sv") ? "title\na\n" : "{\"title\":\"a\"}\n"
    let file = try shell.write(name, Self.utf16(text, hasMark: hasMark))
    let outcome = try shell.type(line.replacing("FILE", with: file))
    #expect(outcome.errors.contains("this is UTF-16; save it as UTF-8"), "\(outcome.errors)")
    #expect(outcome.status != 0)
  }

  @Test(arguments: ["plugin.json", "init.lua"])
  func soItIsInAPlugin(name: String) throws {
    let shell = try Shell()
    let folder = try shell.plugin("p", "return plugin {}")
    try shell.write("p/\(name)", Self.utf16(try #require(shell.contents("p/\(name)")), hasMark: name == "init.lua"))
    let outcome = try shell.type("plugin load \(folder)")
    #expect(outcome.errors.contains("this is UTF-16; save it as UTF-8"), "\(outcome.errors)")
  }

  /// A line has a gap where there is no value, and no line across it.
  @Test func aPlotHasAGapWhereThereIsNoValue() throws {
    let shell = try Shell { $0.isUTF8 = false }
    _ = try shell.type("lua for i = 1, 6 do dispatch('counter.increment') end")
    let plot = try shell.type(
      "plot (state.counter.value < 2 or state.counter.value > 4) and state.counter.value or nil"
    ).output
    let rows = plot.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(rows.contains { $0.hasSuffix("*") })
    let columns = rows.prefix(8).map { Array($0.dropFirst(2)) }
    for column in 2...4 { #expect(!columns.contains { $0.count > column && $0[column] == "*" }, "\(plot)") }
  }

  /// A client may start watches in a loop.
  @Test func aSessionHasSoManyWatches() throws {
    let outcome = try Shell().run("lua for i = 1, 200 do command('watch counter.value') end", "watch counter.value")
    #expect(outcome.errors.contains("error[out-of-range]: a session may have 200 watches"), "\(outcome.errors)")
    #expect(outcome.status != 0)
  }
}
