import LogSupport
import StoreCore
import StoreReplication
import Testing

@Suite("A runner over a log in memory")
struct ReplicaRunnerTests {
  @Test(arguments: 0..<12)
  func `All nodes have the same actions at the end, whatever happens on the way`(seed: Int) {
    let cluster = MemoryCluster(seed: UInt64(seed), nodes: 3, faultRate: 30)
    for round in 0..<40 {
      cluster.dispatch(at: round % 3)
      cluster.run(steps: 25)
    }
    cluster.memory.heal()
    cluster.settle()
    #expect(cluster.faults == [])
    #expect(Set(cluster.stores.map(\.entries)).count == 1)
    let entries = cluster.stores[0].entries.filter { $0 != .max }
    #expect(Set(entries).count == entries.count)
    // Each acknowledged command stands where its caller was told.
    for store in cluster.stores {
      for (command, settlement) in store.settlements {
        switch settlement {
        case .committed(let number, _):
          #expect(cluster.stores[0].entries[Int(number) - 1] == command)
        case .refused: #expect(!entries.contains(command))
        case .unknown: Issue.record("the outcome of command \(command) stays unknown")
        }
      }
    }
    #expect(cluster.stores.count { $0.term != nil } == 1)
  }

  @Test func `The same seed gives the same history`() {
    let histories = (0..<2).map { _ in
      let cluster = MemoryCluster(seed: 5, nodes: 3, faultRate: 50)
      for round in 0..<20 {
        cluster.dispatch(at: round % 3)
        cluster.run(steps: 20)
      }
      return cluster.memory.records
    }
    #expect(histories[0] == histories[1])
    #expect(histories[0].count > 5)
  }

  @Test func `A node whose changes differ stops at the entry`() {
    let cluster = MemoryCluster(seed: 1, nodes: 2, faultRate: 0)
    cluster.settle()
    let action = cluster.stores[0].entries.count + 1
    cluster.stores[1].differsAt = action
    cluster.dispatch(at: 0)
    cluster.settle()
    #expect(cluster.runners[1].replica.stopped == .differs(action: UInt64(action), path: "tasks.count"))
    #expect(cluster.runners[0].replica.stopped == nil)
  }

  @Test func `A log that lost its end stops the node that had read it`() {
    let cluster = MemoryCluster(seed: 2, nodes: 1, faultRate: 0)
    cluster.dispatch(at: 0)
    cluster.settle()
    let last = UInt64(cluster.memory.records.count)
    cluster.memory.loseRecords(1)
    cluster.memory.cut()
    cluster.settle()
    #expect(cluster.runners[0].replica.stopped == .logIsBehind(last: last - 1, own: last))
  }

  @Test func `Where servers have different records, no node goes on alone`() throws {
    let cluster = MemoryCluster(seed: 6, nodes: 1, faultRate: 0)
    cluster.settle()
    cluster.dispatch(at: 0)
    cluster.settle()
    let last = UInt64(cluster.memory.records.count)
    guard case .message(var message) = LogMessage.read(try #require(cluster.memory.records.last)) else {
      Issue.record("the last record is no message")
      return
    }
    message.id.incarnation = 99
    message.entries = ListStore.bytes([77])
    cluster.memory.replaceRecord(last, with: message.bytes)
    cluster.addNode()
    cluster.settle()
    #expect(cluster.stores[1].entries.last == 77)
    cluster.dispatch(at: 1)
    cluster.settle()
    #expect(cluster.runners[0].replica.stopped == .pastChanged(sequence: last))
    cluster.dispatch(at: 0)
    guard case .refused(.stopped) = cluster.stores[0].settlements[2] else {
      Issue.record("\(String(describing: cluster.stores[0].settlements[2]))")
      return
    }
  }

