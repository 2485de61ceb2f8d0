import StoreHistory
import StorePlugins
import StoreSchema

/// What memory no longer holds of a history, read back from a journal.
final class JournalEntries: OlderEntries {
  let oldest: Int
  private let file: any JournalReading
  private unowned let host: ShellHost

  /// - Parameter oldest: the oldest number whose state can be made.
  init(_ file: any JournalReading, oldest: Int, of host: ShellHost) {
    self.file = file
    self.oldest = oldest
    self.host = host
  }

  /// Ends a visit.
  private struct Enough: Error {}

  func visit(_ numbers: ClosedRange<Int>, _ body: (LoggedEntry) throws -> Bool) throws {
    var plugins: [HostedPlugin] = []
    var since = -1
    let reader = EntryReader(host.entryTypes { plugins })
    do {
      try file.visit(numbers) { row in
        if since < 0 || row.isWhole {
          plugins = try host.plugins(at: row.number)
          since = row.number
        }
        guard try body(row.entry(reader)) else { throw Enough() }
      }
    } catch is Enough {}
  }

  func snapshot(atOrBefore number: Int) throws -> (number: Int, state: HostState)? {
    guard number >= oldest, let snapshot = try file.snapshot(upTo: number) else { return nil }
    let plugins = try host.plugins(at: snapshot.number)
    let state = try HostState(snapshot.slices, app: host.application.initial) { host.type(of: $0, among: plugins) }
    return (snapshot.number, state)
  }
}

extension JournalRow {
  /// Whether more may have changed than the row tells.
  fileprivate var isWhole: Bool { action.hasPrefix("shell.") }
}
