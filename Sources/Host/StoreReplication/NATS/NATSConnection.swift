import CNATS
import StoreCore

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The files by which a client and its servers know each other.
package struct NATSLogin: Sendable {
  /// A file of credentials, as `nsc` writes it.
  package var credentials: String?
  /// A file of certificates of authorities that may vouch for the server; nil: the system's.
  package var authorities: String?
  /// A file of this client's own certificate.
  package var certificate: String?
  /// A file of the certificate's key; nil: it stands in the certificate's file.
  package var key: String?

  /// A login by files.
  package init(
    credentials: String? = nil, authorities: String? = nil, certificate: String? = nil, key: String? = nil
  ) {
    self.credentials = credentials
    self.authorities = authorities
    self.certificate = certificate
    self.key = key
  }
}

struct NATSMessage: Sendable {
  var subject: String
  var reply: String?
  /// The status of a message without content, such as `503`.
  var status: String?
  /// The subject of an answer for which a consumer waits before it goes on.
  var stalled: String?
  /// The number of the last message that a consumer delivered.
  var lastDelivery: UInt64?
  var bytes: [UInt8]
}

/// A connection to NATS servers, which comes back by itself when it is lost.
final class NATSConnection: @unchecked Sendable {
  // Safe: libnats locks its objects itself, and the pointers never change. `events` is read by its threads only.
  private let library: NATSLibrary
  private let connection: OpaquePointer
  private let events: Events
  private let ended: EndedSubscriptions

  /// The events of a connection, which libnats calls from threads of its own.
  final class Events: Sendable {
    let disconnected: @Sendable () -> Void
    let reconnected: @Sendable () -> Void

    init(disconnected: @escaping @Sendable () -> Void, reconnected: @escaping @Sendable () -> Void) {
      self.disconnected = disconnected
      self.reconnected = reconnected
    }
  }

  /// Connects.
  ///
  /// - Parameter name: what the server's listings call this client.
  init(
    _ address: NATSAddress, login: NATSLogin, name: String, library: NATSLibrary, timeout: Duration,
    disconnected: @escaping @Sendable () -> Void, reconnected: @escaping @Sendable () -> Void
  ) throws(LogError) {
    self.library = library
    events = Events(disconnected: disconnected, reconnected: reconnected)
    ended = EndedSubscriptions(library: library)
    connection = try NATSConnection.connect(address, login, name, library, timeout, events)
  }

  deinit {
    library.functions.natsConnection_Destroy(connection)
    ended.close()
  }