  @Test func `Each node hears where the others are`() {
    let cluster = MemoryCluster(seed: 3, nodes: 3, faultRate: 0)
    cluster.dispatch(at: 1)
    cluster.settle()
    cluster.runners[2].askNodes()
    cluster.settle()
    let action = UInt64(cluster.stores[0].entries.count)
    for store in cluster.stores {
      #expect(store.reports.keys.sorted() == ["n0", "n1", "n2"])
      #expect(store.reports.values.allSatisfy { $0.action == action && !$0.isStopped })
      #expect(store.reports.values.count { $0.isKeeper } == 1)
    }
  }

  @Test func `A new node starts from the newest snapshot, and reads only the records behind it`() {
    let cluster = MemoryCluster(seed: 4, nodes: 1, faultRate: 0, snapshots: 5, reach: 2)
    cluster.settle()
    for _ in 0..<12 {
      cluster.dispatch(at: 0)
      cluster.settle()
    }
    // The keeper's own entry and four commands, five, and three that are not in a snapshot yet.
    #expect(cluster.memory.first == 9)
    cluster.addNode()
    cluster.settle()
    #expect(cluster.runners[1].replica.link == .current)
    #expect(cluster.stores[1].entries == cluster.stores[0].entries)
    #expect(cluster.stores[1].applied == 3)
  }

  @Test(arguments: 0..<6)
  func `Nodes that are cut off while the log drops records begin anew from a snapshot`(seed: Int) {
    let cluster = MemoryCluster(seed: UInt64(seed), nodes: 3, faultRate: 60, snapshots: 4, reach: 1)
    for round in 0..<60 {
      cluster.dispatch(at: round % 3)
      cluster.run(steps: 15)
    }
    cluster.memory.heal()
    cluster.settle()
    #expect(cluster.faults == [])
    #expect(cluster.memory.first > 1)
    #expect(Set(cluster.stores.map(\.entries)).count == 1)
    for store in cluster.stores {
      for case (let command, .committed(let number, _)) in store.settlements {
        #expect(cluster.stores[0].entries[Int(number) - 1] == command)
      }
    }
  }

  @Test func `A node alone runs what waits while a message is on its way, and one among others does not`() {
    let cluster = MemoryCluster(seed: 5, nodes: 1, faultRate: 0)
    cluster.settle()
    for _ in 0..<1_400 { cluster.dispatch(at: 0) }
    cluster.settle()
    // The first message has one command, the second a thousand.
    #expect(cluster.stores[0].ahead == [256, 512, 768, 1_024, 1_280, 1_399, 256, 399])
    let before = cluster.stores[0].ahead
    cluster.addNode()
    cluster.settle()
    cluster.dispatch(at: 1)
    cluster.settle()
    for node in [1, 0, 1] { for _ in 0..<1_400 { cluster.dispatch(at: node) } }
    for _ in 0..<6 { _ = cluster.memory.step() }
    #expect(cluster.stores[0].ahead == before)
    cluster.settle()
    #expect(cluster.faults == [])
    #expect(cluster.stores[0].entries == cluster.stores[1].entries)
    #expect(cluster.stores[0].entries.count == 1 + 1_400 + 1 + 4_200)
  }

  @Test func `A damaged snapshot is refused, and one that was replaced meanwhile is read anew`() throws {
    let log = MemoryLog(order: RecordedOrder(seed: 1)).end()
    let snapshots = ListStore.snapshots(of: log)
    #expect(try snapshots.newest() == nil)
    var position = Replica.Position()
    for sequence in [3, 5, 4] as [UInt64] {
      position.sequence = sequence
      try snapshots.put([UInt8(sequence)], at: position)
    }
    // One of an earlier keeper comes too late.
    #expect(try snapshots.newest()?.position.sequence == 5)
    #expect(try snapshots.newest()?.bytes == [5])
    #expect(try log.blob(ListStore.digest([3])) == nil)
    try log.put([6], digest: ListStore.digest([5]))
    #expect(throws: LogError.damagedBlob(digest: ListStore.digest([5]))) { try snapshots.newest() }
    #expect(ListStore(snapshots: snapshots).restore(behind: 0) == .unfit(reason: "the stored data 1-5 is incomplete"))
  }

