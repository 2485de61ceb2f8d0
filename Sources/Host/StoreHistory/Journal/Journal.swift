import Platform
import StoreCore
import StoreSchema
import Synchronization

/// The durable log of a store: one SQLite file, which `sqlite3` can open too. Every action that is appended is written behind
/// the others, and now and then the whole state, from which a walk to any action starts.
///
/// Opening looks at the ends of a file and not through all of it. The rest is checked when there is time, at the latest
/// before the first action is written. A file that is not large is checked at the latest at the end. A file that is
/// damaged anywhere is not written: ``failure`` says so, with the last good action.
///
/// Appending does not wait for the disk: a thread writes what is queued, many actions in one transaction. ``settle()``
/// waits. Only one process at a time writes a file. Only whoever opened a journal may use it, on one thread.
public final class Journal: JournalReading, Sendable {
  /// The file.
  public var path: String { file.path }
  /// The promise about actions for which ``settle()`` has returned.
  public let durability: Durability
  /// The contents of the file when it was opened; nil: it was made.
  public var found: JournalContents? { file.found }

  let file: JournalFile
  private let writer: JournalWriter
  private let hasEnded = Atomic<Bool>(false)

  /// Opens a file, or makes it, for its owner alone, where there is none.
  ///
  /// - Parameters:
  ///   - header: the statements of a new file about the program; a file that is there keeps its own.
  ///   - initial: the state before the first action, by which it is found out how much of a damaged file is good.
  /// - Throws: ``JournalError``. A file that is damaged is left as it is.
  public convenience init(
    _ path: String, durability: Durability = .normal, header: JournalHeader, initial: [StateSlice] = []
  ) throws(JournalError) {
    try self.init(path, durability: durability, header: header, initial: initial, SharedFlag())
  }

  /// The same, which sets a flag when there may be something for ``takeFailure()`` to tell.
  package init(
    _ path: String, durability: Durability, header: JournalHeader, initial: [StateSlice] = [], _ trouble: SharedFlag
  ) throws(JournalError) {
    self.durability = durability
    file = try JournalFile(path, durability: durability, header: header, initial: initial)
    do throws(JournalError) {
      writer = try JournalWriter(file, trouble)
    } catch {
      file.leave()
      guard case .damaged(_, nil, let reason) = error else { throw error }
      throw JournalFile.damaged(path, reason, initial)
    }
    writer.start()
  }

  deinit {
    // What was appended is in the file though nobody has said that it ends.
    if !hasEnded.load(ordering: .relaxed) { try? end() }
  }

  /// The number that no other file has.
  package var id: String? { file.database.use { JournalMeta.id(in: $0) } }

  /// True if a session writes a file at present.
  public static func isInUse(_ path: String) -> Bool {
    do throws(FileLock.Refusal) {
      _ = try FileLock(path, creates: false)
      return false
    } catch {
      if case .taken = error { return true }
      return false
    }
  }

  /// What the names of a journal's file and of those that SQLite keeps beside it end in.
  package static let endings = ["", "-wal", "-shm", "-journal"]

  /// The file of the store that a path leads to, or that SQLite keeps a file of that name beside, whether or not a session writes
  /// it; nil: it leads to no part of a store.
  package static func store(at path: String) -> String? {
    let place = Files.absolute(Files.destination(path))
    return Journal.endings.lazy.filter { place.hasSuffix($0) }.map { String(place.dropLast($0.count)) }
      .first { Files.isOrdinary($0) && (isInUse($0) || JournalFile.isJournal($0)) }
  }

  /// True if a file is that of a store.
  package static func isJournal(_ path: String) -> Bool { JournalFile.isJournal(path) }

  /// The last action in a file that nobody writes, without a look at whether the rest of it is sound.
  public static func last(in path: String) throws(JournalError) -> Int {
    let reader = try JournalReader(inspecting: path, FileEvidence(path))
    defer { reader.close() }
    return try reader.contents().last
  }

  // MARK: Writing

  /// Adds an action behind the others; numbers ascend.
  public func append(_ entry: LoggedEntry) { writer.append(.entry(entry)) }

  /// The same with an action of the shell that changed nothing but what its entry tells: it takes no state after it.
  package func append(told entry: LoggedEntry) { writer.append(.told(entry)) }

