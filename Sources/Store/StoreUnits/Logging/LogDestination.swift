import Glibc

/// The destination of a log.
public protocol LogDestination: Sendable {
  /// Takes whole lines, each with its end. Called by one thread at a time, which is not a store's.
  func write(_ lines: String) throws
}

/// A log on standard error.
public struct StandardErrorDestination: LogDestination {
  /// Writes to the process's standard error.
  public init() {}

  /// Writes lines.
  ///
  /// - Throws: ``LogFileError`` where standard error takes no more.
  public func write(_ lines: String) throws { try LogFile.write(lines, to: STDERR_FILENO, path: "standard error") }
}

/// A log that a closure takes.
public struct ClosureDestination: LogDestination {
  private let body: @Sendable (String) throws -> Void

  /// Hands lines to a closure.
  public init(_ body: @escaping @Sendable (_ lines: String) throws -> Void) { self.body = body }

  /// Writes lines.
  public func write(_ lines: String) throws { try body(lines) }
}

/// A file that cannot be opened or written.
public struct LogFileError: Error, Hashable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// The system's error code, as in `errno`.
  public let code: Int32

  /// The path and what the system said.
  public var description: String { "\(path): \(String(cString: strerror(code)))" }
}

enum LogFile {
  /// Writes all bytes of a text.
  static func write(_ text: String, to descriptor: Int32, path: String) throws(LogFileError) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw LogFileError(path: path, code: errno)
      }
    }
  }

  private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
  }
}
