import Dispatch
import StoreCore
@testable import StoreReplication
import TerminalSupport
import Testing

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The number of rounds with a fault: `STORESHELL_FAULTS=250 scripts/test-shared`.
private let rounds = getenv("STORESHELL_FAULTS").flatMap { Int(String(cString: $0)) } ?? 8
/// The seed of the order of faults.
private let seed = getenv("STORESHELL_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1

@Suite(
  "Faults between nodes and servers of NATS",
  .enabled(if: NATSServers.areThere, "nats-server or libnats is not installed; scripts/test-shared installs both"),
  .serialized)
struct NATSFaultTests {
  // MARK: One fault

  @Test func `An append whose answer is lost is settled once the log can be read`() throws {
    let servers = try NATSServers()
    let link = try FaultyLink(to: servers.port(0))
    defer { link.become(.ended) }
    let node = try NATSNode(address(link), name: "n0", incarnation: 1)
    let other = try NATSNode(servers.address("shop"), name: "n1", incarnation: 2)
    #expect(eventually { node.isCurrent && other.isCurrent && node.runner.replica.position.term == 1 })
    link.become(.deaf)
    node.runner.take(.command(7, term: nil))
    #expect(eventually { other.store.entries.contains(7) })
    #expect(node.store.settlements == [:])
    node.runner.take(.withdrawn(7))
    #expect(eventually { node.store.settlements == [7: .unknown(reason: nil)] })
    link.become(.open)
    #expect(eventually { if case .committed = node.store.settlements[7] { true } else { false } })
    #expect(node.store.entries.count { $0 == 7 } == 1)
    #expect(eventually { node.store.entries == other.store.entries })
    #expect(node.store.faults + other.store.faults == [])
  }

  @Test func `A node that is cut off refuses commands, and follows when it is back`() throws {
    let servers = try NATSServers()
    let link = try FaultyLink(to: servers.port(0))
    defer { link.become(.ended) }
    let node = try NATSNode(address(link), name: "n0", incarnation: 1)
    let other = try NATSNode(servers.address("shop"), name: "n1", incarnation: 2)
    #expect(eventually { node.isCurrent && other.isCurrent })
    link.become(.cut)
    #expect(eventually { node.isAway })
    node.runner.take(.command(1, term: nil))
    #expect(eventually { node.store.settlements[1] != nil })
    guard case .refused(.cutOff) = node.store.settlements[1] else {
      Issue.record("\(String(describing: node.store.settlements[1]))")
      return
    }
    for command in CommandID(2)..<50 { other.runner.take(.command(command, term: nil)) }
    #expect(eventually { other.store.settlements.count == 48 })
    link.become(.open)
    #expect(eventually { node.isCurrent && node.store.entries == other.store.entries })
    #expect(!node.store.entries.contains(1))
  }

  @Test func `A keeper behind a way that is held up ends its tasks, and another node takes over`() throws {
    let servers = try NATSServers()
    let link = try FaultyLink(to: servers.port(0))
    defer { link.become(.ended) }
    let timing = ReplicaTiming(timeToLive: .milliseconds(900))
    let node = try NATSNode(address(link), name: "n0", incarnation: 1, timing: timing)
    #expect(eventually { node.store.term == 1 })
    let other = try NATSNode(servers.address("shop"), name: "n1", incarnation: 2, timing: timing)
    link.become(.held)
    #expect(eventually { node.store.term == nil && other.store.term == 2 })
    // A task of the first term comes too late.
    node.runner.take(.command(1, term: 1))
    link.become(.open)
    #expect(eventually { node.store.settlements[1] != nil && node.isCurrent })
    guard case .refused = node.store.settlements[1] else {
      Issue.record("\(String(describing: node.store.settlements[1]))")
      return
    }
    #expect(eventually { node.runner.replica.position.term == 2 })
    #expect(node.store.term == nil)
  }

  @Test func `Of two copies of a message the log takes one, also at its beginning`() throws {
    let servers = try NATSServers()
    let log = try NATSLog(servers.address("shop"), node: "n")
    defer { log.close() }
    let events = Lock<[LogEvent]>([])
    log.start { event in events.withLock { $0.append(event) } }
    let ids = (1...2).map { MessageID(incarnation: 1, place: $0) }
    for (index, id) in ids.enumerated() {
      for _ in 0..<3 { log.append([UInt8(index)], id: id, expecting: UInt64(index)) }
      #expect(eventually { events.withLock { $0.count { $0 == .stale(id) } == 2 } })
      #expect(events.withLock { $0.count { $0 == .acknowledged(id, sequence: UInt64(index + 1)) } } == 1)
    }
    // What is too large for a record is not sent.
    log.append(Array(repeating: 0, count: LogMessage.mostBytes + 1), id: ids[0], expecting: 2)
    guard case .unsent(ids[0], _) = events.withLock({ $0.last }) else {
      Issue.record("\(String(describing: events.withLock { $0.last }))")
      return
    }
    log.append(Array(repeating: 0, count: LogMessage.mostBytes), id: ids[1], expecting: 2)
    #expect(eventually { events.withLock { $0.last == .acknowledged(ids[1], sequence: 3) } })
  }

  @Test func `A log that ends earlier than it did is told of anew`() throws {
    let servers = try NATSServers()
    let log = try NATSLog(servers.address("shop"), node: "n")
    defer { log.close() }
    let events = Lock<[LogEvent]>([])
    log.start { event in events.withLock { $0.append(event) } }
    let connected = LogEvent.connected(first: 1, last: 0)
    #expect(eventually { events.withLock { $0 == [connected] } })
    // It stood behind record 8.
    let id = MessageID(incarnation: 1, place: 9)
    log.append([1], id: id, expecting: 8)
    #expect(eventually { events.withLock { $0 == [connected, .stale(id), connected] } })
    // Behind a record that the log has, a refusal tells nothing of the sort.
    log.append([1], id: MessageID(incarnation: 1, place: 1), expecting: 0)
    log.append([1], id: MessageID(incarnation: 1, place: 1), expecting: 0)
    #expect(eventually { events.withLock { $0.count == 5 } })
    usleep(500_000)
    #expect(events.withLock { $0.count == 5 })
  }

  @Test func `A reading that ends is told as a log that can be reached anew`() throws {
    let servers = try NATSServers()
    let log = try NATSLog(servers.address("shop"), node: "n")
    defer { log.close() }
    let readings = Lock<UInt64>(0)
    log.start { [weak log] event in
      guard case .connected = event else { return }
      let reading = readings.withLock { readings in
        readings += 1
        return readings
      }
      log?.follow(from: 1, reading: reading)
    }
    #expect(eventually { (try? servers.consumers(of: "store-shop").count) == 1 })
    let first = try servers.consumers(of: "store-shop")
    for consumer in first { try servers.ask("CONSUMER.DELETE.store-shop.\(consumer)") }
    #expect(eventually { readings.withLock { $0 } == 2 })
    #expect(eventually { (try? servers.consumers(of: "store-shop").count) == 1 })
    #expect(try servers.consumers(of: "store-shop") != first)
  }

  @Test func `A subscription may end while messages for it come`() throws {
    let servers = try NATSServers()
    func connection() throws -> NATSConnection {
      try NATSConnection(
        servers.address("any"), login: NATSLogin(), name: "test", library: NATSLibrary(), timeout: .seconds(5),
        disconnected: {}, reconnected: {})
    }
    let (sender, receiver) = (try connection(), try connection())
    defer { for connection in [sender, receiver] { connection.close() } }
    let isOver = Lock(false)
    let hasEnded = DispatchSemaphore(value: 0)
    try WorkerThread {
      while !isOver.withLock({ $0 }) { try? sender.publish([1], to: "news") }
      hasEnded.signal()
    }.detach()
    // libnats frees a subscription that it may still be using, unless it is kept from that.
    for _ in 0..<10_000 {
      let subscription = try receiver.subscribe(to: "news") { _ in }
      try receiver.flush(timeout: .seconds(5))
      withExtendedLifetime(subscription) {}
    }
    isOver.withLock { $0 = true }
    hasEnded.wait()
  }

  @Test func `A slow reader of many large records gets each of them`() throws {
    let servers = try NATSServers()
    let writer = try NATSLog(servers.address("shop"), node: "w")
    let reader = try NATSLog(servers.address("shop"), node: "r")
    defer { for log in [writer, reader] { log.close() } }
    let last = Lock<UInt64>(0)
    writer.start { event in if case .acknowledged(_, let sequence) = event { last.withLock { $0 = sequence } } }
    for number in 1...UInt64(150) {
      let bytes = [UInt8](repeating: UInt8(number), count: 300_000)
      writer.append(bytes, id: MessageID(incarnation: 1, place: number), expecting: number - 1)
      #expect(eventually { last.withLock { $0 } == number })
    }
    let read = Lock<[UInt64]>([])
    reader.start { [weak reader] event in
      if case .connected = event { reader?.follow(from: 1, reading: 1) }
      guard case .delivered(_, let sequence, let bytes) = event,
        bytes == Array(repeating: UInt8(sequence), count: 300_000)
      else { return }
      usleep(2_000)
      read.withLock { $0.append(sequence) }
    }
    #expect(eventually { read.withLock { $0.last } == 150 })
    #expect(read.withLock { $0 } == Array(1...150))
  }

  // MARK: Many faults

  @Test(arguments: [1, 3])
  func `Servers are killed and held up, ways cut and deaf, nodes crash, and the history stays linearizable`(count: Int)
    throws
  {
    let servers = try NATSServers(count: count)
    let order = RecordedOrder(seed: seed)
    let history = CallHistory()
    // Each node has a way of its own to each server.
    let links = try (0..<3).map { _ in try (0..<count).map { try FaultyLink(to: servers.port($0)) } }
    defer { for link in links.joined() { link.become(.ended) } }
    func set(_ node: Int, _ mode: FaultyLink.Mode) { for link in links[node] { link.become(mode) } }
    var incarnation: UInt64 = 0
    func start(_ index: Int) throws -> NATSNode {
      incarnation += 1
      let hosts = links[index].map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
      let address = try NATSAddress("nats://\(hosts)/shop?replicas=\(count)")
      let name = "n\(index)"
      // A cluster has no log while it chooses a leader.
      var node: NATSNode?
      _ = eventually {
        node = try? NATSNode(address, name: name, incarnation: incarnation, history: history)
        return node != nil
      }
      return try #require(node)
    }
    var nodes = try links.indices.map { try start($0) }
    #expect(eventually { nodes.allSatisfy(\.isCurrent) })
    var next: CommandID = 0
    func dispatch(_ count: Int) {
      for _ in 0..<count {
        history.call(next, at: nodes[order.choose(among: nodes.count)].runner)
        next += 1
        usleep(useconds_t(order.choose(among: 3_000)))
      }
    }
    for _ in 0..<max(rounds / count, 3) {
      let node = order.choose(among: nodes.count)
      let server = order.choose(among: count)
      switch order.choose(among: 6) {
      case 0: set(node, .cut)
      case 1: set(node, .held)
      case 2: set(node, .deaf)
      case 3: servers.stop(server)
      case 4: servers.signal(server, SIGSTOP)
      default:
        // The process dies. Its callers never learn what became of their commands.
        nodes[node].runner.close()
        nodes[node] = try start(node)
      }
      dispatch(10 + order.choose(among: 30))
      servers.signal(server, SIGCONT)
      if !servers.isRunning(server) { try servers.start(server) }
      set(node, .open)
      dispatch(order.choose(among: 10))
      #expect(eventually { nodes.allSatisfy(\.isCurrent) }, "seed \(seed)")
    }
    #expect(eventually { nodes.allSatisfy { $0.isCurrent && $0.runner.replica.openCommands == 0 } })
    #expect(eventually { Set(nodes.map(\.store.entries)).count == 1 })
    for node in nodes { node.runner.close() }
    let last = try start(0)
    #expect(eventually { last.isCurrent })
    #expect(nodes.allSatisfy { last.store.entries.starts(with: $0.store.entries) }, "seed \(seed)")
    #expect(nodes.flatMap(\.store.faults) == [], "seed \(seed)")
    #expect(nodes.allSatisfy { $0.runner.replica.stopped == nil }, "seed \(seed)")
    last.runner.close()
    let entries = last.store.entries
    let actions = entries.filter { $0 != .max }
    #expect(Set(actions).count == actions.count, "seed \(seed)")
    let calls = history.finished(reading: entries)
    #expect(isLinearizable(calls), "seed \(seed)")
    // The history says enough: without an acknowledged action it is not linearizable.
    let acknowledged = calls.indices.filter { if case .append(_, .some) = calls[$0].operation { true } else { false } }
    #expect(acknowledged.count > calls.count / 2)
    for _ in 0..<5 {
      var missing = calls
      missing.remove(at: acknowledged[order.choose(among: acknowledged.count)])
      #expect(!isLinearizable(missing))
    }
  }

  private func address(_ link: FaultyLink) throws -> NATSAddress {
    try NATSAddress("nats://127.0.0.1:\(link.port)/shop")
  }
}
