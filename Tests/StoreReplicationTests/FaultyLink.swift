import StoreCore
import TerminalSupport
import Testing

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A way from a node to its server, on loopback, that can be cut, be held up and lose what the server answers.
final class FaultyLink: Sendable {
  /// The state of the way.
  enum Mode {
    /// All bytes pass.
    case open
    /// No byte passes; connections stay.
    case held
    /// Nothing of the server arrives at the node, and all of the node at the server.
    case deaf
    /// Connections end, and new ones are refused.
    case cut
    /// The way is given up.
    case ended
  }

  private struct Connection {
    var node: Int32
    var server: Int32

    func close() { for end in [node, server] { Glibc.close(end) } }
  }

  /// The port for the node.
  let port: UInt16
  private let server: UInt16
  private let listener: Int32
  private let wake: (read: Int32, write: Int32)
  private let mode = Lock(Mode.open)

  /// Leads to a server's port.
  init(to server: UInt16) throws {
    self.server = server
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in(loopbackPort: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listens = address.withPointer {
      bind(listener, $0, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &size) == 0
    }
    var ends: [Int32] = [-1, -1]
    let isPiped = pipe(&ends) == 0
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    self.listener = listener
    wake = (ends[0], ends[1])
    port = UInt16(bigEndian: address.sin_port)
    try #require(listens && isPiped)
    try WorkerThread { self.run() }.detach()
  }

  /// Changes the state. What a deaf way lost is missing from its connections, so they end with it.
  func become(_ mode: Mode) {
    self.mode.withLock { $0 = mode }
    _ = write(wake.write, [0], 1)
  }

  private func run() {
    var connections: [Connection] = []
    var wasDeaf = false
    while true {
      let mode = self.mode.withLock { $0 }
      if mode == .cut || mode == .ended || wasDeaf && mode != .deaf {
        for connection in connections { connection.close() }
        connections = []
      }
      wasDeaf = mode == .deaf
      if mode == .ended { break }
      var waited = [pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)]
      if mode != .held {
        waited += ([listener] + connections.flatMap { [$0.node, $0.server] })
          .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      }
      guard poll(&waited, nfds_t(waited.count), -1) > 0 else { continue }
      let ready = Set(waited.filter { $0.revents != 0 }.map(\.fd))
      if ready.contains(wake.read) {
        var byte: UInt8 = 0
        _ = read(wake.read, &byte, 1)
        continue
      }
      connections.removeAll { connection in
        let goesOn =
          pass(from: connection.node, to: connection.server, ready)
          && pass(from: connection.server, to: mode == .deaf ? -1 : connection.node, ready)
        if !goesOn { connection.close() }
        return !goesOn
      }
      if ready.contains(listener), let connection = accept(refuses: mode == .cut) { connections.append(connection) }
    }
    for descriptor in [listener, wake.read, wake.write] { close(descriptor) }
  }

  private func accept(refuses: Bool) -> Connection? {
    let node = Glibc.accept(listener, nil, nil)
    guard node >= 0 else { return nil }
    _ = fcntl(node, F_SETFD, FD_CLOEXEC)
    let other = refuses ? -1 : connection(to: server)
    guard other >= 0 else {
      close(node)
      return nil
    }
    return Connection(node: node, server: other)
  }

  /// Passes on what is there; to a target below 0 nothing. False when the connection has ended.
  private func pass(from source: Int32, to target: Int32, _ ready: Set<Int32>) -> Bool {
    guard ready.contains(source) else { return true }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(source, &bytes, bytes.count, 0)
    guard count > 0 else { return false }
    guard target >= 0 else { return true }
    var sent = 0
    while sent < count {
      let piece = bytes[sent..<count].withUnsafeBytes { send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard piece > 0 else { return false }
      sent += piece
    }
    return true
  }
}
