import StoreCore

/// The names that rows stand for by number.
struct RowNames {
  /// An action's name.
  struct Kind {
    let action: String
    let isQuiet: Bool
    let isOfShell: Bool
    /// The number that rows take into their checksum, so that a name that is not as written is noticed.
    let checksum: Int

    init(action: String, isQuiet: Bool) {
      (self.action, self.isQuiet, isOfShell) = (action, isQuiet, action.hasPrefix("shell."))
      var checksum = RowChecksum()
      checksum.add(name: action)
      checksum.add(isQuiet ? 1 : 0)
      self.checksum = checksum.value
    }
  }

  /// The source of actions, but for the line.
  struct Source {
    let origin: ActionSource.Origin
    /// The number that rows take into their checksum.
    let checksum: Int

    init(_ origin: ActionSource.Origin) {
      self.origin = origin
      var checksum = RowChecksum()
      for name in [
        origin.kind.rawValue, origin.file, origin.function, origin.plugin, origin.unit, origin.info,
        origin.author?.user, origin.author?.name,
      ] {
        checksum.add(name: name)
      }
      self.checksum = checksum.value
    }
  }

  /// The actions' names.
  private(set) var kinds: [Int: Kind] = [:]
  /// The sources of actions.
  private(set) var sources: [Int: Source] = [:]
  /// The numbers that the rows of actions that loaded a plugin take into their checksum for it.
  private var plugins: [Int: Int] = [:]

  init(_ db: Database) throws {
    for row in try Row.fetchAll(db, sql: "SELECT id, action, quiet FROM kinds") {
      let id: Int = try row.checked(0)
      kinds[id] = Kind(action: try row.checked(1), isQuiet: try row.checked(2))
    }
    var authors: Set<ActionAuthor> = []
    let names = "SELECT id, kind, file, function, plugin, unit, info, user, who FROM sources"
    for row in try Row.fetchAll(db, sql: names) {
      let id: Int = try row.checked(0)
      let user: String? = try row.checkedIfPresent(7)
      let author = try row.checkedIfPresent(8).map {
        authors.insert(ActionAuthor(user: user, name: $0)).memberAfterInsert
      }
      sources[id] = Source(
        ActionSource.Origin(
          file: try row.checked(2), function: try row.checked(3),
          kind: ActionSource.Kind(rawValue: try row.checked(1)) ?? .code, info: try row.checkedIfPresent(6),
          plugin: try row.checkedIfPresent(4), unit: try row.checkedIfPresent(5), author: author))
    }
    for plugin in try JournaledPlugin.all(upTo: .max, db) { plugins[plugin.number] = plugin.checksum }
  }

  /// The checksum of what rows stand for by number, and of the plugins that they loaded; nil: a name is not known.
  func checksum(of rows: [RowColumns]) -> RowChecksum? {
    var checksum = RowChecksum()
    for index in rows.indices {
      guard let kind = kinds[rows[index].kind], let source = sources[rows[index].source] else { return nil }
      checksum.add(Self.checksum(kind.checksum, source.checksum))
      if let plugin = plugins[rows[index].number] { checksum.add(plugin) }
    }
    return checksum
  }

  /// The checksum of a row's names, from the checksums of its action and its source.
  static func checksum(_ kind: Int, _ source: Int) -> Int { kind << 32 | source }

  /// True if a row's action is one of the shell; nil: nobody knows it.
  func isOfShell(_ columns: RowColumns) -> Bool? { kinds[columns.kind]?.isOfShell }

  /// The name of a row's action; nil: nobody knows it.
  func action(_ columns: RowColumns) -> String? { kinds[columns.kind]?.action }

  func row(_ columns: RowColumns) -> JournalRow? {
    guard let kind = kinds[columns.kind], let origin = sources[columns.source]?.origin else { return nil }
    var source = ActionSource(origin, line: columns.line)
    source.link = columns.link
    return JournalRow(
      number: columns.number, time: .nanoseconds(columns.at), source: source, action: kind.action,
      isQuiet: kind.isQuiet, arguments: columns.arguments, changes: columns.changes, failure: columns.failure,
      entry: columns.entry, wallTime: columns.wallTime, tellsAll: columns.tellsAll)
  }
}

extension JournaledPlugin {
  /// The plugins that were loaded up to an action, in that order.
  ///
  /// - Throws: an error where a row cannot be read.
  static func all(upTo number: Int, _ db: Database) throws -> [JournaledPlugin] {
    try Row.fetchAll(
      db, sql: "SELECT number, name, version, directory, digest FROM plugins WHERE number <= ? ORDER BY rowid",
      arguments: [number]
    ).map { row in
      JournaledPlugin(
        number: try row.checked(0), name: try row.checked(1), version: try row.checked(2),
        directory: try row.checked(3), digest: try row.checked(4))
    }
  }

  /// The number that the row of the action that loaded it takes into its checksum.
  var checksum: Int {
    var checksum = RowChecksum()
    checksum.add(number)
    for text in [name, version, directory, digest] { checksum.add(name: text) }
    return checksum.value
  }
}

extension RowChecksum {
  /// Takes in a name as SQLite gives it back, which ends a text at a zero; nil: there is none.
  fileprivate mutating func add(name: String?) {
    guard let name else { return add(-1) }
    add(String(decoding: name.utf8.prefix { $0 != 0 }, as: UTF8.self))
  }
}
