/// A file on its way to replacing another: written beside it without a name, and put in its place when it is whole.
/// Whoever reads the place sees the old file or the new one, and nothing stays where writing fails or the process is
/// killed. On a file system that knows no files without a name, it has another name meanwhile.
package final class ReplacingFile {
  private static let pieceSize = 1 << 16

  /// The bytes that are not written yet.
  package var bytes: [UInt8] = []
  private let path: String
  private let target: String
  /// The name that it has, or gets for a moment, before it takes that of another; nil: it is written to as it is.
  private let beside: String?
  private let appends: Bool
  private let sink: Sink?
  /// The waits for whoever reads a pipe.
  private let wait: FileWait
  /// The place of pieces that are handed on instead of being written.
  private struct Sink {
    let write: ([UInt8]) throws(FileError) -> Void
    let finish: () throws(FileError) -> Void
  }

  /// The path from the root of a file that is written elsewhere; nil: it is written here.
  package let placeElsewhere: String?
  /// Done before anything of it can be read by others.
  private let beforeShowing: () -> Void
  private var hasName = false
  private var descriptor: Int32
  private var isDone = false
  /// The length of the file before the program added to it; nil: that length cannot be restored.
  private var formerLength: off_t?
  private var written = 0

  /// True if the file is written to as it is, for all to see at once.
  package var isInPlace: Bool { sink == nil && beside == nil }

  /// True if others may read what is written before it is whole.
  private var isVisible: Bool { sink == nil && (beside == nil || hasName) }

  /// Begins a file. A file that no other could replace is written to as it is. Such a file is no ordinary one (a
  /// terminal, a pipe), has several names, or has owners that another could not have. The same holds for the program's
  /// own output, a link that leads nowhere yet, and a file in a folder that takes no others.
  ///
  /// - Parameters:
  ///   - appends: add to the end of the file that stands there instead.
  ///   - wait: the waits for whoever reads a pipe.
  ///   - beforeShowing: done before others can read anything of it.
  /// - Throws: `FileError` with the system's reason; with `EINTR` where the wait was ended.
  package init(
    _ path: String, appends: Bool = false, waiting wait: FileWait = .endless, beforeShowing: @escaping () -> Void = {}
  ) throws(FileError) {
    self.path = path
    self.wait = wait
    self.beforeShowing = beforeShowing
    self.appends = appends
    sink = nil
    placeElsewhere = nil
    var status = stat()
    let isThere = stat(path, &status) == 0
    // A symbolic link stays one: what it leads to is replaced.
    target = Files.absolute(path)
    if let own = isThere ? Self.ownOutput(status) : nil {
      beside = nil
      descriptor = fcntl(own, F_DUPFD_CLOEXEC, 3)
    } else if isThere, status.st_mode & S_IFMT == S_IFIFO {
      beside = nil
      descriptor = try Files.openToWrite(pipe: path, waiting: wait)
    } else if appends {
      // A file that is made here goes again where nothing comes of it, under the name that it keeps.
      beside = isThere ? nil : target
      hasName = !isThere
      descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
      if isThere, status.st_mode & S_IFMT == S_IFREG { formerLength = status.st_size }
    } else if isThere ? Self.mustStay(target, status) : Files.isLink(path) {
      beside = nil
      descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    } else {
      let name = "\(target).\(getpid()).part"
      descriptor = Self.openNameless(inFolderOf: target)
      if descriptor < 0 {
        descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        hasName = descriptor >= 0
      }
      if !isThere || descriptor < 0 || fchown(descriptor, status.st_uid, status.st_gid) == 0 {
        beside = name
        if isThere { fchmod(descriptor, status.st_mode & 0o7777) }
      } else {
        beside = nil
        close(descriptor)
        if hasName { unlink(name) }
        hasName = false
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
      }
    }
    guard descriptor >= 0 else { throw FileError(path: path, code: errno, .writing) }
    bytes.reserveCapacity(Self.pieceSize * 2)
  }

  /// Begins what is no file: pieces are handed on instead of being written.
  package init(handingOn sink: @escaping (_ piece: [UInt8]) -> Void) {
    (path, target, beside, appends, descriptor, wait) = ("-", "-", nil, false, -1, .endless)
    self.sink = Sink(write: sink, finish: {})
    placeElsewhere = nil
    beforeShowing = {}
  }

  /// Begins a file that is written elsewhere.
  ///
  /// - Parameters:
  ///   - path: its path from the root there.
  ///   - write: writes a piece.
  ///   - finish: puts what was written in its place.
  package init(
    of path: String, handingOn write: @escaping (_ piece: [UInt8]) throws(FileError) -> Void,
    finishing finish: @escaping () throws(FileError) -> Void
  ) {
    (self.path, target, beside, appends, descriptor, wait) = (path, path, nil, false, -1, .endless)
    sink = Sink(write: write, finish: finish)
    placeElsewhere = path
    beforeShowing = {}
  }

  /// Returns true if a file is written to as it is: no other can take its place, or it has several names or is no
  /// ordinary one.
  private static func mustStay(_ path: String, _ status: stat) -> Bool {
    status.st_mode & S_IFMT != S_IFREG || status.st_nlink > 1 || access(path, W_OK) != 0
      || access(path.folder, W_OK) != 0
  }

  /// The descriptor of the program's own output that goes to a file; nil: none does.
  private static func ownOutput(_ file: stat) -> Int32? {
    [STDOUT_FILENO, STDERR_FILENO].first { descriptor in
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino
    }
  }

  /// A file without a name in the folder of another; -1: there is no such thing here.
  private static func openNameless(inFolderOf path: String) -> Int32 {
    // O_TMPFILE, a macro that Swift does not see.
    let nameless = 0o20_000_000 | O_DIRECTORY
    return open(path.folder, O_WRONLY | nameless | O_CLOEXEC, 0o666)
  }

  /// Gives a file that has no name one.
  private func link(as name: String) -> Bool {
    linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if !isDone, hasName, let beside { unlink(beside) }
  }

  /// Writes what there is, if that is enough to be worth a call.
  package func passOn() throws(FileError) {
    if bytes.count >= Self.pieceSize { try flush() }
  }

  /// Writes what is left and puts the file in its place.
  package func finish() throws(FileError) {
    try flush()
    if let sink {
      isDone = true
      return try sink.finish()
    }
    if !isVisible { beforeShowing() }
    if let beside, !hasName, !link(as: target) {
      // Only a rename takes the place of another file.
      unlink(beside)
      hasName = link(as: beside)
      guard hasName else { throw FileError(path: path, code: errno, .writing) }
    }
    // The former content may have been longer; a file without a length refuses.
    if isInPlace, !appends { _ = ftruncate(descriptor, lseek(descriptor, 0, SEEK_CUR)) }
    let result = close(descriptor)
    descriptor = -1
    guard result == 0 else { throw FileError(path: path, code: errno, .writing) }
    if let beside, hasName {
      guard rename(beside, target) == 0 else { throw FileError(path: path, code: errno, .writing) }
    }
    isDone = true
  }

  private func flush() throws(FileError) {
    if let sink {
      try sink.write(bytes)
      bytes.removeAll(keepingCapacity: true)
      return
    }
    if isVisible, !bytes.isEmpty { beforeShowing() }
    var rest = bytes[...]
    while !rest.isEmpty {
      var piece = rest
      if wait.canEnd, isInPlace {
        try Files.waitToWrite(descriptor, path: path, wait)
        // As much as a pipe that has room takes at once.
        piece = rest.prefix(Int(PIPE_BUF))
      }
      let (count, failure) = Files.write(piece, to: descriptor)
      written += count
      rest = rest.dropFirst(count)
      if let failure {
        takeBack()
        throw FileError(path: path, code: failure, .writing)
      }
    }
    bytes.removeAll(keepingCapacity: true)
  }
}

extension ReplacingFile {
  /// Takes away what was added to a file that cannot have all of it, unless somebody else has added to it too.
  private func takeBack() {
    var status = stat()
    guard let formerLength, fstat(descriptor, &status) == 0, status.st_size == formerLength + off_t(written) else {
      return
    }
    _ = ftruncate(descriptor, formerLength)
  }
}

extension Files {
  /// A path from the root, however the working folder changes; as given where nothing stands there, or where the
  /// path is not UTF-8.
  package static func absolute(_ path: String) -> String { resolved(path) ?? path }

  /// A path from the root without links; nil where nothing stands there, or where the path is not UTF-8: `errno` says which.
  package static func resolved(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    if let path = String(validatingCString: found) { return path }
    errno = EILSEQ
    return nil
  }
}
