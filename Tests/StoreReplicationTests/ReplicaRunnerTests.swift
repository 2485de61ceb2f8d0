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

  @Test func `A node that begins at a snapshot reads only the records behind it`() throws {
    let cluster = MemoryCluster(seed: 4, nodes: 1, faultRate: 0)
    for _ in 0..<5 {
      cluster.dispatch(at: 0)
      cluster.settle()
    }
    let (log, store) = (cluster.memory.end(), ListStore())
    try log.keep(cluster.runners[0].replica.position.bytes, as: "snapshot")
    for _ in 0..<2 {
      cluster.dispatch(at: 0)
      cluster.settle()
    }
    let position = try #require(log.kept(as: "snapshot").flatMap { Replica.Position($0) })
    store.begin(with: Array(cluster.stores[0].entries.prefix(Int(position.action))))
    let replica = Replica(node: NodeID(name: "late", incarnation: 9), isReadOnly: true, at: position)
    let runner = ReplicaRunner(
      replica, log: log, store: store, clock: cluster.clock, order: RecordedOrder(seed: 5))
    runner.start()
    cluster.settle()
    #expect(runner.replica.link == .current)
    #expect(store.entries == cluster.stores[0].entries)
    #expect(store.applied == 2)
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

  init(seed: UInt64, nodes: Int, faultRate: Int) {
    memory = MemoryLog(order: RecordedOrder(seed: seed), faultRate: faultRate)
    for index in 0..<nodes {
      let store = ListStore()
      let node = NodeID(name: "n\(index)", incarnation: UInt64(index + 1))
      let runner = ReplicaRunner(
        Replica(node: node), log: memory.end(), store: store, clock: clock,
        order: RecordedOrder(seed: seed &+ UInt64(index) &+ 100))
      runner.start()
      stores.append(store)
      runners.append(runner)
    }
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
    var settlements: [CommandID: Settlement] = [:]
    var term: UInt64?
    var faults: [String] = []
    var differsAt: Int?
    var applied = 0
    var reports: [String: NodeReport] = [:]
    var onSettle: (@Sendable (CommandID, Settlement) -> Void)?
  }

  private let state = Lock(State())

  var entries: [CommandID] { state.withLock { $0.entries } }
  var settlements: [CommandID: Settlement] { state.withLock { $0.settlements } }
  var term: UInt64? { state.withLock { $0.term } }
  var faults: [String] { state.withLock { $0.faults } }
  /// The number of messages of other nodes.
  var applied: Int { state.withLock { $0.applied } }
  var reports: [String: NodeReport] { state.withLock { $0.reports } }

  /// Begins with the entries of a snapshot.
  func begin(with entries: [CommandID]) { state.withLock { $0.entries = entries } }
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

  func discard() { state.withLock { $0.attempt = nil } }

  func commit(firstAction: UInt64, digest: UInt64) {
    state.withLock { state in
      if firstAction != UInt64(state.entries.count + 1) { state.faults.append("a commit at #\(firstAction)") }
      state.entries += state.attempt ?? []
      state.attempt = nil
    }
  }

  func apply(_ message: LogMessage) -> ChangeDifference? {
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

  private static func bytes(_ commands: [CommandID]) -> [UInt8] {
    commands.flatMap { command in (0..<8).map { UInt8(truncatingIfNeeded: command >> ($0 * 8)) } }
  }

  private static func commands(_ bytes: [UInt8]) -> [CommandID] {
    stride(from: 0, to: bytes.count, by: 8).map { start in
      (0..<8).reduce(0) { $0 | CommandID(bytes[start + $1]) << ($1 * 8) }
    }
  }
}
