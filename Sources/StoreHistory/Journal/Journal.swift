import GRDB

/// The durable log of a store: one SQLite file, which `sqlite3` can open too. Every action that is appended is written behind
/// the others, and now and then the whole state, from which a walk to any action starts.
///
/// Appending does not wait for the disk: a thread writes what is queued, many actions in one transaction. ``settle()`` waits.
/// One process at a time writes a file. Only whoever opened a journal may use it, on one thread.
public final class Journal: Sendable {
  /// The file.
  public var path: String { file.path }
  /// What is promised of actions for which ``settle()`` has returned.
  public let durability: Durability
  /// What the file held when it was opened; nil: it was made.
  public var found: JournalContents? { file.found }

  private let file: JournalFile
  private let writer: JournalWriter

  /// Opens a file, or makes it, for its owner alone, where there is none.
  ///
  /// - Parameter header: what a new file says of the program; a file that is there keeps what it says.
  /// - Throws: ``JournalError``. A file that is damaged is left as it is.
  public init(_ path: String, durability: Durability = .normal, header: JournalHeader) throws(JournalError) {
    self.durability = durability
    file = try JournalFile(path, durability: durability, header: header)
    writer = try JournalWriter(file)
    writer.start()
  }

  deinit { writer.close() }

  // MARK: Writing

  /// Adds an action behind the others; their numbers have no gap.
  public func append(_ entry: LoggedEntry) { writer.append(.entry(entry)) }

  /// Adds the whole state after the last action that was appended.
  ///
  /// - Parameter slices: the modules in their order; written later, on another thread.
  public func append(stateAfter number: Int, _ slices: [StateSlice]) {
    writer.append(.snapshot(number: number, slices: slices))
  }

  /// Notes that the last action that was appended loaded a plugin.
  public func append(_ plugin: JournaledPlugin) { writer.append(.plugin(plugin)) }

  /// Whether the whole state should be appended behind the last action; true once each time.
  public func takeWantsSnapshot() -> Bool { writer.takeWantsSnapshot() }

  /// Waits until all that was appended is as durable as ``durability`` says, or cannot be written.
  public func settle() { writer.settle() }

  /// Why nothing is written at present: nothing is lost in memory, and writing is tried again each second.
  public var failure: JournalError? { writer.failure }

  /// Why writing stopped, once each time that it did.
  public func takeFailure() -> JournalError? { writer.takeFailure() }

  /// The last action that is in the file.
  public var last: Int { writer.last }

  /// Writes what is queued and notes that the session came to its end in order. The journal is not used thereafter.
  ///
  /// - Throws: ``JournalError/cannotWrite(path:last:reason:)`` where some of it cannot be written.
  public func end() throws(JournalError) {
    writer.commit(isFinal: true)
    writer.close()
    if let failure = writer.failure { throw failure }
    do {
      try file.database.writeWithoutTransaction { try JournalFile.set(JournalMeta.end, to: "in order", in: $0) }
      try file.close()
    } catch {
      throw JournalError(error, path: path, last: last)
    }
  }

  // MARK: Reading

  /// Hands out the rows of some actions, in their order; `body` throws to stop.
  ///
  /// - Throws: what `body` throws; ``JournalError/damaged(path:lastGood:reason:)`` at the first row that is missing or is not
  ///   what was written.
  public func visit(_ numbers: ClosedRange<Int>, _ body: (JournalRow) throws -> Void) throws {
    settle()
    try file.reader.visit(numbers, body)
  }

  /// The latest state that was written, up to an action; nil: none that can be read.
  public func snapshot(upTo number: Int) throws(JournalError) -> JournalSnapshot? {
    settle()
    return try file.reader.snapshot(upTo: number)
  }

  /// The plugins that were loaded up to an action, in that order.
  public func plugins(upTo number: Int) throws(JournalError) -> [JournaledPlugin] {
    settle()
    return try file.reader.plugins(upTo: number)
  }
}
