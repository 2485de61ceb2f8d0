import Platform
import StoreCore
import StoreSchema
import Synchronization

/// Writes appended items: on a thread of its own as they come, and on the thread of a caller who must wait for them.
/// All that is queued goes into one transaction, and so into one flush.
final class JournalWriter: @unchecked Sendable {
  // Safe: `rows`, `backlog`, `lastTry`, `hasBegun`, `endsAtPlaces` and `left` are used only by the holder of the connection, which the queue of the
  // database sees to.
  private let file: JournalFile
  private let queue: JournalQueue
  @exclusivity(unchecked) private var rows: RowWriter
  /// The items that were taken from the queue and could not be written.
  @exclusivity(unchecked) private var backlog: [JournalQueue.Item] = []
  private var lastTry = 0
  private var hasBegun = false
  /// True if the file has no part of what leads to a place in a shared log.
  private var endsAtPlaces = false
  /// The file as it was left when it was opened or written last, and the last action in it, but for what its log holds.
  private var left: (version: FileLock.Version?, last: Int)
  /// Its log as that was left then.
  private var leftLog: JournalFile.Log?

  /// The number of actions appended, and the number of them that are written or lost.
  private let appended = Atomic<Int>(0)
  private let settled = Atomic<Int>(0)
  private let mustSnapshot = Atomic<Bool>(false)
  private let trouble = Lock(Trouble())
  /// The clock on the wall, and by how much it was set of which nobody was told yet; nil: it makes no difference.
  private let wall = Lock((clock: WallClock?.none, leap: Duration.zero))
  /// Hears that it was set.
  private let hearing = Lock<(@Sendable () -> Void)?>(nil)
  /// Set while there may be an error of which no session has heard.
  let isTroubled: SharedFlag

  /// After how long without anything to write there is time to look through the file, in nanoseconds.
  private static let idleTime = 250_000_000
  /// So often, in nanoseconds, it is looked whether the clock on the wall was set.
  private static let wallPace = 1_000_000_000
  /// The number of items kept for when the system can write again.
  private static let backlogBound = 65_536

  /// The errors so far.
  struct Trouble {
    /// Why nothing is written at present.
    var failure: JournalError?
    /// The error that nobody was told of yet.
    var untold: JournalError?
    /// True if actions were dropped: nothing is written any more, so that the file has no gap.
    var hasLost = false
    /// True if another file was written over it.
    var isForeign = false
    /// The last action that is in the file.
    var last: Int
    init(last: Int = 0) { self.last = last }
  }

  init(_ file: JournalFile, _ trouble: SharedFlag = SharedFlag()) throws(JournalError) {
    self.file = file
    isTroubled = trouble
    queue = JournalQueue()
    do {
      rows = try file.database.use { try RowWriter($0) }
    } catch {
      throw JournalError(error, path: file.path, last: nil)
    }
    left = (file.version, 0)
    leftLog = file.log
    self.trouble.withLock { $0.last = file.found?.last ?? 0 }
  }

  /// Starts the thread, which holds the writer until it is closed.
  func start() {
    // Without a thread all is written when somebody waits for it.
    let thread = try? WorkerThread {
      if self.queue.isIdle(for: JournalWriter.idleTime) { self.verify() }
      while self.queue.wait(atMost: JournalWriter.wallPace) {
        self.followWall()
        self.commit()
      }
    }
    thread?.detach()
  }

  /// Has the thread end; what is queued stays.
  func close() {
    file.check?.cancel()
    queue.close()
  }

  // MARK: The clock on the wall

  func follow(_ clock: WallClock) { wall.withLock { $0.clock = clock } }

  func hearOfLeaps(_ tell: (@Sendable () -> Void)?) { hearing.withLock { $0 = tell } }

  /// Has the file say when its time began, by the clock on the wall as it stands now, if that was set.
  func followWall() { if let leap = takeStep() { file.database.use { moveBeginning(by: leap, $0) } } }

  private func moveBeginning(by leap: Duration, _ db: Database) {
    guard let began = try? JournalMeta.began(in: db), began > .zero else { return }
    try? JournalMeta.set(JournalMeta.values(began: began + leap), in: db)
  }

  /// By how much the clock on the wall was set; nil: it was not.
  private func takeStep() -> Duration? {
    let leap = wall.withLock { wall -> Duration? in
      let leap = wall.clock?.leap()
      wall.leap += leap ?? .zero
      return leap
    }
    if leap != nil {
      isTroubled.set(true)
      hearing.withLock { $0 }?()
    }
    return leap
  }

  private var beganInBoot: Duration? { wall.withLock { $0.clock?.beganInBoot } }

  func takeLeap() -> Duration {
    wall.withLock { wall in
      defer { wall.leap = .zero }
      return wall.leap
    }
  }

  // MARK: Appending

