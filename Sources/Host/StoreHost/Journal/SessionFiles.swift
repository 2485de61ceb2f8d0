import Platform
import StoreHistory

/// The journals of sessions at the prompt: one file a session, in one folder, named after the time at which it began.
///
/// A session that ends in order leaves `ID.db` alone; beside the file of one that was killed stands its write-ahead log. So
/// nothing has to be opened to find those. The newest are kept, as many as the setting `sessions.keep` says; those of sessions
/// that ended unexpectedly, until somebody was told of them.
public struct SessionFiles: Sendable {
  /// The folder.
  public let folder: String

  /// The journals in a folder, which need not be there.
  public init(folder: String) { self.folder = folder }

  /// A session that ended unexpectedly.
  public struct Abandoned: Sendable {
    /// Its name.
    public let id: String
    /// Its file.
    public let path: String
  }

  /// The file of a session that begins.
  ///
  /// - Parameters:
  ///   - now: the time, in seconds since 1970.
  ///   - process: the number of the session's process.
  public func path(at now: Int, process: Int32) -> String {
    var time = time_t(now)
    var parts = tm()
    localtime_r(&time, &parts)
    func digits(_ number: Int32) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let day = "\(parts.tm_year + 1900)\(digits(parts.tm_mon + 1))\(digits(parts.tm_mday))"
    // Of two that begin within a second the names are sorted, too.
    let number = String(repeating: "0", count: max(7 - "\(process)".utf8.count, 0)) + "\(process)"
    return "\(folder)/\(day)-\(digits(parts.tm_hour))\(digits(parts.tm_min))\(digits(parts.tm_sec))-\(number).db"
  }

  /// The sessions that ended unexpectedly and were not recovered, the newest first.
  public var abandoned: [Abandoned] {
    let names = Files.names(in: folder)
    return names.filter { $0.hasSuffix(".db-wal") }.reversed().compactMap { name in
      let id = String(name.dropLast(7))
      let path = "\(folder)/\(id).db"
      return Journal.isInUse(path) ? nil : Abandoned(id: id, path: path)
    }
  }

  /// A session whose file is kept.
  public struct Kept: Sendable {
    /// Its name.
    public let id: String
    /// Its file.
    public let path: String
    /// True if a process writes it now.
    public let isOpen: Bool
    /// True if it ended unexpectedly and was not recovered.
    public let isAbandoned: Bool
    /// Its last action; nil: it has none, or the file cannot be read.
    public let last: JournalRow?

    /// The time at which it began, such as `2026-11-28 16:23:05`.
    public var began: String {
      let digits = Array(id.filter(\.isNumber).prefix(14))
      guard digits.count == 14 else { return id }
      func part(_ range: Range<Int>) -> String { String(digits[range]) }
      return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8)) \(part(8..<10)):\(part(10..<12)):\(part(12..<14))"
    }
  }

  /// The sessions whose files are kept, the newest first.
  public var kept: [Kept] {
    let names = Files.names(in: folder)
    let logs = Set(names.filter { $0.hasSuffix(".db-wal") })
    return names.filter { $0.hasSuffix(".db") }.reversed().map { name in
      let path = "\(folder)/\(name)"
      let isOpen = Journal.isInUse(path)
      let archive = try? JournalArchive(path)
      defer { archive?.close() }
      return Kept(
        id: String(name.dropLast(3)), path: path, isOpen: isOpen,
        isAbandoned: !isOpen && logs.contains("\(name)-wal"), last: archive?.lastRow)
    }
  }

  /// Those of which nobody was told yet.
  package var untold: [Abandoned] { abandoned.filter { !Files.exists("\(folder)/\($0.id).told") } }

  /// Notes that somebody was told of a session.
  package func tell(_ session: Abandoned) { try? Files.write("", to: "\(folder)/\(session.id).told") }

  package func makeFolder() throws(FileError) {
    try Files.makeFolder(folder.folder)
    try Files.makeFolder(folder, mode: 0o700)
  }

  /// What messages call a file: the session whose journal it is, or the file.
  package func displayName(of path: String) -> String {
    guard path.hasPrefix("\(folder)/"), path.hasSuffix(".db") else { return path }
    return "session \(path.dropFirst(folder.utf8.count + 1).dropLast(3))"
  }

  /// Removes the files of all but the newest sessions.
  package func prune(keeping count: Int) {
    let names = Files.names(in: folder)
    let present = Set(names)
    for name in names where name.hasSuffix(".told") && !present.contains("\(name.dropLast(5)).db-wal") {
      unlink("\(folder)/\(name)")
    }
    for name in names.filter({ $0.hasSuffix(".db") }).dropLast(count) {
      let id = name.dropLast(3)
      let path = "\(folder)/\(name)"
      guard !present.contains("\(name)-wal") || present.contains("\(id).told"), !Journal.isInUse(path) else { continue }
      for suffix in [".db", ".db-wal", ".db-shm", ".told"] { unlink("\(folder)/\(id)\(suffix)") }
    }
  }
}
