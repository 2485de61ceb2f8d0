#if Inspector
import ArgumentParser
import FlyingFox
import FlyingSocks
import Foundation

/// A door to connect to: a socket by its path, or a port of this machine with its token.
enum DoorPlace: Sendable {
  case unix(String)
  case loopback(port: UInt16, token: String)

  /// The folder of doors that have a name alone, as `DoorAddress` of the shell has it; nil: others may write there.
  private static var folder: String? {
    if let base = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"], base.hasPrefix("/") { return "\(base)/stsh" }
    let usual = "/tmp/stsh-\(geteuid())"
    var status = stat()
    guard lstat(usual, &status) == 0 else { return usual }
    let isOwn = status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    return isOwn ? usual : nil
  }

  static var names: [String] {
    guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
    return names.filter { name in
      let kind = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.type] as? FileAttributeType
      return kind == .typeSocket
    }.sorted()
  }

  /// The door that a text names: a path with a `/`, `127.0.0.1:PORT`, or a name in the folder of the user's doors.
  ///
  /// - Throws: `ValidationError` for a text that names no door, and for a port without its token.
  init(parsing text: String, token: String?) throws {
    if !text.contains("/"), let colon = text.lastIndex(of: ":") {
      guard ["127.0.0.1", "localhost"].contains(text[..<colon]), let port = UInt16(text[text.index(after: colon)...])
      else { throw ValidationError("a door is on this machine alone: 127.0.0.1:PORT, not '\(text)'") }
      guard let token else { throw ValidationError("a port needs its token: --token-file FILE") }
      self = .loopback(port: port, token: token)
      return
    }
    if text.contains("/") {
      self = .unix(text)
    } else if let folder = Self.folder, !text.isEmpty {
      self = .unix("\(folder)/\(text)")
    } else {
      throw ValidationError("there is no folder for the door '\(text)' that is this user's alone; give a path")
    }
  }

  /// The text that the page shows as the name of the store.
  var name: String {
    switch self {
    case .unix(let path): path.split(separator: "/").last.map(String.init) ?? path
    case .loopback(let port, _): "127.0.0.1:\(port)"
    }
  }

  func connect(through pool: some AsyncSocketPool) async throws -> AsyncSocket {
    switch self {
    case .unix(let path): try await .connected(to: .unix(path: path), pool: pool)
    case .loopback(let port, _): try await .connected(to: .inet(ip4: "127.0.0.1", port: port), pool: pool)
    }
  }

  /// The first request, where the door asks for its token.
  var proof: Data? {
    guard case .loopback(_, let token) = self,
      let text = try? JSONEncoder().encode(["token": token])
    else { return nil }
    return text + Data("\n".utf8)
  }
}
#endif