  /// Adds an action that was applied as it came, that is not quiet and none of the shell, behind the others. No entry is made of it.
  ///
  /// - Parameters:
  ///   - type: an object for all actions of its name and layout.
  ///   - edit: what it changed.
  /// - Returns: false, and nothing is added, where its time is none in whole nanoseconds.
  package func append(
    plain number: Int, time: Duration, wallTime: Int?, source: ActionSource, _ type: AnyObject, action: String,
    _ layout: RecordLayout, _ arguments: [Value], _ edit: PlainEdit
  ) -> Bool {
    guard let nanoseconds = time.exactNanoseconds else { return false }
    writer.append(number, at: nanoseconds, wallTime, source, type, action, layout, arguments, edit)
    return true
  }

  /// The same with what came with the action.
  ///
  /// - Parameters:
  ///   - plugin: the plugin that the action loaded.
  ///   - code: its files, and others that are to be kept from now on.
  ///   - state: the whole state after the action. The state must be given if the action changed more than its entry
  ///     tells.
  public func append(
    _ entry: LoggedEntry, plugin: JournaledPlugin? = nil, code: [JournaledCode] = [], state: [StateSlice]? = nil
  ) {
    let snapshot = state.map { JournalQueue.Item.snapshot(number: entry.number, slices: $0) }
    guard let plugin else {
      return writer.append(.entry(entry), code.map { .code($0) } + (snapshot.map { [$0] } ?? []))
    }
    writer.append(.plugin(plugin), code.map { .code($0) } + [.entry(entry)] + (snapshot.map { [$0] } ?? []))
  }

  /// Adds the whole state after the last action that was appended.
  ///
  /// - Parameter slices: the modules in their order; written later, on another thread.
  public func append(stateAfter number: Int, _ slices: [StateSlice]) {
    writer.append(.snapshot(number: number, slices: slices))
  }

  /// Starts anew with another history: all that was appended so far goes.
  ///
  /// - Parameters:
  ///   - number: the action after which it starts.
  ///   - slices: the modules of the state after it, in their order.
  ///   - plugins: the plugins that are loaded in it.
  ///   - code: their files. Those of others stay.
  public func restart(
    after number: Int, _ slices: [StateSlice], plugins: [JournaledPlugin], code: [JournaledCode] = []
  ) {
    writer.append(
      .restart(after: number),
      plugins.map { .plugin($0) } + code.map { .code($0) } + [.snapshot(number: number, slices: slices)])
    // From now on the file has nothing of the former history for those who read it.
    settle()
  }

  /// Takes note of what became of a long-lived effect.
  package func note(_ effect: EndedEffect, _ note: EffectNote) { writer.append(.effect(effect, note)) }

  /// Takes note that a run of statements begins with the action that is appended next, or has ended.
  package func note(run first: Int, isOpen: Bool) { writer.append(.run(first, isOpen: isOpen)) }

  /// Takes note that all up to a place in a shared log was appended. From the first place on, the file always ends at one: what is
  /// appended behind it is written with the next.
  ///
  /// - Parameter place: any text (``JournalContents/place``).
  package func note(place: String) { writer.append(.place(place)) }

  /// True if the whole state should be appended behind the last action; true once each time.
  public func takeWantsSnapshot() -> Bool { writer.takeWantsSnapshot() }

  /// Waits until all that was appended is as durable as ``durability`` says, or cannot be written.
  public func settle() { writer.settle() }

  /// Why nothing is written at present: nothing is lost in memory, and writing is tried again each second, unless the file is
  /// damaged.
  public var failure: JournalError? { writer.failure }

  /// Why writing stopped, once each time that it did.
  public func takeFailure() -> JournalError? { writer.takeFailure() }

  /// True while there may be something for ``takeFailure()`` to tell.
  package var hasTrouble: Bool { writer.isTroubled.isSet }

  /// The last action that is in the file.
  public var last: Int { writer.last }

