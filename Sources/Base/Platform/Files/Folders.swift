extension Files {
  /// The names of what is in a folder, sorted by bytes; none where it is no folder.
  package static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns true if a symbolic link stands at a path.
  package static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Returns true if anything stands at a path.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Returns true if a path leads to an ordinary file: no folder, pipe or device.
  package static func isOrdinary(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns true if a pipe stands at a path.
  package static func isPipe(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  /// Makes a file that has no name, for its maker alone; it goes when it is closed.
  ///
  /// - Throws: ``FileError`` with the system's reason.
  package static func makeNameless() throws(FileError) -> Int32 {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var path = Array("\(folder)/stsh-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { throw FileError(path: folder, code: errno, .writing) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(path)
    return descriptor
  }

  /// Returns true if two paths lead to one file, or are the same path where one leads nowhere yet.
  package static func areSame(_ left: String, _ right: String) -> Bool {
    var (one, other) = (stat(), stat())
    guard stat(left, &one) == 0, stat(right, &other) == 0 else { return left == right }
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  /// Returns true if two paths name one place of one folder, whether or not anything stands there.
  package static func areOnePlace(_ left: String, _ right: String) -> Bool {
    guard let one = resolved(left.folder), let other = resolved(right.folder), one == other else { return false }
    return left.split(separator: "/").last == right.split(separator: "/").last
  }

  /// Makes a folder and those that it needs; one that exists is left alone.
  ///
  /// - Parameter mode: the permissions of those that are made.
  /// - Throws: ``FileError`` with the system's reason.
  package static func makeFolder(_ path: String, mode: mode_t = 0o777) throws(FileError) {
    guard !exists(path) else { return }
    try makeFolder(path.folder, mode: mode)
    guard mkdir(path, mode) == 0 || errno == EEXIST else { throw FileError(path: path, code: errno, .writing) }
  }

  /// Returns true if a path leads to an ordinary file that may be read.
  package static func isReadable(_ path: String) -> Bool { isOrdinary(path) && access(path, R_OK) == 0 }

  /// Replaces a text file as a whole, so that whoever reads it sees the old text or the new; only its owner may read it.
  ///
  /// - Throws: ``FileError`` with the system's reason; the old text then stands.
  package static func replace(_ path: String, with text: String) throws(FileError) {
    try makeFolder(path.folder)
    let beside = "\(path).\(getpid())"
    do throws(FileError) {
      try write(text, to: beside)
      guard chmod(beside, 0o600) == 0, rename(beside, path) == 0 else { throw FileError(path: path, code: errno) }
    } catch {
      unlink(beside)
      throw error
    }
  }
}

extension String {
  /// The folder that a path stands in.
  package var folder: String {
    lastIndex(of: "/").map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? "."
  }

  /// The part behind the last slash of a path that names something.
  package var lastComponent: String { split(separator: "/").last.map(String.init) ?? self }
}
