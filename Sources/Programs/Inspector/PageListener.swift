#if Inspector
import FlyingFox
import FlyingSocks
import Foundation

/// Accepts the connections of the page, and bounds each before anything of it is kept or understood.
///
/// FlyingFox's own server reads a head of any length in quadratic time, and never yields: two long lines stop the program.
/// A connection without the token has at most ten seconds for a request with its answer, and there are at most 64 such connections.
struct PageListener {
  let port: UInt16
  private let socket: Socket
  private let pool: any AsyncSocketPool
  private let strangers = Strangers()

  private static let longestHead = 16 << 10
  private static let longestBody = 64 << 10

  /// Listens on a port of this machine; 0 lets the system choose one.
  ///
  /// - Throws: `SocketError` if the port is not free.
  init(port: UInt16, pool: any AsyncSocketPool) throws {
    socket = try Socket(domain: AF_INET)
    self.pool = pool
    try socket.setValue(true, for: .localAddressReuse)
    // Accepted sockets inherit the option. By Nagle's algorithm a small frame waits for the acknowledgement of the one before,
    // which the browser delays by 40 ms.
    try socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
    try socket.bind(to: .inet(ip4: "127.0.0.1", port: port))
    try socket.listen()
    guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.unsupportedAddress }
    self.port = port
  }

  /// Serves until the task is cancelled.
  func run(_ server: PageServer) async throws {
    let listening = try AsyncSocket(socket: socket, pool: pool)
    try await withThrowingDiscardingTaskGroup { group in
      while true {
        do {
          let socket = try await listening.accept()
          group.addTask { await serve(socket, by: server) }
        } catch {
          // The process has no descriptor left, or the client has gone.
          try await Task.sleep(for: .milliseconds(100))
        }
      }
    }
  }

  private func serve(_ socket: AsyncSocket, by server: PageServer) async {
    let visit = Visit(socket.socket, strangers)
    let inlet = Inlet(socket.socket, pool)
    do {
      repeat { await visit.begin() } while try await answer(socket, inlet, visit, by: server)
      // A socket that is closed with bytes unread takes back what was written last.
      await visit.begin()
      shutdown(socket.socket.file.rawValue, Int32(SHUT_WR))
      while true { try await inlet.discard() }
    } catch {
      // The client has gone, or its time is over.
    }
    await visit.end()
    try? socket.close()
  }

  /// Answers the next request; false: it was the last.
  private func answer(_ socket: AsyncSocket, _ inlet: Inlet, _ visit: Visit, by server: PageServer) async throws -> Bool
  {
    guard let head = try await inlet.head(atMost: Self.longestHead) else {
      return try await refuse(socket, .requestHeaderFieldsTooLarge)
    }
    guard let request = HTTPRequest(head: head) else { return try await refuse(socket, .badRequest) }
    guard let length = request.bodyLength else { return try await refuse(socket, .badRequest) }
    guard length <= Self.longestBody else { return try await refuse(socket, .payloadTooLarge) }
    var response = try await server.handleRequest(request)
    if case .webSocket(let handler) = response.payload {
      // A body would be taken for frames.
      guard length == 0 else { return try await refuse(socket, .badRequest) }
      try await socket.write(response.encoded())
      try await converse(socket, handler, inlet, visit)
      return false
    }
    // Nothing here reads a body, so a connection with one cannot go on.
    let goesOn = length == 0 && request.keepsAlive
    if !goesOn { response.headers[.connection] = "close" }
    try await socket.write(response.encoded())
    return goesOn
  }

  private func refuse(_ socket: AsyncSocket, _ status: HTTPStatusCode) async throws -> Bool {
    try await socket.write(HTTPResponse(statusCode: status, headers: [.connection: "close"]).encoded())
    return false
  }

  private func converse(_ socket: AsyncSocket, _ handler: any WSHandler, _ inlet: Inlet, _ visit: Visit) async throws {
    let client = AsyncThrowingStream<WSFrame, any Error> { try await inlet.frame(of: visit) }
    var isOpen = true
    // The frames end when no task reads the socket any longer. FlyingFox's pool loses sight of a socket that is closed while
    // a task reads it, and of the next one with the same descriptor.
    for await frame in try await handler.makeFrames(for: client) where isOpen {
      do {
        try await socket.write(frame.encoded())
      } catch {
        isOpen = false
        shutdown(socket.socket.file.rawValue, Int32(SHUT_RDWR))
      }
    }
  }
}

