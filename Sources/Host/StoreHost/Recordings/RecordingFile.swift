import Platform
import StoreHistory
import StoreSchema

/// A recording that is read as often as it takes. What gives its bytes once, such as a pipe, is copied first to a file without a name.
package final class RecordingSource {
  /// The file as it was given.
  package let path: String
  /// The copy; -1: none is needed.
  private let copy: Int32

  /// Finds a recording; a pipe is read to the end of the recording.
  ///
  /// - Parameter wait: the waits for whoever writes a pipe.
  /// - Throws: as ``open()`` does; `FileError` with `EINTR` where the reading was ended.
  package init(_ path: String, waiting wait: FileWait = .endless) throws {
    self.path = path
    let isLasting = Files.isOrdinary(path) || Files.isDirectory(path) || !Files.exists(path)
    copy = isLasting && path != "-" ? -1 : try Self.copy(RecordingFile(path, LineReader(file: path, waiting: wait)))
  }

  /// Copies a recording that is somewhere else.
  package init(_ path: String, lines: LineReader) throws {
    self.path = path
    copy = try Self.copy(RecordingFile(path, lines))
  }

  deinit { if copy >= 0 { close(copy) } }

  /// The recording, from its first line on.
  ///
  /// - Throws: ``HostError`` with the line that is at fault; `FileError` where the file cannot be read.
  package func open() throws -> RecordingFile {
    try RecordingFile(path, LineReader(file: copy < 0 ? path : "/proc/self/fd/\(copy)"))
  }

  private static func copy(_ file: RecordingFile) throws -> Int32 {
    let copy = try Files.makeNameless()
    do {
      try file.copy(to: copy)
    } catch {
      close(copy)
      throw error
    }
    return copy
  }
}

/// Reads a recording line by line, so that its size does not matter.
package struct RecordingFile {
  /// The file as it was given.
  package let path: String
  package let header: RecordingHeader
  private let lines: LineReader

  /// Reads the header of a file.
  ///
  /// - Parameter path: the name in messages.
  fileprivate init(_ path: String, _ lines: LineReader) throws {
    (self.path, self.lines) = (path, lines)
    guard let first = try lines.next() else { throw RecordingFile.fault(path, 1, "the file is empty") }
    do throws(EntryError) {
      header = try first.withUnsafeBufferPointer { (bytes) throws(EntryError) in try RecordingHeader(of: bytes) }
    } catch {
      throw RecordingFile.fault(path, 1, error.message)
    }
  }

  /// Copies the header and the lines that it announces to another file. One line more tells that there are too many.
  fileprivate func copy(to descriptor: Int32) throws {
    var bytes: [UInt8] = []
    header.append(to: &bytes)
    bytes.append(0x0A)
    func passOn() throws(FileError) {
      if let code = Files.write(bytes[...], to: descriptor).failure {
        throw FileError(path: path, code: code, .writing)
      }
      bytes.removeAll(keepingCapacity: true)
    }
    var left = header.count + 1
    while left > 0, let line = try lines.next() {
      bytes += line
      bytes.append(0x0A)
      if !line.isEmpty { left -= 1 }
      if bytes.count > 1 << 16 { try passOn() }
    }
    try passOn()
  }

  /// The points that restores in the file return to. Reads all that is left of it.
  ///
  /// - Parameter interruption: may end that.
  package func restoreTargets(until interruption: Interruption) throws -> Set<Int> {
    // Only a few lines are restores; the others need not be taken apart to know that they are none.
    let mark = Array("\"action\":\"\(UndoLine.restoreAction)\"".utf8)
    let untyped = EntryReader(EntryTypes(action: { _ in nil }, slice: { _ in nil }))
    var targets: Set<Int> = []
    while let line = try lines.next(holding: mark, interruption.check) {
      let entry = try? line.withUnsafeBufferPointer { try untyped.entry(of: $0) }
      if let target = entry?.restoreTarget { targets.insert(target) }
    }
    return targets
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
