import StoreReplication
import Testing

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The large explorations take minutes without optimisation: `STORESHELL_MODEL=1 scripts/test --filter ReplicaModelTests`.
private let exploresAll = getenv("STORESHELL_MODEL") != nil

@Suite("The protocol over a log in memory, in all orders")
struct ReplicaModelTests {
  @Test func `2 nodes with 1 action each, and each fault of one node`() {
    var world = ReplicaWorld(plans: [[0], [1]], faults: 1)
    // The other node's faults are these, with the names of the nodes exchanged.
    world.faultyNodes = 0..<1
    expectNoFault(world)
  }

  @Test(.enabled(if: exploresAll)) func `2 nodes with 2 actions each, and each fault`() {
    expectNoFault(ReplicaWorld(plans: [[0, 2], [1, 3]], faults: 1))
  }

  @Test(.enabled(if: exploresAll)) func `1 node with 4 actions while another follows, and each fault`() {
    expectNoFault(ReplicaWorld(plans: [[0, 1, 2, 3], []], faults: 1))
  }

  @Test(.enabled(if: exploresAll)) func `2 nodes with 1 action each, and each two faults`() {
    expectNoFault(ReplicaWorld(plans: [[0], [1]], faults: 2))
  }

  @Test(.enabled(if: exploresAll)) func `2 nodes that become keepers, with a task each, and each fault`() {
    var world = ReplicaWorld(plans: [[0], [1]], faults: 1, hasKeeper: false)
    world.areTasks = true
    world.ticks = 1
    expectNoFault(world)
  }

  /// Visits all states that can be reached, each once.
  private func expectNoFault(_ start: ReplicaWorld, sourceLocation: SourceLocation = #_sourceLocation) {
    let exploration = Exploration(from: start)
    #expect(exploration.fault == nil, sourceLocation: sourceLocation)
    #expect(exploration.ends > 0, sourceLocation: sourceLocation)
  }
}

/// All states that can be reached, each visited once, up to the first fault.
private struct Exploration {
  private(set) var states = 0
  private(set) var ends = 0
  private(set) var fault: String?

  init(from start: ReplicaWorld) {
    var known: Set<ReplicaWorld> = [start]
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
        if known.insert(next).inserted { open.append(next) }
      }
    }
  }
}
