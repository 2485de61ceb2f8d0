import LogSupport
import StoreReplication

/// Some replicas, their stores and callers, and the log between them, as a value: all that can happen next can be listed.
///
/// A command is a number; its one action's entry is that number in a byte. The store of a node is the list of its entries.
struct ReplicaWorld: Hashable {
  /// An event of the world.
  enum Event: Hashable {
    case log(SimulatedLog<LogMessage>.Step)
    /// A node's caller gives its next command.
    case call(node: Int)
    /// The wait of a node is over.
    case waited(node: Int)
    /// Ticks of a node's clock.
    case ticked(node: Int, UInt64)
    /// A word of a keeper arrives at a node.
    case hear(node: Int, word: Int)
    /// A caller waits no longer.
    case withdraw(command: UInt8)
    /// A node makes a snapshot, as a keeper does, and the log drops the records before it.
    case save(node: Int)
    /// A node's process dies, and starts anew without anything, or with its position and state kept.
    case crash(node: Int, keepsState: Bool)
  }

  /// What a caller knows of a command.
  enum Knowledge: Hashable {
    case uncalled
    /// Given when the log had so many actions: it can only come behind them. So it comes behind all that was acknowledged before.
    case open(floor: UInt64)
    case committed(UInt64)
    case refused
    case unknown(floor: UInt64)
  }

  struct Node: Hashable {
    var replica: Replica
    var end: Int
    var entries: [UInt8] = []
    var attempt: [UInt8]?
    var wait: ReplicaWait?
    /// The commands that its caller has yet to give.
    var plan: ArraySlice<UInt8>
    /// The keepers' words that are on their way to it.
    var words: [Word] = []
    var crashes = 0
  }

  /// A state of a store, and the place in the log that it stands for.
  struct Snapshot: Hashable {
    var position: Replica.Position
    var entries: [UInt8]
  }

  struct Word: Hashable {
    var node: NodeID
    var beat: UInt64
  }

  var log = SimulatedLog<LogMessage>()
  var nodes: [Node] = []
  var commands: [Knowledge]
  /// The commands that ask for an acknowledgement alone.
  var asking: Set<UInt8> = []
  /// The terms of the commands that tasks gave.
  var terms: [UInt8: UInt64] = [:]
  /// The commands that the caller of any node may give, in this order.
  var pool: ArraySlice<UInt8> = []
  /// True when commands come from tasks, so that only keepers give them.
  var areTasks = false
  /// The faults that may still come.
  var faults: Int
  /// The ticks that may still come.
  var ticks = 0
  /// The snapshots that may still be made.
  var saves = 0
  /// The newest snapshot.
  var snapshot: Snapshot?
  /// The faults of the protocol that were found.
  var found: [String] = []
  /// The entries of the log's valid messages.
  var chain: [UInt8] = []
  /// The nodes whose callers gave the open commands.
  private var owners: [Int: Int] = [:]
  private var chained = 0
  private var lastValid: MessageID?
  private var term: UInt64

  /// Connected nodes with commands of their own, and some that any of them may give.
  init(plans: [[UInt8]], pool: Int = 0, faults: Int, hasKeeper: Bool = true) {
    let own = plans.joined().count
    commands = Array(repeating: .uncalled, count: own + pool)
    self.pool = (0..<pool).map { UInt8(own + $0) }[...]
    self.faults = faults
    var position = Replica.Position()
    if hasKeeper {
      position.term = 1
      position.keeper = NodeID(name: "elsewhere", incarnation: 99)
    }
    term = position.term
    for (index, plan) in plans.enumerated() {
      let replica = Replica(node: NodeID(name: "n\(index)", incarnation: UInt64(index + 1)), at: position)
      nodes.append(Node(replica: replica, end: log.addEnd(), plan: plan[...]))
    }
    for index in nodes.indices { happen(.log(.connect(end: nodes[index].end))) }
  }

  // MARK: Events

  /// The events that can come without a fault.
  var events: [Event] {
    var events = log.steps.map(Event.log)
    for (index, node) in nodes.enumerated() {
      // Which of the nodes is the first makes no difference: they are alike.
      let mayGive = !node.plan.isEmpty || !pool.isEmpty && (index == 0 || pool.count < commands.count)
      if mayGive, node.replica.link == .current, !areTasks || node.replica.runsTasks {
        events.append(.call(node: index))
      }
      if saves > 0, node.replica.link == .current, node.replica.position.sequence > snapshot?.position.sequence ?? 0 {
        events.append(.save(node: index))
      }
      if canWaitEnd(node) { events.append(.waited(node: index)) }
      events += node.words.indices.map { .hear(node: index, word: $0) }
      // Fewer ticks than a lease change nothing that more do not.
      if ticks > 0 { events += [.ticked(node: index, 4), .ticked(node: index, 7)] }
    }
    return events
  }

