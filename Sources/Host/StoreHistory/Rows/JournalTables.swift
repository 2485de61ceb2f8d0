/// The tables of a journal. Their comments stay in the file: `sqlite3 FILE .schema` shows them.
enum JournalTables {
  /// Tells a journal from other SQLite files: `STSH`.
  static let applicationID = 0x5354_5348
  /// The format of the tables. A file of another format is refused.
  static let version = 7

  /// The definitions.
  static let sql = """
    CREATE TABLE meta ( -- what the file as a whole is, and a checksum of that
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE kinds ( -- the actions' names
      id INTEGER PRIMARY KEY,
      action TEXT NOT NULL,
      quiet INTEGER NOT NULL -- 1: runs of it fold into one line of a listing
    );
    CREATE TABLE sources ( -- where actions came from, but for the line
      id INTEGER PRIMARY KEY,
      kind TEXT NOT NULL, -- repl, batch, plugin, effect, bridge, replay, remote, code
      file TEXT NOT NULL,
      function TEXT NOT NULL,
      plugin TEXT,
      unit TEXT,
      info TEXT,
      user TEXT, -- whose process dispatched, as the kernel knew it
      who TEXT -- the name under which it did
    );
    CREATE TABLE blocks ( -- up to 64 actions a row, in the order in which they were processed; the view actions has one a row
      first INTEGER PRIMARY KEY, -- the number of the first
      last INTEGER NOT NULL, -- the number of the last
      at INTEGER NOT NULL, -- of the first, in nanoseconds since the session began
      wall INTEGER, -- the time of day of the first, in milliseconds since 1970 (UTC); NULL: not known
      behind INTEGER NOT NULL, -- the checksum of the row before
      checksum INTEGER NOT NULL, -- of the row, of what kinds and sources stand for, and of the plugins that were loaded
      entries TEXT NOT NULL -- a JSON array with an array for each: the view's columns, without NULLs at the end
    );
    CREATE TABLE plugins ( -- the plugins that were loaded
      number INTEGER NOT NULL, -- the action that loaded it
      name TEXT NOT NULL,
      version TEXT NOT NULL,
      directory TEXT NOT NULL,
      digest TEXT NOT NULL -- of its files
    );
    CREATE TABLE code ( -- the files of the plugins, as they were when they were loaded
      digest TEXT NOT NULL, -- of all files of that version
      path TEXT NOT NULL, -- in the plugin's folder
      text TEXT -- as it was, whether or not it is UTF-8
    );
    CREATE TABLE parts ( -- the parts of large states, each once
      id INTEGER PRIMARY KEY,
      size INTEGER NOT NULL, -- in bytes
      checksum INTEGER NOT NULL,
      text TEXT NOT NULL
    );
    CREATE TABLE places ( -- the places that the actions of each run changed
      first INTEGER PRIMARY KEY, -- the first action of the run
      last INTEGER NOT NULL,
      whole INTEGER NOT NULL, -- 1: the last one changed more than its row tells
      checksum INTEGER NOT NULL,
      hashes BLOB NOT NULL -- of the paths and their beginnings
    );
    CREATE TABLE slices ( -- the state of one module
      id INTEGER PRIMARY KEY,
      module TEXT NOT NULL,
      state TEXT NOT NULL, -- JSON; of a large one @ and the ids of its parts
      checksum INTEGER NOT NULL
    );
    CREATE TABLE snapshots ( -- the whole state after an action
      number INTEGER PRIMARY KEY, -- the action; 0: before the first
      slices TEXT NOT NULL -- the ids of its slices in the order of the modules and a checksum, a JSON array
    );
    CREATE VIEW actions AS SELECT
      blocks.first + json_extract(entry.value, '$[0]') AS number,
      blocks.at + json_extract(entry.value, '$[1]') AS at, -- nanoseconds since the session began
      coalesce(blocks.wall, 0) + json_extract(entry.value, '$[2]') AS wall, -- milliseconds since 1970 (UTC); NULL: not known
      json_extract(entry.value, '$[3]') AS kind,
      json_extract(entry.value, '$[4]') AS source,
      json_extract(entry.value, '$[5]') AS line,
      json_extract(entry.value, '$[6]') AS link, -- above 0: the action that caused it; below: the first that its statement asked for
      json_extract(entry.value, '$[7]') AS arguments, -- a JSON object
      json_extract(entry.value, '$[8]') AS changes, -- a JSON array; NULL: it changed nothing
      json_extract(entry.value, '$[9]') AS failure, -- the code of the error for which it was undone; NULL: it was done
      json_extract(entry.value, '$[10]') AS entry, -- the whole entry, where it has members beside those above
      json_extract(entry.value, '$[11]') AS told -- 1: an action of the shell that changed only this; NULL: after one that took effect, snapshots has the state
      FROM blocks, json_each(blocks.entries) AS entry;
    CREATE VIEW log AS SELECT
      actions.number, actions.at / 1e9 AS seconds,
      strftime('%Y-%m-%dT%H:%M:%fZ', actions.wall / 1e3, 'unixepoch') AS time, sources.user AS user,
      coalesce(sources.who, CASE WHEN sources.kind = 'code' AND sources.plugin IS NULL AND actions.link <= 0
        THEN sources.file || ':' || actions.line END) AS who,
      sources.kind AS kind,
      CASE WHEN sources.plugin IS NULL THEN sources.file || ':' || actions.line
        ELSE 'plugin:' || sources.plugin || '/' || coalesce(sources.unit, '') END AS source,
      CASE WHEN actions.link > 0 THEN actions.link END AS cause,
      CASE WHEN actions.link < 0 THEN -actions.link END AS statement, sources.info AS info, kinds.action, actions.arguments, actions.changes, actions.failure
      FROM actions JOIN kinds ON kinds.id = actions.kind JOIN sources ON sources.id = actions.source;
    CREATE VIEW states AS SELECT snapshots.number, slices.module,
      CASE WHEN slices.state LIKE '@%' THEN (
        SELECT group_concat(text, '') FROM (
          SELECT parts.text FROM json_each('[' || substr(slices.state, 2) || ']') AS part
          JOIN parts ON parts.id = part.value ORDER BY part.key)
      ) ELSE slices.state END AS state
      FROM snapshots, json_each(snapshots.slices) AS slice JOIN slices ON slices.id = slice.value;
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    """

