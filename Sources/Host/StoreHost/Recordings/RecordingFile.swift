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

  /// The next entry, each value read by its type; nil at the end.
  ///
  /// - Parameter number: that of the entry before it.
  package func next(after number: Int, by reader: EntryReader) throws -> RecordedEntry? {
    guard let line = try nextLine() else { return nil }
    let recorded: RecordedEntry
    do throws(EntryError) {
      recorded = try line.withUnsafeBufferPointer { (bytes) throws(EntryError) in
        try RecordedEntry(of: bytes, by: reader)
      }
    } catch {
      throw fault(error.message)
    }
    guard recorded.entry.number > number else {
      throw fault("#\(recorded.entry.number) cannot come behind #\(number)")
    }
    return recorded
  }

  /// The points that restores in the file return to. Reads all that is left of it.
  ///
  /// - Parameter interruption: may end that.
  package func restoreTargets(until interruption: Interruption) throws -> Set<Int> {
    // Only a few lines are restores; the others need not be taken apart to know that they are none.
    let mark = Array("\"action\":\"\(UndoLine.restoreAction)\"".utf8)
    let untyped = EntryReader(EntryTypes(action: { _ in nil }, slice: { _ in nil }))
    var targets: Set<Int> = []
    while let line = try nextLine() {
      if lines.number.isMultiple(of: 256) { try interruption.check() }
      guard line.withUnsafeBytes({ Self.holds($0, mark) }) else { continue }
      let entry = try? line.withUnsafeBufferPointer { try untyped.entry(of: $0) }
      if let target = entry?.restoreTarget { targets.insert(target) }
    }
    return targets
  }

  /// True if a line holds some bytes. The standard library's search takes 36 µs for a line of 390 bytes.
  private static func holds(_ line: UnsafeRawBufferPointer, _ mark: [UInt8]) -> Bool {
    guard var place = line.baseAddress, let first = mark.first else { return false }
    let end = place + line.count
    while let found = memchr(place, Int32(first), end - place).map({ UnsafeRawPointer($0) }), end - found >= mark.count
    {
      if memcmp(found, mark, mark.count) == 0 { return true }
      place = found + 1
    }
    return false
  }

  private func nextLine() throws -> ArraySlice<UInt8>? {
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
