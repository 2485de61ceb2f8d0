import Glibc
import StoreCore
import StoreReplication

/// A shared log in the memory of one process, led by a source of order: it chooses which of the possible events comes next, and whether
/// a fault does (R39). For tests: with a virtual clock, a seed determines all that happens.
///
/// ```swift
/// let memory = MemoryLog(order: RecordedOrder(seed: 7), faultRate: 20)
/// let runner = ReplicaRunner(replica, log: memory.end(), store: store, clock: VirtualClock(), order: RecordedOrder(seed: 8))
/// runner.start()
/// while memory.step() {}
/// ```
package final class MemoryLog: Sendable {
  fileprivate struct State {
    var log = SimulatedLog<[UInt8]>()
    var handlers: [(@Sendable (LogEvent) -> Void)?] = []
    var readings: [UInt64] = []
    var words: [(end: Int, bytes: [UInt8])] = []
    var blobs: [String: [UInt8]] = [:]
    var kept: [String: [UInt8]] = [:]
    var faultRate: Int
  }

  /// How long it takes to store data under a digest, in microseconds.
  package let storing = Lock<UInt32>(0)
  fileprivate let state: Lock<State>
  fileprivate let reach: UInt64?
  private let order: any StoreOrder

  /// An empty log.
  ///
  /// - Parameters:
  ///   - faultRate: how many of a thousand steps are faults, if one is possible.
  ///   - reach: the number of records that are kept before the newest snapshot; nil: all of them.
  package init(order: any StoreOrder, faultRate: Int = 0, reach: UInt64? = nil) {
    state = Lock(State(faultRate: faultRate))
    self.reach = reach
    self.order = order
  }

  /// A node's way to the log. It is connected by one of the next steps.
  package func end() -> any SharedLog {
    let number = state.withLock { state in
      state.handlers.append(nil)
      state.readings.append(0)
      return state.log.addEnd()
    }
    return MemoryLogEnd(self, number)
  }

  /// From now on there are no more faults.
  package func heal() { state.withLock { $0.faultRate = 0 } }

  /// The records, those that were dropped included.
  package var records: [[UInt8]] { state.withLock { $0.log.records } }

  /// The number of the first record that was not dropped.
  package var first: UInt64 { state.withLock { $0.log.first } }

  /// Drops records from the end, as an engine does that lost what it had not yet written to disk.
  package func loseRecords(_ count: Int) { state.withLock { $0.log.loseRecords(count) } }

  /// Changes a record, as an engine does whose servers have different ones.
  package func replaceRecord(_ number: UInt64, with bytes: [UInt8]) {
    state.withLock { $0.log.replaceRecord(number, with: bytes) }
  }

  /// Cuts all nodes off. Later steps connect them again.
  package func cut() {
    let ends = state.withLock { state in state.handlers.indices.filter { state.log.isConnected($0) } }
    for end in ends { perform(.cut(end: end)) }
  }

  /// Lets one of the possible events come. False when there is none.
  package func step() -> Bool {
    if let word = state.withLock({ $0.words.popLast() }) {
      state.withLock { $0.handlers[word.end] }?(.heard(bytes: word.bytes))
      return true
    }
    let (steps, faults, rate) = state.withLock { state in
      let steps = state.log.steps.filter { state.handlers[$0.end] != nil }
      return (steps, state.log.faults, state.faultRate)
    }
    if rate > 0, !faults.isEmpty, order.chosen(among: 1_000) < rate {
      perform(faults[order.chosen(among: faults.count)])
      return true
    }
    guard !steps.isEmpty else { return false }
    perform(steps[order.chosen(among: steps.count)])
    return true
  }

  private func perform(_ step: SimulatedLog<[UInt8]>.Step) {
    let (news, handler, reading) = state.withLock { state in
      (state.log.perform(step), state.handlers[step.end], state.readings[step.end])
    }
    guard let news, let handler else { return }
    handler(event(news, reading))
  }

  private func event(_ news: SimulatedLog<[UInt8]>.News, _ reading: UInt64) -> LogEvent {
    switch news {
    case .connected(let first, let last): .connected(first: first, last: last)
    case .disconnected: .disconnected(reason: "the connection was cut")
    case .delivered(let sequence, let bytes): .delivered(reading: reading, sequence: sequence, bytes: bytes)
    case .acknowledged(let id, let sequence): .acknowledged(id, sequence: sequence)
    case .stale(let id): .stale(id)
    }
  }
}

private final class MemoryLogEnd: SharedLog {
  private let memory: MemoryLog
  private let number: Int

  init(_ memory: MemoryLog, _ number: Int) {
    self.memory = memory
    self.number = number
  }

  func start(_ handler: @escaping @Sendable (LogEvent) -> Void) {
    memory.state.withLock { $0.handlers[number] = handler }
  }

  func append(_ bytes: [UInt8], id: MessageID, expecting last: UInt64) {
    let (isSent, handler) = memory.state.withLock { state in
      (state.log.append(bytes, id: id, expecting: last, from: number), state.handlers[number])
    }
    if !isSent { handler?(.unsent(id, reason: "the connection was cut")) }
  }

  func follow(from sequence: UInt64, reading: UInt64) {
    memory.state.withLock { state in
      state.readings[number] = reading
      state.log.follow(from: sequence, at: number)
    }
  }

  func say(_ bytes: [UInt8]) {
    memory.state.withLock { state in
      guard state.log.isConnected(number) else { return }
      for end in state.handlers.indices where state.log.isConnected(end) { state.words.append((end, bytes)) }
    }
  }

  func put(_ blob: [UInt8], digest: String) throws(LogError) {
    usleep(memory.storing.withLock { $0 })
    memory.state.withLock { $0.blobs[digest] = blob }
  }

  func blob(_ digest: String) throws(LogError) -> [UInt8]? { memory.state.withLock { $0.blobs[digest] } }

  func keep(_ bytes: [UInt8], as name: String) throws(LogError) { memory.state.withLock { $0.kept[name] = bytes } }

  func kept(as name: String) throws(LogError) -> [UInt8]? { memory.state.withLock { $0.kept[name] } }

  func remove(_ digest: String) throws(LogError) { memory.state.withLock { $0.blobs[digest] = nil } }

  var reach: UInt64? { memory.reach }

  func drop(before sequence: UInt64) throws(LogError) { memory.state.withLock { $0.log.drop(before: sequence) } }

  func close() {
    memory.state.withLock { state in
      state.handlers[number] = nil
      state.log.crash(number)
    }
  }
}
