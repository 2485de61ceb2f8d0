import StoreCore
import StoreHost
import StoreSchema
import StoreUnits
import Testing

@testable import StoreShell

// The same application twice: with the numbers that were written before, and with the types that write them otherwise now.

private enum Before {
  @Schema struct Gauge: Sendable { var count = 0, length = 0.0, seeds: [Int] = [] }
  @Schema enum GaugeAction: Sendable { case set(count: Int), wait(length: Double), seed(Int) }
  @Schema struct House: Sendable { var gauge = Gauge() }
  @Schema enum HouseAction: Sendable { case gauge(GaugeAction) }

  static let application = Application<HouseAction, House>(
    initial: House(),
    reducer: Reducer<GaugeAction, Gauge>("gauge") { action, gauge in
      switch action {
      case .set(let count): gauge.count = count
      case .wait(let length): gauge.length = length
      case .seed(let seed): gauge.seeds.append(seed)
      }
    }.lift(action: \.gauge, state: \.gauge))
}

private enum Now {
  enum Rank: Int, SchematicRawValue { case low = 1, high }
  @Schema struct Gauge: Sendable {
    var count: UInt = 0
    var length: Duration = .zero
    var seeds: [UInt64] = []
    var tags: Set<String> = ["b", "a"]
    var seats: Range<Int> = 2..<9
    var perSeed: [UInt64: Int] = [:]
    var rank = Rank.low
    var note = ""
    var rows: PersistentList<Row> = [Row(id: 10), Row(id: .max), Row(id: 9), Row(id: 1 << 63)]
  }
  @Schema struct Row: Sendable { var id: UInt64 }
  @Schema enum GaugeAction: Sendable {
    case set(count: UInt), wait(length: Duration), seed(UInt64), rank(Rank), sit(Range<Int>), tag(Set<UInt8>)
    case count([UInt8: Int]), note(String)
  }
  @Schema struct House: Sendable { var gauge = Gauge() }
  @Schema enum HouseAction: Sendable { case gauge(GaugeAction) }

  static let application = Application<HouseAction, House>(
    initial: House(),
    reducer: Reducer<GaugeAction, Gauge>("gauge") { action, gauge in
      switch action {
      case .set(let count): gauge.count = count
      case .wait(let length): gauge.length = length
      case .seed(let seed):
        gauge.seeds.append(seed)
        gauge.perSeed[seed] = gauge.seeds.count
      case .rank(let rank): gauge.rank = rank
      case .sit(let seats): gauge.seats = seats
      case .tag, .count: break
      case .note(let note): gauge.note = note
      }
    }.lift(action: \.gauge, state: \.gauge))
}

/// Two types of one short name.
private enum Left {
  @Schema struct Item: Hashable, Sendable { var left = 1 }
}

private enum Right {
  @Schema struct Item: Hashable, Sendable { var right = "" }
}

/// A type whose name is that of another one all over.
private func ambiguous(_ options: SessionOptions, _ console: Console) throws -> Session {
  struct Item: Hashable, SchematicRawValue { var rawValue: Int }
  func other(_ options: SessionOptions, _ console: Console) throws -> Session {
    struct Item: Hashable, SchematicRawValue { var rawValue: String }
    return try twins(Item.self, options, console)
  }
  func twins<Other: Schematic>(_ type: Other.Type, _ options: SessionOptions, _ console: Console) throws -> Session {
    try Twins<Item, Other>.session(options, console)
  }
  return try other(options, console)
}

@Schema private struct Row<Element: Schematic>: Sendable { var elements: [Element] = [] }

private struct Twins<One: Schematic, Other: Schematic> {
  @Schema struct House: Sendable { var left = Row<One>(), right = Row<Other>() }
  @Schema enum Action: Sendable { case left(LampAction) }

  static func session(_ options: SessionOptions, _ console: Console) throws -> Session {
    try Session(
      Application<Action, House>(initial: House(), reducer: .identity), options: options, console: console)
  }
}

/// Swift types whose values the kinds of the shell do not tell in full.
@Suite struct SwiftTypeTests {
  private func now() throws -> Shell { try Shell(over: { try Session(Now.application, options: $0, console: $1) }) }
  private func before() throws -> Shell {
    try Shell(over: { try Session(Before.application, options: $0, console: $1) })
  }

