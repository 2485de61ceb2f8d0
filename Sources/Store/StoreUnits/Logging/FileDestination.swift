import StoreCore
import Glibc

/// A log at the end of a file, which is made if there is none. The file may rotate: it becomes `PATH.1`, the former
/// `PATH.1` becomes `PATH.2`, and so on.
public final class FileDestination: LogDestination {
  private struct File {
    var descriptor: Int32
    var size: Int
  }

  private let path: String
  private let limit: Int
  private let kept: Int
  private let file: Lock<File>

  /// Opens or makes the file; what it holds stays.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - limit: its size in bytes at which it rotates, between two writes; a file may be larger where one write is.
  ///   - kept: the number of earlier files kept; the oldest go.
  /// - Throws: ``LogFileError``.
  public init(path: String, rotatingAt limit: Int = .max, keeping kept: Int = 3) throws {
    self.path = path
    self.limit = limit
    self.kept = max(kept, 0)
    file = Lock(try FileDestination.open(path))
  }

  deinit { file.withLock { _ = close($0.descriptor) } }

  /// Writes lines.
  ///
  /// - Throws: ``LogFileError``.
  public func write(_ lines: String) throws {
    try file.withLock { file in
      let count = lines.utf8.count
      if file.size > 0, count > limit - file.size { try rotate(&file) }
      try LogFile.write(lines, to: file.descriptor, path: path)
      file.size += count
    }
  }

  private func rotate(_ file: inout File) throws {
    for number in stride(from: kept, to: 0, by: -1) {
      let newer = number == 1 ? path : "\(path).\(number - 1)"
      // A file that is not there yet is no fault.
      guard rename(newer, "\(path).\(number)") == 0 || errno == ENOENT else {
        throw LogFileError(path: newer, code: errno)
      }
    }
    if kept == 0 { unlink(path) }
    let next = try FileDestination.open(path)
    close(file.descriptor)
    file = next
  }

  private static func open(_ path: String) throws -> File {
    let descriptor = openForAppending(path)
    guard descriptor >= 0 else { throw LogFileError(path: path, code: errno) }
    let size = lseek(descriptor, 0, SEEK_END)
    // A file without a size, such as a pipe, does not rotate.
    return File(descriptor: descriptor, size: size < 0 ? 0 : Int(size))
  }

  private static func openForAppending(_ path: String) -> Int32 {
    Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
  }
}
