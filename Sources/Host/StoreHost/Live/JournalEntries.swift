import StoreHistory
import StorePlugins
import StoreSchema

/// What memory no longer holds of a history, read back from a journal: the store's own, for those who hold the turn, and others for
/// those who read the past without it.
package final class JournalEntries: OlderEntries {
  package let oldest: Int
  package let oldestEntry: Int
  /// Whether actions before the oldest one cannot be read because the file is damaged.
  package var isBeginningUnreadable: Bool { (file as? JournalArchive)?.isBeginningUnreadable ?? false }
  private let file: any JournalReading
  private unowned let host: LiveStore
  /// Gives the plugins that were loaded after an action.
  private let plugins: (Int) throws -> [HostedPlugin]
  /// The state that was made last of what was written: to make one of a large text takes long.
  private var latest: (number: Int, state: HostState, plugins: [HostedPlugin])?

  /// - Parameters:
  ///   - oldest: the oldest number whose state can be made.
  ///   - oldestEntry: the number before the oldest entry that can be read; nil: entries go back as far as states.
  package convenience init(_ file: any JournalReading, oldest: Int, oldestEntry: Int? = nil, of host: LiveStore) {
    self.init(file, oldest: oldest, oldestEntry: min(oldestEntry ?? oldest, oldest), of: host) { [unowned host] in
      try host.plugins(at: $0)
    }
  }

  private init(
    _ file: any JournalReading, oldest: Int, oldestEntry: Int, of host: LiveStore,
    plugins: @escaping (Int) throws -> [HostedPlugin]
  ) {
    (self.file, self.oldest, self.oldestEntry, self.host, self.plugins) = (file, oldest, oldestEntry, host, plugins)
  }

  /// The same, for one who reads without the turn and keeps the store.
  ///
  /// - Parameter plugins: gives the plugins that were loaded after an action, whether or not this thread has the turn.
  func apart(by plugins: @escaping (Int) throws -> [HostedPlugin]) -> JournalEntries {
    let apart = JournalEntries(
      file, oldest: oldest, oldestEntry: oldestEntry, of: host, plugins: plugins)
    apart.latest = latest
    return apart
  }

  /// Takes over what another one has made of the same history.
  func take(from other: JournalEntries) {
    if other.file === file, let made = other.latest { latest = made }
  }

  /// Reads what was written up to an action.
  private func rows(upTo number: Int) -> JournalReader { (file as? Journal)?.reader(upTo: number) ?? file.reader }

  /// The state after the oldest action whose state can be made as it was before it was brought to another type; nil: it can no
  /// longer be read.
  package func stateBeforeMigration() throws -> JournalSnapshot? {
    let plugins = try plugins(oldest)
    do {
      return try file.reader.writtenState(after: oldest, from: oldest - 1) { [host] in
        host.isRecord($0, among: plugins)
      }
    } catch is JournalError, is ChangeError {
      return nil
    }
  }

  /// The long run of one action that an entry belongs to; nil: it belongs to none, or none is written.
  func fold(of number: Int) -> LongFold? {
    rows(upTo: number).fold(of: number).flatMap { $0.first > oldestEntry ? $0 : nil }
  }

  /// Ends a visit.
  private struct Enough: Error {}

  package func visit(_ numbers: ClosedRange<Int>, _ body: (LoggedEntry) throws -> Bool) throws {
    try visit(numbers, .all, body)
  }

  package func visit(
    _ numbers: ClosedRange<Int>, _ wanted: WantedEntries, _ body: (LoggedEntry) throws -> Bool
  ) throws {
    var (reader, isYounger): (EntryReader?, Bool) = (nil, numbers.lowerBound > oldest)
    do {
      try rows(upTo: numbers.upperBound).visit(
        numbers, where: { wanted.mayBe(of: $0) || $0.hasPrefix("shell.") }
      ) { row in
        // Others may be loaded from an action of the shell on.
        if row.isOfShell || row.number > oldest && !isYounger { reader = nil }
        isYounger = row.number > oldest
        guard wanted.mayBe(of: row.action) else { return }
        let current = try reader ?? self.reader(at: row.number)
        reader = current
        let entry: LoggedEntry
        do throws(EntryError) {
          entry = try row.entry(current)
        } catch {
          throw JournalError(error, at: row.number, in: file.path)
        }
        guard try body(entry) else { throw Enough() }
      }
    } catch is Enough {}
  }

  package func numbers(upTo number: Int, _ wanted: WantedEntries, most: Int) throws -> ClosedRange<Int>? {
    guard number > oldestEntry else { return nil }
    let numbers = try rows(upTo: number).numbers(upTo: number, after: oldestEntry, wanted, most: most)
    return numbers.map { max($0.lowerBound, oldestEntry + 1)...$0.upperBound }
  }

  package func visitChanges(_ numbers: ClosedRange<Int>, _ body: (HistoryStep) throws -> Bool) throws {
    var reader: EntryReader?
    do {
      try rows(upTo: numbers.upperBound).visitChanges(numbers) { row in
        var goesOn = true
        if row.mayChangeMore {
          // It may have changed more than the row tells; and others may be loaded from now on.
          reader = nil
          try visit(row.number...row.number) { entry in
            goesOn = try body(HistoryStep(entry))
            return goesOn
          }
        } else {
          let current = try reader ?? self.reader(at: row.number)
          reader = current
          do {
            goesOn = try body(HistoryStep(row.number, changes: row.changes, by: current))
          } catch let error as EntryError {
            throw JournalError(error, at: row.number, in: file.path)
          }
        }
        guard goesOn else { throw Enough() }
      }
    } catch is Enough {}
  }

  /// Reads what was written while the plugins of a point were loaded.
  private func reader(at number: Int) throws -> EntryReader {
    guard number > oldest else {
      // Nobody goes back there, so that nothing depends on what can no longer be told.
      let plugins = (try? plugins(number)) ?? []
      return EntryReader(host.entryTypes { plugins }, isLenient: true)
    }
    let plugins = try plugins(number)
    return EntryReader(host.entryTypes { plugins }, keepsArguments: true)
  }

  /// Where the same plugins were loaded and the same substates were there, only the switches of the shell are not told.
  package func addUntold(of entry: LoggedEntry, to state: inout HostState) throws -> Bool {
    if try tellsAll(entry) { return true }
    guard entry.number > oldest + 1,
      try plugins(entry.number).elementsEqual(plugins(entry.number - 1), by: { $0.plugin === $1.plugin }),
      let text = try rows(upTo: entry.number).slice(HostState.shellSlice, after: entry.number)
    else { return false }
    return try state.takeSwitches(text)
  }

  package func tellsAll(_ entry: LoggedEntry) throws -> Bool {
    try entry.isRestore && rows(upTo: entry.number).tellsAll(entry.number)
  }

  package func snapshot(atOrBefore number: Int) throws -> (number: Int, state: HostState)? {
    guard number >= oldest else { return nil }
    let reader = rows(upTo: number)
    if let latest, try reader.snapshotNumber(upTo: number) == latest.number,
      try plugins(latest.number).elementsEqual(latest.plugins, by: { $0.plugin === $1.plugin })
    {
      return (latest.number, latest.state)
    }
    guard let snapshot = try reader.snapshot(upTo: number) else {
      // Nothing is kept from that far back on but what a state was written for.
      throw JournalError.damaged(
        path: file.path, lastGood: host.head, reason: "no state up to #\(number) can be read")
    }
    let plugins = try plugins(snapshot.number)
    let state = try HostState(snapshot.slices, app: host.application.initial) { host.type(of: $0, among: plugins) }
    latest = (snapshot.number, state, plugins)
    return (snapshot.number, state)
  }
}