  private static let far = [
    "dispatch gauge.set 18446744073709551615 --quiet", "dispatch gauge.seed 18446744073709551614 --quiet",
    "dispatch gauge.wait 4000000000.000000000000000001 --quiet",
  ]
  private static let shown =
    "18446744073709551615\n4000000000.000000000000000001\n18446744073709551614  1\n"

  private func show(_ shell: Shell) -> Shell.Outcome {
    shell.run("show gauge.count --as raw", "show gauge.length --as raw", "show gauge.perSeed")
  }

  @Test func theyAreTakenBackSavedAndRestored() throws {
    let shell = try now()
    let path = "\(shell.folder)/store.db"
    #expect(shell.openStore(path) == .init())
    for line in Self.far { #expect(shell.run(line) == .init()) }
    #expect(shell.run("dispatch gauge.note hello --quiet", "undo").status == 0)
    #expect(show(shell) == .init(output: Self.shown))
    let (state, run, script) = (
      "\(shell.folder)/state.json", "\(shell.folder)/run.jsonl", "\(shell.folder)/run.stsh"
    )
    #expect(
      shell.run("export state \(state)", "export journal \(run)", "export journal \(script) --as stsh").status == 0)
    #expect(shell.outcome { shell.session.endJournal() } == .init())

    let reopened = try now()
    #expect(reopened.openStore(path) == .init())
    #expect(show(reopened) == .init(output: Self.shown))
    let imported = try now()
    #expect(imported.run("import state \(state)").errors == "")
    #expect(show(imported) == .init(output: Self.shown))
    #expect(try now().run("replay \(run) --verify").errors == "")
    let scripted = try now()
    #expect(scripted.run("source \(script)").errors == "")
    #expect(show(scripted) == .init(output: Self.shown))
  }