/// The connections that have not shown the token, the one that has waited longest first.
private actor Strangers {
  private var sockets: [(id: ObjectIdentifier, socket: Socket)] = []

  private static let most = 64

  func admit(_ id: ObjectIdentifier, _ socket: Socket) {
    forget(id)
    sockets.append((id, socket))
    if sockets.count > Self.most { dismiss(sockets[0].id) }
  }

  /// The socket may be closed from here on.
  func forget(_ id: ObjectIdentifier) { sockets.removeAll { $0.id == id } }

  /// Ends the reads and writes of a connection, whose task then closes it.
  func dismiss(_ id: ObjectIdentifier) {
    guard let stranger = sockets.first(where: { $0.id == id }) else { return }
    shutdown(stranger.socket.file.rawValue, Int32(SHUT_RDWR))
    forget(id)
  }
}

/// The time that a connection has without the token.
private actor Visit {
  private let socket: Socket
  private let strangers: Strangers
  private var deadline: Task<Void, Never>?

  private static let time = Duration.seconds(10)

  init(_ socket: Socket, _ strangers: Strangers) {
    (self.socket, self.strangers) = (socket, strangers)
  }

  /// The connection has the whole time from here on.
  func begin() async {
    deadline?.cancel()
    let (id, strangers) = (ObjectIdentifier(self), strangers)
    await strangers.admit(id, socket)
    deadline = Task {
      guard (try? await Task.sleep(for: Self.time)) != nil else { return }
      await strangers.dismiss(id)
    }
  }

  /// The connection has shown the token, or is closed next.
  func end() async {
    deadline?.cancel()
    await strangers.forget(ObjectIdentifier(self))
  }
}

/// The bytes that come from a client: heads of requests, then the frames of a WebSocket.
private actor Inlet {
  private let socket: Socket
  private let pool: any AsyncSocketPool
  private var bytes: ArraySlice<UInt8> = []
  private var hasMessage = false
  private var hasToken = false

  /// A message without the token is a token.
  private static let longestToken = 4096
  private static let headEnd = Array("\r\n\r\n".utf8)

  init(_ socket: Socket, _ pool: any AsyncSocketPool) {
    (self.socket, self.pool) = (socket, pool)
  }

  private func fill() async throws {
    while true {
      do {
        let piece = try socket.read(atMost: 1 << 16)
        bytes = bytes.isEmpty ? piece[...] : bytes + piece
        return
      } catch SocketError.blocked {
        try await pool.suspendSocket(socket, untilReadyFor: .read)
      }
    }
  }

  private func take(_ count: Int) async throws -> [UInt8] {
    var taken: [UInt8] = []
    while true {
      let piece = bytes.prefix(count - taken.count)
      taken += piece
      bytes = bytes.dropFirst(piece.count)
      guard taken.count < count else { return taken }
      try await fill()
    }
  }

  /// Drops what has come, and waits for more.
  func discard() async throws {
    bytes = []
    try await fill()
    await Task.yield()
  }

  /// The next head with its empty line; nil: it is too long.
  func head(atMost most: Int) async throws -> [UInt8]? {
    var searched = 0
    while true {
      if let end = bytes.prefix(most).dropFirst(searched).firstRange(of: Self.headEnd)?.upperBound {
        return try await take(end - bytes.startIndex)
      }
      guard bytes.count < most else { return nil }
      // The end may have begun in what has come.
      searched = max(0, bytes.count - Self.headEnd.count + 1)
      try await fill()
    }
  }

  /// The next frame. The relay reads a second message only if the first is the token.
  ///
  /// - Throws: `FrameFault.tooLong` before a payload is read that is longer than any message.
  func frame(of visit: Visit) async throws -> WSFrame {
    if hasMessage, !hasToken {
      hasToken = true
      await visit.end()
    }
    let start = try await take(2)
    var length = UInt64(start[1] & 0x7f)
    if length > 125 { length = try await take(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | UInt64($1) } }
    // RFC 6455, 5.5: a frame that controls the connection is whole and short.
    guard start[0] & 0x08 == 0 || (start[0] & 0x80 != 0 && length <= 125) else { throw FrameFault.badFrame }
    guard length <= (hasToken ? FrameFault.mostBytes : Self.longestToken) else { throw FrameFault.tooLong }
    let key = try await take(start[1] & 0x80 == 0 ? 0 : 4)
    var payload = try await take(Int(length))
    if !key.isEmpty { for index in payload.indices { payload[index] ^= key[index & 3] } }
    let frame = WSFrame(
      fin: start[0] & 0x80 != 0, rsv1: start[0] & 0x40 != 0, rsv2: start[0] & 0x20 != 0, rsv3: start[0] & 0x10 != 0,
      opcode: WSFrame.Opcode(start[0] & 0x0f),
      mask: key.isEmpty ? nil : WSFrame.Mask(m1: key[0], m2: key[1], m3: key[2], m4: key[3]), payload: Data(payload))
    if frame.fin, frame.opcode == .text || frame.opcode == .continuation { hasMessage = true }
    return frame
  }
}

