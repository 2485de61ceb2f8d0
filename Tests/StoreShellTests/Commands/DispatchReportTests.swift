import StoreCore
import StoreHost
import StoreSchema
import Testing

@testable import StoreShell

/// The report of a dispatch says what became of the action, with its entry in the log.
@Suite struct DispatchReportTests {
  let shell: Shell

  init() throws { shell = try Shell() }

  private func report(_ name: String, _ arguments: [(name: String, value: Value)] = []) throws -> DispatchReport {
    let type = try #require(shell.session.store.live.action(named: name))
    return shell.session.store.dispatch(try type.call(arguments), source: shell.session.source(function: "dispatch"))
  }

  @Test func itCarriesTheEntry() throws {
    let report = try report("counter.increment", [("by", .int(4))])
    #expect(report.number == 1)
    #expect(report.entry == shell.session.store.live.recent(1))
    #expect(report.entry?.changes.map(\.path.description) == ["counter.value"])
  }

  @Test func whatIsRefusedHasNone() throws {
    _ = shell.run("dispatch counter.increment --quiet", "goto 0")
    let report = try report("counter.increment")
    #expect(report.failure != nil && report.number == nil && report.entry == nil)
  }
}
