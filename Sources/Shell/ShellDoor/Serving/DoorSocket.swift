import CEvents
import Platform
import ShellLanguage
import StoreCore

/// A socket that listens at the place of a door. A lock beside the path decides which process listens, and replaces a socket that is
/// left over. If other programs remove the socket, ``restore()`` makes it again.
final class DoorSocket: Sendable {
  let descriptor: Int32
  /// The place, with the port that the system chose.
  let address: DoorAddress
  private let group: UInt32?
  private let place: Lock<Place>

  private struct Place {
    var lock: FileLock?
    /// The file of the socket, as the system tells it from others; nil: a port has none.
    var file: (device: UInt, number: UInt)?
    /// Why the socket cannot be made again; nil: nothing was in the way.
    var obstacle: String?
    var isClosed = false
  }

  /// - Parameter group: the group whose users may connect besides this one; nil: none.
  init(_ address: DoorAddress, group: UInt32? = nil) throws(ShellError) {
    var place = Place()
    switch address {
    case .unix(let path):
      let lock = try Self.lock(path)
      do throws(ShellError) {
        (descriptor, place.file) = try Self.listen(at: path, group)
      } catch {
        lock.remove(at: "\(path).lock")
        throw error
      }
      place.lock = lock
    case .loopback: descriptor = try Self.listen(address)
    }
    self.address = address == .loopback(port: 0) ? .loopback(port: Self.port(of: descriptor)) : address
    self.group = group
    self.place = Lock(place)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// Ends listening, and takes the file away where it is still this one.
  func close() {
    place.withLock { place in
      place.isClosed = true
      if case .unix(let path) = address, let file = place.file, let found = Self.file(at: path), found == file {
        unlink(path)
      }
      Platform.close(descriptor)
      if case .unix(let path) = address { place.lock?.remove(at: "\(path).lock") }
    }
  }

  /// The outcomes of a look at the socket's file.
  enum Return {
    /// The file had gone, and the socket listens there again.
    case made
    /// The file has gone, and cannot be made again, for a reason in words.
    case refused(String)
  }

  /// Makes the socket again where its file has gone.
  ///
  /// - Parameter empty: lets in the clients that wait at the old socket, which only they can reach.
  /// - Returns: nil: the file is there, or the same obstacle was told before.
  func restore(emptying empty: () -> Void) -> Return? {
    guard case .unix(let path) = address else { return nil }
    return place.withLock { place -> Return? in
      guard !place.isClosed, let file = place.file else { return nil }
      let found = Self.file(at: path)
      if let found, found == file { return nil }
      do throws(ShellError) {
        if found != nil { throw Self.replaced(path) }
        if let lock = place.lock, !lock.isAt("\(path).lock") {
          lock.release()
          place.lock = nil
        }
        if place.lock == nil { place.lock = try Self.lock(path) }
        let made = try Self.listen(at: path, group)
        empty()
        // The number of the descriptor stays, which other threads use.
        _ = fcntl(made.descriptor, F_SETFL, O_NONBLOCK)
        dup3(made.descriptor, descriptor, Int32(O_CLOEXEC))
        Platform.close(made.descriptor)
        (place.file, place.obstacle) = (made.file, nil)
        return .made
      } catch {
        guard place.obstacle != error.message else { return nil }
        place.obstacle = error.message
        return .refused(error.message)
      }
    }
  }

  private static func replaced(_ path: String) -> ShellError {
    ShellError(code: .failed, message: "another file is at \(path)")
  }

  /// Takes the right to listen at a path.
  private static func lock(_ path: String) throws(ShellError) -> FileLock {
    if let folder = DoorAddress.folder, path.hasPrefix("\(folder)/") {
      mkdir(folder, 0o700)
      // Another user may have been quicker to make it.
      guard DoorAddress.folder != nil else { throw refusal(folder, EACCES) }
    }
    var status = stat()
    guard lstat("\(path).lock", &status) != 0 || status.st_mode & S_IFMT != S_IFLNK else {
      throw ShellError(
        code: .notAllowed, message: "\(path).lock is a link, and would be removed", hint: "name another path")
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
    return lock
  }

  /// Listens at a path whose lock is held.
  private static func listen(
    at path: String, _ group: UInt32?
  ) throws(ShellError) -> (descriptor: Int32, file: (device: UInt, number: UInt)) {
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw ShellError(code: .failed, message: "\(path) is there and is not a socket", hint: "name another path")
      }
      guard try isLeft(path) else {
        throw ShellError(
          code: .doorInUse, message: "another program listens at \(path)", hint: "name another path")
      }
      unlink(path)
    }
    let place = try makingPlace(of: path)
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
    return (descriptor, file)
  }

  /// The place where the socket is until it listens: beside its path, unless a file of another kind is there or the name is too long.
  private static func makingPlace(of path: String) throws(ShellError) -> String {
    let place = "\(path)~"
    var status = stat()
    guard place.utf8.count < DoorAddress.longestPath else { return path }
    guard lstat(place, &status) == 0 else { return place }
    // A door that was killed may have left one.
    guard status.st_mode & S_IFMT == S_IFSOCK, try isLeft(place) else { return path }
    unlink(place)
    return place
  }

  /// True if nothing listens at a socket any more.
  private static func isLeft(_ path: String) throws(ShellError) -> Bool {
    let address = DoorAddress.unix(path)
    let descriptor = address.makeSocket()
    guard descriptor >= 0 else { throw refusal(path, errno) }
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
  /// The number of the process; nil: the kernel does not know it.
  let process: Int32?

  init(_ descriptor: Int32, at address: DoorAddress) {
    guard case .unix = address else {
      (user, process) = (nil, nil)
      return
    }
    // As the system's `ucred`, which the module of glibc leaves out.
    var peer: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
    var length = socklen_t(MemoryLayout.size(ofValue: peer))
    let isKnown = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0
    user = isKnown ? peer.user : .max
    process = isKnown && peer.process > 0 ? peer.process : nil
  }
}
