import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The right to write a file, which one process at a time has. It ends with the process, however that ends.
///
/// The descriptor stays open for as long as SQLite has the file: closing any descriptor of a file would drop the locks by which
/// SQLite guards it.
final class FileLock: Sendable {
  let descriptor: Int32
  /// Whether the file was made for it.
  let hasMadeFile: Bool
  private let isHeld = Atomic<Bool>(true)

  /// Takes the right, creating the file, for its owner alone, where there is none.
  init(_ path: String, creates: Bool = true) throws(JournalError) {
    let made = creates ? open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600) : -1
    let opened = made >= 0 ? made : open(path, (creates ? O_CREAT : 0) | O_RDWR | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw .refusal(of: path, code: errno) }
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw .cannotOpen(path: path, reason: "it is not a regular file")
    }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(opened)
      guard code == EWOULDBLOCK else { throw .refusal(of: path, code: code) }
      throw .inUse(path: path, process: nil)
    }
    descriptor = opened
    hasMadeFile = made >= 0
  }

  deinit { release() }

  /// Gives the right back.
  func release() {
    guard isHeld.exchange(false, ordering: .relaxed) else { return }
    // A process that is being started has the descriptor too, until it runs its program.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// The first bytes of the file.
  func head(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = pread(descriptor, &bytes, count, 0)
    return Array(bytes.prefix(max(read, 0)))
  }

  /// Whether the file is still the one at a path.
  func isAt(_ path: String) -> Bool {
    var (own, there) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && stat(path, &there) == 0 && own.st_ino == there.st_ino
      && own.st_dev == there.st_dev
  }

  /// What tells one content of a file from another.
  struct Version: Equatable {
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int

    fileprivate init(_ status: stat) {
      #if canImport(Glibc)
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
      #else
        (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
      #endif
      size = Int(status.st_size)
    }
  }

  /// Which content the file has; nil: the system does not say.
  var version: Version? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Version(status) : nil
  }

  /// How long the file is, in bytes.
  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }
}