  private static func connect(
    _ address: NATSAddress, _ login: NATSLogin, _ name: String, _ library: NATSLibrary, _ timeout: Duration,
    _ events: Events
  ) throws(LogError) -> OpaquePointer {
    let functions = library.functions
    var created: OpaquePointer?
    guard functions.natsOptions_Create(&created) == CNATSStatus(CNATS_OK), let options = created else {
      throw .noLibrary(reason: library.text(of: CNATSStatus(CNATS_TIMEOUT)))
    }
    defer { functions.natsOptions_Destroy(options) }
    try use(login, options, library)
    if address.isEncrypted {
      let status = functions.natsOptions_SetSecure(options, true)
      guard status == CNATSStatus(CNATS_OK) else {
        throw .insecure(servers: address.shownServers, reason: library.text(of: status))
      }
    }
    // The closed connection's event, its last, gives the reference back.
    let context = Unmanaged.passRetained(events)
    var statuses = [
      functions.natsOptions_SetName(options, name),
      functions.natsOptions_SetTimeout(options, timeout.milliseconds),
      functions.natsOptions_SetMaxReconnect(options, -1),
      functions.natsOptions_SetReconnectWait(options, 100),
      // Nothing may be sent later that was given up meanwhile.
      functions.natsOptions_SetReconnectBufSize(options, 0),
      functions.natsOptions_SetPingInterval(options, 1_000),
      functions.natsOptions_SetMaxPingsOut(options, 2),
      functions.natsOptions_SetSendAsap(options, true),
      functions.natsOptions_SetWriteDeadline(options, timeout.milliseconds),
      // The library's own handler prints; `forbiddenSubject` reads the error.
      functions.natsOptions_SetErrorHandler(options, { _, _, _, _ in }, context.toOpaque()),
      functions.natsOptions_SetDisconnectedCB(
        options, { Unmanaged<Events>.fromOpaque($1).takeUnretainedValue().disconnected() }, context.toOpaque()),
      functions.natsOptions_SetReconnectedCB(
        options, { Unmanaged<Events>.fromOpaque($1).takeUnretainedValue().reconnected() }, context.toOpaque()),
      functions.natsOptions_SetClosedCB(
        options, { Unmanaged<Events>.fromOpaque($1).release() }, context.toOpaque()),
    ]
    var servers: [UnsafePointer<CChar>?] = address.servers.map { UnsafePointer(strdup($0)) }
    defer { for server in servers { free(UnsafeMutableRawPointer(mutating: server)) } }
    statuses.append(functions.natsOptions_SetServers(options, &servers, Int32(servers.count)))
    var connection: OpaquePointer?
    var status = statuses.first { $0 != CNATSStatus(CNATS_OK) } ?? CNATSStatus(CNATS_OK)
    if status == CNATSStatus(CNATS_OK) { status = functions.natsConnection_Connect(&connection, options) }
    guard status == CNATSStatus(CNATS_OK), let connection else {
      context.release()
      let reason = library.text(of: status)
      // libnats reads them when it connects, and names the file.
      if let path = login.credentials, reason.contains("'\(path)'") { throw .badFile(path: path, reason: reason) }
      throw refusal(status, address.shownServers, reason)
    }
    return connection
  }

  private static func use(_ login: NATSLogin, _ options: OpaquePointer, _ library: NATSLibrary) throws(LogError) {
    let functions = library.functions
    // libnats does not say that a file is missing.
    for path in [login.credentials, login.authorities, login.certificate, login.key].compactMap(\.self)
    where access(path, R_OK) != 0 {
      throw .badFile(path: path, reason: String(cString: strerror(errno)))
    }
    func check(_ status: CNATSStatus, _ path: String) throws(LogError) {
      guard status == CNATSStatus(CNATS_OK) else { throw .badFile(path: path, reason: library.text(of: status)) }
    }
    if let path = login.credentials {
      try check(functions.natsOptions_SetUserCredentialsFromFiles(options, path, nil), path)
    }
    if let path = login.authorities {
      try check(functions.natsOptions_LoadCATrustedCertificates(options, path), path)
    }
    if let file = login.certificate {
      try check(functions.natsOptions_LoadCertificatesChain(options, file, login.key ?? file), file)
    }
  }

  private static func refusal(_ status: CNATSStatus, _ servers: String, _ reason: String) -> LogError {
    switch Int(status) {
    case Int(CNATS_CONNECTION_AUTH_FAILED), Int(CNATS_NOT_PERMITTED): .loginRefused(servers: servers, reason: reason)
    case Int(CNATS_SECURE_CONNECTION_WANTED), Int(CNATS_SECURE_CONNECTION_REQUIRED), Int(CNATS_SSL_ERROR):
      .insecure(servers: servers, reason: reason)
    default: .noServer(servers: servers, reason: reason)
    }
  }

  // MARK: Use

  /// The largest content of a message that the server takes.
  var mostBytes: Int { Int(library.functions.natsConnection_GetMaxPayload(connection)) }

  /// True when the server takes messages with headers.
  var takesHeaders: Bool { library.functions.natsConnection_HasHeaderSupport(connection) == CNATSStatus(CNATS_OK) }

  /// The subject that this user may not use, if the server's last error says so. The server sends the error as a text, and no answer
  /// to the request.
  var forbiddenSubject: String? {
    var text: UnsafePointer<CChar>?
    _ = library.functions.natsConnection_GetLastError(connection, &text)
    guard let error = text.map({ String(cString: $0) }), error.lowercased().contains("permissions violation") else {
      return nil
    }
    let pieces = error.split(separator: "\"", omittingEmptySubsequences: false)
    return pieces.count > 2 ? String(pieces[1]) : nil
  }

