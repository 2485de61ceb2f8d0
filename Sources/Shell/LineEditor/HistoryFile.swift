import Platform
import StoreShell

/// The statements of past sessions, in a private file that several sessions may append to at once.
///
/// The format is the one of GNU history with timestamps: a line `#SECONDS` (since 1970), then the statement, which may
/// have several lines. Each statement is appended by one `write`, so a session that is killed loses nothing. Behind it a line
/// `#SECONDS!` says that the statement of that time failed, and `#SECONDS.` that it succeeded when it was given again.
public struct HistoryFile {
  /// The path of the file.
  public let path: String
  private let now: () -> Int
  private var last: String?
  /// The statement that this session appended last, its time, and whether the file says that it failed.
  private var appended: (statement: String, time: Int, hasFailed: Bool)?
  /// Up to which byte others' statements are known.
  private var known = 0
  /// The later bytes that this session wrote.
  private var own: [Range<Int>] = []

  /// Names the file; nothing is touched before the first `load` or `append`.
  /// - Parameters:
  ///   - path: The file. The file and its folder are created when a statement is first kept, for their owner alone.
  ///   - now: Seconds since 1970.
  public init(path: String, now: @escaping () -> Int = { time(nil) }) {
    self.path = path
    self.now = now
  }

  /// The file where a program's prompt keeps its user's statements, in the folder for its state; nil where there is no such
  /// folder.
  public init?(program: String, name: String = "history") {
    guard let folder = UserFolders(program: program).state else { return nil }
    self.init(path: "\(folder)/\(name)")
  }

  /// Reads the statements, oldest first; a missing file holds none.
  /// - Parameter limit: The number of statements to return at most, the newest.
  package mutating func lines(limit: Int = 10_000) throws(LineEditorError) -> [PastLine] {
    (known, own) = (0, [])
    return try newLines().suffix(limit)
  }

  /// Reads the statements that other sessions have appended since they were last read, oldest first.
  package mutating func newLines() throws(LineEditorError) -> [PastLine] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return [] }
      throw .system(subject: path, code: errno)
    }
    defer { Platform.close(descriptor) }
    let end = Int(lseek(descriptor, 0, SEEK_END))
    // Somebody has shortened it; what is left is known.
    guard end >= known else {
      (known, own) = (end, [])
      return []
    }
    guard end > known + own.reduce(0, { $0 + $1.count }) else { return [] }
    lseek(descriptor, off_t(known), SEEK_SET)
    let bytes = try FileAccess.readAll(descriptor, subject: path)
    var statements: [PastLine] = []
    var start = 0
    for range in own.map({ $0.lowerBound - known..<$0.upperBound - known }) + [bytes.count..<bytes.count] {
      guard range.lowerBound >= start, range.upperBound <= bytes.count else { break }
      statements += Self.statements(in: String(decoding: bytes[start..<range.lowerBound], as: UTF8.self))
      start = range.upperBound
    }
    (known, own) = (known + bytes.count, [])
    last = statements.last?.text ?? last
    return statements
  }

  /// Appends a statement, unless `keeps` refuses it after the last one this session has seen.
  /// - Returns: True if the statement was kept.
  @discardableResult
  public mutating func append(_ statement: String) throws(LineEditorError) -> Bool {
    guard PastLines.keeps(statement, after: last) else { return false }
    let time = now()
    try write(Self.entry(statement, at: time))
    (last, appended) = (statement, (statement, time, false))
    return true
  }

  /// Notes how the statement that this session appended last ended; of another one nothing is noted.
  package mutating func noteEnd(of statement: String, hasFailed: Bool) throws(LineEditorError) {
    guard let entry = appended, entry.statement == statement, entry.hasFailed != hasFailed else { return }
    try write("#\(entry.time)\(hasFailed ? "!" : ".")\n")
    appended?.hasFailed = hasFailed
  }

  private mutating func write(_ entry: String) throws(LineEditorError) {
    do throws(FileError) {
      try Files.makeFolder(path.folder, mode: 0o700)
    } catch {
      throw .system(subject: error.path, code: error.code)
    }
    let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw .system(subject: path, code: errno) }
    defer { Platform.close(descriptor) }
    // A file that was made by other means may be open to others.
    guard fchmod(descriptor, 0o600) == 0 else { throw .system(subject: path, code: errno) }
    let text = Self.endsInsideLine(descriptor) ? "\n" + entry : entry
    try FileAccess.writeAll(text, to: descriptor, subject: path)
    let end = Int(lseek(descriptor, 0, SEEK_CUR))
    own.append(end - text.utf8.count..<end)
  }

  // MARK: Format

  private static func entry(_ statement: String, at seconds: Int) -> String {
    let lines = statement.split(separator: "\n", omittingEmptySubsequences: false)
    let shielded = lines.map { stampShape($0) == nil ? String($0) : $0 + " " }
    return "#\(seconds)\n" + shielded.joined(separator: "\n") + "\n"
  }

  static func statements(in text: String) -> [PastLine] {
    var statements: [PastLine] = []
    var lines: [Substring] = []
    var time: Int?
    func finish() {
      if lines.contains(where: { !$0.isEmpty }) {
        statements.append(PastLine(lines.joined(separator: "\n"), at: time))
      }
      lines = []
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      switch stampShape(line) {
      case .stamp:
        finish()
        time = Int(line.dropFirst())
      case .end(let hasFailed):
        finish()
        let time = Int(line.dropFirst().dropLast())
        // Others may have entered some meanwhile.
        if let index = statements.indices.suffix(Self.between).last(where: { statements[$0].time == time }) {
          statements[index].hasFailed = hasFailed
        }
      case .shielded: lines.append(line.dropLast())
      case nil: lines.append(line)
      }
    }
    // The text behind the last newline is no line.
    if lines.last == "" { lines.removeLast() }
    finish()
    return statements
  }

  /// The number of statements that others enter at most while one runs, for its end to be known.
  private static let between = 64

  private enum StampShape { case stamp, end(hasFailed: Bool), shielded }

  /// A line of a statement that looks like a timestamp, such as the comment `#12`, is shielded by a space at its end.
  private static func stampShape(_ line: Substring) -> StampShape? {
    guard line.first == "#" else { return nil }
    let spaces = line.reversed().prefix { $0 == " " }.count
    var digits = line.dropFirst().dropLast(spaces)
    let sign = digits.last.flatMap { ["!", "."].contains($0) ? $0 : nil }
    if sign != nil { digits.removeLast() }
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    if spaces > 0 { return .shielded }
    return sign.map { .end(hasFailed: $0 == "!") } ?? .stamp
  }

  // MARK: The file system

  /// True when the last write to the file was cut short, by a full disk for instance.
  private static func endsInsideLine(_ descriptor: Int32) -> Bool {
    let end = lseek(descriptor, 0, SEEK_END)
    var byte: UInt8 = 0
    return end > 0 && pread(descriptor, &byte, 1, end - 1) == 1 && byte != UInt8(ascii: "\n")
  }
}
