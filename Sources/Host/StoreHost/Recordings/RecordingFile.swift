import Platform
import StoreHistory
import StorePlugins
import StoreSchema

/// Reads a recording line by line, so that its size does not matter.
package struct RecordingFile {
  /// The file as it was given.
  package let path: String
  /// The first line.
  package let header: RecordingHeader
  private let lines: LineReader

  /// Opens a file and reads its header.
  ///
  /// - Throws: ``HostError`` with the line that is at fault; `FileError` where the file cannot be read.
  package init(_ path: String) throws {
    self.path = path
    // It is read twice.
    if Files.isPipe(path) {
      throw HostError(
        code: .unreadableFile, message: "\(path): it is a pipe, and a recording is read twice",
        hint: "save it to a file first", status: 2)
    }
    lines = try LineReader(file: path)
    guard let first = try lines.next() else { throw RecordingFile.fault(path, 1, "the file is empty") }
    do throws(EntryError) {
      header = try first.withUnsafeBufferPointer { (bytes) throws(EntryError) in try RecordingHeader(of: bytes) }
    } catch {
      throw RecordingFile.fault(path, 1, error.message)
    }
  }

  /// The points that restores in the file return to. Reads all that is left of it.
  ///
  /// - Parameter interruption: may end that.
  package func restoreTargets(until interruption: Interruption) throws -> Set<Int> {
    // Only a few lines are restores; the others need not be taken apart to know that they are none.
    let mark = Array("\"action\":\"\(UndoLine.restoreAction)\"".utf8)
    let untyped = EntryReader(EntryTypes(action: { _ in nil }, slice: { _ in nil }))
    var targets: Set<Int> = []
    while let line = try next() {
      if lines.number.isMultiple(of: 256) { try interruption.check() }
      guard line.withUnsafeBytes({ Self.holds($0, mark) }) else { continue }
      let entry = try? line.withUnsafeBufferPointer { try untyped.entry(of: $0) }
      if let target = entry?.restoreTarget { targets.insert(target) }
    }
    return targets
  }

  /// True if a line holds some bytes.
  private static func holds(_ line: UnsafeRawBufferPointer, _ mark: [UInt8]) -> Bool {
    // A line has fewer points than other bytes of the mark.
    guard let start = line.baseAddress, let point = mark.firstIndex(of: UInt8(ascii: ".")) else { return false }
    let end = start + line.count
    var place = start
    while let found = memchr(place, Int32(mark[point]), end - place).map({ UnsafeRawPointer($0) }) {
      if found - start >= point, end - found >= mark.count - point,
        memcmp(found - point, mark, mark.count) == 0
      {
        return true
      }
      place = found + 1
    }
    return false
  }

  /// The next line that is not empty; nil at the end.
  package func next() throws -> ArraySlice<UInt8>? {
    while let line = try lines.next() {
      if !line.isEmpty { return line }
    }
    return nil
  }

  /// What is wrong with the line that was read last.
  package func fault(_ message: String, hint: String? = nil) -> HostError {
    RecordingFile.fault(path, lines.number, message, hint: hint)
  }

  private static func fault(_ path: String, _ line: Int, _ message: String, hint: String? = nil) -> HostError {
    HostError(code: .badRecording, message: "\(path):\(line): \(message)", hint: hint)
  }
}
