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
}
