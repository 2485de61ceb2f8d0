import StoreCore
import Testing

import FoundationEssentials

/// R12, R13: what a source says survives being written down, read back and mapped.
@Suite struct ActionSourceTests {
  private static let sources = [
    ActionSource(file: "repl", function: "dispatch", line: 3, info: "by hand", kind: .repl),
    ActionSource(
      file: "ping/init.lua", function: "later", line: 20, kind: .effect, plugin: "ping", unit: "ping.clock", cause: 7),
    ActionSource(file: "Main.swift", function: "run()", line: 1),
  ]

  @Test(arguments: sources)
  func aSourceIsReadBackAsItWasWritten(source: ActionSource) throws {
    let text = try JSONEncoder().encode(source)
    #expect(try JSONDecoder().decode(ActionSource.self, from: text) == source)
  }

  @Test func whatASourceDoesNotSayIsLeftOut() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(
      decoding: try encoder.encode(ActionSource(file: "a.swift", function: "f()", line: 2)), as: UTF8.self)
    #expect(text == #"{"file":"a.swift","function":"f()","kind":"code","line":2}"#)
  }

  @Test func aDispatchedActionIsReadBackAsItWasWritten() throws {
    let dispatched = DispatchedAction(["title": "Buy milk"], source: Self.sources[1])
    let text = try JSONEncoder().encode(dispatched)
    #expect(try JSONDecoder().decode(DispatchedAction<[String: String]>.self, from: text) == dispatched)
  }

  @Test func mappingKeepsTheSource() {
    let dispatched = DispatchedAction(3, source: Self.sources[0])
    #expect(dispatched.map { "\($0)" } == DispatchedAction("3", source: Self.sources[0]))
    #expect(dispatched.compactMap { $0 > 2 ? $0 : nil }?.source == Self.sources[0])
    #expect(dispatched.compactMap { $0 > 3 ? $0 : nil } == nil)
  }

  @Test func sourcesThatDifferInOneFieldDiffer() {
    var changed = Self.sources[1]
    changed.unit = "ping.other"
    #expect(changed != Self.sources[1])
    #expect(Set(Self.sources + [changed]).count == 4)
    changed.unit = "ping.clock"
    #expect(changed == Self.sources[1])
  }

  /// Two files may have names that look the same.
  @Test func filesThatAreSpelledInTwoWaysDiffer() {
    let names = ["\u{E9}.stsh", "e\u{301}.stsh"]
    let sources = names.map { ActionSource(file: $0, function: "dispatch", line: 1, kind: .batch) }
    #expect(names[0] == names[1] && sources[0] != sources[1])
    let remarks = names.map { ActionSource(file: "a.stsh", function: "dispatch", line: 1, info: $0, kind: .batch) }
    #expect(remarks[0] != remarks[1])
  }

  @Test func actionsOfOnePlaceShareTheirOrigin() throws {
    var recent = ActionSource.RecentOrigins()
    let first = recent.origin(file: "a.stsh", function: "dispatch", kind: .batch)
    for index in 0..<3 { _ = recent.origin(file: "a.stsh", function: "lua\(index)", kind: .batch) }
    #expect(recent.origin(file: "a.stsh", function: "dispatch", kind: .batch) === first)
    #expect(recent.origin(file: "a.stsh", function: "dispatch", kind: .remote) !== first)
    let store = try Store<Int, Int>(
      initial: 0, reducer: .init { $1 += $0 }, emission: .always)
    let sources = LockedSources()
    let watching = store.watch { if let context = $0.context { sources.add(context.source) } }
    for step in 1...3 { store.dispatch(step) }
    store.dispatch(4, info: "by hand")
    withExtendedLifetime(watching) {}
    let all = sources.all
    try #require(all.count == 4)
    #expect(all.dropLast().allSatisfy { $0.origin === all[0].origin })
    #expect(all[3].origin !== all[0].origin && all[3].info == "by hand" && all[0].info == nil)
  }
}

private final class LockedSources: Sendable {
  private let sources = Lock<[ActionSource]>([])
  var all: [ActionSource] { sources.withLock { $0 } }
  func add(_ source: ActionSource) { sources.withLock { $0.append(source) } }
}