extension WSFrame {
  /// The bytes of a frame of the server, which has no mask.
  fileprivate func encoded() -> Data {
    var bytes = Data([(fin ? 0x80 : 0) | opcode.rawValue])
    switch payload.count {
    case ...125: bytes.append(UInt8(payload.count))
    case ...0xffff: bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
    default: bytes += [127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    return bytes + payload
  }
}

extension HTTPRequest {
  /// The request of a head, without its body; nil: it is no request of HTTP/1. A header that comes twice has both values.
  fileprivate init?(head: [UInt8]) {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n" as Character)
    let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
    guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else { return nil }
    var headers: [HTTPHeader: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let name = line[..<colon]
      guard !name.isEmpty, !name.contains(where: \.isWhitespace) else { return nil }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      let header = HTTPHeader(String(name))
      headers[header] = headers[header].map { "\($0), \(value)" } ?? value
    }
    let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(
      method: HTTPMethod(String(words[0])), version: HTTPVersion(String(words[2])),
      target: Target(path: target.first.map(String.init) ?? "", query: target.count > 1 ? String(target[1]) : ""),
      headers: HTTPHeaders(headers), body: HTTPBodySequence())
  }

  /// The length of the body that follows the head, without a bound if it comes in chunks; nil: the head does not tell it.
  fileprivate var bodyLength: Int? {
    guard headers[.transferEncoding] == nil else { return .max }
    guard let text = headers[.contentLength] else { return 0 }
    guard !text.isEmpty, text.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
    return Int(text) ?? .max
  }

  fileprivate var keepsAlive: Bool {
    let words = (headers[.connection] ?? "").lowercased().split(separator: ",")
    return version == .http11 && !words.contains { $0.trimmingCharacters(in: .whitespaces) == "close" }
  }
}

extension HTTPResponse {
  /// The head and the body in one piece.
  fileprivate func encoded() async throws -> Data {
    var text = "\(version.rawValue) \(statusCode.code) \(statusCode.phrase)\r\n"
    for (header, value) in headers { text += "\(header.rawValue): \(value)\r\n" }
    guard case .httpBody(let body) = payload else { return Data("\(text)\r\n".utf8) }
    let bytes = try await body.reduce(into: Data()) { $0 += $1 }
    return Data("\(text)Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes
  }
}
#endif
