import Platform
import ShellLanguage
import StoreShell

/// The place of a door.
public enum DoorAddress: Hashable, Sendable {
  /// A socket in the file system, by its path.
  case unix(String)
  /// A port of this machine, for its own processes alone; 0 lets the system choose one.
  case loopback(port: UInt16)

  /// The place that a text says: a path, which holds a `/`; `127.0.0.1:PORT`; or a name in the folder of the
  /// user's doors, `$XDG_RUNTIME_DIR/stsh`, or `/tmp/stsh-UID` where the system has set no such variable.
  ///
  /// - Throws: `ShellError` for a text that says none.
  public init(parsing text: String) throws(ShellError) {
    if !text.contains("/"), let colon = text.lastIndex(of: ":") {
      guard ["127.0.0.1", "localhost"].contains(text[..<colon]), let port = UInt16(text[text.index(after: colon)...])
      else {
        throw ShellError(
          code: .notAllowed, message: "a door is on this machine alone: 127.0.0.1:PORT, not '\(text)'",
          hint: "other machines come in by ssh -L", status: 2)
      }
      self = .loopback(port: port)
      return
    }
    let name = text.split(separator: "/").last.map(String.init) ?? ""
    guard !name.isEmpty, ![".", ".."].contains(name), !text.utf8.contains(0) else {
      throw ShellError(code: .syntax, message: "'\(text)' is not a door", status: 2)
    }
    let path: String
    if text.contains("/") {
      path = text
    } else if let folder = Self.folder {
      path = "\(folder)/\(text)"
    } else {
      throw ShellError(
        code: .noSuchFile,
        message: "there is no folder for the door '\(text)': \(Self.usualFolder) is not this user's alone",
        hint: "name a folder of your own in XDG_RUNTIME_DIR", status: 2)
    }
    guard path.utf8.count < Self.longestPath else {
      throw ShellError(
        code: .failed, message: "the path of a socket has at most \(Self.longestPath - 1) bytes: \(path)", status: 2)
    }
    self = .unix(path)
  }

  /// The bytes that the system has for a socket's path, with the one behind it.
  static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  /// The folder of doors that have a name alone; nil: others may write there.
  static var folder: String? {
    if let base = UserEnvironment.nonEmpty("XDG_RUNTIME_DIR"), base.hasPrefix("/") { return "\(base)/stsh" }
    var status = stat()
    guard lstat(usualFolder, &status) == 0 else { return usualFolder }
    let isOwn = status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    return isOwn ? usualFolder : nil
  }

  /// The folder where no session of a login has made one: in a container, of a service, behind `sudo`.
  private static var usualFolder: String { "/tmp/stsh-\(geteuid())" }

  /// The place as it is written.
  public var text: String {
    switch self {
    case .unix(let path): path
    case .loopback(let port): "127.0.0.1:\(port)"
    }
  }

  /// Makes a socket that suits the place; below 0: the system refuses.
  func makeSocket() -> Int32 {
    let family =
      switch self {
      case .unix: AF_UNIX
      case .loopback: AF_INET
      }
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return descriptor
  }

  /// Gives the place as the system's calls take it.
  func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    func give<Address>(_ address: inout Address) -> Result {
      withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
      }
    }
    switch self {
    case .unix(let path):
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
      return give(&address)
    case .loopback(let port):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return give(&address)
    }
  }
}
