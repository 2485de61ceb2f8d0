import Platform
import ShellLanguage

/// A socket that listens at the place of a door. A lock beside the path decides who does; a socket that nobody holds is replaced.
struct DoorSocket {
  let descriptor: Int32
  /// The place, with the port that the system chose.
  let address: DoorAddress
  private let lock: FileLock?
  /// The file of the socket, as the system tells it from others.
  private let file: (device: UInt, number: UInt)?

  /// - Parameter group: the group whose users may connect besides this one; nil: none.
  init(_ address: DoorAddress, group: UInt32? = nil) throws(ShellError) {
    switch address {
    case .unix(let path): (descriptor, lock, file) = try Self.listen(at: path, group)
    case .loopback: (descriptor, lock, file) = (try Self.listen(address), nil, nil)
    }
    self.address = address == .loopback(port: 0) ? .loopback(port: Self.port(of: descriptor)) : address
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// Ends listening, and takes the file away where it is still this one.
  func close() {
    if case .unix(let path) = address, let file, let found = Self.file(at: path), found == file { unlink(path) }
    Platform.close(descriptor)
    if case .unix(let path) = address { lock?.remove(at: "\(path).lock") }
  }

  private typealias Listening = (Int32, FileLock?, (device: UInt, number: UInt)?)

  private static func listen(at path: String, _ group: UInt32?) throws(ShellError) -> Listening {
    if let folder = DoorAddress.folder, path.hasPrefix("\(folder)/") {
      mkdir(folder, 0o700)
      // Another user may have been quicker to make it.
      guard DoorAddress.folder != nil else { throw refusal(folder, EACCES) }
    }
    let lock: FileLock
    do {
      lock = try FileLock("\(path).lock")
    } catch {
      switch error {
      case .taken:
        throw ShellError(
          code: .doorInUse, message: "another process listens at \(path)", hint: "stsh --attach \(path) speaks to it")
      case .system(let code): throw refusal(path, code)
      case .notOrdinary: throw ShellError(code: .failed, message: "\(path).lock is not a regular file")
      }
    }
    // Its lock is empty: another's file of that name, such as a list of versions, is not to go with the door.
    guard lock.size == 0 else {
      throw ShellError(
        code: .notAllowed, message: "\(path).lock is not the lock of a door, and would be removed",
        hint: "name another path")
    }
    do throws(ShellError) {
      return try listen(at: path, group, holding: lock)
    } catch {
      lock.remove(at: "\(path).lock")
      throw error
    }
  }

  private static func listen(
    at path: String, _ group: UInt32?, holding lock: FileLock
  ) throws(ShellError) -> Listening {
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw ShellError(code: .failed, message: "\(path) is there and is not a socket", hint: "name another path")
      }
      guard isLeft(path) else {
        throw ShellError(
          code: .doorInUse, message: "another program listens at \(path)", hint: "name another path")
      }
      unlink(path)
    }
    let place = makingPlace(of: path)
    let descriptor = try bind(.unix(place))
    // Nobody comes in before it listens, and who waits for the file finds a door that answers.
    let isOpened = group.map { chown(place, .max, $0) == 0 && chmod(place, 0o660) == 0 } ?? (chmod(place, 0o600) == 0)
    guard isOpened, Platform.listen(descriptor, 512) == 0, place == path || rename(place, path) == 0,
      let file = file(at: path)
    else {
      let code = errno
      unlink(place)
      Platform.close(descriptor)
      throw refusal(path, code)
    }
    return (descriptor, lock, file)
  }

  /// The place where the socket is until it listens: beside its path, unless a file of another kind is there or the name is too long.
  private static func makingPlace(of path: String) -> String {
    let place = "\(path)~"
    var status = stat()
    guard place.utf8.count < DoorAddress.longestPath else { return path }
    guard lstat(place, &status) == 0 else { return place }
    // A door that was killed may have left one.
    guard status.st_mode & S_IFMT == S_IFSOCK, isLeft(place) else { return path }
    unlink(place)
    return place
  }

  /// True if nothing listens at a socket any more.
  private static func isLeft(_ path: String) -> Bool {
    let address = DoorAddress.unix(path)
    let descriptor = address.makeSocket()
    defer { Platform.close(descriptor) }
    // A full queue is one's who lives.
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return address.withSystemAddress { connect(descriptor, $0, $1) } != 0 && [ECONNREFUSED, ENOENT].contains(errno)
  }

  private static func listen(_ address: DoorAddress) throws(ShellError) -> Int32 {
    let descriptor = try bind(address)
    guard Platform.listen(descriptor, 512) == 0 else {
      let code = errno
      Platform.close(descriptor)
      throw refusal(address.text, code)
    }
    return descriptor
  }

  private static func bind(_ address: DoorAddress) throws(ShellError) -> Int32 {
    let descriptor = address.makeSocket()
    guard descriptor >= 0 else { throw refusal(address.text, errno) }
    var isOn: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    guard address.withSystemAddress({ Platform.bind(descriptor, $0, $1) }) == 0 else {
      let code = errno
      Platform.close(descriptor)
      if code == EADDRINUSE {
        throw ShellError(code: .doorInUse, message: "another process listens at \(address.text)")
      }
      throw refusal(address.text, code)
    }
    return descriptor
  }

  private static func refusal(_ place: String, _ code: Int32) -> ShellError {
    ShellError(FileError(path: place, code: code, .writing))
  }

  private static func file(at path: String) -> (device: UInt, number: UInt)? {
    var status = stat()
    return lstat(path, &status) == 0 ? (UInt(status.st_dev), UInt(status.st_ino)) : nil
  }

  private static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { address in
      _ = address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return UInt16(bigEndian: address.sin_port)
  }
}

/// The process at the other end of a socket.
struct DoorPeer {
  /// The user, as the kernel knows it; nil: a port, of which it knows none.
  let user: UInt32?

  init(_ descriptor: Int32, at address: DoorAddress) {
    guard case .unix = address else {
      user = nil
      return
    }
    // As the system's `ucred`, which the module of glibc leaves out.
    var peer: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
    var length = socklen_t(MemoryLayout.size(ofValue: peer))
    let isKnown = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0
    user = isKnown ? peer.user : .max
  }
}
