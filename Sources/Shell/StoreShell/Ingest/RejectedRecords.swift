import Platform
import ShellLanguage
import StoreSchema

/// The file of the records that an `ingest` leaves out: a JSON object a line, with the record's line, the reason and its text. A second
/// `ingest` of the script adds to the file.
final class RejectedRecords {
  private let file: ReplacingFile
  private let word: Word
  private let path: String
  private let session: Session
  private static let layout = RecordLayout(name: "Reject", fields: ["line", "reason", "text"])

  /// - Parameter word: the word that names the file, which errors mark.
  init(_ path: String, at word: Word, in session: Session) throws {
    (self.word, self.path, self.session) = (word, path, session)
    let place = ShellError.Place.span(word.span)
    if !session.isClients(path) {
      try session.refuseStore(path, at: place)
      try Self.refuseOther(session.hostPath(path), at: place)
    }
    do throws(FileError) {
      file = try session.makeFile(path, appends: session.outcome.rejectsOfRun.contains(path))
    } catch {
      throw ShellError(error, place: place)
    }
  }

  /// Refuses a file with other content, such as an input that was named instead of the rejects.
  private static func refuseOther(_ file: String, at place: ShellError.Place) throws(ShellError) {
    let start = Files.start(of: file, count: 8)
    guard !start.isEmpty, !Files.isPipe(file), Files.isOrdinary(file), start != Array("{\"line\":".utf8) else { return }
    throw ShellError(
      code: .notAllowed, message: "--rejects \(file): that file holds no rejects, and would be replaced", place: place,
      hint: "name another file", status: 2)
  }

  /// Adds a record.
  ///
  /// - Parameter text: the bytes of its lines.
  func add(line: Int, reason: String, text: some BidirectionalCollection<UInt8>) {
    var lines = text[...]
    for end: UInt8 in [0x0A, 0x0D] where lines.last == end { lines.removeLast() }
    let record = Record(
      Self.layout, [.int(line), .string(reason), .string(String(decoding: lines, as: UTF8.self))])
    file.bytes += Array("\(JSON.text(of: .record(record)))\n".utf8)
    // What cannot be written is tried again at the end, and told then.
    try? file.passOn()
  }

  /// Puts the file in its place.
  func finish() throws(ShellError) {
    do throws(FileError) {
      try file.finish()
      if session.running.origin.kind == .batch { session.outcome.rejectsOfRun.insert(path) }
    } catch {
      throw ShellError(error, place: .span(word.span))
    }
  }
}