  /// Writes what is queued and notes that the session came to its end in order; so does a journal that is let go of. A file that was made and in which nothing
  /// happened goes. The journal is not used thereafter.
  ///
  /// - Parameters:
  ///   - number: the last action that was appended, or was there already; 0: the file was not taken up.
  ///   - slices: the state after it, with which the next session starts; left out where it is large.
  ///   - time: the time of the store, where the clock on the wall does not tell it; nil: it does.
  /// - Throws: ``JournalError/cannotWrite(path:last:reason:)`` where some of it cannot be written,
  ///   ``JournalError/damaged(path:lastGood:reason:)`` where nothing may be.
  public func end(number: Int = 0, _ slices: [StateSlice] = [], time: Duration? = nil) throws(JournalError) {
    hasEnded.store(true, ordering: .relaxed)
    let wasAsked = writer.wasAsked
    if !slices.isEmpty { writer.append(.lastSnapshot(number: number, slices: slices)) }
    writer.commit(isFinal: true)
    // A file that was left open and taken up again ends now, though nothing was added: its log is taken in. A file that
    // was refused stays as it is.
    let isLeftOpen = number > 0 && file.found.map { $0.process != nil && !$0.hasEnded } ?? false
    let isTakenUp = isLeftOpen && writer.verify()
    // Sessions that only looked are told of damage, too, unless the file is so large that everybody would wait.
    if !wasAsked, let check = file.check, check.isQuick { writer.verify() }
    let isForeign = (writer.hasWritten || isTakenUp) && !writer.isOwn()
    writer.close()
    if let failure = writer.failure {
      if isForeign { file.leave(isForeign: true) }
      guard case .damaged = failure else { throw failure }
      file.leave()
      if wasAsked { throw failure }
      return
    }
    if file.isMade, max(number, writer.last) == 0 { return file.remove() }
    guard number > 0 || writer.hasWritten else { return file.leave() }
    do {
      let later = time.flatMap { time in
        time > max(file.found?.time ?? .zero, reader.time(of: max(number, writer.last))) ? time : nil
      }
      let nanoseconds = later.map { "\($0.wholeNanoseconds)" }
      if writer.hasWritten || isTakenUp || nanoseconds != nil {
        try file.database.use { db in
          let last = try JournalTables.end(db).last
          try JournalMeta.set(
            [JournalMeta.end: "\(JournalContents.endInOrder)\(last)", JournalMeta.time: nanoseconds], in: db)
        }
      }
      file.close()
    } catch {
      throw JournalError(error, path: path, last: last)
    }
  }

  /// Starts anew behind the last action with a state of another type. The former actions stay readable as a log, but
  /// their states can no longer be restored. A copy of the file as it was is kept beside it.
  ///
  /// - Parameters:
  ///   - header: the file's statements about the program from now on.
  ///   - copy: the path of the copy.
  ///   - slices: the modules of the new state in their order.
  ///   - code: the files of the plugins that are loaded in it.
  /// - Throws: ``JournalError/cannotRebase(path:reason:)`` where there is no room: the file is as it was, and there is no copy.
  public func rebase(
    _ header: JournalHeader, keeping copy: String, _ slices: [StateSlice], code: [JournaledCode] = []
  ) throws(JournalError) {
    settle()
    writer.verify()
    if let failure = writer.failure { throw failure }
    do throws(JournalError) {
      try file.copy(to: copy)
      try writer.rebase(header, slices, code)
    } catch {
      unlink(copy)
      throw error
    }
  }

  /// Takes note of another time on the wall at which its time began, so that it goes on by that clock from now on.
  package func noteBeginning(_ began: Duration) {
    try? file.database.use { try JournalMeta.set(JournalMeta.values(began: began), in: $0) }
  }

  /// Follows the clock on the wall from now on: when that is set, the file takes note at once, so that it is right however the
  /// program ends.
  package func follow(_ clock: WallClock) { writer.follow(clock) }

  /// Has a function hear that the clock on the wall was set, on whichever thread finds it.
  package func hearOfLeaps(_ tell: (@Sendable () -> Void)?) { writer.hearOfLeaps(tell) }

  /// By how much the clock on the wall was set since this was last asked.
  package func takeLeap() -> Duration { writer.takeLeap() }

  /// Looks at the clock on the wall, as it does now and then and with what it writes.
  package func followWall() { writer.followWall() }

  // MARK: Reading

  /// What reads the file; what is queued is written first.
  public var reader: JournalReader {
    settle()
    return file.reader
  }

  /// What reads the file up to an action: what is queued behind that need not be written first.
  package func reader(upTo number: Int) -> JournalReader {
    number <= last ? file.reader : reader
  }

  /// The plugins that were loaded up to an action, in that order.
  public func plugins(upTo number: Int) throws(JournalError) -> [JournaledPlugin] {
    let reader = reader
    let plugins = try reader.plugins(upTo: number)
    try reader.check(plugins)
    return plugins
  }
}
