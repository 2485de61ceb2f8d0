import StoreCore
import StoreSchema

/// Whatever gives what a journal holds.
public protocol JournalReading: AnyObject {
  /// The file.
  var path: String { get }
  /// What reads the file, behind all that was to be written.
  var reader: JournalReader { get }
  /// The plugins that were loaded up to an action, in that order.
  func plugins(upTo number: Int) throws(JournalError) -> [JournaledPlugin]
}

extension JournalReading {
  /// The plugins that were loaded up to an action, in that order.
  public func plugins(upTo number: Int) throws(JournalError) -> [JournaledPlugin] { try reader.plugins(upTo: number) }
}

/// Reads what a journal holds, checking that it is what was written.
public struct JournalReader: Sendable {
  let path: String
  /// The connection; nobody but its holder uses it at a time.
  let database: DatabaseQueue

  /// Ends reading.
  func close() { database.close() }

  /// Reads by a statement or a few, and says of which file an error is.
  func reading<Result>(last: Int? = nil, _ body: (Database) throws -> Result) throws(JournalError) -> Result {
    do {
      return try database.use(body)
    } catch {
      throw JournalError(error, path: path, last: last)
    }
  }

  /// The fault that the size of the file and the definitions of its tables show; nil: none.
  func faultInTables() -> String? {
    do {
      try database.use { db in
        // The look at it ignores definitions that SQLite does not understand; a writer could not.
        try db.execute(sql: "PRAGMA writable_schema = RESET")
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
        try DatabaseQueue.tolerant(db)
      }
      return nil
    } catch {
      let fault = JournalFault(error)
      return fault?.code == .SQLITE_CORRUPT ? fault?.reason : nil
    }
  }

  /// Whether the file is a database without any table.
  func isEmpty() throws(JournalError) -> Bool {
    try reading { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
        && Int.fetchOne(db, sql: "PRAGMA application_id") == 0
    }
  }

  /// What the file says of itself, by the names of ``JournalMeta``.
  func meta() throws(JournalError) -> [String: String] {
    try reading { try meta($0) }
  }

  private func meta(_ db: Database) throws -> [String: String] {
    var meta: [String: String] = [:]
    for row in try Row.fetchAll(db, sql: "SELECT name, value FROM meta") {
      let name: String = try row.checked(0)
      meta[name] = try row.checked(1)
    }
    return meta
  }

  /// What the file holds.
  ///
  /// - Parameter loss: the known loss at its end.
  func contents(_ loss: JournalContents.Loss? = nil) throws(JournalError) -> JournalContents {
    try reading { db in
      guard try Int.fetchOne(db, sql: "PRAGMA application_id") == JournalTables.applicationID else {
        let isSound = (try? JournalMeta.fault(in: db) == nil) ?? false
        throw isSound ? damaged(after: 0, "its beginning is damaged") : JournalError.notAJournal(path: path)
      }
      let tables = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      let meta = try meta(db)
      // A program that brought an older file to the tables of today left that file's rows as they were.
      let made = meta[JournalMeta.format].flatMap { Int($0) } ?? tables
      let version = tables == JournalTables.version ? made : tables
      guard version == JournalTables.version else {
        throw JournalError.unknownFormat(path: path, version: version, program: meta[JournalMeta.program] ?? "")
      }
      let numbers = try JournalTables.numbers(db)
      // Nothing of them is needed, but they must be there.
      for table in ["kinds", "sources", "plugins", "code", "slices", "snapshots", "parts", "places"] {
        _ = try Int.fetchOne(db, sql: "SELECT max(rowid) FROM \(table)")
      }
      return JournalContents(numbers: numbers, meta, loss)
    }
  }