  func append(_ item: consuming JournalQueue.Item, _ more: [JournalQueue.Item] = []) {
    didAppend(queue.append(item, more))
  }

  /// Adds a plain action.
  func append(
    _ number: Int, at nanoseconds: Int, _ wallTime: Int?, _ source: ActionSource, _ type: AnyObject,
    _ action: String, _ layout: RecordLayout, _ arguments: [Value], _ edit: PlainEdit
  ) {
    didAppend(queue.append(number, at: nanoseconds, wallTime, source, type, action, layout, arguments, edit))
  }

  @inline(__always)
  private func didAppend(_ isFull: Bool) {
    // Counted only once it can be taken.
    appended.wrappingAdd(1, ordering: .releasing)
    if isFull { commit() }
  }

  /// True if the state should be appended behind the last action; true once.
  func takeWantsSnapshot() -> Bool {
    guard mustSnapshot.load(ordering: .relaxed) else { return false }
    return mustSnapshot.exchange(false, ordering: .relaxed)
  }

  /// Waits until all that was appended is written.
  func settle() {
    guard settled.load(ordering: .acquiring) != appended.load(ordering: .relaxed) else { return }
    commit()
  }

  /// True if anything was to be written.
  var wasAsked: Bool { appended.load(ordering: .relaxed) > 0 }

  /// Looks whether what the file held when it was opened is what was written, once: where it is not, nothing is added to it.
  ///
  /// - Returns: true if the file may be written.
  @discardableResult
  func verify() -> Bool {
    guard let damage = file.check?.damage else { return true }
    trouble.withLock { trouble in
      guard !trouble.hasLost else { return }
      (trouble.failure, trouble.untold, trouble.hasLost) = (damage, damage, true)
    }
    isTroubled.set(true)
    return false
  }

  /// True if anything was written.
  var hasWritten: Bool { file.database.use { _ in hasBegun } }

  /// The last action that is in the file.
  var last: Int { trouble.withLock { $0.last } }

  /// The error so far, told once.
  func takeFailure() -> JournalError? {
    isTroubled.set(false)
    return trouble.withLock { trouble in
      defer { trouble.untold = nil }
      return trouble.untold
    }
  }

  /// Why nothing is written at present.
  var failure: JournalError? { trouble.withLock { $0.failure } }

  // MARK: Writing

  /// Writes all that is queued.
  ///
  /// - Parameter isFinal: true to try even after a failure a moment ago.
  func commit(isFinal: Bool = false) {
    file.database.use { db in
      // Items that come to the queue meanwhile are counted next time.
      let count = appended.load(ordering: .acquiring)
      backlog.isEmpty ? backlog = queue.take() : backlog.append(contentsOf: queue.take())
      let unfinished = takeUnfinished()
      defer {
        backlog += unfinished
        settled.store(count, ordering: .releasing)
      }
      guard !backlog.isEmpty else { return }
      verify()
      guard mayTry(isFinal) else { return }
      guard isOwn(db) else { return }
      defer { noteContent() }
      if let leap = takeStep() { moveBeginning(by: leap, db) }
      if !hasBegun { file.clearLog(db) }
      do {
        try file.requirePlace()
        try db.inTransaction(.immediate) {
          if !hasBegun { try file.begin(db, beganInBoot) }
          var effects: JournaledEffects?
          var runs: JournaledRuns?
          var reached: String?
          for item in backlog {
            switch item {
            case .entry(let entry): try rows.write(entry, to: db)
            case .told(let entry): try rows.write(entry, tellsAll: true, to: db)
            case .plain(let entries): try rows.write(entries, to: db)
            case .snapshot(let number, let slices): try rows.write(slices, after: number, to: db)
            case .lastSnapshot(let number, let slices):
              try rows.endRuns(db)
              if rows.hasRoomForLastSnapshot { try rows.write(slices, after: number, to: db) }
            case .plugin(let plugin): try rows.write(plugin, to: db)
            case .code(let code): try code.write(to: db)
            case .effect(let effect, let note):
              var known = try effects ?? JournaledEffects(db)
              known.note(effect, note)
              effects = known
            case .run(let number, let isOpen):
              var known = try runs ?? JournaledRuns(db)
              known.note(number, isOpen: isOpen)
              runs = known
            case .place(let place): reached = place
            case .restart(let number):
              try RowWriter.removeAll(from: db)
              // There is no state before it.
              try JournalMeta.set([JournalMeta.base: number > 0 ? "\(number)" : nil], in: db)
              rows = try RowWriter(db)
              runs = JournaledRuns()
              var known = try effects ?? JournaledEffects(db)
              known.setters = [:]
              effects = known
            }
          }
          try rows.flush(db)
          try effects?.write(to: db)
          try runs?.write(to: db)
          // The plugins loaded before the first action are part of the file's statements about itself.
          if let reached {
            try JournalMeta.set([JournalMeta.place: reached], in: db)
          } else if backlog.contains(where: \.isRestart) {
            try JournalMeta.set([:], in: db)
          }
        }
        if !hasBegun { file.markBegun(db) }
        hasBegun = true
        wrote()
      } catch {
        // Its remembered names may not be in the file.
        startAnew(db)
        failed(JournalFile.reason(of: error, db))
      }
    }
  }