  /// The reason why a message could not be sent.
  struct SendFault: Error {
    var status: CNATSStatus
    var reason: String

    /// True when nothing of the message has left this process: libnats checks for these two before it writes.
    var isUnsent: Bool {
      [CNATS_INSUFFICIENT_BUFFER, CNATS_MAX_PAYLOAD].contains { CNATSStatus($0) == status }
    }
  }

  func publish(_ bytes: [UInt8], to subject: String, reply: String? = nil, header: (name: String, value: String)? = nil)
    throws(SendFault)
  {
    let message = try makeMessage(bytes, subject, reply, header)
    defer { library.functions.natsMsg_Destroy(message) }
    try check(library.functions.natsConnection_PublishMsg(connection, message))
  }

  /// Sends a request and waits for its answer. Nil when none comes in time.
  func request(
    _ bytes: [UInt8], of subject: String, header: (name: String, value: String)? = nil, timeout: Duration
  ) throws(SendFault) -> NATSMessage? {
    let message = try makeMessage(bytes, subject, nil, header)
    defer { library.functions.natsMsg_Destroy(message) }
    var reply: OpaquePointer?
    let status = library.functions.natsConnection_RequestMsg(&reply, connection, message, timeout.milliseconds)
    defer { if let reply { library.functions.natsMsg_Destroy(reply) } }
    switch Int(status) {
    case Int(CNATS_TIMEOUT): return nil
    case Int(CNATS_NO_RESPONDERS): return NATSMessage(subject: subject, status: "503", bytes: [])
    default:
      try check(status)
      return reply.map { NATSConnection.read($0, library) }
    }
  }

  /// Waits until the server has taken all that was sent.
  func flush(timeout: Duration) throws(SendFault) {
    let before = ended.take()
    do throws(SendFault) {
      try check(library.functions.natsConnection_FlushTimeout(connection, timeout.milliseconds))
    } catch {
      for subscription in before { ended.keep(subscription) }
      throw error
    }
    ended.destroy(before)
  }

  func close() { library.functions.natsConnection_Close(connection) }

  private func makeMessage(
    _ bytes: [UInt8], _ subject: String, _ reply: String?, _ header: (name: String, value: String)?
  ) throws(SendFault) -> OpaquePointer {
    var created: OpaquePointer?
    let status = bytes.withUnsafeBufferPointer {
      library.functions.natsMsg_Create(&created, subject, reply, $0.baseAddress, Int32($0.count))
    }
    try check(status)
    guard let message = created else { throw SendFault(status: status, reason: "no message") }
    if let (name, value) = header {
      do throws(SendFault) {
        try check(library.functions.natsMsgHeader_Set(message, name, value))
      } catch {
        library.functions.natsMsg_Destroy(message)
        throw error
      }
    }
    return message
  }

  private func check(_ status: CNATSStatus) throws(SendFault) {
    guard status == CNATSStatus(CNATS_OK) else { throw SendFault(status: status, reason: library.text(of: status)) }
  }

  fileprivate static func read(_ message: OpaquePointer, _ library: NATSLibrary) -> NATSMessage {
    let functions = library.functions
    let count = Int(functions.natsMsg_GetDataLength(message))
    let bytes = functions.natsMsg_GetData(message).map { data in
      data.withMemoryRebound(to: UInt8.self, capacity: count) { Array(UnsafeBufferPointer(start: $0, count: count)) }
    }
    func header(_ name: String) -> String? {
      var value: UnsafePointer<CChar>?
      _ = functions.natsMsgHeader_Get(message, name, &value)
      return value.map { String(cString: $0) }
    }
    var read = NATSMessage(
      subject: String(cString: functions.natsMsg_GetSubject(message)),
      reply: functions.natsMsg_GetReply(message).map { String(cString: $0) }, bytes: bytes ?? [])
    // Only a message without content carries these headers.
    if count == 0 {
      read.status = header("Status")
      read.stalled = header("Nats-Consumer-Stalled")
      read.lastDelivery = header("Nats-Last-Consumer").flatMap { UInt64($0) }
    }
    return read
  }