  /// An answer that does not come is a fault while there is one on its way; without one, the wait must end.
  private func canWaitEnd(_ node: Node) -> Bool {
    switch node.wait {
    case .turn, .pause: true
    case .answer: node.replica.link == .current && !log.isBusy(node.end)
    case nil: false
    }
  }

  /// The faults that can come.
  var faultEvents: [Event] {
    guard faults > 0 else { return [] }
    var events = log.faults.map(Event.log)
    for (index, node) in nodes.enumerated() {
      if case .answer = node.wait, log.isBusy(node.end) { events.append(.waited(node: index)) }
      events += [.crash(node: index, keepsState: true), .crash(node: index, keepsState: false)]
    }
    for command in commands.indices {
      if case .open = commands[command] {
        events.append(.withdraw(command: UInt8(command)))
      }
    }
    return events
  }

  /// Lets an event happen, and checks what may never be otherwise.
  mutating func happen(_ event: Event) {
    switch event {
    case .log(let step):
      if isFault(step) { faults -= 1 }
      guard let news = log.perform(step), let node = nodes.firstIndex(where: { $0.end == step.end }) else { break }
      take(input(news), at: node)
    case .call(let node):
      guard let command = nodes[node].plan.popFirst() ?? pool.popFirst() else { break }
      owners[Int(command)] = node
      commands[Int(command)] = .open(floor: UInt64(chain.count))
      if areTasks { terms[command] = nodes[node].replica.position.term }
      let term = areTasks ? nodes[node].replica.position.term : nil
      take(asking.contains(command) ? .sync(UInt64(command)) : .command(UInt64(command), term: term), at: node)
    case .waited(let node):
      if case .answer = nodes[node].wait, log.isBusy(nodes[node].end) { faults -= 1 }
      nodes[node].wait = nil
      take(.waited, at: node)
    case .ticked(let node, let count):
      ticks -= 1
      take(.ticked(count), at: node)
    case .hear(let node, let index):
      let word = nodes[node].words.remove(at: index)
      take(.heard(word.node, beat: word.beat), at: node)
    case .save(let node):
      saves -= 1
      let position = nodes[node].replica.position
      snapshot = Snapshot(position: position, entries: nodes[node].entries)
      // A log keeps one record before its newest snapshot at least, so that all who read it notice.
      log.drop(before: position.sequence)
    case .withdraw(let command):
      faults -= 1
      for node in nodes.indices { take(.withdrawn(UInt64(command)), at: node) }
    case .crash(let node, let keepsState):
      faults -= 1
      crash(node, keepsState: keepsState)
    }
    check()
  }

  private func isFault(_ step: SimulatedLog<LogMessage>.Step) -> Bool {
    switch step {
    case .carry, .answer, .deliver, .connect: false
    case .loseRequest, .loseAnswer, .refuse, .cut, .endReading: true
    }
  }

  private func input(_ news: SimulatedLog<LogMessage>.News) -> ReplicaInput {
    switch news {
    case .connected(let first, let last): .connected(first: first, last: last)
    case .disconnected: .disconnected(reason: "cut")
    case .delivered(let sequence, let message): .delivered(sequence: sequence, .message(message))
    case .acknowledged(let id, let sequence): .acknowledged(id, sequence: sequence)
    case .stale(let id): .stale(id)
    }
  }

  private mutating func crash(_ index: Int, keepsState: Bool) {
    log.crash(nodes[index].end)
    // The callers died with the process: they know nothing, and some commands were never given.
    for command in commands.indices {
      guard case .open(let floor) = commands[command], owners[command] == index else { continue }
      commands[command] = .unknown(floor: floor)
      owners[command] = nil
    }
    nodes[index].crashes += 1
    let before = nodes[index].replica
    let identity = NodeID(name: before.node.name, incarnation: before.node.incarnation + 10)
    var position = Replica.Position()
    if keepsState { position = before.position } else { (position.term, position.keeper) = first }
    nodes[index].replica = Replica(node: identity, at: position)
    if !keepsState { nodes[index].entries = [] }
    nodes[index].attempt = nil
    nodes[index].wait = nil
    nodes[index].words = []
  }

  private var first: (UInt64, NodeID?) { areTasks ? (0, nil) : (1, NodeID(name: "elsewhere", incarnation: 99)) }

  // MARK: A store

  private mutating func take(_ input: ReplicaInput, at index: Int) {
    for effect in nodes[index].replica.take(input) { perform(effect, at: index) }
  }