  /// The row that holds the action of the number that is the first argument, or the one before it.
  static let block = "(SELECT * FROM blocks WHERE first <= ?1 ORDER BY first DESC LIMIT 1)"

  /// Whether a row of actions stands where one may: a row elsewhere is damaged, and tells nothing of the others.
  static let isNumbered = "first BETWEEN 1 AND \(LoggedEntry.greatestNumber)"

  /// The end of the rows of actions, or of those before one that begins with a number. A value that is none is in no checksum.
  static func end(before number: Int = .max, _ db: Database) throws -> BlockEnd {
    let statement = try db.cachedStatement(
      sql: "SELECT last, checksum FROM blocks WHERE \(isNumbered) AND first < ? ORDER BY first DESC LIMIT 1")
    let row = try Row.fetchOne(statement, arguments: [number])
    return row.map { BlockEnd(last: (try? $0.checked(0)) ?? 0, checksum: (try? $0.checked(1)) ?? 0) } ?? BlockEnd()
  }

  /// The first and the last action by their rows' own account, which must still be checked; nil: there is none. A row that
  /// cannot end where it says is one of a single action.
  static func numbers(_ db: Database) throws -> ClosedRange<Int>? {
    guard let first = try Int.fetchOne(db, sql: "SELECT min(first) FROM blocks WHERE \(isNumbered)"),
      let start = try Int.fetchOne(db, sql: "SELECT max(first) FROM blocks WHERE \(isNumbered)")
    else { return nil }
    let last = try end(db).last
    return first...((start...LoggedEntry.greatestNumber).contains(last) ? last : start)
  }
}

/// The end of a row of actions.
struct BlockEnd: Equatable {
  /// The last action; 0: there is none.
  var last = 0
  /// The checksum of the row, which the next one has: a row that is lost, or of another file, is noticed by it.
  var checksum = 0
}
