import CSQLite
import StoreCore

/// Writes rows; used by whoever has the connection.
struct RowWriter: ~Copyable {
  private var kinds: [String: Name] = [:]
  private var sources: [ActionSource.Origin: Name] = [:]
  /// Those that were looked for last.
  private var recentKinds: [(action: String, name: Name)] = []
  private var lastSource: (origin: ActionSource.Origin, name: Name)?
  /// The id of the slice that holds each module's latest written state, and its checksum.
  private var slices: [String: (id: Int, checksum: Int)] = [:]
  private var end: BlockEnd
  private var block = EntryBlock()
  private var state: [UInt8] = []
  private var parts = StatePartWriter()
  private var places = RowPlaces()
  private var folds = RowFolds()
  /// The modules whose latest written state may have parts that are not known yet.
  private var unread: Set<String> = []
  private var schedule = SnapshotSchedule()
  /// The plugin that was written last, which the action that loaded it has in its checksum.
  private var plugin: JournaledPlugin?

  /// The number that stands for a name in a row, and the name's checksum.
  typealias Name = (id: Int, checksum: Int)

  /// A writer for the file behind a connection.
  init(_ db: Database) throws {
    let end = try JournalTables.end(db)
    let names = try RowNames(db)
    var kept = WrittenSlices()
    let list = try String.fetchOne(db, sql: "SELECT slices FROM snapshots ORDER BY number DESC LIMIT 1")
    for id in list.flatMap({ SliceList($0) })?.ids ?? [] {
      let row = try Row.fetchOne(
        db, sql: "SELECT id, module, checksum, \(StateParts.size) FROM slices WHERE id = ?", arguments: [id])
      guard let row else { continue }
      let module: String = try row.checked(1)
      kept.slices[module] = (try row.checked(0), try row.checked(2))
      let size: Int = try row.checkedIfPresent(3) ?? 0
      if size >= StateParts.least { kept.unread.insert(module) }
      kept.schedule.wrote(module, bytes: size)
      // There may be changes behind the snapshot.
      kept.schedule.change(module)
    }
    self.init(behind: end, names, kept)
  }

  /// The slices of the latest snapshot in a file.
  private struct WrittenSlices {
    var slices: [String: (id: Int, checksum: Int)] = [:]
    var unread: Set<String> = []
    var schedule = SnapshotSchedule()
  }

  private init(behind end: BlockEnd, _ names: RowNames, _ kept: WrittenSlices) {
    self.end = end
    for (id, kind) in names.kinds { kinds[kind.action] = (id, kind.checksum) }
    for (id, source) in names.sources { sources[source.origin] = (id, source.checksum) }
    (slices, unread, schedule) = (kept.slices, kept.unread, kept.schedule)
  }

  /// Has the next snapshot write all modules anew.
  mutating func forgetStates() { slices = [:] }

  /// True if a snapshot of the state should follow the last written action; true once until there is one.
  mutating func takeWantsSnapshot() -> Bool { schedule.takeIsDue() }

  /// True if the state at the end may be written.
  var hasRoomForLastSnapshot: Bool { schedule.isLight }

  /// Writes an action, or keeps it for a row with the next: ``flush(_:)``.
  ///
  /// - Parameter tellsAll: true if it is an action of the shell that changed nothing but what the entry tells.
  mutating func write(_ entry: LoggedEntry, tellsAll: Bool = false, to db: Database) throws {
    let kind = try kind(of: entry.action, isQuiet: entry.isQuiet, db)
    let source = try source(of: entry.source.origin, db)
    let loaded = plugin.flatMap { $0.number == entry.number ? $0.checksum : nil }
    // What is wrong with a plugin is then wrong with its action alone.
    if loaded != nil { try flush(db) }
    let size = block.add(
      entry, kind: kind.id, source: source.id, names: RowNames.checksum(kind.checksum, source.checksum), plugin: loaded,
      tellsAll: tellsAll)
    if block.isFull || loaded != nil { try flush(db) }
    try places.note(entry, db)
    try folds.note(entry, db)
    schedule.add(1, bytes: size)
    for index in entry.changes.indices {
      if case .field(let module)? = entry.changes[index].path.steps.first { schedule.change(module) }
    }
  }

  /// Writes plain actions, or keeps them.
  mutating func write(_ entries: PlainEntries, to db: Database) throws {
    var kinds: [Name] = []
    for kind in entries.kinds { kinds.append(try self.kind(of: kind.name, isQuiet: false, db)) }
    var sources: [Name] = []
    for origin in entries.origins { sources.append(try source(of: origin, db)) }
    var bytes = 0
    try entries.withItems { items in
      try entries.withTexts { texts in
        var index = 0
        while index < items.count {
          let size = block.size
          index = block.add(items, from: index, texts, kinds: kinds, sources: sources)
          bytes += block.size - size
          if block.isFull { try flush(db) }
        }
      }
    }
    try places.note(entries, db)
    try folds.note(entries, db)
    schedule.add(entries.count, bytes: bytes)
    for module in entries.modules { schedule.change(module) }
  }

  /// Writes the actions that are kept.
  mutating func flush(_ db: Database) throws {
    if block.count > 0 { try block.write(behind: &end, to: db) }
  }

  /// Writes what the last actions changed, and the run that they are, of which no more come in this session.
  mutating func endRuns(_ db: Database) throws {
    try flush(db)
    try places.end(with: end.last, db)
    try folds.end(db)
  }

