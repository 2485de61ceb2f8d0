import Platform

/// The evidence in a journal's file and in the write-ahead log beside it, before anything is done with them. Nobody may
/// be writing them.
struct FileEvidence {
  /// Why the two are not what a session leaves that came to its end or was killed; nil: nothing speaks against them.
  private(set) var fault: String?
  /// The loss that the end of the machine may have caused, or another loss that is no fault; nil: none.
  private(set) var loss: JournalContents.Loss?
  /// True if there is a log.
  let hasLog: Bool
  /// The file with as much of the log as can be believed; nil: there is none.
  private(set) var image: FileImage?

  init(_ path: String) {
    let log = WriteAheadLog(beside: path)
    hasLog = log != nil
    image = FileImage(path, nil)
    if let log { judge(log, path) } else if hasBegun { loss = .log }
  }

  private mutating func judge(_ log: WriteAheadLog, _ path: String) {
    let meta = Self.meta(image)
    let hasEnded = meta[JournalMeta.end] != nil
    // Else it may be the end of the machine that took things away, and that a file outlives in order.
    let isSameBoot = meta[JournalMeta.boot] != nil && meta[JournalMeta.boot] == Self.boot
    switch log.condition {
    case .blank where hasEnded: return
    case .blank where !isSameBoot: loss = .log
    case .blank, .unreadable: fault = "its write-ahead log is damaged"
    case .foreign where isSameBoot: fault = Self.foreign
    default:
      let both = FileImage(path, log)
      guard Self.belongs(both, to: image) else {
        // Of a log that was taken into the file already, what is left of it may be older than the file.
        let isShort = isShort(log)
        guard hasEnded else { return fault = isShort ? Self.hasLostEnd : Self.foreign }
        let reason = isShort ? "is older than it and has lost its end" : "is that of another file"
        return fault = "\(path)-wal \(reason); it is whole without"
      }
      image = both
      switch log.condition {
      case .broken where isSameBoot: fault = "its write-ahead log is damaged behind that"
      case .cut where isSameBoot: fault = Self.hasLostEnd
      case .broken, .cut: loss = .endOfLog
      default:
        let isOfOtherBoot = !isSameBoot && meta[JournalMeta.boot] != nil
        // Without SQLite's index beside the log, nobody knows the bytes that stood behind an incomplete frame.
        if !hasEnded, isOfOtherBoot || (log.endsWithinFrame && !log.isHeldAgainstIndex) { loss = .unknown }
      }
    }
  }

  /// True if a session wrote the file and did not come to its end.
  private var hasBegun: Bool {
    let meta = Self.meta(image)
    return meta[JournalMeta.process] != nil && meta[JournalMeta.end] == nil
  }

  /// True if a log, of the file or not, is shorter than it was.
  private func isShort(_ log: WriteAheadLog) -> Bool {
    if case .cut = log.condition { return true }
    return log.endsWithinFrame
  }

  private static let hasLostEnd = "its write-ahead log has lost its end"
  private static let foreign = "its write-ahead log is damaged or that of another file"

  /// True if the additions of a log were written behind the present end of the file: no earlier row may have changed.
  private static func belongs(_ both: FileImage?, to alone: FileImage?) -> Bool {
    let (old, new) = (meta(alone), meta(both))
    if let id = old[JournalMeta.id], let other = new[JournalMeta.id], id != other { return false }
    guard old[JournalMeta.restart] == new[JournalMeta.restart], let rows = lastRows(alone), let last = rows.first,
      let found = lastRows(both, upTo: last.number)
    else { return true }
    return found.first?.number == last.number && found.first?.checksum == last.checksum
  }

  /// The last row up to a number, if there is one; nil: it cannot be read.
  private static func lastRows(
    _ image: FileImage?, upTo number: Int = .max
  ) -> [(number: Int, checksum: Int)]? {
    reading(image) { database in
      try database.use { db in
        try Row.fetchAll(
          db, sql: "SELECT number, checksum FROM actions WHERE number <= ? ORDER BY number DESC LIMIT 1",
          arguments: [number]
        ).map { (try $0.checked(0), try $0.checked(1)) }
      }
    }
  }

  private static func meta(_ image: FileImage?) -> [String: String] {
    reading(image) { try JournalReader(path: "", database: $0).meta() } ?? [:]
  }

  private static func reading<Result>(_ image: FileImage?, _ body: (DatabaseQueue) throws -> Result) -> Result? {
    guard let image, let database = try? image.database() else { return nil }
    defer { database.close() }
    return try? body(database)
  }

  /// The run of the machine; nil: it does not say.
  static let boot = (try? Files.read("/proc/sys/kernel/random/boot_id")).flatMap { id in
    id.count < 36 ? nil : String(decoding: id.prefix(36), as: UTF8.self)
  }
}
