import FoundationEssentials
import Platform
import StoreCore
import StoreSchema

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A shared log in a stream of NATS JetStream. The stream's numbers are the log's.
///
/// ```swift
/// let log = try NATSLog(NATSAddress("nats://127.0.0.1:4222/shop"), node: "berlin-1")
/// log.start { event in … }
/// ```
///
/// libnats is opened at the first use. The connection comes back by itself; while it is away, nothing is sent and nothing kept to be
/// sent. Records are read by an ordered consumer: one without acknowledgements, with flow control and heartbeats. If a record or its
/// heartbeats are missing, the log tells anew that it can be reached, and the node follows anew.
package final class NATSLog: SharedLog {
  /// The room that the server must give a message: a record with its headers.
  static let mostPayload = LogMessage.mostBytes + 512
  private static let chunkSize = 256 * 1_024
  private static let heartbeat = Duration.milliseconds(500)
  /// So long on end may the engine report an earlier last number than this process has seen: a new leader catches up first, and one that
  /// is cut off from the others needs so long to notice.
  private static let patience = Duration.seconds(30)

  private enum API {
    static let notFound = 10_059
    static let nameInUse = 10_058
    static let noMessage = 10_037
    static let wrongLastSequence = 10_071
    static let subjectsOverlap = 10_065
    /// JetStream is not there for this account, or not at all.
    static let unavailable: Set<Int> = [10_035, 10_039, 10_076]
  }

  private struct State {
    var handler: (@Sendable (LogEvent) -> Void)?
    var isClosed = false
    /// Counts the lost connections.
    var losses = 0
    var isUp = true
    var wanted: (sequence: UInt64, reading: UInt64)?
    /// The highest number that this process knows of.
    var highest: UInt64 = 0
    /// True when the engine has told of an earlier last number.
    var isBehind = false
    /// The number of records that the log keeps before its newest snapshot.
    var reach: UInt64?
    var clock = ClockComparison()
  }

  private let address: NATSAddress
  private let stream: NATSStream
  private let blobStream: NATSStream
  private let connection: NATSConnection
  private let timeout: Duration
  private let wallClock: @Sendable () -> Int64
  private let inbox: String
  private let state: Lock<State>
  private let bell: CountedSignal
  private let subscriptions = Lock<[NATSConnection.Subscription]>([])

  /// Connects, and opens the log of a store; makes the log if there is none.
  ///
  /// - Parameters:
  ///   - node: the name by which the server's listings show this client.
  ///   - appends: false for a node that only follows; it needs no permission to append, and makes no log.
  ///   - timeout: how long an answer of the server may take.
  ///   - libraries: the file names of libnats to try.
  ///   - wallClock: this machine's time in milliseconds since 1970.
  package init(
    _ address: NATSAddress, login: NATSLogin = NATSLogin(), node: String, appends: Bool = true,
    timeout: Duration = .seconds(3), libraries: [String] = ["libnats.so.3.4", "libnats.so"],
    wallClock: @escaping @Sendable () -> Int64 = NATSLog.systemTime
  ) throws(LogError) {
    self.address = address
    self.timeout = timeout
    self.wallClock = wallClock
    stream = .log(of: address)
    blobStream = .blobs(of: address)
    // A subject of this connection alone.
    inbox = "_INBOX.\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let state = Lock(State())
    let bell = CountedSignal()
    (self.state, self.bell) = (state, bell)
    connection = try NATSConnection(
      address, login: login, name: "StoreShell \(node)", library: NATSLibrary(names: libraries), timeout: timeout,
      disconnected: {
        state.withLock { state in
          state.losses += 1
          state.isUp = false
        }
        bell.signal()
      },
      reconnected: {
        state.withLock { $0.isUp = true }
        bell.signal()
      })
    do throws(LogError) {
      try open(appends: appends)
    } catch {
      connection.close()
      throw error
    }
  }

  /// The system's time in milliseconds since 1970.
  package static let systemTime: @Sendable () -> Int64 = {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  // MARK: Opening

  private func open(appends: Bool) throws(LogError) {
    guard connection.takesHeaders else {
      throw .noJetStream(servers: address.shownServers, reason: "the server is too old for headers")
    }
    guard connection.mostBytes >= NATSLog.mostPayload else {
      throw .smallMessages(limit: connection.mostBytes, needed: NATSLog.mostPayload)
    }
    let reach = try ensure(stream, makesIt: appends)
    state.withLock { $0.reach = reach }
    let answers = try subscribe(to: "\(inbox).*") { [weak self] in self?.takeAnswer($0) }
    subscriptions.withLock { $0 = [answers] }
    if appends { try probe() }
  }

  /// Makes a stream if there is none, and checks its settings.
  ///
  /// - Parameter makesIt: false if it has to be there.
  /// - Returns: the number of messages that it keeps before the newest snapshot; nil: all of them.
  @discardableResult
  private func ensure(_ stream: NATSStream, makesIt: Bool = true) throws(LogError) -> UInt64? {
    let found: Value
    switch try ask("STREAM.INFO.\(stream.name)") {
    case .success(let info): found = info
    case .failure(let fault) where fault.code == API.notFound:
      guard makesIt else { throw .noLog(store: address.store, servers: address.shownServers) }
      switch try ask("STREAM.CREATE.\(stream.name)", stream.settings) {
      case .success(let info): found = info
      // Another node was quicker.
      case .failure(let fault) where fault.code == API.nameInUse: found = try info(of: stream)
      case .failure(let fault) where fault.code == API.subjectsOverlap: found = try infoOfOneBeingMade(stream)
      case .failure(let fault): throw .refused(request: "to make the stream \(stream.name)", reason: fault.reason)
      }
    case .failure(let fault): throw .refused(request: "the settings of \(stream.name)", reason: fault.reason)
    }
    return try stream.check(found.member("config") ?? .none)
  }

  /// The state of a stream that another node makes at this moment. A server has its subject before its name, and so for a while refuses
  /// a second request as if the subject were another stream's.
  private func infoOfOneBeingMade(_ stream: NATSStream) throws(LogError) -> Value {
    for _ in 0..<100 {
      if case .success(let info) = try ask("STREAM.INFO.\(stream.name)") { return info }
      usleep(20_000)
    }
    throw .otherApplication(stream: stream.name, reason: "another stream stores the subject \(stream.subject)")
  }

  private func info(of stream: NATSStream) throws(LogError) -> Value {
    switch try ask("STREAM.INFO.\(stream.name)") {
    case .success(let info): return info
    case .failure(let fault): throw .refused(request: "the state of \(stream.name)", reason: fault.reason)
    }
  }

  /// Makes sure that this user may append: asks for an append that cannot come about.
  private func probe() throws(LogError) {
    do throws(NATSConnection.SendFault) {
      let header = (name: NATSLog.expectation, value: String(Int64.max))
      guard try connection.request([], of: stream.subject, header: header, timeout: timeout) == nil else { return }
    } catch {
      throw .refused(request: "an append", reason: error.reason)
    }
    throw silence(of: stream.subject, "an append")
  }

  private static let expectation = "Nats-Expected-Last-Sequence"

  private struct APIFault: Error {
    var code: Int
    var reason: String
  }

  /// A request to JetStream, and its answer. A busy server answers late, or not at all while it makes a stream.
  ///
  /// - Parameter isRepeated: true for a request that may be made again if no answer comes.
  private func ask(
    _ request: String, _ body: Value? = nil, isRepeated: Bool = true
  ) throws(LogError) -> Result<Value, APIFault> {
    let subject = "$JS.API.\(request)"
    let bytes = body.map { Array(JSON.text(of: $0).utf8) } ?? []
    var answer: NATSMessage?
    do throws(NATSConnection.SendFault) {
      for _ in 0..<(isRepeated ? 3 : 1) where answer == nil {
        if connection.forbiddenSubject == subject { break }
        answer = try connection.request(bytes, of: subject, timeout: isRepeated ? timeout : timeout * 3)
      }
    } catch {
      throw .refused(request: request, reason: error.reason)
    }
    guard let answer else {
      throw silence(of: subject, request)
    }
    if answer.status == "503" { throw .noJetStream(servers: address.shownServers, reason: "no server answers for it") }
    guard let value = try? JSON.value(of: answer.bytes) else {
      throw .refused(request: request, reason: "the answer is no JSON")
    }
    guard let error = value.member("error") else { return .success(value) }
    let reason = error.member("description")?.text ?? "error \(error.member("code")?.integer ?? 0)"
    let code = error.member("err_code")?.integer ?? 0
    if API.unavailable.contains(code) { throw .noJetStream(servers: address.shownServers, reason: reason) }
    return .failure(APIFault(code: code, reason: reason))
  }

  private func subscribe(
    to subject: String, _ take: @escaping @Sendable (NATSMessage) -> Void
  ) throws(LogError) -> NATSConnection.Subscription {
    let subscription: NATSConnection.Subscription
    do throws(NATSConnection.SendFault) {
      subscription = try connection.subscribe(to: subject, take)
      try connection.flush(timeout: timeout)
    } catch {
      throw .refused(request: "to subscribe to \(subject)", reason: error.reason)
    }
    if connection.forbiddenSubject == subject { throw .notPermitted(subject: subject) }
    return subscription
  }

  /// Why a request was not answered. This user may be forbidden its subject, or those on which answers come.
  private func silence(of subject: String, _ request: String) -> LogError {
    guard let forbidden = connection.forbiddenSubject, forbidden == subject || forbidden.hasPrefix("_INBOX.") else {
      return .noAnswer(request: request)
    }
    return .notPermitted(subject: forbidden)
  }

  // MARK: The log

  package func start(_ handler: @escaping @Sendable (LogEvent) -> Void) {
    state.withLock { $0.handler = handler }
    do {
      let alive = try subscribe(to: aliveSubject) { [weak self] in self?.emit(.heard(bytes: $0.bytes)) }
      subscriptions.withLock { $0.append(alive) }
      try WorkerThread { self.maintain() }.detach()
      // The connection is there to be announced.
      bell.signal()
    } catch {
      emit(.disconnected(reason: "\(error)"))
    }
  }

  package func append(_ bytes: [UInt8], id: MessageID, expecting last: UInt64) {
    // The server would end the connection for it.
    guard bytes.count <= LogMessage.mostBytes else {
      return emit(.unsent(id, reason: "a message has \(LogMessage.mostBytes) bytes at most, this one \(bytes.count)"))
    }
    state.withLock { $0.clock.sends(id, at: wallClock()) }
    do throws(NATSConnection.SendFault) {
      try connection.publish(
        bytes, to: stream.subject, reply: "\(inbox).\(id)", header: (NATSLog.expectation, String(last)))
    } catch {
      emit(error.isUnsent ? .unsent(id, reason: error.reason) : .failed(id, reason: error.reason))
    }
  }

  package func follow(from sequence: UInt64, reading: UInt64) {
    state.withLock { $0.wanted = (sequence, reading) }
    bell.signal()
  }

  package func say(_ bytes: [UInt8]) {
    // Words may be lost.
    try? connection.publish(bytes, to: aliveSubject)
  }

  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.handler = nil
    }
    bell.signal()
    connection.close()
  }

  private var aliveSubject: String { "store.\(address.store).alive" }

  private func emit(_ event: LogEvent) { state.withLock { $0.handler }?(event) }

  private func takeAnswer(_ answer: NATSMessage) {
    guard let token = answer.subject.split(separator: ".").last, let id = MessageID(String(token)) else { return }
    if answer.status == "503" { return emit(.unsent(id, reason: "no server keeps the log at the moment")) }
    guard let value = try? JSON.value(of: answer.bytes) else {
      return emit(.failed(id, reason: "the server's answer is no JSON"))
    }
    if let error = value.member("error") {
      let isStale = error.member("err_code")?.integer == API.wrongLastSequence
      let reason = error.member("description")?.text ?? "error \(error.member("code")?.integer ?? 0)"
      // `wrong last sequence: 4711`. A log that ends before the record behind which this was to stand has lost its end.
      if isStale, let last = reason.split(separator: " ").last.flatMap({ UInt64($0) }), last + 1 < id.place {
        state.withLock { $0.isBehind = true }
        bell.signal()
      }
      return emit(isStale ? .stale(id) : .failed(id, reason: reason))
    }
    guard let sequence = value.member("seq")?.integer, sequence > 0 else {
      return emit(.failed(id, reason: "the server's answer has no number"))
    }
    reach(UInt64(sequence))
    note(state.withLock { $0.clock.isAcknowledged(id, as: UInt64(sequence), at: wallClock()) })
    emit(.acknowledged(id, sequence: UInt64(sequence)))
  }

  /// Tells how far ahead the engine's clock is, if it is so by much; the start of a reading tells in any case.
  private func note(_ clockAhead: Int64?) {
    if let clockAhead, abs(clockAhead) > Replica.clockTolerance { emit(.clockAhead(milliseconds: clockAhead)) }
  }

  private func reach(_ sequence: UInt64) { state.withLock { $0.highest = max($0.highest, sequence) } }

  // MARK: Maintenance

  /// What one thread does as long as the log is open: announces the connection and its loss, makes consumers, listens for their
  /// heartbeats.
  private func maintain() {
    var announced: Int?
    var complaint: String?
    var consumer: Consumer?
    var behindSince: ContinuousClock.Instant?
    while true {
      bell.wait(atMost: .milliseconds(250))
      let now = state.withLock { state in
        defer { state.isBehind = false }
        return state
      }
      if now.isClosed { return }
      func lose(_ reason: String) {
        consumer = nil
        announced = nil
        guard complaint != reason else { return }
        complaint = reason
        emit(.disconnected(reason: reason))
      }
      if !now.isUp || announced.map({ $0 != now.losses }) ?? false {
        behindSince = nil
        lose("no connection to \(address.shownServers)")
        // The connection may have come back already.
        if now.isUp { bell.signal() }
        continue
      }
      do throws(LogError) {
        // What the node has read may not be the log's any more.
        if now.isBehind || consumer?.isBroken(silence: NATSLog.heartbeat * 4) ?? false {
          (announced, consumer) = (nil, nil)
        }
        if announced == nil {
          let highest = state.withLock { $0.highest }
          let (first, last) = try ends()
          let since = behindSince ?? .now
          behindSince = last < highest ? since : nil
          if last < highest, ContinuousClock.now - since < NATSLog.patience {
            lose("the servers' log ends at record \(last), and this node has read it up to record \(highest)")
            continue
          }
          state.withLock { $0.wanted = nil }
          announced = now.losses
          complaint = nil
          emit(.connected(first: first, last: last))
        }
        try read(&consumer)
      } catch {
        behindSince = nil
        lose("\(error)")
      }
    }
  }

  private func ends() throws(LogError) -> (first: UInt64, last: UInt64) {
    let info = try info(of: stream)
    try stream.check(info.member("config") ?? .none)
    let last = UInt64(max(info.member("state")?.member("last_seq")?.integer ?? 0, 0))
    let first = UInt64(max(info.member("state")?.member("first_seq")?.integer ?? 0, 0))
    return (max(first, 1), last)
  }

  private func read(_ consumer: inout Consumer?) throws(LogError) {
    guard let wanted = state.withLock({ $0.wanted }) else { return }
    if consumer?.reading == wanted.reading { return }
    consumer = nil
    consumer = try makeConsumer(from: wanted.sequence, reading: wanted.reading)
  }

  private func makeConsumer(from sequence: UInt64, reading: UInt64) throws(LogError) -> Consumer {
    let consumer = Consumer(reading: reading)
    let subject = "\(inbox)r.\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let subscription = try subscribe(to: subject) { [weak self, weak consumer] message in
      guard let self, let consumer else { return }
      take(message, of: consumer)
    }
    consumer.subscription.withLock { $0 = subscription }
    let before = wallClock()
    let answer = try ask(
      "CONSUMER.CREATE.\(stream.name)",
      .object([
        ("stream_name", .string(stream.name)),
        (
          "config",
          .object([
            ("deliver_subject", .string(subject)), ("deliver_policy", .string("by_start_sequence")),
            ("opt_start_seq", .int(Int(sequence))), ("ack_policy", .string("none")), ("max_deliver", .int(1)),
            ("replay_policy", .string("instant")), ("flow_control", .bool(true)),
            ("idle_heartbeat", .int(Int(NATSLog.heartbeat.milliseconds) * 1_000_000)), ("mem_storage", .bool(true)),
            ("num_replicas", .int(1)),
          ])
        ),
      ]), isRepeated: false)
    switch answer {
    case .failure(let fault): throw .refused(request: "to read the stream \(stream.name)", reason: fault.reason)
    case .success(let made):
      if let created = made.member("created")?.text.flatMap(milliseconds(ofTime:)) {
        emit(.clockAhead(milliseconds: ClockComparison.ahead(created, between: before, and: wallClock())))
      }
      return consumer
    }
  }

  private func take(_ message: NATSMessage, of consumer: Consumer) {
    // The handler may take long. The consumer is not silent meanwhile.
    consumer.beginDelivery()
    defer { consumer.endDelivery() }
    if message.status != nil {
      if consumer.hear(last: message.lastDelivery) { bell.signal() }
      // Flow control: the consumer goes on when it is answered.
      if let reply = message.stalled ?? message.reply { try? connection.publish([], to: reply) }
      return
    }
    // $JS.ACK.STREAM.CONSUMER.TRIES.SEQUENCE.DELIVERY.TIME.PENDING, with domain and account before the stream in newer servers.
    let tokens = (message.reply ?? "").split(separator: ".")
    let offset = tokens.count > 9 ? 4 : 2
    guard tokens.count >= offset + 7, let sequence = UInt64(tokens[offset + 3]),
      let delivery = UInt64(tokens[offset + 4]), let time = Int64(tokens[offset + 5])
    else { return }
    guard consumer.deliver(delivery) else {
      bell.signal()
      return
    }
    reach(sequence)
    note(state.withLock { $0.clock.isDelivered(sequence, of: time / 1_000_000, at: wallClock()) })
    emit(.delivered(reading: consumer.reading, sequence: sequence, bytes: message.bytes))
  }

  private final class Consumer: Sendable {
    private struct Progress {
      var delivery: UInt64 = 0
      var heard = ContinuousClock.now
      var isDelivering = false
      var isBroken = false
    }

    let reading: UInt64
    let subscription = Lock<NATSConnection.Subscription?>(nil)
    private let progress = Lock(Progress())

    init(reading: UInt64) { self.reading = reading }

    /// True when a message was lost on the way, or nothing was heard for so long.
    func isBroken(silence: Duration) -> Bool {
      progress.withLock { $0.isBroken || !$0.isDelivering && .now - $0.heard > silence }
    }

    /// A message is handed on.
    func beginDelivery() { progress.withLock { $0.isDelivering = true } }

    /// The message was handed on.
    func endDelivery() { progress.withLock { ($0.isDelivering, $0.heard) = (false, .now) } }

    /// A record came. False when others before it did not.
    func deliver(_ delivery: UInt64) -> Bool {
      progress.withLock { progress in
        guard !progress.isBroken, delivery == progress.delivery + 1 else {
          progress.isBroken = true
          return false
        }
        progress.delivery = delivery
        return true
      }
    }

    /// A heartbeat came. True when messages before it did not.
    func hear(last: UInt64?) -> Bool {
      progress.withLock { progress in
        if let last, last > progress.delivery { progress.isBroken = true }
        return progress.isBroken
      }
    }
  }

  /// What an own record tells of the engine's clock: the engine gave it its time between the sending and the answer.
  private struct ClockComparison {
    private var sent: (id: MessageID, time: Int64)?
    private var answered: (sequence: UInt64, sent: Int64, answered: Int64)?
    private var delivered: (sequence: UInt64, time: Int64, arrived: Int64)?

    /// A record is sent. Of a second copy the time of the first counts.
    mutating func sends(_ id: MessageID, at time: Int64) { if sent?.id != id { sent = (id, time) } }

    /// A record is acknowledged.
    mutating func isAcknowledged(_ id: MessageID, as sequence: UInt64, at now: Int64) -> Int64? {
      guard let sent, sent.id == id else { return nil }
      if let delivered, delivered.sequence == sequence {
        return ClockComparison.ahead(delivered.time, between: sent.time, and: delivered.arrived)
      }
      answered = (sequence, sent.time, now)
      return nil
    }

    /// A record of the engine's time is delivered.
    mutating func isDelivered(_ sequence: UInt64, of time: Int64, at now: Int64) -> Int64? {
      delivered = (sequence, time, now)
      guard let answered, answered.sequence == sequence else { return nil }
      return ClockComparison.ahead(time, between: answered.sent, and: answered.answered)
    }

    /// The milliseconds by which a clock is ahead that showed a time between two moments of this machine's.
    static func ahead(_ time: Int64, between first: Int64, and last: Int64) -> Int64 {
      time < first ? time - first : time > last ? time - last : 0
    }
  }

  // MARK: Blobs

  package func put(_ blob: [UInt8], digest: String) throws(LogError) {
    try ensure(blobStream)
    guard try message(blobSubject(digest, "all")) == nil else { return }
    var count = 0
    for start in stride(from: 0, to: blob.count, by: NATSLog.chunkSize) {
      try store(Array(blob[start..<min(start + NATSLog.chunkSize, blob.count)]), as: blobSubject(digest, String(count)))
      count += 1
    }
    // The number of chunks comes last: with it the blob is complete.
    try store(Array("\(count) \(blob.count)".utf8), as: blobSubject(digest, "all"))
  }

  package func blob(_ digest: String) throws(LogError) -> [UInt8]? {
    guard let manifest = try message(blobSubject(digest, "all")) else { return nil }
    let numbers = String(decoding: manifest, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 2 else { throw .damagedBlob(digest: digest) }
    var blob: [UInt8] = []
    blob.reserveCapacity(numbers[1])
    for index in 0..<numbers[0] {
      guard let chunk = try message(blobSubject(digest, String(index))) else { throw .damagedBlob(digest: digest) }
      blob += chunk
    }
    guard blob.count == numbers[1] else { throw .damagedBlob(digest: digest) }
    return blob
  }

  package func keep(_ bytes: [UInt8], as name: String) throws(LogError) {
    try ensure(blobStream)
    try store(bytes, as: blobSubject(name, "kept"))
  }

  package func kept(as name: String) throws(LogError) -> [UInt8]? { try message(blobSubject(name, "kept")) }

  package func remove(_ digest: String) throws(LogError) {
    try purge(blobStream, ("filter", .string(blobSubject(digest, "*"))))
  }

  package var reach: UInt64? { state.withLock { $0.reach } }

  package func drop(before sequence: UInt64) throws(LogError) { try purge(stream, ("seq", .int(Int(sequence)))) }

  private func purge(_ stream: NATSStream, _ selection: (String, Value)) throws(LogError) {
    if case .failure(let fault) = try ask("STREAM.PURGE.\(stream.name)", .object([selection])) {
      throw .refused(request: "to drop messages of \(stream.name)", reason: fault.reason)
    }
  }

  private func blobSubject(_ digest: String, _ part: String) -> String {
    "store.\(address.store).blob.\(digest).\(part)"
  }

  private func store(_ bytes: [UInt8], as subject: String) throws(LogError) {
    let answer: NATSMessage?
    do throws(NATSConnection.SendFault) {
      answer = try connection.request(bytes, of: subject, timeout: timeout)
    } catch {
      throw .refused(request: "to store data", reason: error.reason)
    }
    guard let answer else { throw .noAnswer(request: "to store data") }
    guard let value = try? JSON.value(of: answer.bytes), value.member("seq")?.integer != nil,
      value.member("error") == nil
    else { throw .refused(request: "to store data", reason: String(decoding: answer.bytes, as: UTF8.self)) }
  }

  private func message(_ subject: String) throws(LogError) -> [UInt8]? {
    switch try ask("STREAM.MSG.GET.\(blobStream.name)", .object([("last_by_subj", .string(subject))])) {
    case .failure(let fault) where [API.noMessage, API.notFound].contains(fault.code): return nil
    case .failure(let fault): throw .refused(request: "stored data", reason: fault.reason)
    case .success(let answer):
      guard let found = answer.member("message") else { throw .refused(request: "stored data", reason: "no message") }
      guard let data = found.member("data")?.text else { return [] }
      guard let bytes = Data(base64Encoded: data) else { throw .refused(request: "stored data", reason: "bad base64") }
      return Array(bytes)
    }
  }
}
