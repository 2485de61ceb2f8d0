#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why a file could not be read or written.
public struct FileError: Error, Hashable, Sendable {
  /// The path as given.
  public let path: String
  /// The system's number of the error, such as `ENOENT`.
  public let code: Int32
  /// What was to be done with the file.
  public let operation: Operation

  /// What can be done with a file.
  public enum Operation: Hashable, Sendable {
    /// It was to be opened or read.
    case reading
    /// It was to be made or written.
    case writing
  }

  /// An error of the system, by its number.
  public init(path: String, code: Int32, _ operation: Operation = .reading) {
    self.path = path
    self.code = code
    self.operation = operation
  }

  /// What the system says: `No such file or directory`.
  public var reason: String { String(cString: strerror(code)) }
}

/// Whole files, without Foundation.
public enum Files {
  /// The bytes of a file.
  ///
  /// - Throws: ``FileError`` with the system's reason.
  public static func read(_ path: String) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
    defer { close(descriptor) }
    return try read(descriptor, path: path)
  }

  /// The bytes that are left in an open file.
  public static func read(_ descriptor: Int32, path: String) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_size > 0 { bytes.reserveCapacity(Int(status.st_size) + (1 << 16)) }
    let chunk = 1 << 16
    while true {
      var failure: Int32?
      let start = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: chunk))
      let count = bytes.withUnsafeMutableBytes { buffer -> Int in
        guard let base = buffer.baseAddress else { return 0 }
        let count = Glibc.read(descriptor, base + start, chunk)
        if count < 0 { failure = errno }
        return count
      }
      bytes.removeLast(chunk - max(count, 0))
      if let failure {
        if failure == EINTR { continue }
        throw FileError(path: path, code: failure)
      }
      if count == 0 { return bytes }
    }
  }

  /// Writes a whole text file, replacing what stands there.
  ///
  /// - Parameter appends: add to the end of the file instead.
  public static func write(_ text: String, to path: String, appends: Bool = false) throws(FileError) {
    let flags = appends ? O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC : O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let descriptor = open(path, flags, 0o666)
    guard descriptor >= 0 else { throw FileError(path: path, code: errno, .writing) }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw FileError(path: path, code: errno, .writing)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Whether a directory stands at a path.
  public static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