  @Test func `Blobs are kept under their digests, and the newest bytes under a name`() throws {
    let log = MemoryLog(order: RecordedOrder(seed: 1)).end()
    try log.put([1, 2], digest: "ab")
    #expect(try log.blob("ab") == [1, 2])
    #expect(try log.blob("cd") == nil)
    #expect(try log.kept(as: "ab") == nil)
    for bytes in [[1], [2, 3]] as [[UInt8]] { try log.keep(bytes, as: "ab") }
    #expect(try log.kept(as: "ab") == [2, 3])
  }
}

/// Some nodes on one log in memory, whose steps and time one thread leads.
private final class MemoryCluster {
  let memory: MemoryLog
  let clock = VirtualClock()
  private(set) var stores: [ListStore] = []
  private(set) var runners: [ReplicaRunner] = []
  private var next: CommandID = 0
  private let seed: UInt64
  private let entriesBetweenSnapshots: Int?

  /// Starts nodes.
  ///
  /// - Parameter snapshots: the entries after which the keeper makes a snapshot; nil: it makes none.
  init(seed: UInt64, nodes: Int, faultRate: Int, snapshots: Int? = nil, reach: UInt64? = nil) {
    memory = MemoryLog(order: RecordedOrder(seed: seed), faultRate: faultRate, reach: reach)
    (self.seed, entriesBetweenSnapshots) = (seed, snapshots)
    for _ in 0..<nodes { addNode() }
  }

  /// Starts one more node.
  func addNode() {
    let (index, log) = (runners.count, memory.end())
    let store = ListStore(snapshots: ListStore.snapshots(of: log), every: entriesBetweenSnapshots)
    let runner = ReplicaRunner(
      Replica(node: NodeID(name: "n\(index)", incarnation: UInt64(index + 1))), log: log, store: store, clock: clock,
      order: RecordedOrder(seed: seed &+ UInt64(index) &+ 100))
    runner.start()
    stores.append(store)
    runners.append(runner)
  }

  var faults: [String] { stores.flatMap(\.faults) }

  func dispatch(at node: Int) {
    runners[node].take(.command(next, term: nil))
    next += 1
  }

  /// Lets events happen; time goes on when there is none, and now and then in between.
  func run(steps: Int) {
    for step in 0..<steps where !memory.step() || step % 7 == 0 { clock.advance(by: .milliseconds(40)) }
  }

  /// Lets all happen that can, and the keepers' time go by.
  func settle() {
    for _ in 0..<200 {
      for _ in 0..<500 { guard memory.step() else { break } }
      clock.advance(by: .milliseconds(100))
    }
  }
}

/// A store whose state is the list of its commands.
final class ListStore: ReplicatedStore {
  private struct State {
    var entries: [CommandID] = []
    var attempt: [CommandID]?
    var ahead: [Int] = []
    var settlements: [CommandID: Settlement] = [:]
    var term: UInt64?
    var faults: [String] = []
    var differsAt: Int?
    var applied = 0
    var unsaved = 0
    var reports: [String: NodeReport] = [:]
    var onSettle: (@Sendable (CommandID, Settlement) -> Void)?
  }

  private let state = Lock(State())
  private let snapshots: LogSnapshots?
  private let period: Int?

  /// An empty store.
  ///
  /// - Parameter period: the entries after which a keeper makes a snapshot; nil: it makes none.
  init(snapshots: LogSnapshots? = nil, every period: Int? = nil) { (self.snapshots, self.period) = (snapshots, period) }

  /// The snapshots of a log.
  static func snapshots(of log: any SharedLog) -> LogSnapshots { LogSnapshots(of: log, digest: digest) }

  static let digest: @Sendable ([UInt8]) -> String = { bytes in
    "\(bytes.count)-\(bytes.reduce(0) { ($0 &* 31) &+ Int($1) })"
  }

  var entries: [CommandID] { state.withLock { $0.entries } }
  var settlements: [CommandID: Settlement] { state.withLock { $0.settlements } }
  /// The numbers of commands that ran behind a message on its way.
  var ahead: [Int] { state.withLock { $0.ahead } }
  var term: UInt64? { state.withLock { $0.term } }
  var faults: [String] { state.withLock { $0.faults } }
  /// The number of messages of other nodes.
  var applied: Int { state.withLock { $0.applied } }
  var reports: [String: NodeReport] { state.withLock { $0.reports } }

