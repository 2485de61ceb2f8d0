import PluginSupport
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import Testing

/// The state of S-13.
@Schema
struct LedgerState: Equatable {
  var ledger = Ledger()
}

/// `{count: 0, flag: false, items: [1, 2], title: "a"}`.
@Schema
struct Ledger: Equatable {
  var count: Int = 0
  var flag: Bool = false
  var items: [Int] = [1, 2]
  var title: String = "a"
}

/// The actions of S-13.
@Schema
enum LedgerStateAction: Equatable {
  case ledger(LedgerAction)
}

/// What the ledger does.
@Schema
enum LedgerAction: Equatable {
  case inc
  case noop
  case append(item: Int)
  case both(title: String)
  case clear
}

/// S-13: what the log says.
@Suite("Scenarios: the log")
struct LogScenarios {
  private let script = """
    middleware on logger
    dispatch ledger.inc
    dispatch ledger.noop
    dispatch ledger.append item=3
    dispatch ledger.both title="b"
    dispatch ledger.clear
    middleware off logger
    dispatch ledger.inc
    middleware on logger
    """

  private static let application = Application(
    initial: LedgerState(),
    reducer: Reducer<LedgerAction, Ledger>("ledger") { action, state in
      switch action {
      case .inc: state.count += 1
      case .noop: break
      case .append(let item): state.items.append(item)
      case .both(let title):
        state.title = title
        state.count += 1
      case .clear: state.items = []
      }
    }.lift(action: LedgerStateAction.cases.ledger.extract, state: \LedgerState.ledger))

  private static func plugin() throws -> PluginFolder {
    try PluginFolder(
      "ledger",
      lua: """
        return plugin {
          state = { field("count", int()), field("flag", bool()), field("items", list(int()) ), field("title", text { default = "a" }) },
          actions = { { name = "inc" }, { name = "noop" }, { name = "append", args = { field("item", int()) } },
            { name = "both", args = { field("title", text()) } }, { name = "clear" }, { name = "start" } },
          reducers = {
            start = function(s) s.items = { 1, 2 } end,
            inc = function(s) s.count = s.count + 1 end,
            noop = function() end,
            append = function(s, a) s.items[#s.items + 1] = a.item end,
            both = function(s, a) s.title = a.title; s.count = s.count + 1 end,
            clear = function(s) s.items = {} end,
          },
          on_load = "start",
        }
        """)
  }

  private static let inText = """
    [logger] #2 ledger.inc  <- SCRIPT:2
    [logger]  ledger.count  0 -> 1
    [logger] #3 ledger.noop  <- SCRIPT:3
    [logger]  no change
    [logger] #4 ledger.append item=3  <- SCRIPT:4
    [logger]  ledger.items[3]  + 3
    [logger] #5 ledger.both title="b"  <- SCRIPT:5
    [logger]  ledger.count  1 -> 2
    [logger]  ledger.title  "a" -> "b"
    [logger] #6 ledger.clear  <- SCRIPT:6
    [logger]  ledger.items[1]  - 1
    [logger]  ledger.items[2]  - 2
    [logger]  ledger.items[3]  - 3

    """

  /// The numbers as if no plugin had been loaded, and the script under one name.
  private func normal(_ text: String, offset: Int) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: " ", omittingEmptySubsequences: false).map { word -> String in
        if word.hasPrefix("#"), let number = Int(word.dropFirst()) { return "#\(number - offset)" }
        guard word.hasPrefix("/tmp/"), let colon = word.lastIndex(of: ":") else { return String(word) }
        return "SCRIPT\(word[colon...])"
      }.joined(separator: " ")
    }
    return lines.joined(separator: "\n")
  }

  @Test func s13InText() throws {
    for _ in 1...2 {
      let swift = try Recording(script, Self.application)
      #expect(normal(swift.errors, offset: 0) == Self.inText)
      let lua = try Recording(script, .empty, plugins: [try Self.plugin()])
      #expect(normal(lua.errors, offset: lua.offset) == Self.inText)
      let both = try Recording(script, Self.application, plugins: [try Fixture.luaModule("bystander")])
      #expect(normal(both.errors, offset: both.offset) == Self.inText)
    }
  }

  private static let changes = [
    #"[{"op":"replace","path":"ledger.count","from":0,"to":1}]"#,
    "[]",
    #"[{"op":"add","path":"ledger.items[3]","to":3}]"#,
    #"[{"op":"replace","path":"ledger.count","from":1,"to":2},{"op":"replace","path":"ledger.title","from":"a","to":"b"}]"#,
    #"[{"op":"remove","path":"ledger.items[1]","from":1},{"op":"remove","path":"ledger.items[2]","from":2},{"op":"remove","path":"ledger.items[3]","from":3}]"#,
  ]

  private func logged(_ recording: Recording) -> [String] {
    recording.output.split(separator: "\n").filter { $0.hasPrefix(#"{"event":"log""#) }.compactMap { line in
      line.firstRange(of: #""changes":"#).map { String(line[$0.upperBound...].dropLast()) }
    }
  }

  @Test func s13InJSON() throws {
    for _ in 1...2 {
      #expect(logged(try Recording(script, Self.application, isJSON: true)) == Self.changes)
      #expect(logged(try Recording(script, .empty, plugins: [try Self.plugin()], isJSON: true)) == Self.changes)
      let both = try Recording(
        script, Self.application, plugins: [try Fixture.luaModule("bystander")], isJSON: true)
      #expect(logged(both) == Self.changes)
    }
  }

  /// A script in Swift, in Lua, and with the two mixed.
  private func everywhere(_ script: String, _ check: (Recording) -> Void) throws {
    check(try Recording(script, Self.application))
    check(try Recording(script, .empty, plugins: [try Self.plugin()]))
    check(try Recording(script, Self.application, plugins: [try Fixture.luaModule("bystander")]))
  }

  @Test func s13EntriesHoldTheSource() throws {
    let shown = "show shell.log[-9].source.line\nshow shell.log[-8].source --json\n"
    try everywhere(script + "\n" + shown) { recording in
      let source =
        #""function":"dispatch","line":2,"info":null,"kind":"batch","plugin":null,"unit":null,"cause":null}"# + "\n"
      #expect(recording.output.contains("\n1\n") && recording.output.hasSuffix(source), "\(recording.output)")
    }
  }

  @Test func s13TheSwitchesAreRecorded() throws {
    try everywhere(script + "\nlog --action shell.setGate\n") { recording in
      let lines = recording.output.split(separator: "\n").filter {
        $0.contains("shell.setGate name=\"logger\"") && $0.contains("0.0s")
      }
      #expect(lines.count == 3, "\(recording.output)")
    }
  }
}