  /// Writes the state after an action: of modules that changed, and of those that were not written yet.
  mutating func write(_ modules: [StateSlice], after number: Int, to db: Database) throws {
    var listed: [SliceList.Slice] = []
    for module in modules {
      if let written = slices[module.module], !schedule.changed.contains(module.module), !module.isWhole {
        listed.append((written.id, module.module, written.checksum))
        continue
      }
      state.removeAll(keepingCapacity: true)
      module.write(&state)
      schedule.wrote(module.module, bytes: state.count)
      if state.count >= StateParts.least {
        state = try partList(of: module.module, db)
      } else {
        parts.forget(module.module)
      }
      var checksum = RowChecksum()
      state.withUnsafeBytes { checksum.add($0) }
      if let written = slices[module.module], written.checksum == checksum.value {
        listed.append((written.id, module.module, written.checksum))
        continue
      }
      let statement = try db.cachedStatement(sql: "INSERT INTO slices (module, state, checksum) VALUES (?, ?, ?)")
      let handle = statement.handle
      sqlite3_reset(handle)
      StatementText.bind(Array(module.module.utf8), to: handle, 1)
      sqlite3_bind_int64(handle, 3, Int64(checksum.value))
      try state.withUnsafeBufferPointer { state in
        StatementText.bind(inPlace: state, to: handle, 2)
        try RowWriter.run(handle, db)
      }
      let id = db.lastInsertedRowID
      slices[module.module] = (id, checksum.value)
      listed.append((id, module.module, checksum.value))
    }
    try db.execute(
      sql: "INSERT OR REPLACE INTO snapshots VALUES (?, ?)",
      arguments: [number, SliceList(number, listed).text])
    schedule.restart()
  }

  /// Writes the parts of the state at hand that are not in the file yet.
  private mutating func partList(of module: String, _ db: Database) throws -> [UInt8] {
    if unread.remove(module) != nil, let id = slices[module]?.id,
      let text = try String.fetchOne(db, sql: "SELECT state FROM slices WHERE id = ?", arguments: [id])
    {
      // Where they cannot be read they are written anew.
      try? parts.note(module, text, db)
    }
    return try parts.write(state, of: module, to: db)
  }

  /// Removes all that is written of actions and states.
  static func removeAll(from db: Database) throws {
    try JournalMeta.set([JournalMeta.restart: StableHash.text(of: .random(in: 0 ... .max))], in: db)
    for table in ["blocks", "plugins", "snapshots", "slices", "parts", "places"] {
      try db.execute(sql: "DELETE FROM \(table)")
    }
    try RowFolds.removeAll(from: db)
  }

  /// Notes that a plugin was loaded, before the action that loaded it is written.
  mutating func write(_ plugin: JournaledPlugin, to db: Database) throws {
    self.plugin = plugin
    try db.execute(
      sql: "INSERT INTO plugins VALUES (?, ?, ?, ?, ?)",
      arguments: [plugin.number, plugin.name, plugin.version, plugin.directory, plugin.digest])
  }

  private mutating func kind(of action: String, isQuiet: Bool, _ db: Database) throws -> Name {
    for index in recentKinds.indices where recentKinds[index].action == action { return recentKinds[index].name }
    let name: Name
    if let known = kinds[action] {
      name = known
    } else {
      try db.execute(sql: "INSERT INTO kinds (action, quiet) VALUES (?, ?)", arguments: [action, isQuiet])
      name = (db.lastInsertedRowID, RowNames.Kind(action: action, isQuiet: isQuiet).checksum)
      kinds[action] = name
    }
    if recentKinds.count == 8 { recentKinds.removeFirst() }
    recentKinds.append((action, name))
    return name
  }

  private mutating func source(of origin: ActionSource.Origin, _ db: Database) throws -> Name {
    if let (known, name) = lastSource, known == origin { return name }
    let name: Name
    if let known = sources[origin] {
      name = known
    } else {
      try db.execute(
        sql:
          "INSERT INTO sources (kind, file, function, plugin, unit, info, user, who) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          origin.kind.rawValue, origin.file, origin.function, origin.plugin, origin.unit, origin.info,
          origin.author?.user, origin.author?.name,
        ])
      name = (db.lastInsertedRowID, RowNames.Source(origin).checksum)
      sources[origin] = name
    }
    lastSource = (origin, name)
    return name
  }

  static func run(_ statement: OpaquePointer, _ db: Database) throws {
    let code = sqlite3_step(statement)
    let message = code == SQLITE_DONE ? nil : String(cString: sqlite3_errmsg(db.handle))
    sqlite3_reset(statement)
    if let message { throw DatabaseError(ResultCode(code), message) }
  }
}

extension Duration {
  /// The duration in nanoseconds, rounded toward zero, or the nearest that an Int holds.
  var wholeNanoseconds: Int { nanoseconds?.whole ?? Int(clamping: attoseconds / 1_000_000_000) }

  /// The duration in nanoseconds; nil: there is a rest, or it is negative or longer than 290 years.
  var exactNanoseconds: Int? { nanoseconds.flatMap { $0.rest == 0 ? $0.whole : nil } }

  // A division of 128 bits in general is a call.
  @inline(__always)
  private var nanoseconds: (whole: Int, rest: UInt64)? {
    let all = attoseconds
    let (high, low) = (UInt64(truncatingIfNeeded: all >> 64), UInt64(truncatingIfNeeded: all))
    guard high < 500_000_000 else { return nil }
    let (quotient, rest) = (1_000_000_000 as UInt64).dividingFullWidth((high, low))
    return (Int(quotient), rest)
  }
}