  @Test func aDurationTakesAUnit() throws {
    let shell = try now()
    for (text, seconds) in [
      ("1s", "1.0"), ("length=500ms", "0.5"), ("\"2min\"", "120.0"), ("1.5", "1.5"), ("-1s", "-1.0"),
      ("length=-1.5min", "-90.0"), ("-0s", "0.0"),
    ] {
      #expect(shell.run("dispatch gauge.wait \(text) --quiet", "show gauge.length").output == "\(seconds)\n")
    }
    #expect(
      shell.run("lua dispatch('gauge.wait', { length = '3s' })", "show gauge.length --as raw").output.hasSuffix("3.0\n")
    )
  }

  @Test func aDurationIsNamed() throws {
    let shell = try now()
    #expect(shell.run("describe gauge").output.contains("wait length:Duration"))
    #expect(shell.run("describe gauge").output.contains("\n  length   Duration\n"))
    #expect(shell.run("dispatch gauge.wait").errors.contains("gauge.wait needs 'length' (Duration)\n"))
    #expect(
      shell.run("bind length gauge.length gauge.wait", "length := -2s", "show gauge.length").output.hasSuffix(
        "\n-2.0\n"))
  }

  @Test func whatWasWrittenBeforeIsRead() throws {
    let old = try before()
    let (path, run, state) = ("\(old.folder)/store.db", "\(old.folder)/run.jsonl", "\(old.folder)/state.json")
    #expect(old.openStore(path) == .init())
    let outcome = old.run(
      "dispatch gauge.set 3 --quiet", "dispatch gauge.wait 1.5 --quiet", "dispatch gauge.seed 12 --quiet")
    #expect(outcome == .init())
    #expect(old.run("export journal \(run)", "export state \(state)").status == 0)
    #expect(old.outcome { old.session.endJournal() } == .init())

    let expected = Shell.Outcome(output: "3\n1.5\n12\n")
    func show(_ shell: Shell) -> Shell.Outcome {
      shell.run("show gauge.count --as raw", "show gauge.length", "show gauge.seeds[1] --as raw")
    }
    let opened = try now()
    #expect(opened.openStore(path).status == 0)
    #expect(show(opened) == expected)
    let imported = try now()
    _ = imported.run("import state \(state)")
    #expect(show(imported).output == "3\n1.5\n12\n")
    let replayed = try now()
    let replay = replayed.run("replay \(run)")
    #expect(replay.status == 0, "\(replay)")
    #expect(show(replayed) == expected)
  }

  @Test(arguments: [
    ("gauge.set -1", "'count' must be 0...18446744073709551615, got -1", "gauge.set count:Int"),
    ("gauge.set x", "'count' must be Int, got string \"x\"", "gauge.set count:Int"),
    (
      "gauge.wait soon", "'length' must be a number of seconds or a duration such as 500ms, got string \"soon\"",
      "gauge.wait length:Duration"
    ),
    (
      "gauge.set 18446744073709551616", "'count' must be 0...18446744073709551615, got 18446744073709551616",
      "gauge.set count:Int"
    ),
    ("gauge.set 1.5", "'count' must be Int, got number 1.5", "gauge.set count:Int"),
    (
      "gauge.count { \"007\" = 1, \"7\" = 2 }", "'value' must have Int keys, got string \"007\"",
      "gauge.count value:[Int: Int]"
    ),
    ("gauge.rank 3", "'value' must be Rank, got number 3", "gauge.rank value:Int"),
    (
      "gauge.sit { lowerBound = 3, upperBound = 1 }", "'value.upperBound' must be >= 3, got 1",
      "gauge.sit value:Range<Int>"
    ),
    ("gauge.tag [1, 300]", "'value[2]' must be 0...255, got 300", "gauge.tag value:[Int]"),
    ("gauge.count { \"300\" = 1 }", "'value' must have UInt8 keys, got number 300", "gauge.count value:[Int: Int]"),
  ])
  func faultsHaveTheirPlace(statement: String, message: String, usage: String) throws {
    let outcome = try now().run("dispatch \(statement)")
    #expect(outcome.errors.hasPrefix("-c:1:"), "\(outcome)")
    #expect(outcome.errors.contains(": \(message)\n"), "\(outcome)")
    #expect(outcome.errors.contains("^"), "\(outcome)")
    #expect(outcome.errors.contains("hint: usage: dispatch \(usage)\n"), "\(outcome)")
  }

  @Test func genericTypesOfOneNameAreRefused() throws {
    #expect(throws: StoreError.duplicateType(name: "Row<Item>")) { try Shell(over: ambiguous) }
    #expect(StoreError.duplicateType(name: "Row<Item>").message.hasPrefix("two types are named 'Row<Item>'"))
    _ = try Shell(over: Twins<Left.Item, Left.Item>.session)
    _ = try Shell(over: Twins<Left.Item, Int>.session)
    _ = try Shell(over: Twins<Left.Item, Right.Item>.session)
  }

  @Test func integersOfAllSizesAreSelectedAndSorted() throws {
    let ids = "rows[id=%].id --as raw"
    let shell = try now()
    for id in ["9", "10", "18446744073709551615", "9223372036854775808"] {
      let outcome = shell.run("show gauge.\(ids.replacing("%", with: id))")
      #expect(outcome == .init(output: "\(id)\n"))
    }
    let sorted = "9\n10\n9223372036854775808\n18446744073709551615\n"
    #expect(shell.run("show gauge.rows --sort id --as raw") == .init(output: sorted))
    #expect(
      shell.run("show gauge.rows --sort -id --as raw").output
        == sorted.split(separator: "\n").reversed().joined(separator: "\n") + "\n")
    #expect(shell.run("show gauge.rows where math.type(id) and id > 9 --as raw") == .init(output: "10\n"))
    #expect(shell.run("= state.gauge.rows:id(10).id < 11") == .init(output: "true\n"))
  }

  @Test func luaReadsThemByTheirParts() throws {
    let shell = try now()
    let outcome = shell.run(
      "= #state.gauge.tags .. state.gauge.tags[1] .. state.gauge.seats.upperBound",
      "= (function() local s = '' for i, tag in pairs(state.gauge.tags) do s = s .. i .. tag end return s end)()",
      "= #state.gauge.tags + #state.gauge.tags")
    #expect(outcome == .init(output: "\"2a9\"\n\"1a2b\"\n4\n"))
    #expect(shell.run("= rawequal(pcall(function() state.gauge.tags[1] = 'x' end), true)").output == "false\n")
  }
}
