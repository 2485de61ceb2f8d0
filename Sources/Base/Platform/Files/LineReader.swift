import CEvents

/// Reads a file line by line in blocks, so that its size does not matter.
package final class LineReader {
  // Not checked for exclusive access: one thread reads, and nothing that it calls does.
  /// The number of the line that was read last, from 1.
  package var number: Int { current }
  @exclusivity(unchecked) private var current = 0
  /// True if that line ended with a carriage return and a line feed.
  @exclusivity(unchecked) package private(set) var endedWithCarriageReturn = false
  /// The number of bytes that have been taken as lines.
  package var offset: Int { removed + position }
  /// The blank lines that were passed over since they were taken note of last, by number.
  @exclusivity(unchecked) package private(set) var blanks: [Int] = []
  /// The bytes of the lines since they were taken last, with their ends; nil: nobody wants them.
  @exclusivity(unchecked) package var kept: [UInt8]?
  private let path: String
  private let descriptor: Int32
  private let closes: Bool
  private let wait: FileWait
  /// Gives the next piece of a file elsewhere, an empty one at its end; nil: the descriptor is read.
  private let source: (() throws(FileError) -> [UInt8])?
  private var sizeElsewhere: Int?
  /// What was read, and room for more.
  @exclusivity(unchecked) private var buffer: [UInt8] = []
  /// The end of what was read.
  @exclusivity(unchecked) private var end = 0
  @exclusivity(unchecked) private var position = 0
  @exclusivity(unchecked) private var isAtEnd = false
  @exclusivity(unchecked) private var removed = 0

  /// The most bytes of a line, and of a record of several lines.
  package static let longest = 64 << 20

  /// Opens a file; `-` is standard input.
  ///
  /// - Parameter wait: the waits for whoever writes a pipe: nothing says when more comes from standard input.
  package init(file: String, waiting wait: FileWait = .endless) throws(FileError) {
    path = file
    self.wait = wait
    source = nil
    closes = file != "-"
    descriptor = file == "-" ? 0 : try Files.openToRead(file, waiting: wait)
  }

  /// Reads a file that is elsewhere.
  ///
  /// - Parameters:
  ///   - path: the name in messages.
  ///   - size: its bytes; nil: they are not known.
  ///   - next: gives the next piece, an empty one at the end.
  package init(path: String, size: Int?, next: @escaping () throws(FileError) -> [UInt8]) {
    self.path = path
    (descriptor, closes, wait) = (-1, false, .endless)
    (source, sizeElsewhere) = (next, size)
  }

  deinit {
    if closes { close(descriptor) }
  }

  /// The next line without its end; nil at the end of the file.
  package func next() throws(FileError) -> ArraySlice<UInt8>? {
    var searched = position
    while true {
      if let end = lineEnd(from: searched) {
        defer { position = end + 1 }
        return line(upTo: end)
      }
      searched = end
      guard !isAtEnd else {
        guard position < end else { return nil }
        defer { position = end }
        return line(upTo: end)
      }
      searched -= position
      try fill()
    }
  }

  /// The next line that holds some bytes, none of which ends a line; nil at the end of the file.
  ///
  /// - Parameter check: runs after each block; it throws to stop.
  package func next(holding mark: [UInt8], _ check: () throws -> Void) throws -> ArraySlice<UInt8>? {
    var searched = position
    while true {
      if let found = place(of: mark, from: searched) {
        pass(to: lineStart(from: position, before: found) ?? position)
        return try next()
      }
      guard !isAtEnd else {
        position = end
        return nil
      }
      pass(to: lineStart(from: searched, before: end) ?? position)
      // Some of the bytes may be there, at the end.
      searched = max(0, end - mark.count + 1 - position)
      try check()
      try fill()
    }
  }

  private func pass(to start: Int) {
    while position < start, let end = lineEnd(from: position) {
      current += 1
      position = end + 1
    }
  }

  private func place(of mark: [UInt8], from start: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, start < end else { return nil }
      return memmem(base + start, end - start, mark, mark.count).map { UnsafeRawPointer($0) - base }
    }
  }

  /// The start of the last line that begins between two places; nil: none does.
  private func lineStart(from start: Int, before end: Int) -> Int? {
    buffer[start..<end].lastIndex(of: 0x0A).map { $0 + 1 }
  }

  /// The next line that is not blank.
  package func nextFilled() throws(FileError) -> ArraySlice<UInt8>? {
    while let line = try next() {
      if !line.isEmpty { return line }
      noteBlank()
    }
    return nil
  }

  /// Takes note that the last line is blank, and was passed over.
  package func noteBlank() {
    blanks.append(number)
    kept?.removeAll()
  }

  /// The blank lines that were passed over since it was last asked.
  package func takeBlanks() -> [Int] {
    defer { blanks = [] }
    return blanks
  }

  /// The next line, which stays the next one.
  package func peek() throws(FileError) -> ArraySlice<UInt8>? {
    let (number, hadReturn) = (number, endedWithCarriageReturn)
    let line = try next()
    guard let line else { return nil }
    position = line.startIndex
    kept?.removeAll()
    (current, endedWithCarriageReturn) = (number, hadReturn)
    return line
  }

  /// The bytes of the file; nil where it is no ordinary one, and has no end that is known.
  package var size: Int? {
    if source != nil { return sizeElsewhere }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  private func lineEnd(from start: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let feed = memchr(base + start, 0x0A, end - start) else { return nil }
      return UnsafeRawPointer(feed) - base
    }
  }

  private func line(upTo end: Int) -> ArraySlice<UInt8> {
    current += 1
    // A byte order mark is not part of the first line.
    if current == 1, buffer[position..<end].starts(with: [0xEF, 0xBB, 0xBF]) { position += 3 }
    endedWithCarriageReturn = end > position && buffer[end - 1] == 0x0D
    if kept != nil {
      kept?.append(contentsOf: buffer[position..<end])
      kept?.append(0x0A)
    }
    return buffer[position..<(endedWithCarriageReturn ? end - 1 : end)]
  }

  private func fill() throws(FileError) {
    if position > 0 {
      // If no line that was handed out is kept, the rest alone is copied.
      buffer.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        base.copyMemory(from: base + position, byteCount: end - position)
      }
      end -= position
      removed += position
      position = 0
    }
    guard end <= Self.longest else {
      throw FileError(path: path, unreadable: "line \(number + 1) has more than \(Self.longest >> 20) MiB")
    }
    if let source {
      let piece = try source()
      if piece.isEmpty { isAtEnd = true }
      makeRoom(for: piece.count)
      buffer.replaceSubrange(end..<(end + piece.count), with: piece)
      end += piece.count
      return
    }
    try Files.waitToRead(descriptor, path: path, wait)
    let size = 1 << 16
    makeRoom(for: size)
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress?.advanced(by: end), size) }
    let failure = errno
    end += max(count, 0)
    if count < 0, failure != EINTR { throw FileError(path: path, code: failure) }
    if count == 0 { isAtEnd = true }
  }

  private func makeRoom(for count: Int) {
    let lack = end + count - buffer.count
    if lack > 0 { buffer.append(contentsOf: repeatElement(0, count: max(lack, buffer.count))) }
  }
}
