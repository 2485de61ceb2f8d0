/// One node of a shared store, as a machine without time, threads and network: it takes inputs and gives effects.
///
/// Replicas of one log apply the same actions in the same order (state machine replication, Lamport 1978, Schneider 1990). A replica
/// appends on the condition that nothing came in between, and has one append under way. What waits meanwhile goes into the next
/// message. So contention makes messages larger.
///
/// ```swift
/// var replica = Replica(node: NodeID(name: "berlin-1", incarnation: random))
/// for effect in replica.take(.connected(first: 1, last: 4711)) { perform(effect) }
/// ```
package struct Replica: Hashable, Sendable {
  /// A place in the log, and what the valid messages up to there add up to. Part of a snapshot.
  package struct Position: Hashable, Sendable {
    /// The number of the last record that was read.
    package var sequence: UInt64 = 0
    /// The last valid message and its number; nil: there was none.
    package var valid: Valid?
    /// The number of the last action.
    package var action: UInt64 = 0
    /// The present term; 0: no node was keeper yet.
    package var term: UInt64 = 0
    /// The node that runs the supervised tasks.
    package var keeper: NodeID?
    /// The digest of all changes, as the last valid message tells it.
    package var digest: UInt64 = 0

    /// The beginning of a log.
    package init() {}
  }

  /// A valid message and where it stands.
  package struct Valid: Hashable, Sendable {
    /// The number of the record.
    package var sequence: UInt64
    package var id: MessageID

    package init(sequence: UInt64, id: MessageID) {
      self.sequence = sequence
      self.id = id
    }
  }

  /// The node's way to the log.
  package enum Link: Hashable, Sendable {
    /// Cut off, and why.
    case away(reason: String)
    /// On the way to the last record that the log had when it was reached.
    case catchingUp(to: UInt64)
    /// Up to date; the node may append.
    case current
  }

  private enum Appending: Hashable, Sendable {
    case idle
    /// Until the nodes before this one have had their turns, or after a message that could not be sent.
    case resting
    /// The store runs commands.
    case attempting([CommandID], makesKeeper: Bool)
    /// A message was sent, and its outcome is not known yet.
    case underway(Underway)
  }

  private struct Underway: Hashable, Sendable {
    var message: LogMessage
    var expecting: UInt64
    var commands: [ReplicaAttempt.Command]
    /// The attempt's commands as they waited.
    var waiting: [Waiting]
    var withdrawn: Set<CommandID> = []
    /// True when an earlier copy may still be on its way.
    var isResent = false
    /// The beat of the node when the message was first sent.
    var beat: UInt64
    var fault: String?
  }

  /// The records that the log has, from a number to another; the last is the one before the first if it has none.
  private struct Records: Hashable, Sendable {
    var first: UInt64
    var last: UInt64
  }

  private struct Waiting: Hashable, Sendable {
    var id: CommandID
    var term: UInt64?
    var asksOnly = false
  }

  package let node: NodeID
  /// True when the node only follows.
  package let isReadOnly: Bool
  /// How far the node has come.
  package private(set) var position: Position
  /// The node's way to the log.
  package private(set) var link = Link.away(reason: "not connected yet")
  /// The reason for which the node has stopped; nil: it has not.
  package private(set) var stopped: StopReason?
  /// The milliseconds by which this machine's clock is wrong, when that is too much to append.
  package private(set) var wrongClock: Int64?

  private var appending = Appending.idle
  private var queue: [Waiting] = []
  /// The messages for the next place that never left this process.
  private var unsent: UInt64 = 0
  private var keeper = KeeperWatch()
  /// False while a plugin's tasks may not run here.
  private var mayKeep = true
  private var turns = TurnOrder()
  /// The record that must still be the same before the node goes on.
  private var verifying: Valid?
  /// How often the node has read anew for the next record, since it did not come or contradicted those before.
  private var rereadings = 0
  /// The first and the last record of the log while the store looks for a snapshot; nil: it does not.
  private var restoring: Records?

  /// So often a node reads anew before it stops at a contradiction: each time another one of the engine's servers may answer.
  package static let mostRereadings = 8

  /// After so many messages in a row that could not be sent, which take about nine seconds, commands are refused at once.
  package static let mostUnsent: UInt64 = 22

  /// The most by which a clock may be wrong, in milliseconds.
  package static let clockTolerance: Int64 = 5_000

  package init(node: NodeID, isReadOnly: Bool = false, at position: Position = Position()) {
    self.node = node
    self.isReadOnly = isReadOnly
    self.position = position
  }

  /// The message that was sent and whose outcome is not known; nil: there is none.
  package var messageUnderway: MessageID? {
    if case .underway(let underway) = appending { underway.message.id } else { nil }
  }

  private var isUnderway: Bool { messageUnderway != nil }

  /// True while this node runs the supervised tasks.
  package var runsTasks: Bool { keeper.runsTasks }

  /// The first commands that wait while a message is under way, if this node alone has had turns lately: else what they come to would
  /// most likely be lost.
  package func waiting(_ most: Int) -> [CommandID] {
    guard isUnderway, link == .current, turns.hasNone(but: node.incarnation) else { return [] }
    return queue.prefix(most).map(\.id)
  }

  /// The number of commands that wait or are under way.
  package var openCommands: Int {
    if case .underway(let underway) = appending { return queue.count + underway.waiting.count }
    return queue.count
  }

  /// The node's answer to those who ask which nodes there are.
  private var report: NodeReport {
    NodeReport(
      node: node, action: position.action, digest: position.digest, isKeeper: position.keeper == node,
      isStopped: stopped != nil)
  }

  // MARK: Inputs

  /// Takes an input and gives what is to be done, in order.
  package mutating func take(_ input: ReplicaInput) -> [ReplicaEffect] {
    var effects: [ReplicaEffect] = []
    guard stopped == nil else {
      if case .asked = input { effects.append(.report(report)) }
      if case .reported(let report) = input { effects.append(.show(report)) }
      if case .command(let id, _) = input { refuse(id, &effects) }
      if case .sync(let id) = input { refuse(id, &effects) }
      return effects
    }
    switch input {
    case .connected(let first, let last): connect(first: first, last: last, &effects)
    case .disconnected(let reason): disconnect(reason, &effects)
    case .delivered(let sequence, let record): receive(sequence, record, &effects)
    case .acknowledged(let id, let sequence): acknowledge(id, sequence, &effects)
    case .stale(let id): awaitPlace(of: id, &effects)
    case .unsent(let id, let reason): takeBack(id, reason, &effects)
    case .failed(let id, let reason): note(reason, of: id)
    case .clockAhead(let milliseconds): compareClock(milliseconds, &effects)
    case .heard(let node, let beat): hear(node, beat, &effects)
    case .turnAsked(let node): turns.ask(node.incarnation, at: position.sequence)
    case .asked: effects.append(.report(report))
    case .reported(let report): effects.append(.show(report))
    case .command(let id, let term): enqueue(Waiting(id: id, term: term), &effects)
    case .sync(let id): enqueue(Waiting(id: id, asksOnly: true), &effects)
    case .withdrawn(let id): withdraw(id, &effects)
    case .attempted(let attempt): append(attempt, &effects)
    case .differs(let action, let path): stop(.differs(action: action, path: path), &effects)
    case .restored(let outcome): goOn(after: outcome, &effects)
    case .mayKeep(let may): setMayKeep(may, &effects)
    case .waited: wake(&effects)
    case .ticked(let ticks): tick(ticks, &effects)
    }
    return effects
  }

  // MARK: Connection

  private mutating func connect(first: UInt64, last: UInt64, _ effects: inout [ReplicaEffect]) {
    guard last >= position.sequence else {
      return stop(.logIsBehind(last: last, own: position.sequence), &effects)
    }
    restoring = nil
    // A new node has no reason to read what a snapshot stands for (R47).
    let isNew = position.sequence == 0 && last > 0 && !isUnderway
    guard isNew || first > position.sequence + 1 else { return catchUp(from: first, to: last, &effects) }
    restore(from: first, to: last, &effects)
  }

  private mutating func catchUp(from first: UInt64, to last: UInt64, _ effects: inout [ReplicaEffect]) {
    if !isUnderway { dropAttempt(&effects) }
    if case .away = link { keeper.hear() }
    link = .catchingUp(to: last)
    rereadings = 0
    follow(ifKeptFrom: first, &effects)
    finishCatchingUp(&effects)
  }

  // MARK: Snapshots

  /// Begins anew from a snapshot, if there is one.
  private mutating func restore(from first: UInt64, to last: UInt64, _ effects: inout [ReplicaEffect]) {
    if !isUnderway { dropAttempt(&effects) }
    link = .catchingUp(to: last)
    restoring = Records(first: first, last: last)
    effects.append(.restore(behind: position.sequence))
  }

  private mutating func goOn(after outcome: Restoration, _ effects: inout [ReplicaEffect]) {
    if case .taken(let found) = outcome { move(to: found, &effects) }
    // The node was cut off since.
    guard let log = restoring else { return }
    if case .unanswered = outcome { return effects.append(.wait(.answer)) }
    restoring = nil
    guard log.first <= position.sequence + 1 else {
      if case .unfit(let reason) = outcome { return stop(.snapshotUnfit(reason: reason), &effects) }
      return stop(.recordMissing(sequence: position.sequence + 1), &effects)
    }
    catchUp(from: log.first, to: max(log.last, position.sequence), &effects)
  }

  /// The store has the state of a snapshot: nothing is known of the records in between.
  private mutating func move(to found: Position, _ effects: inout [ReplicaEffect]) {
    if case .underway(let underway) = appending {
      appending = .idle
      giveUp(underway, reason: "the log has dropped the record that tells", &effects)
    } else {
      dropAttempt(&effects)
    }
    position = found
    unsent = 0
    turns = TurnOrder()
    if keeper.runsTasks { effects.append(.tasks(term: nil)) }
    keeper.end()
  }

  /// The outcome of what was sent will never be known.
  private func giveUp(_ underway: Underway, reason: String, _ effects: inout [ReplicaEffect]) {
    effects.append(.discard)
    for command in underway.waiting where !underway.withdrawn.contains(command.id) {
      effects.append(.settle(command.id, .unknown(reason: reason)))
    }
  }

  // MARK: Reading

  /// Reads on. The last valid message is read once more: a log that lost its end may have other records there by now.
  private mutating func follow(ifKeptFrom first: UInt64 = 1, _ effects: inout [ReplicaEffect]) {
    verifying = position.valid.flatMap { $0.sequence >= first ? $0 : nil }
    effects.append(.follow(from: verifying?.sequence ?? position.sequence + 1))
  }

  private mutating func finishCatchingUp(_ effects: inout [ReplicaEffect]) {
    guard stopped == nil, restoring == nil, case .catchingUp(let last) = link, position.sequence >= last,
      verifying == nil
    else {
      return
    }
    link = .current
    effects.append(.ready)
    resend(&effects)
    advance(&effects)
  }

  private mutating func disconnect(_ reason: String, _ effects: inout [ReplicaEffect]) {
    link = .away(reason: reason)
    verifying = nil
    restoring = nil
    if !isUnderway { dropAttempt(&effects) }
    // A node that is cut off never queues in secret (R45).
    refuseQueue(.cutOff(reason: reason), &effects)
  }

  private mutating func compareClock(_ milliseconds: Int64, _ effects: inout [ReplicaEffect]) {
    wrongClock = abs(milliseconds) > Replica.clockTolerance ? milliseconds : nil
    if let wrongClock { refuseQueue(.clockWrong(milliseconds: wrongClock), &effects) { !$0.asksOnly } }
    advance(&effects)
  }

  // MARK: Commands

  private mutating func enqueue(_ command: Waiting, _ effects: inout [ReplicaEffect]) {
    if case .away(let reason) = link { return effects.append(.settle(command.id, .refused(.cutOff(reason: reason)))) }
    if isReadOnly { return effects.append(.settle(command.id, .refused(.readOnly))) }
    if let wrongClock, !command.asksOnly {
      return effects.append(.settle(command.id, .refused(.clockWrong(milliseconds: wrongClock))))
    }
    queue.append(command)
    advance(&effects)
  }

  private func refuse(_ id: CommandID, _ effects: inout [ReplicaEffect]) {
    if let stopped { effects.append(.settle(id, .refused(.stopped(stopped)))) }
  }

  private mutating func refuseQueue(
    _ refusal: Refusal, _ effects: inout [ReplicaEffect], where isMeant: (Waiting) -> Bool = { _ in true }
  ) {
    guard queue.contains(where: isMeant) else { return }
    // Part of an attempt is refused: the attempt may no longer be sent.
    if case .attempting = appending { dropAttempt(&effects) }
    for command in queue where isMeant(command) { effects.append(.settle(command.id, .refused(refusal))) }
    queue.removeAll(where: isMeant)
  }

  private mutating func withdraw(_ id: CommandID, _ effects: inout [ReplicaEffect]) {
    if queue.contains(where: { $0.id == id }) {
      refuseQueue(.withdrawn, &effects) { $0.id == id }
      advance(&effects)
    } else if case .underway(var underway) = appending, underway.waiting.contains(where: { $0.id == id }),
      underway.withdrawn.insert(id).inserted
    {
      effects.append(.settle(id, .unknown(reason: underway.fault)))
      appending = .underway(underway)
    }
  }

  // MARK: Attempt and append

  /// Begins an attempt if there is reason to and it is this node's turn: without turns a node that has its own message at once would go on
  /// alone, and attempts of the others would be in vain.
  private mutating func advance(isTurn: Bool = false, _ effects: inout [ReplicaEffect]) {
    guard link == .current, appending == .idle, !isReadOnly, stopped == nil else { return }
    let term = position.term
    refuseQueue(.termOver(current: term), &effects) { $0.term.map { $0 != term } ?? false }
    if wantsToKeep {
      appending = .attempting([], makesKeeper: true)
      effects.append(.attempt(on: position.sequence, [], makesKeeper: true))
    } else if !queue.isEmpty {
      if !isTurn, let others = turns.count(before: node.incarnation), others > 0 {
        appending = .resting
        return effects.append(.wait(.turn(behind: others)))
      }
      let commands = queue.map(\.id)
      appending = .attempting(commands, makesKeeper: false)
      effects.append(.attempt(on: position.sequence, commands, makesKeeper: false))
    }
  }

  private mutating func append(_ attempt: ReplicaAttempt, _ effects: inout [ReplicaEffect]) {
    // Results of an attempt that was given up are of no use.
    guard case .attempting(let commands, let makesKeeper) = appending, attempt.sequence == position.sequence,
      commands.starts(with: attempt.commands.map(\.id)), attempt.commands.isEmpty == commands.isEmpty
    else { return }
    let id = MessageID(incarnation: node.incarnation, place: position.sequence + 1, attempt: unsent)
    let message = LogMessage(
      id: id, node: node.name, term: position.term,
      predecessor: position.valid?.id, firstAction: position.action + 1, actionCount: attempt.actionCount,
      makesKeeper: makesKeeper, digest: attempt.digest, entries: attempt.entries)
    appending = .underway(
      Underway(
        message: message, expecting: position.sequence, commands: attempt.commands,
        waiting: Array(queue.prefix(attempt.commands.count)), beat: keeper.beat))
    queue.removeFirst(attempt.commands.count)
    effects.append(.append(message, expecting: position.sequence))
    effects.append(.wait(.answer))
  }

  private mutating func acknowledge(_ id: MessageID, _ sequence: UInt64, _ effects: inout [ReplicaEffect]) {
    guard case .underway(let underway) = appending, underway.message.id == id else { return }
    // The log may have lost what this message stands behind. The message comes, if it counts, once that is known.
    guard verifying == nil else { return }
    guard sequence == underway.expecting + 1 else {
      return stop(.inconsistent(sequence: sequence, reason: "an append came to another place than asked"), &effects)
    }
    commit(underway, &effects)
    finishCatchingUp(&effects)
  }

  /// Another message stands in the place, or this one. The next record tells which.
  private mutating func awaitPlace(of id: MessageID, _ effects: inout [ReplicaEffect]) {
    guard case .underway(let underway) = appending, underway.message.id == id else { return }
    effects.append(.wait(.answer))
  }

  private mutating func takeBack(_ id: MessageID, _ reason: String, _ effects: inout [ReplicaEffect]) {
    guard case .underway(let underway) = appending, underway.message.id == id else { return }
    // An earlier copy may be on its way.
    guard !underway.isResent else { return note(reason, of: id) }
    // The engine's servers may be choosing a leader. The pause keeps the node from spinning.
    appending = .resting
    unsent += 1
    effects.append(.discard)
    queueAgain(underway, &effects)
    if unsent > Replica.mostUnsent { refuseQueue(.cutOff(reason: reason), &effects) }
    effects.append(.wait(.pause))
  }

  private mutating func note(_ reason: String, of id: MessageID) {
    guard case .underway(var underway) = appending, underway.message.id == id else { return }
    underway.fault = reason
    appending = .underway(underway)
  }

  private mutating func wake(_ effects: inout [ReplicaEffect]) {
    if appending == .resting {
      appending = .idle
      advance(isTurn: true, &effects)
    } else if restoring != nil {
      effects.append(.restore(behind: position.sequence))
    } else if link == .current {
      resend(&effects)
    }
  }

  /// Sends the same bytes on the same condition once more. The log takes one copy at most.
  private mutating func resend(_ effects: inout [ReplicaEffect]) {
    guard case .underway(var underway) = appending else { return }
    underway.isResent = true
    appending = .underway(underway)
    effects.append(.append(underway.message, expecting: underway.expecting))
    effects.append(.wait(.answer))
  }

  /// Drops an attempt that was not sent, or the pause before it.
  private mutating func dropAttempt(_ effects: inout [ReplicaEffect]) {
    if case .attempting = appending { effects.append(.discard) }
    appending = .idle
  }

  private mutating func commit(_ underway: Underway, _ effects: inout [ReplicaEffect]) {
    let message = underway.message
    appending = .idle
    moveOn(past: message, at: underway.expecting + 1)
    effects.append(.commit(firstAction: message.firstAction, reaching: position))
    var next = message.firstAction
    for command in underway.commands {
      effects.append(.settle(command.id, .committed(firstAction: next, count: command.actions)))
      next += command.actions
    }
    if message.makesKeeper, mayKeep {
      keeper.begin()
      effects.append(.tasks(term: position.term))
    } else if position.keeper == node, mayKeep, keeper.confirm(underway.beat) {
      effects.append(.tasks(term: position.term))
    }
    effects.append(.reached(position, bytes: message.entries.count))
    advance(&effects)
  }

  /// Has the commands of a message that does not stand in the log wait again, but those that nobody wants any more.
  private mutating func queueAgain(_ underway: Underway, _ effects: inout [ReplicaEffect]) {
    let isWithdrawn = { (command: Waiting) in underway.withdrawn.contains(command.id) }
    for command in underway.waiting where isWithdrawn(command) {
      effects.append(.settle(command.id, .refused(.withdrawn)))
    }
    queue.insert(contentsOf: underway.waiting.filter { !isWithdrawn($0) }, at: 0)
  }

  // MARK: Following

  private mutating func receive(_ sequence: UInt64, _ record: LogRecord, _ effects: inout [ReplicaEffect]) {
    if case .away = link { return }
    if restoring != nil { return }
    if let expected = verifying {
      guard sequence >= expected.sequence else { return }
      // The log has dropped it since.
      guard sequence == expected.sequence else { return restore(from: sequence, to: sequence, &effects) }
      guard case .message(let message) = record, message.id == expected.id else {
        return readAnew(orStopFor: .pastChanged(sequence: sequence), &effects)
      }
      verifying = nil
    }
    if sequence == position.sequence + 1 {
      readOn(sequence, record, &effects)
    } else if sequence > position.sequence {
      // The record before it was lost on the way, or is gone from the log.
      guard rereadings == 0 else { return restore(from: sequence, to: sequence, &effects) }
      rereadings = 1
      follow(&effects)
    }
    finishCatchingUp(&effects)
  }

  /// A server of the engine has another record than the one that fits what this node has read: another server may have that.
  private mutating func readAnew(orStopFor reason: StopReason, _ effects: inout [ReplicaEffect]) {
    guard rereadings < Replica.mostRereadings else { return stop(reason, &effects) }
    rereadings += 1
    follow(&effects)
  }

  private mutating func readOn(_ sequence: UInt64, _ record: LogRecord, _ effects: inout [ReplicaEffect]) {
    switch record {
    case .unreadable(let reason): stop(.unreadable(sequence: sequence, reason: reason), &effects)
    case .foreign: passOver(sequence, &effects)
    case .message(let message) where message.predecessor != position.valid?.id:
      // It was appended on its condition, by a node that has read something else: the engine's servers have different records.
      guard message.id.place != sequence else {
        return readAnew(orStopFor: .otherPast(sequence: sequence, node: message.node), &effects)
      }
      // The log took it though its condition did not hold.
      passOver(sequence, &effects)
    case .message(let message):
      if let fault = contradiction(of: message) {
        return stop(.inconsistent(sequence: sequence, reason: fault), &effects)
      }
      if case .underway(let underway) = appending, underway.message.id == message.id {
        commit(underway, &effects)
      } else {
        follow(message, at: sequence, &effects)
      }
    }
  }

  private func contradiction(of message: LogMessage) -> String? {
    if message.firstAction != position.action + 1 {
      return "its first action is #\(message.firstAction), not #\(position.action + 1)"
    }
    if message.term != position.term { return "it is of term \(message.term), not \(position.term)" }
    return nil
  }

  private mutating func follow(_ message: LogMessage, at sequence: UInt64, _ effects: inout [ReplicaEffect]) {
    let lost = giveWay(&effects)
    moveOn(past: message, at: sequence)
    effects.append(.apply(message, reaching: position))
    effects.append(.reached(position, bytes: message.entries.count))
    if message.makesKeeper {
      if keeper.runsTasks { effects.append(.tasks(term: nil)) }
      keeper.end()
    }
    if message.sender == position.keeper { keeper.hear() }
    if let lost {
      queueAgain(lost, &effects)
      // Who has won has its message at once, and would win again.
      if turns.count(before: node.incarnation) == nil { effects.append(.askTurn) }
    }
    // Now this node's turn is nearer.
    if appending == .resting { appending = .idle }
    advance(&effects)
  }

  private mutating func passOver(_ sequence: UInt64, _ effects: inout [ReplicaEffect]) {
    let lost = giveWay(&effects)
    position.sequence = sequence
    (unsent, rereadings) = (0, 0)
    if let lost { queueAgain(lost, &effects) }
    advance(&effects)
  }

  /// Drops what was attempted on the state up to now. Gives the message that was sent.
  private mutating func giveWay(_ effects: inout [ReplicaEffect]) -> Underway? {
    switch appending {
    case .idle, .resting: return nil
    case .attempting:
      dropAttempt(&effects)
      return nil
    case .underway(let underway):
      appending = .idle
      effects.append(.discard)
      return underway
    }
  }

  private mutating func moveOn(past message: LogMessage, at sequence: UInt64) {
    position.sequence = sequence
    (unsent, rereadings) = (0, 0)
    position.valid = Valid(sequence: sequence, id: message.id)
    turns.note(message.id.incarnation, at: sequence)
    position.action += message.actionCount
    position.digest = message.digest
    if message.makesKeeper {
      position.term += 1
      position.keeper = message.sender
    }
  }

  // MARK: The keeper

  private var wantsToKeep: Bool {
    position.keeper != node && mayKeep && wrongClock == nil && (position.keeper == nil || keeper.isOverdue)
  }

  /// A keeper that may be none any more says nothing, so that another node takes over.
  private mutating func setMayKeep(_ may: Bool, _ effects: inout [ReplicaEffect]) {
    mayKeep = may
    if may { return advance(&effects) }
    if keeper.runsTasks { effects.append(.tasks(term: nil)) }
    keeper.end()
  }

  private mutating func hear(_ other: NodeID, _ beat: UInt64, _ effects: inout [ReplicaEffect]) {
    guard other == position.keeper else { return }
    keeper.hear()
    if other == node, mayKeep, keeper.confirm(beat) { effects.append(.tasks(term: position.term)) }
  }

  private mutating func tick(_ ticks: UInt64, _ effects: inout [ReplicaEffect]) {
    if position.keeper == node {
      let mayGoOn = keeper.keep(ticks)
      if !mayGoOn, keeper.runsTasks {
        keeper.end()
        effects.append(.tasks(term: nil))
      }
      // One that cannot append is no keeper, though others may hear it: its tasks end, and others take over.
      if case .away = link {} else if mayKeep { effects.append(.say(beat: keeper.beat)) }
    } else if link == .current {
      keeper.waitFor(ticks)
    }
    // The log tells its time to each who follows anew.
    if wrongClock != nil, link == .current { follow(&effects) }
    advance(&effects)
  }

  // MARK: The end

  private mutating func stop(_ reason: StopReason, _ effects: inout [ReplicaEffect]) {
    stopped = reason
    if case .underway(let underway) = appending {
      appending = .idle
      giveUp(underway, reason: reason.description, &effects)
    } else {
      dropAttempt(&effects)
    }
    refuseQueue(.stopped(reason), &effects)
    if keeper.runsTasks { effects.append(.tasks(term: nil)) }
    keeper.end()
    effects.append(.stopped(reason))
  }
}
