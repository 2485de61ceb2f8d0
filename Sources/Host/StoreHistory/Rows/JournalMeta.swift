import Platform

/// The statements of a file about itself: the names of the rows of the table `meta`, and the checksum over them.
enum JournalMeta {
  static let program = "program"
  /// When the time of the store began: whole seconds since 1970, and the nanoseconds besides.
  static let began = "began"
  static let beganBesides = "beganBesides"
  static let schema = "schema"
  static let schemaHash = "schemaHash"
  static let process = "process"
  static let end = "end"
  /// The time of the store when a session on a virtual clock came to its end, in nanoseconds.
  static let time = "time"
  /// A number that no other file has, by which a write-ahead log is known to belong to it.
  static let id = "id"
  /// A number that changes when the file starts anew with another history.
  static let restart = "restart"
  /// The run of the machine in which it was written last.
  static let boot = "boot"
  /// The run of the machine now; nil: it does not say.
  static let presentBoot = (try? Files.read("/proc/sys/kernel/random/boot_id")).flatMap { id in
    id.count < 36 ? nil : String(decoding: id.prefix(36), as: UTF8.self)
  }
  /// When the time of the store began, in nanoseconds by the clock that counts from the start of that run.
  static let beganInBoot = "beganInBoot"
  /// The format of the tables.
  static let format = "format"
  /// The checksum over all that the file says of itself.
  static let checksum = "checksum"
  /// The action from whose state on states can be restored: before it the state had another type.
  static let base = "base"
  /// The long-lived effects that have ended while their units go on stating them: a JSON array of places and ids.
  static let ended = "ended"
  /// The actions that had units state their long-lived effects: a JSON array of places, ids and numbers.
  static let setters = "setters"
  /// The first actions of the runs that have not come to their end: a JSON array of numbers.
  static let runs = "runs"
  /// The place in a shared log up to which the file has all, of a node's file.
  static let place = "place"

  /// What a file says of when its time began.
  static func values(began: Duration) -> [String: String?] {
    let (seconds, attoseconds) = began.components
    return [JournalMeta.began: "\(seconds)", beganBesides: "\(attoseconds / 1_000_000_000)"]
  }

  /// When the time of a file began, by what it says; zero: it does not say.
  static func began(_ meta: [String: String]) -> Duration {
    .seconds(Int(meta[began] ?? "") ?? 0) + .nanoseconds(Int64(meta[beganBesides] ?? "") ?? 0)
  }

  /// When the time of a file began, as it stands there; zero: it does not say.
  static func began(in db: Database) throws -> Duration {
    var meta: [String: String] = [:]
    for name in [began, beganBesides] {
      meta[name] = try String.fetchOne(db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [name])
    }
    return began(meta)
  }

  /// The number that no other file has; nil: the file has none.
  static func id(in db: Database) -> String? {
    try? String.fetchOne(db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [id])
  }

  /// Changes what a file says of itself, all or nothing.
  ///
  /// - Parameter values: by the names of ``JournalMeta``; nil takes one away.
  static func set(_ values: [String: String?], in db: Database) throws {
    try db.inSavepoint {
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        if let value {
          try db.execute(sql: "INSERT OR REPLACE INTO meta VALUES (?, ?)", arguments: [name, value])
        } else {
          try db.execute(sql: "DELETE FROM meta WHERE name = ?", arguments: [name])
        }
      }
      try db.execute(
        sql: "INSERT OR REPLACE INTO meta VALUES (?, ?)",
        arguments: [JournalMeta.checksum, try currentChecksum(in: db)])
    }
  }

  /// The fault of the file's statements about itself; nil: none.
  static func fault(in db: Database) throws -> String? {
    let written = try String.fetchOne(
      db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [JournalMeta.checksum])
    return try written == currentChecksum(in: db) ? nil : "its header is damaged"
  }

  /// The checksum over the file's statements about itself, and over the plugins loaded before its first action. A
  /// plugin that an action loaded is in the checksum of the action's row.
  private static func currentChecksum(in db: Database) throws -> String {
    var checksum = RowChecksum()
    // The writing process, and the start of the machine, say nothing about its history.
    let others = [JournalMeta.checksum, JournalMeta.process, JournalMeta.boot]
    for row in try Row.fetchAll(
      db, sql: "SELECT name, value FROM meta WHERE name NOT IN (?, ?, ?) ORDER BY name",
      arguments: StatementArguments(others))
    {
      checksum.add(try row.checked(0) as String)
      checksum.add(try row.checked(1) as String)
    }
    let first = try Int.fetchOne(db, sql: "SELECT min(first) FROM blocks WHERE \(JournalTables.isNumbered)") ?? .max
    for plugin in try JournaledPlugin.all(upTo: max(first, 1) - 1, db) { checksum.add(plugin.checksum) }
    return String(checksum.value, radix: 16)
  }
}

extension JournalHeader {
  /// The header by the names of ``JournalMeta``.
  var meta: [String: String?] {
    [
      JournalMeta.program: program, JournalMeta.schema: schema, JournalMeta.schemaHash: schemaHash,
    ].merging(JournalMeta.values(began: began)) { $1 }
  }
}