  /// Forgets what may not be in the file.
  private func startAnew(_ db: Database) { do { rows = try RowWriter(db) } catch {} }

  /// Takes away what is to be written with the next place in a shared log, and not before.
  private func takeUnfinished() -> [JournalQueue.Item] {
    let place = backlog.lastIndex(where: \.isPlace)
    if place != nil { endsAtPlaces = true }
    guard endsAtPlaces, let first = backlog[((place ?? -1) + 1)...].firstIndex(where: \.isOfHistory) else { return [] }
    defer { backlog.removeSubrange(first...) }
    return Array(backlog[first...])
  }

  /// Has the file go on behind its last action with a state of another type, all or nothing.
  func rebase(_ header: JournalHeader, _ slices: [StateSlice], _ code: [JournaledCode]) throws(JournalError) {
    let reason = file.database.use { db in
      defer { noteContent() }
      do {
        try db.inTransaction(.immediate) {
          if !hasBegun { try file.begin(db, beganInBoot) }
          try JournalMeta.set(header.meta.merging([JournalMeta.base: "\(last)"]) { $1 }, in: db)
          try rows.write(slices, after: last, to: db)
          for code in code { try code.write(to: db) }
        }
        hasBegun = true
        return String?.none
      } catch {
        startAnew(db)
        return JournalFile.reason(of: error, db)
      }
    }
    if let reason { throw .cannotRebase(path: file.path, reason: reason) }
  }

  /// True if the file and its log are still the ones that are written here. Once another was written over it, nothing is written
  /// any more: nobody could tell to which file the log belongs.
  private func isOwn(_ db: Database) -> Bool {
    if !trouble.withLock({ $0.isForeign }) {
      guard let reason = foreignness(db) else { return true }
      trouble.withLock { trouble in
        let failure = JournalError.cannotWrite(path: file.path, last: trouble.last, reason: reason)
        (trouble.failure, trouble.untold, trouble.hasLost, trouble.isForeign) = (failure, failure, true, true)
      }
      isTroubled.set(true)
    }
    backlog = []
    return false
  }

  /// Why the file, or its log, is not the one that is written here; nil: it is.
  private func foreignness(_ db: Database) -> String? {
    let log = file.log
    if let leftLog, !leftLog.isSame(as: log) {
      // What only the log held is in the file then, where nobody has put another in its place.
      if log == nil { file.markBegun(db) }
      return "its write-ahead log was removed"
    }
    // Somebody may have had it taken in.
    if let leftLog, leftLog.isShortened(in: log), (file.content?.last ?? 0) < last {
      return "its write-ahead log was emptied"
    }
    guard file.version != left.version else { return nil }
    let id = JournalMeta.id(in: db)
    // Whoever looks at it with sqlite3 may have had its log taken in.
    if let content = file.content, content.id == id, content.last >= left.last { return nil }
    return "another file was written over it"
  }

  private func noteContent() {
    leftLog = file.log
    guard file.version != left.version else { return }
    left = (file.version, file.content?.last ?? 0)
  }

  /// True if the file may be written to its end; false: another was written over it.
  func isOwn() -> Bool { file.database.use { isOwn($0) } }

  private func mayTry(_ isFinal: Bool) -> Bool {
    trouble.withLock { trouble in
      if trouble.hasLost {
        backlog = []
        return false
      }
      guard trouble.failure != nil, !isFinal else { return true }
      return JournalWriter.seconds > lastTry
    }
  }

  private func wrote() {
    let last = backlog.reversed().lazy.compactMap(\.last).first
    backlog.removeAll(keepingCapacity: true)
    let isWrittenAgain = trouble.withLock { trouble in
      defer { trouble.failure = nil }
      if let last { trouble.last = last }
      return trouble.failure != nil
    }
    if isWrittenAgain { isTroubled.set(true) }
    if rows.takeWantsSnapshot() { mustSnapshot.store(true, ordering: .relaxed) }
  }

  private func failed(_ reason: String) {
    lastTry = JournalWriter.seconds
    trouble.withLock { trouble in
      let failure = JournalError.cannotWrite(path: file.path, last: trouble.last, reason: reason)
      if trouble.failure == nil { trouble.untold = failure }
      trouble.failure = failure
      if backlog.reduce(0, { $0 + $1.weight }) > JournalWriter.backlogBound {
        trouble.hasLost = true
        backlog = []
      }
    }
    isTroubled.set(true)
  }

  private static var seconds: Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec
  }
}