  // MARK: Subscriptions

  /// A subscription, which ends when the last reference to it goes.
  final class Subscription: @unchecked Sendable {
    // Safe: libnats locks the subscription itself, and the pointer never changes.
    private let subscription: OpaquePointer
    private let ended: EndedSubscriptions

    fileprivate init(_ subscription: OpaquePointer, _ ended: EndedSubscriptions) {
      self.subscription = subscription
      self.ended = ended
    }

    deinit { ended.end(subscription) }
  }

  /// Subscriptions that have ended, until nothing can use their memory any more.
  ///
  /// libnats before 3.6 may be handing a message on to a subscription that it frees in another thread (nats.c#637). So one that has ended
  /// is freed when the answer to a later request has come: the thread that reads has then left it behind.
  fileprivate final class EndedSubscriptions: Sendable {
    struct Ended: @unchecked Sendable {
      // Safe: libnats locks the subscription itself, and only who took it out frees it.
      let subscription: OpaquePointer
    }

    private struct State {
      var subscriptions: [Ended] = []
      var isClosed = false
    }

    private let library: NATSLibrary
    private let state = Lock(State())

    init(library: NATSLibrary) { self.library = library }

    /// No message that comes from now on is handed on to a subscription.
    func end(_ subscription: OpaquePointer) {
      _ = library.functions.natsSubscription_Unsubscribe(subscription)
      keep(Ended(subscription: subscription))
    }

    /// Keeps a subscription that has ended, as long as there is a connection.
    func keep(_ subscription: Ended) {
      let isClosed = state.withLock { state in
        if !state.isClosed { state.subscriptions.append(subscription) }
        return state.isClosed
      }
      if isClosed { destroy([subscription]) }
    }

    /// Takes out those that have ended up to now.
    func take() -> [Ended] {
      state.withLock { state in
        defer { state.subscriptions = [] }
        return state.subscriptions
      }
    }

    /// Frees subscriptions that nothing uses any more.
    func destroy(_ subscriptions: [Ended]) {
      for ended in subscriptions { library.functions.natsSubscription_Destroy(ended.subscription) }
    }

    /// The connection is gone.
    func close() {
      state.withLock { $0.isClosed = true }
      destroy(take())
    }
  }

  private final class Handler: Sendable {
    let library: NATSLibrary
    let take: @Sendable (NATSMessage) -> Void

    init(library: NATSLibrary, take: @escaping @Sendable (NATSMessage) -> Void) {
      self.library = library
      self.take = take
    }
  }

  /// Subscribes to a subject. Messages come on a thread of the subscription's own, one after another.
  func subscribe(to subject: String, _ take: @escaping @Sendable (NATSMessage) -> Void) throws(SendFault)
    -> Subscription
  {
    let context = Unmanaged.passRetained(Handler(library: library, take: take))
    var created: OpaquePointer?
    let status = library.functions.natsConnection_Subscribe(
      &created, connection, subject,
      { _, _, message, context in
        let handler = Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue()
        handler.take(NATSConnection.read(message, handler.library))
        handler.library.functions.natsMsg_Destroy(message)
      }, context.toOpaque())
    guard status == CNATSStatus(CNATS_OK), let subscription = created else {
      context.release()
      throw SendFault(status: status, reason: library.text(of: status))
    }
    // No limit: the consumer's flow control bounds what is on its way.
    _ = library.functions.natsSubscription_SetPendingLimits(subscription, -1, -1)
    // The subscription's end, when no handler runs any more, gives the reference back.
    _ = library.functions.natsSubscription_SetOnCompleteCB(
      subscription, { Unmanaged<Handler>.fromOpaque($0).release() }, context.toOpaque())
    return Subscription(subscription, ended)
  }
}

extension Duration {
  /// Whole milliseconds.
  var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
