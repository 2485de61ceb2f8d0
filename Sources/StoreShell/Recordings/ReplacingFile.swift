import StorePlugins

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file on its way to replacing another: written beside it under another name, and moved to its place when it is whole.
/// Whoever reads the place sees the old file or the new one, and nothing stays where writing fails.
final class ReplacingFile {
  private static let pieceSize = 1 << 16

  /// What is not written yet.
  var bytes: [UInt8] = []
  private let path: String
  private let target: String
  private let beside: String?
  private let sink: (([UInt8]) -> Void)?
  private var descriptor: Int32
  private var isDone = false

  /// Begins a file. What is no ordinary file, such as a terminal or a pipe, is written to as it is.
  ///
  /// - Throws: `FileError` with the system's reason.
  init(_ path: String) throws(FileError) {
    self.path = path
    sink = nil
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      target = path
      beside = nil
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    } else {
      // A symbolic link stays one: what it leads to is replaced.
      target = Files.absolute(path)
      let name = "\(target).\(getpid()).part"
      beside = name
      descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    }
    guard descriptor >= 0 else { throw FileError(path: path, code: errno, .writing) }
    bytes.reserveCapacity(Self.pieceSize * 2)
  }

  /// Begins what is no file: pieces are handed on instead of being written.
  init(handingOn sink: @escaping (_ piece: [UInt8]) -> Void) {
    (path, target, beside, descriptor) = ("-", "-", nil, -1)
    self.sink = sink
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if !isDone, let beside { unlink(beside) }
  }

  /// Writes what there is, if that is enough to be worth a call.
  func passOn() throws(FileError) {
    if bytes.count >= Self.pieceSize { try flush() }
  }

  /// Writes what is left and puts the file in its place.
  func finish() throws(FileError) {
    try flush()
    guard sink == nil else { return }
    let result = close(descriptor)
    descriptor = -1
    guard result == 0 else { throw FileError(path: path, code: errno, .writing) }
    if let beside {
      guard rename(beside, target) == 0 else { throw FileError(path: path, code: errno, .writing) }
    }
    isDone = true
  }

  private func flush() throws(FileError) {
    if let sink {
      sink(bytes)
      bytes.removeAll(keepingCapacity: true)
      return
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw FileError(path: path, code: errno, .writing)
      }
      rest = rest.dropFirst(count)
    }
    bytes.removeAll(keepingCapacity: true)
  }
}

extension Files {
  /// A path from the root, however the working folder changes; as given where nothing stands there.
  static func absolute(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