  private mutating func perform(_ effect: ReplicaEffect, at index: Int) {
    let end = nodes[index].end
    switch effect {
    case .follow(let sequence): log.follow(from: sequence, at: end)
    case .append(let message, let expecting):
      if !log.append(message, id: message.id, expecting: expecting, from: end) {
        take(.unsent(message.id, reason: "cut"), at: index)
      }
    case .say(let beat):
      guard log.isConnected(end) else { break }
      let word = Word(node: nodes[index].replica.node, beat: beat)
      for other in nodes.indices where log.isConnected(nodes[other].end) { nodes[other].words.append(word) }
    case .attempt(let sequence, let commands, let makesKeeper):
      if nodes[index].attempt != nil { found.append("a second attempt beside another") }
      let entries = commands.map { UInt8($0) }.filter { !asking.contains($0) }
      nodes[index].attempt = entries
      let attempted = commands.map { id in
        ReplicaAttempt.Command(id: id, actions: asking.contains(UInt8(id)) ? 0 : 1)
      }
      // A keeper's entry is an action too, of a number that no command has.
      let all = makesKeeper ? [UInt8.max] : entries
      if makesKeeper { nodes[index].attempt = all }
      take(
        .attempted(
          ReplicaAttempt(on: sequence, commands: attempted, actionCount: UInt64(all.count), entries: all)), at: index)
    case .discard:
      if nodes[index].attempt == nil { found.append("an attempt is discarded that was not made") }
      nodes[index].attempt = nil
    case .commit(let first, _):
      guard let attempt = nodes[index].attempt else { return found.append("a commit without an attempt") }
      if first != UInt64(nodes[index].entries.count + 1) { found.append("a commit at #\(first) by another state") }
      nodes[index].entries += attempt
      nodes[index].attempt = nil
    case .apply(let message, _):
      if nodes[index].attempt != nil { found.append("others' entries in the middle of an attempt") }
      if message.firstAction != UInt64(nodes[index].entries.count + 1) {
        found.append("#\(message.firstAction) applied to another state")
      }
      nodes[index].entries += message.entries
    case .settle(let id, let settlement): settle(Int(id), settlement)
    case .restore(let sequence):
      guard let snapshot, snapshot.position.sequence > sequence else {
        take(.restored(.missing), at: index)
        break
      }
      if nodes[index].attempt != nil, nodes[index].replica.messageUnderway == nil {
        found.append("a snapshot in the middle of an attempt")
      }
      nodes[index].entries = snapshot.entries
      take(.restored(.taken(snapshot.position)), at: index)
    case .reached(let position, _):
      if position.action != UInt64(nodes[index].entries.count) { found.append("another state than at \(position)") }
    case .tasks, .ready, .report, .show, .askTurn: break
    case .stopped(let reason): found.append("n\(index) stopped: \(reason)")
    case .wait(let wait): nodes[index].wait = wait
    }
  }

  private mutating func settle(_ command: Int, _ settlement: Settlement) {
    let floor: UInt64
    switch commands[command] {
    case .open(let least), .unknown(let least): floor = least
    default: return found.append("command \(command) is settled twice")
    }
    if case .unknown = settlement {} else { owners[command] = nil }
    switch settlement {
    case .committed(let first, let count):
      if first <= floor {
        found.append("command \(command) came to #\(first), though the log had #\(floor) when it was given")
      }
      commands[command] = .committed(count == 0 ? first - 1 : first)
    case .refused: commands[command] = .refused
    case .unknown: commands[command] = .unknown(floor: floor)
    }
  }

  // MARK: Checks

  private mutating func check() {
    for node in nodes { log.forget(at: node.end, except: node.replica.messageUnderway) }
    // The rule of valid messages, written anew.
    while chained < log.records.count {
      let message = log.records[chained]
      chained += 1
      guard message.predecessor == lastValid else { continue }
      lastValid = message.id
      if message.term != term { found.append("a message of term \(message.term) in term \(term)") }
      for command in message.entries {
        if let given = terms[command], given != message.term {
          found.append("command \(command) of term \(given) stands in term \(message.term)")
        }
      }
      if message.makesKeeper { term += 1 }
      chain += message.entries
    }
    let actions = chain.filter { $0 != .max }
    if Set(actions).count != actions.count { found.append("an action is in the log twice: \(chain)") }
    for (index, node) in nodes.enumerated() where !chain.starts(with: node.entries) {
      found.append("n\(index) has \(node.entries), the log \(chain)")
    }
    for (command, knowledge) in commands.enumerated() {
      switch knowledge {
      case .committed(let number) where !asking.contains(UInt8(command)):
        if number > chain.count || chain[Int(number) - 1] != UInt8(command) {
          found.append("command \(command) was told #\(number), which the log does not have there")
        }
      case .refused:
        if chain.contains(UInt8(command)) { found.append("command \(command) was refused and is in the log") }
      default: break
      }
    }
  }

  /// What must hold once nothing can happen any more: all is settled that can be, and all nodes are alike.
  var faultsAtTheEnd: [String] {
    var faults: [String] = []
    for (index, node) in nodes.enumerated() {
      if node.entries != chain { faults.append("at the end n\(index) has \(node.entries), the log \(chain)") }
      if node.replica.link != .current { faults.append("at the end n\(index) is \(node.replica.link)") }
      if node.replica.openCommands != 0 { faults.append("at the end n\(index) has open commands") }
    }
    for (command, knowledge) in commands.enumerated() {
      if case .open = knowledge { faults.append("at the end command \(command) is not settled") }
    }
    return faults
  }
}
