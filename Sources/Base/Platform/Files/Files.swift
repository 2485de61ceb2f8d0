/// Why a file could not be read or written.
package struct FileError: Error, Hashable, Sendable {
  /// The path as given.
  package let path: String
  /// The system's number of the error, such as `ENOENT`.
  package let code: Int32
  package let operation: Operation

  package enum Operation: Hashable, Sendable {
    /// Opening or reading.
    case reading
    /// Making or writing.
    case writing
  }

  /// The reason in words of our own; nil: the system's.
  private let ownReason: String?

  /// An error of the system, by its number.
  package init(path: String, code: Int32, _ operation: Operation = .reading) {
    (self.path, self.code, self.operation, ownReason) = (path, code, operation, nil)
  }

  /// The error of a file whose content cannot be taken, for a reason of our own.
  package init(path: String, unreadable reason: String) {
    (self.path, code, operation, ownReason) = (path, EFBIG, .reading, reason)
  }

  /// An error with a reason of our own.
  package init(path: String, code: Int32, _ operation: Operation = .reading, reason: String) {
    (self.path, self.code, self.operation, ownReason) = (path, code, operation, reason)
  }

  /// The reason, mostly as the system says it: `No such file or directory`.
  package var reason: String { ownReason ?? String(cString: strerror(code)) }

  /// True if nothing stands at the path.
  package var isMissing: Bool { [ENOENT, ENOTDIR].contains(code) }
}

/// Whole files, without Foundation.
package enum Files {
  /// The bytes of a file.
  ///
  /// - Parameter wait: the waits for whoever writes a pipe.
  /// - Throws: ``FileError`` with the system's reason; with `EINTR` where such a wait was ended.
  package static func read(_ path: String, waiting wait: FileWait = .endless) throws(FileError) -> [UInt8] {
    let descriptor = try openToRead(path, waiting: wait)
    defer { close(descriptor) }
    return try read(descriptor, path: path, waiting: wait)
  }

  /// Opens a file to be read. Where waits can end, none is here for somebody to write to a pipe.
  ///
  /// - Throws: ``FileError`` with the system's reason.
  package static func openToRead(_ path: String, waiting wait: FileWait) throws(FileError) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | (wait.canEnd ? O_NONBLOCK : 0))
    guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
    if wait.canEnd { _ = fcntl(descriptor, F_SETFL, 0) }
    return descriptor
  }

  /// Opens a regular file to be read. Anything else, such as a pipe or a device, is refused at once: the program's own files and those
  /// of plugins are no place to wait.
  ///
  /// - Parameter followsLink: whether the path may be a symbolic link.
  /// - Throws: ``FileError`` with the system's reason, or that it is no regular file.
  package static func openRegular(_ path: String, followsLink: Bool = true) throws(FileError) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw FileError(path: path, unreadable: "it is not a regular file")
    }
    return descriptor
  }

  /// The bytes of a regular file.
  ///
  /// - Throws: as ``openRegular(_:followsLink:)``.
  package static func readRegular(_ path: String) throws(FileError) -> [UInt8] {
    let descriptor = try openRegular(path)
    defer { close(descriptor) }
    return try read(descriptor, path: path)
  }

  /// The first bytes of an ordinary file; none where there is none that may be read.
  package static func start(of path: String, count: Int) -> [UInt8] {
    guard let descriptor = try? openRegular(path) else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = pread(descriptor, &bytes, count, 0)
    return Array(bytes.prefix(max(read, 0)))
  }

  /// Waits until there is something to read, or the end.
  ///
  /// - Throws: ``FileError`` with `EINTR` where the wait was ended.
  package static func waitToRead(_ descriptor: Int32, path: String, _ wait: FileWait) throws(FileError) {
    if wait.canEnd, wait.wait(for: descriptor).isEnded { throw FileError(path: path, code: EINTR) }
  }

  /// Opens a pipe to be written, once somebody reads it.
  ///
  /// - Throws: ``FileError`` with the system's reason; with `EINTR` where the wait was ended.
  package static func openToWrite(pipe path: String, waiting wait: FileWait) throws(FileError) -> Int32 {
    while true {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC | (wait.canEnd ? O_NONBLOCK : 0))
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFL, 0)
        return descriptor
      }
      guard errno == ENXIO, wait.canEnd else { throw FileError(path: path, code: errno, .writing) }
      // Nothing tells when a reader comes.
      if wait.wait(for: nil, atMost: 20).isEnded { throw FileError(path: path, code: EINTR, .writing) }
    }
  }

  /// Waits until something can be written.
  ///
  /// - Throws: ``FileError`` with `EINTR` where the wait was ended.
  package static func waitToWrite(_ descriptor: Int32, path: String, _ wait: FileWait) throws(FileError) {
    guard wait.canEnd else { return }
    let (isReady, isEnded) = wait.wait(for: descriptor, POLLOUT)
    if !isReady, isEnded { throw FileError(path: path, code: EINTR, .writing) }
  }

  /// The most bytes that are read at once.
  private static let largest = 1 << 32
  /// The most bytes of what has no size that is known, such as a pipe: it may have no end.
  private static let largestStream = 1 << 28

  /// The bytes that are left in an open file.
  ///
  /// - Parameter wait: the waits for whoever writes a pipe.
  package static func read(
    _ descriptor: Int32, path: String, waiting wait: FileWait = .endless
  ) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    var status = stat()
    let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    // A little more than there is, to see that it is the end; small files are many.
    let chunk = size > 0 ? min(size + 64, 1 << 16) : 1 << 16
    guard size <= largest else { throw FileError(path: path, code: EFBIG) }
    bytes.reserveCapacity(size + chunk)
    while true {
      try waitToRead(descriptor, path: path, wait)
      var failure: Int32?
      let start = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: chunk))
      let count = bytes.withUnsafeMutableBytes { buffer -> Int in
        guard let base = buffer.baseAddress else { return 0 }
        let count = Platform.read(descriptor, base + start, chunk)
        if count < 0 { failure = errno }
        return count
      }
      bytes.removeLast(chunk - max(count, 0))
      if let failure {
        if failure == EINTR { continue }
        throw FileError(path: path, code: failure)
      }
      if count == 0 { return bytes }
      guard size == 0 else { continue }
      // A device such as /dev/zero has no end, and no text has such a byte.
      if bytes[start...].contains(0) { throw FileError(path: path, unreadable: "it holds a NUL byte, as no text does") }
      if bytes.count > largestStream {
        let most = "more than \(largestStream >> 20) MiB came, and its size is not known"
        throw FileError(path: path, unreadable: "\(most); save it to a file first")
      }
    }
  }

  /// Writes a whole text file, replacing what stands there.
  ///
  /// - Parameter appends: add to the end of the file instead.
  package static func write(_ text: String, to path: String, appends: Bool = false) throws(FileError) {
    let flags = appends ? O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC : O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let descriptor = open(path, flags, 0o666)
    guard descriptor >= 0 else { throw FileError(path: path, code: errno, .writing) }
    defer { close(descriptor) }
    if let code = write(Array(text.utf8)[...], to: descriptor).failure {
      throw FileError(path: path, code: code, .writing)
    }
  }

  /// Writes bytes to an open file, waiting where it takes no more for now.
  ///
  /// - Returns: the number of bytes written, and the system's number of the error that ended it; nil: all are written.
  @discardableResult
  package static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> (count: Int, failure: Int32?) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Platform.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var target = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&target, 1, -1)
      } else if errno != EINTR {
        return (bytes.count - rest.count, errno)
      }
    }
    return (bytes.count, nil)
  }

  /// Returns true if a directory stands at a path.
  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
