import StoreCore
import Testing

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The large explorations take long: `STORESHELL_MODEL=1 scripts/test-shared` runs them.
private let exploresAll = getenv("STORESHELL_MODEL") != nil

@Suite("The protocol over a log in memory, in all orders")
struct ReplicaModelTests {
  /// Any of the actions comes to either node. So one exploration has each way to share them out, each order of all events, and each fault
  /// at each moment of it: requests and answers that are lost or refused, a node that is cut off, that waits no longer, that dies with
  /// its state or without, a caller that takes an action back.
  @Test func `2 nodes and 2 actions, and each fault`() {
    expectNoFault(ReplicaWorld(plans: [[], []], pool: 2, faults: 1))
  }

  @Test func `2 nodes and 2 actions, a snapshot that drops the records before it, and each fault`() {
    var world = ReplicaWorld(plans: [[], []], pool: 2, faults: 1)
    world.saves = 1
    expectNoFault(world)
  }

  @Test(.enabled(if: exploresAll)) func `2 nodes and 4 actions, and each two faults`() {
    expectNoFault(ReplicaWorld(plans: [[], []], pool: 4, faults: 2))
  }

  @Test(.enabled(if: exploresAll)) func `2 nodes and 4 actions, a snapshot, and each fault`() {
    var world = ReplicaWorld(plans: [[], []], pool: 4, faults: 1)
    world.saves = 1
    expectNoFault(world)
  }

  @Test(.enabled(if: exploresAll)) func `2 nodes that become keepers, 4 actions of tasks, and each fault`() {
    var world = ReplicaWorld(plans: [[], []], pool: 4, faults: 1, hasKeeper: false)
    world.areTasks = true
    world.ticks = 1
    expectNoFault(world)
  }

  /// Visits all states that can be reached, each once.
  private func expectNoFault(_ start: ReplicaWorld, sourceLocation: SourceLocation = #_sourceLocation) {
    let exploration = Exploration(from: start)
    if exploresAll { print("\(exploration.states) states, \(exploration.ends) ends: \(Test.current?.name ?? "")") }
    #expect(exploration.fault == nil, sourceLocation: sourceLocation)
    #expect(exploration.ends > 0, sourceLocation: sourceLocation)
  }

  @Test(arguments: 0..<60)
  func `Many nodes and actions, and faults by chance`(seed: Int) {
    let walk = RandomWalk(seed: UInt64(seed), nodes: 2 + seed % 3, commands: 24, faults: 12)
    #expect(walk.world.found == [])
    #expect(walk.world.faultsAtTheEnd == [])
    #expect(isLinearizable(walk.history))
    // The history says enough: it is none of a log that lost an action that was acknowledged.
    for index in walk.history.indices {
      guard case .append(_, .some) = walk.history[index].operation else { continue }
      var missing = walk.history
      missing.remove(at: index)
      #expect(!isLinearizable(missing))
    }
  }

  @Test(arguments: 0..<40)
  func `Snapshots drop records before them, and faults by chance`(seed: Int) {
    let walk = RandomWalk(seed: UInt64(seed), nodes: 2 + seed % 3, commands: 18, faults: 12, saves: 4)
    #expect(walk.world.found == [])
    #expect(walk.world.faultsAtTheEnd == [])
    #expect(walk.world.log.first > 1)
    #expect(isLinearizable(walk.history))
  }

  @Test(arguments: 0..<30)
  func `Keepers come and go, and faults by chance`(seed: Int) {
    let walk = RandomWalk(seed: UInt64(seed), nodes: 3, commands: 12, faults: 8, ticks: 12)
    #expect(walk.world.found == [])
    #expect(walk.world.faultsAtTheEnd == [])
  }
}

/// All states that can be reached, each visited once, up to the first fault. Of those that were visited only hashes of 64 bits are kept
/// (hash compaction, Wolper and Leroy 1993): of ten million states one is passed over with a chance of one in 300,000.
private struct Exploration {
  private(set) var states = 0
  private(set) var ends = 0
  private(set) var fault: String?

  init(from start: ReplicaWorld) {
    var known: Set = [start.hashValue]
    var open = [start]
    while let world = open.popLast() {
      states += 1
      let events = world.events
      if events.isEmpty {
        ends += 1
        if let first = world.faultsAtTheEnd.first { fault = "\(first): \(world)" }
      }
      for event in events + world.faultEvents {
        var next = world
        next.happen(event)
        if let first = next.found.first { fault = "\(first), after \(event) in \(world)" }
        guard fault == nil else { return }
        if known.insert(next.hashValue).inserted { open.append(next) }
      }
    }
  }
}

/// One way through the states, by chance, and the history of its callers.
private struct RandomWalk {
  private(set) var world: ReplicaWorld
  private(set) var history: [LogCall] = []

  init(seed: UInt64, nodes: Int, commands: Int, faults: Int, ticks: Int = 0, saves: Int = 0) {
    let order = RecordedOrder(seed: seed)
    let plans = (0..<nodes).map { node in (0..<commands).filter { $0 % nodes == node }.map { UInt8($0) } }
    world = ReplicaWorld(plans: plans, faults: faults, hasKeeper: ticks == 0)
    world.areTasks = ticks > 0
    (world.ticks, world.saves) = (ticks, saves)
    // Each fifth command of a caller asks for an acknowledgement, and so reads.
    if ticks == 0 { world.asking = Set((0..<commands).filter { $0 / nodes % 5 == 4 }.map { UInt8($0) }) }
    var calls: [Int: LogCall] = [:]
    var time = 0
    while true {
      let (events, faults) = (world.events, world.faultEvents)
      guard !events.isEmpty else { break }
      time += 1
      let isFault = !faults.isEmpty && order.choose(among: 20) == 0
      let possible = isFault ? faults : events
      let before = world.commands
      world.happen(possible[order.choose(among: possible.count)])
      guard world.found.isEmpty else { break }
      for (command, knowledge) in world.commands.enumerated() where knowledge != before[command] {
        note(knowledge, of: command, at: &time, in: &calls)
      }
    }
    history = calls.values.sorted { $0.start < $1.start }
    history.append(read(count: world.chain.count, from: time + 1, to: time + 2))
  }

  private func note(
    _ knowledge: ReplicaWorld.Knowledge, of command: Int, at time: inout Int, in calls: inout [Int: LogCall]
  ) {
    // Several commands may be settled by one event: each moment is of one.
    time += 1
    switch knowledge {
    case .uncalled, .unknown: break
    case .open: calls[command] = LogCall(operation: .append(UInt64(command), place: nil), start: time)
    case .refused: calls[command] = nil
    case .committed(let number):
      calls[command]?.end = time
      let isRead = world.asking.contains(UInt8(command))
      calls[command]?.operation =
        isRead
        ? read(count: Int(number), from: 0, to: 0).operation : .append(UInt64(command), place: Int(number))
    }
    // A question without an answer read nothing.
    if case .unknown = knowledge, world.asking.contains(UInt8(command)) { calls[command] = nil }
  }

  private func read(count: Int, from start: Int, to end: Int) -> LogCall {
    LogCall(operation: .read(world.chain.prefix(count).map { UInt64($0) }), start: start, end: end)
  }
}