  /// What SQLite finds wrong with the file as a whole; nil: nothing.
  func malformation() -> String? {
    do {
      let verdict = try database.use { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
      return verdict == "ok" ? nil : "its pages do not fit together"
    } catch {
      return JournalFault(error)?.reason ?? "\(error)"
    }
  }

  /// Hands out the rows of some actions, in their order; not every number has a row. `body` throws to stop.
  ///
  /// - Throws: what `body` throws; ``JournalError/damaged(path:lastGood:reason:)`` at the first row that is not what was
  ///   written, or before which one is missing.
  public func visit(
    _ numbers: ClosedRange<Int>, where isNamed: (String) -> Bool = { _ in true }, _ body: (JournalRow) throws -> Void
  ) throws {
    var visit = RowVisit(numbers)
    var rows: [JournalRow] = []
    var goesOn = true
    while goesOn {
      rows.removeAll(keepingCapacity: true)
      goesOn = visit.next(path, database) { columns, names in
        guard let action = names.action(columns) else { return false }
        guard isNamed(action) else { return true }
        guard let row = names.row(columns) else { return false }
        rows.append(row)
        return true
      }
      for row in rows { try body(row) }
      if let failure = visit.failure { throw failure }
    }
  }

  /// Hands out what some actions changed, in their order, and nothing else of their rows. `body` throws to stop.
  ///
  /// - Throws: as ``visit(_:_:)``.
  public func visitChanges(_ numbers: ClosedRange<Int>, _ body: (ChangedRow) throws -> Void) throws {
    var visit = RowVisit(numbers)
    var texts: [UInt8] = []
    var rows: [(number: Int, mayChangeMore: Bool, end: Int)] = []
    var goesOn = true
    while goesOn {
      texts.removeAll(keepingCapacity: true)
      rows.removeAll(keepingCapacity: true)
      goesOn = visit.next(path, database) { columns, names in
        guard let isOfShell = names.isOfShell(columns) else { return false }
        columns.appendChanges(to: &texts)
        rows.append((columns.number, isOfShell && !columns.tellsAll, texts.count))
        return true
      }
      try texts.withUnsafeBufferPointer { texts in
        var start = 0
        for row in rows {
          let changes = UnsafeBufferPointer(rebasing: texts[start..<row.end])
          start = row.end
          try body(ChangedRow(number: row.number, mayChangeMore: row.mayChangeMore, changes: changes))
        }
      }
      if let failure = visit.failure { throw failure }
    }
  }

  /// The first of some actions that is not what was written, or that changed more than its row tells while the state after it
  /// cannot be read, as an error that names the one before it; nil: there is none.
  func damage(
    in numbers: ClosedRange<Int>, names: RowNames? = nil, isCancelled: () -> Bool = { false }
  ) -> JournalError? {
    var visit = RowVisit(numbers, names: names)
    // Those that changed more than they tell.
    var rowsOfShell: [JournalRow] = []
    var states = SoundStates()
    var goesOn = true
    do {
      while goesOn, !isCancelled() {
        rowsOfShell.removeAll(keepingCapacity: true)
        goesOn = visit.next(path, database) { columns, names in
          guard let isOfShell = names.isOfShell(columns) else { return false }
          if isOfShell, let row = names.row(columns), row.changesMore { rowsOfShell.append(row) }
          return true
        }
        for row in rowsOfShell where try !database.use({ try states.hasOne(after: row.number, $0) }) {
          throw row.stateIsLost(path)
        }
        if let failure = visit.failure { throw failure }
      }
      return nil
    } catch {
      return JournalError(error, path: path, last: nil)
    }
  }

  /// What speaks against the end of the actions, by a look at the last one, at the end that the last session noted, and for rows
  /// that stand before or behind all actions; nil: nothing.
  func faultAtEnd(_ contents: JournalContents) -> String? {
    if let damage = contents.numbers.flatMap({ damage(in: $0.upperBound...$0.upperBound) }) { return damage.reason }
    let stray = try? database.use { db in
      try Int.fetchOne(db, sql: "SELECT first FROM blocks WHERE NOT (\(JournalTables.isNumbered)) LIMIT 1")
    }
    if let stray { return "#\(stray) is no number of an action" }
    guard let noted = contents.notedLast, noted != contents.last else { return nil }
    return "it ended after #\(noted), but the last action found is #\(contents.last)"
  }

  /// What is wrong with what the file says of itself; nil: nothing.
  func faultInMeta() -> String? {
    do {
      return try database.use { try JournalMeta.fault(in: $0) }
    } catch {
      return "\(error)"
    }
  }

  private func damaged(after last: Int, _ reason: String) -> JournalError {
    .damaged(path: path, lastGood: last, reason: reason)
  }

  /// What is said of a file in which no snapshot can be read.
  static let noState = "no state in it can be read"

  /// The actions that can be read one behind the other, each run from a state on that can be read: the numbers from the first
  /// to behind the last; empty where there is only the state before the first.
  func goodParts() -> [Range<Int>] {
    let snapshots: [Int]
    do {
      snapshots = try database.use { db in
        try Int.fetchAll(db, sql: "SELECT number FROM snapshots ORDER BY number")
      }
    } catch {
      return []
    }
    var (parts, states): ([Range<Int>], SoundStates) = ([], SoundStates())
    var last = -1
    for start in snapshots where start > last {
      guard let snapshot = try? snapshot(upTo: start), snapshot.number == start else { continue }
      last = start
      try? visit(start + 1...Int.max) { row in
        if row.changesMore, try !database.use({ try states.hasOne(after: row.number, $0) }) {
          throw row.stateIsLost(path)
        }
        last = row.number
      }
      parts.append(start + 1..<last + 1)
    }
    return parts
  }

  /// True if an action changed nothing but what its row tells.
  ///
  /// - Throws: as ``visit(_:where:_:)``.
  public func tellsAll(_ number: Int) throws -> Bool {
    var tellsAll = false
    try visit(number...number) { tellsAll = !$0.changesMore }
    return tellsAll
  }

  /// The state of a module in the snapshot right after an action; nil: there is none that can be read.
  public func slice(_ module: String, after number: Int) throws(JournalError) -> String? {
    try reading { db in
      let lists = try Row.fetchCursor(db, sql: "SELECT slices FROM snapshots WHERE number = ?", arguments: [number])
      guard let list = SliceList(try lists.next()?.checked(0) ?? "") else { return nil }
      let statement = try db.cachedStatement(
        sql: "SELECT module, CASE module WHEN ? THEN state END, checksum, id FROM slices WHERE id = ?")
      var (found, listed): (String?, [SliceList.Slice]) = (nil, [])
      for id in list.ids {
        guard let row = try Row.fetchOne(statement, arguments: [module, id]) else { return nil }
        listed.append(try Self.listed(row))
        if listed[listed.count - 1].module == module { found = try? Self.slice(row).state }
      }
      return list.isSound(number, listed) ? found : nil
    }
  }

  /// The latest state that was written, up to an action; nil: none that can be read.
  public func snapshot(upTo number: Int) throws(JournalError) -> JournalSnapshot? {
    try reading { db in
      let found = try Row.fetchCursor(
        db, sql: "SELECT number, slices FROM snapshots WHERE number <= ? ORDER BY number DESC",
        arguments: [number])
      while let row = try found.next() {
        // One that cannot be read costs only time: an earlier one leads to the same state.
        if let snapshot = try? snapshot(row.checked(0), slices: row.checked(1), db) { return snapshot }
      }
      return nil
    }
  }

  /// The action of the latest state that was written, up to an action, whether or not it can be read; nil: there is none.
  public func snapshotNumber(upTo number: Int) throws(JournalError) -> Int? {
    try reading { db in
      try Int.fetchOne(db, sql: "SELECT max(number) FROM snapshots WHERE number <= ?", arguments: [number])
    }
  }

  /// The names under which the actions in the file were dispatched, and whether code of the store's owner dispatched any without
  /// a name; as far as they can be read.
  package var names: (authors: [ActionAuthor], withOwner: Bool) {
    let found = try? database.use { db in
      let named = try Row.fetchAll(db, sql: "SELECT DISTINCT user, who FROM sources WHERE who IS NOT NULL").map { row in
        ActionAuthor(user: try row.checkedIfPresent(0), name: try row.checked(1))
      }
      let sources = "SELECT id FROM sources WHERE kind = 'code' AND plugin IS NULL AND who IS NULL AND file <> ''"
      guard named.count < 2, try Int.fetchOne(db, sql: sources) != nil else {
        return (authors: named, withOwner: false)
      }
      let action = try Int.fetchOne(
        db, sql: "SELECT number FROM actions WHERE source IN (\(sources)) AND link <= 0 LIMIT 1")
      return (authors: named, withOwner: action != nil)
    }
    return found ?? ([], false)
  }

  /// The time of the store at an action; zero where the file does not say so.
  package func time(of number: Int) -> Duration {
    let found = try? database.use { db in
      try Int.fetchOne(
        db,
        sql: """
          SELECT block.at + json_extract(entry.value, '$[1]') FROM \(JournalTables.block) AS block, json_each(block.entries) AS entry
          WHERE block.first + json_extract(entry.value, '$[0]') <= ?1 ORDER BY entry.key DESC LIMIT 1
          """, arguments: [number])
    }
    return .nanoseconds(Int64(max(found ?? 0, 0)))
  }

  private func snapshot(_ number: Int, slices: String, _ db: Database) throws -> JournalSnapshot {
    let statement = try db.cachedStatement(sql: "SELECT module, state, checksum, id FROM slices WHERE id = ?")
    let list = SliceList(slices)
    let rows = try (list?.ids ?? []).compactMap { try Row.fetchOne(statement, arguments: [$0]) }
    guard let list, list.isSound(number, try rows.map { try Self.listed($0) }) else {
      throw damaged(after: number, "its snapshot is damaged")
    }
    return JournalSnapshot(
      number: number,
      slices: try rows.map { row in
        let slice = try Self.slice(row)
        return JournalSnapshot.Slice(module: slice.module, state: try StateParts.joined(slice.state, db))
      })
  }

  /// The slice in a row of module, state, checksum and id; a large state as the list of its parts.
  ///
  /// - Throws: ``JournalFault`` where it is not what was written.
  static func slice(_ row: Row) throws -> JournalSnapshot.Slice {
    let state: String = try row.checked(1)
    var checksum = RowChecksum()
    checksum.add(state)
    guard try checksum.value == row.checked(2) else {
      throw JournalFault(.SQLITE_CORRUPT, "a state is damaged")
    }
    return JournalSnapshot.Slice(module: try row.checked(0), state: state)
  }

  /// What the list of a snapshot says of the slice in a row of module, state, checksum and id.
  static func listed(_ row: Row) throws -> SliceList.Slice {
    (try row.checked(3), try row.checked(0), try row.checked(2))
  }

  /// The first state that was written and cannot be read, as an error; nil: there is none. Where any was written, one was before
  /// the first action.
  ///
  /// - Parameter numbers: the actions.
  func damageOfStates(
    for numbers: ClosedRange<Int>, isCancelled: () -> Bool = { false }
  ) -> JournalError? {
    do {
      return try database.use { db in
        var (states, first) = (SoundStates(), Int?.none)
        let snapshots = try Row.fetchCursor(db, sql: "SELECT number, slices FROM snapshots ORDER BY number")
        while let row = try snapshots.next() {
          if isCancelled() { return nil }
          let number: Int = try row.checked(0)
          guard try states.isSound(number, SliceList(try row.checked(1)), db) else {
            let place = number == 0 ? "before the first action" : "after #\(number)"
            return damaged(after: numbers.upperBound, "the state \(place) is damaged")
          }
          first = first ?? number
        }
        guard let first, first >= numbers.lowerBound else { return nil }
        return damaged(after: numbers.upperBound, "the state before #\(numbers.lowerBound) is missing")
      }
    } catch {
      return JournalError(error, path: path, last: numbers.upperBound)
    }
  }

  /// The states of a module that were written and can be read, each with the first action after which it was, as JSON.
  public func states(of module: String) throws(JournalError) -> [(number: Int, state: String)] {
    try reading { db in
      var states: [Int: String] = [:]
      let slices = try Row.fetchCursor(
        db, sql: "SELECT module, state, checksum, id FROM slices WHERE module = ?", arguments: [module])
      while let row = try slices.next() {
        if let slice = try? Self.slice(row), let state = try? StateParts.joined(slice.state, db) {
          states[try row.checked(3)] = state
        }
      }
      var found: [(number: Int, state: String)] = []
      let snapshots = try Row.fetchCursor(db, sql: "SELECT number, slices FROM snapshots ORDER BY number")
      while let row = try snapshots.next() {
        let list: String = try row.checked(1)
        for id in SliceList(list)?.ids ?? [] {
          if let state = states.removeValue(forKey: id) { found.append((try row.checked(0), state)) }
        }
      }
      return found
    }
  }
}

/// The plugins that were loaded.
extension JournalReader {
  /// The plugins that were loaded up to an action, in that order.
  func plugins(upTo number: Int) throws(JournalError) -> [JournaledPlugin] {
    try reading { try JournaledPlugin.all(upTo: number, $0) }
  }

  /// Throws where what is written of some plugins is not what was written, with the last action before.
  func check(_ plugins: [JournaledPlugin]) throws(JournalError) {
    let names = try reading { try RowNames($0) }
    for plugin in plugins {
      // Of those that were loaded before the first action the file says itself.
      if let damage = damage(in: plugin.number...plugin.number, names: names) { throw damage }
    }
  }

  /// Why it cannot be read when which plugins were loaded; nil: it can.
  func faultInPlugins() -> String? {
    do throws(JournalError) {
      _ = (try plugins(upTo: .max), try states(of: ""))
      return nil
    } catch {
      return error.reason
    }
  }
}