  var differsAt: Int? {
    get { state.withLock { $0.differsAt } }
    set { state.withLock { $0.differsAt = newValue } }
  }

  /// Has a closure run with each settlement.
  func onSettle(_ body: @escaping @Sendable (CommandID, Settlement) -> Void) {
    state.withLock { $0.onSettle = body }
  }

  func attempt(_ commands: [CommandID], makesKeeper: Bool, on sequence: UInt64) -> ReplicaAttempt {
    let entries = makesKeeper ? [.max] : Array(commands.prefix(1_000))
    state.withLock { state in
      if state.attempt != nil { state.faults.append("an attempt beside another") }
      state.attempt = entries
    }
    return ReplicaAttempt(
      on: sequence, commands: makesKeeper ? [] : entries.map { .init(id: $0, actions: 1) },
      actionCount: UInt64(entries.count), entries: ListStore.bytes(entries))
  }

  func prepare(_ commands: [CommandID]) -> Bool {
    state.withLock { state in
      if state.attempt == nil { state.faults.append("commands ran ahead of no attempt") }
      state.ahead.append(commands.count)
      return true
    }
  }

  func discard() { state.withLock { $0.attempt = nil } }

  func commit(firstAction: UInt64, reaching position: Replica.Position) {
    state.withLock { state in
      if firstAction != UInt64(state.entries.count + 1) { state.faults.append("a commit at #\(firstAction)") }
      state.entries += state.attempt ?? []
      state.attempt = nil
    }
  }

  func apply(_ message: LogMessage, reaching position: Replica.Position) -> ChangeDifference? {
    state.withLock { state in
      state.applied += 1
      if message.firstAction != UInt64(state.entries.count + 1) {
        state.faults.append("#\(message.firstAction) applied")
      }
      for entry in ListStore.commands(message.entries) {
        if state.differsAt == state.entries.count + 1 {
          return ChangeDifference(action: UInt64(state.entries.count + 1), path: "tasks.count")
        }
        state.entries.append(entry)
      }
      return nil
    }
  }

  func reached(_ position: Replica.Position, bytes: Int) {
    let saved = state.withLock { state -> [CommandID]? in
      if position.action != UInt64(state.entries.count) { state.faults.append("another state at \(position)") }
      state.unsaved += bytes / 8
      guard let period, state.unsaved >= period, state.term != nil else { return nil }
      state.unsaved = 0
      return state.entries
    }
    do {
      if let saved { try snapshots?.put(ListStore.bytes(saved), at: position) }
    } catch {
      state.withLock { $0.faults.append("\(error)") }
    }
  }

  func restore(behind sequence: UInt64) -> Restoration {
    do {
      guard let (position, bytes) = try snapshots?.newest(), position.sequence > sequence else { return .missing }
      state.withLock { $0.entries = ListStore.commands(bytes) }
      return .taken(position)
    } catch {
      return .unfit(reason: "\(error)")
    }
  }

  func settle(_ command: CommandID, as settlement: Settlement) {
    let body = state.withLock { state in
      state.settlements[command] = settlement
      return state.onSettle
    }
    body?(command, settlement)
  }

  func runTasks(ofTerm term: UInt64?) { state.withLock { $0.term = term } }

  func show(_ report: NodeReport) { state.withLock { $0.reports[report.node.name] = report } }

  func linkChanged(_ replica: Replica) {}

  static func bytes(_ commands: [CommandID]) -> [UInt8] {
    commands.flatMap { command in (0..<8).map { UInt8(truncatingIfNeeded: command >> ($0 * 8)) } }
  }

  static func commands(_ bytes: [UInt8]) -> [CommandID] {
    stride(from: 0, to: bytes.count, by: 8).map { start in
      (0..<8).reduce(0) { $0 | CommandID(bytes[start + $1]) << ($1 * 8) }
    }
  }
}
