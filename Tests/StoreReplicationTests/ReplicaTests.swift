import StoreReplication
import Testing

@Suite("A replica")
struct ReplicaTests {
  private static let node = NodeID(name: "berlin-1", incarnation: 7)
  private static let other = NodeID(name: "lisbon-2", incarnation: 8)

  /// A replica that is up to date with an empty log whose keeper is another node.
  private func replica(isReadOnly: Bool = false, at position: Replica.Position? = nil) -> Replica {
    var start = Replica.Position()
    (start.term, start.keeper) = (1, ReplicaTests.other)
    let position = position ?? start
    var replica = Replica(node: ReplicaTests.node, isReadOnly: isReadOnly, at: position)
    _ = replica.take(.connected(first: 1, last: position.sequence))
    return replica
  }

  private func message(
    _ place: UInt64, after predecessor: MessageID? = nil, action: UInt64 = 1, term: UInt64 = 1,
    makesKeeper: Bool = false
  ) -> LogMessage {
    LogMessage(
      id: MessageID(incarnation: 8, place: place), node: "lisbon-2", term: term, predecessor: predecessor,
      firstAction: action, actionCount: 1, makesKeeper: makesKeeper, entries: [9])
  }

  private func refusal(_ effects: [ReplicaEffect], of command: CommandID) -> Refusal? {
    for case .settle(command, .refused(let refusal)) in effects { return refusal }
    return nil
  }

  @Test func `A message of bytes is read as it was written`() {
    let message = LogMessage(
      id: MessageID(incarnation: .max, place: 3, attempt: 1), node: "Zürich", term: 4,
      predecessor: MessageID(incarnation: 1, place: 2), firstAction: 5, actionCount: 6, makesKeeper: true, digest: 7,
      entries: [1, 2, 3])
    #expect(LogMessage.read(message.bytes) == .message(message))
    #expect(LogMessage.read(Array("hello".utf8)) == .foreign)
    #expect(LogMessage.read([]) == .foreign)
    var newer = message.bytes
    newer[4] = 3
    #expect(LogMessage.read(newer) == .unreadable("it has format 3; this program reads format 2"))
    for count in 5..<(message.bytes.count - 3) {
      guard case .unreadable = LogMessage.read(Array(message.bytes.prefix(count))) else {
        Issue.record("\(count) bytes are read")
        return
      }
    }
    #expect(MessageID(message.id.description) == message.id)
  }

  @Test func `Words and positions of bytes are read as they were written`() {
    let report = NodeReport(node: ReplicaTests.node, action: 4_711, digest: 9, isKeeper: true, isStopped: false)
    for word in [NodeWord.alive(ReplicaTests.node, beat: 12), .waiting(ReplicaTests.node), .question, .report(report)] {
      #expect(NodeWord(word.bytes) == word)
      if word != .question { #expect(NodeWord(Array(word.bytes.dropLast())) == nil) }
    }
    #expect(NodeWord([]) == nil)
    #expect(NodeWord([9]) == nil)
    var position = Replica.Position()
    #expect(Replica.Position(position.bytes) == position)
    position.sequence = 7
    position.valid = Replica.Valid(sequence: 6, id: MessageID(incarnation: 8, place: 6))
    (position.action, position.term, position.keeper, position.digest) = (5, 4, ReplicaTests.other, 3)
    #expect(Replica.Position(position.bytes) == position)
    #expect(Replica.Position(Array(position.bytes.dropLast())) == nil)
  }

  @Test func `A node reports where it is, also when it has stopped`() {
    var replica = replica()
    _ = replica.take(.delivered(sequence: 1, .message(message(1))))
    var report = NodeReport(node: ReplicaTests.node, action: 1, digest: 0, isKeeper: false, isStopped: false)
    #expect(replica.take(.asked) == [.report(report)])
    _ = replica.take(.differs(action: 1, path: "a"))
    report.isStopped = true
    #expect(replica.take(.asked) == [.report(report)])
    #expect(replica.take(.reported(report)) == [.show(report)])
  }

  @Test func `A record that is no message is passed over, and one that the log took against its condition as well`() {
    var replica = replica()
    _ = replica.take(.delivered(sequence: 1, .foreign))
    _ = replica.take(.delivered(sequence: 2, .message(message(1, after: MessageID(incarnation: 5, place: 0)))))
    #expect(replica.position.sequence == 2)
    #expect(replica.position.action == 0)
    let effects = replica.take(.delivered(sequence: 3, .message(message(3))))
    #expect(effects == [.apply(message(3), reaching: replica.position), .reached(replica.position, bytes: 1)])
    #expect(replica.position.action == 1)
  }

  @Test func `Cut off, a node refuses commands and does not queue them`() {
    var replica = replica()
    _ = replica.take(.command(1, term: nil))
    _ = replica.take(.attempted(ReplicaAttempt(on: 0, commands: [.init(id: 1, actions: 1)], actionCount: 1)))
    _ = replica.take(.command(2, term: nil))
    let effects = replica.take(.disconnected(reason: "no server"))
    #expect(refusal(effects, of: 2) == .cutOff(reason: "no server"))
    #expect(refusal(effects, of: 1) == nil)
    #expect(refusal(replica.take(.command(3, term: nil)), of: 3) == .cutOff(reason: "no server"))
    // Its caller gives up; what became of the command shows once the log can be read.
    #expect(replica.take(.withdrawn(1)) == [.settle(1, .unknown(reason: nil))])
    _ = replica.take(.connected(first: 1, last: 1))
    let found = replica.take(.delivered(sequence: 1, .message(message(1))))
    #expect(refusal(found, of: 1) == .withdrawn)
  }

  @Test func `A log that ends before what was read stops the node`() {
    var position = Replica.Position()
    position.sequence = 5
    #expect(replica(at: position).stopped == nil)
    var replica = Replica(node: ReplicaTests.node, at: position)
    _ = replica.take(.connected(first: 1, last: 4))
    #expect(replica.stopped == .logIsBehind(last: 4, own: 5))
    #expect(
      refusal(replica.take(.command(1, term: nil)), of: 1) == .stopped(.logIsBehind(last: 4, own: 5)))
  }

  /// Delivers a record that contradicts the past as often as the node asks for it anew.
  private func contradict(_ replica: inout Replica, at sequence: UInt64, by message: LogMessage) -> [ReplicaEffect] {
    for _ in 0..<Replica.mostRereadings {
      #expect(replica.take(.delivered(sequence: sequence, .message(message))) == [.follow(from: 1)])
    }
    return replica.take(.delivered(sequence: sequence, .message(message)))
  }

  @Test func `A record that contradicts the past is asked of other servers`() {
    var replica = replica()
    _ = replica.take(.delivered(sequence: 1, .message(message(1))))
    let another = message(2, after: MessageID(incarnation: 5, place: 1), action: 2)
    var changed = message(1)
    changed.id.incarnation = 9
    #expect(replica.take(.delivered(sequence: 2, .message(another))) == [.follow(from: 1)])
    #expect(replica.take(.delivered(sequence: 1, .message(changed))) == [.follow(from: 1)])
    _ = replica.take(.delivered(sequence: 1, .message(message(1))))
    _ = replica.take(.delivered(sequence: 2, .message(message(2, after: message(1).id, action: 2))))
    #expect(replica.stopped == nil)
    #expect(replica.position.sequence == 2)
  }

  @Test func `Another record in a known place stops the node`() {
    var replica = replica()
    _ = replica.take(.delivered(sequence: 1, .message(message(1))))
    _ = replica.take(.disconnected(reason: "cut"))
    #expect(replica.take(.connected(first: 1, last: 1)) == [.follow(from: 1)])
    var changed = message(1)
    changed.id.incarnation = 9
    _ = contradict(&replica, at: 1, by: changed)
    #expect(replica.stopped == .pastChanged(sequence: 1))
  }

  @Test func `A message in its place behind another past than the node has read stops the node`() {
    var replica = replica()
    _ = replica.take(.delivered(sequence: 1, .message(message(1))))
    let another = message(2, after: MessageID(incarnation: 5, place: 1), action: 2)
    for _ in 0..<Replica.mostRereadings {
      #expect(replica.take(.delivered(sequence: 2, .message(another))) == [.follow(from: 1)])
      _ = replica.take(.delivered(sequence: 1, .message(message(1))))
    }
    _ = replica.take(.delivered(sequence: 2, .message(another)))
    #expect(replica.stopped == .otherPast(sequence: 2, node: "lisbon-2"))
  }

  @Test func `Nodes that append at the same time take turns`() {
    var replica = replica()
    var last: MessageID?
    /// A message of another node comes.
    func follow(_ incarnation: UInt64) -> [ReplicaEffect] {
      let place = replica.position.sequence + 1
      var message = message(place, after: last, action: place)
      message.id.incarnation = incarnation
      last = message.id
      return replica.take(.delivered(sequence: place, .message(message)))
    }
    /// Has the message come that this node has made of its first command.
    func append(_ command: CommandID) -> [ReplicaEffect] {
      let on = replica.position.sequence
      _ = replica.take(.attempted(ReplicaAttempt(on: on, commands: [.init(id: command, actions: 1)], actionCount: 1)))
      last = replica.messageUnderway
      return last.map { replica.take(.acknowledged($0, sequence: on + 1)) } ?? []
    }
    _ = follow(21)
    _ = follow(22)
    // One that comes new does not wait for turns of others.
    #expect(replica.take(.command(1, term: nil)) == [.attempt(on: 2, [1], makesKeeper: false)])
    for command in 2...4 { _ = replica.take(.command(CommandID(command), term: nil)) }
    #expect(append(1).last == .wait(.turn(behind: 2)))
    #expect(follow(21).last == .wait(.turn(behind: 1)))
    #expect(follow(22).last == .attempt(on: 5, [2, 3, 4], makesKeeper: false))
    #expect(append(2).last == .wait(.turn(behind: 2)))
    // One that leaves its turn unused is forgotten after two rounds.
    for _ in 0..<3 { #expect(follow(22).last == .wait(.turn(behind: 1))) }
    #expect(follow(22).last == .attempt(on: 10, [3, 4], makesKeeper: false))
  }

  @Test func `A node that has lost and had no turn yet asks for one, and gets it`() {
    let attempt = ReplicaAttempt(on: 0, commands: [.init(id: 1, actions: 1)], actionCount: 1)
    var winner = replica()
    var loser = Replica(node: NodeID(name: "oslo-3", incarnation: 9), at: winner.position)
    _ = loser.take(.connected(first: 1, last: 0))
    _ = loser.take(.command(1, term: nil))
    _ = loser.take(.attempted(attempt))
    _ = winner.take(.command(1, term: nil))
    guard case .append(let message, _)? = winner.take(.attempted(attempt)).first else {
      Issue.record("nothing was sent")
      return
    }
    for command in 2...3 { _ = winner.take(.command(CommandID(command), term: nil)) }
    #expect(loser.take(.delivered(sequence: 1, .message(message))).contains(.askTurn))
    #expect(winner.take(.turnAsked(loser.node)) == [])
    #expect(winner.take(.acknowledged(message.id, sequence: 1)).last == .wait(.turn(behind: 1)))
  }

  @Test func `A log that is to be followed anew is compared first, and no answer counts before that`() {
    var replica = replica()
    _ = replica.take(.delivered(sequence: 1, .message(message(1))))
    _ = replica.take(.command(1, term: nil))
    // Results of an attempt on what may no longer be there are dropped.
    #expect(replica.take(.connected(first: 1, last: 1)) == [.discard, .follow(from: 1)])
    let same = replica.take(.delivered(sequence: 1, .message(message(1))))
    #expect(same == [.ready, .attempt(on: 1, [1], makesKeeper: false)])
    _ = replica.take(.attempted(ReplicaAttempt(on: 1, commands: [.init(id: 1, actions: 1)], actionCount: 1)))
    guard let id = replica.messageUnderway else {
      Issue.record("nothing was sent")
      return
    }
    #expect(replica.take(.connected(first: 1, last: 2)) == [.follow(from: 1)])
    #expect(replica.take(.acknowledged(id, sequence: 2)) == [])
    var changed = message(1)
    changed.id.incarnation = 9
    let effects = contradict(&replica, at: 1, by: changed)
    #expect(replica.stopped == .pastChanged(sequence: 1))
    #expect(effects.contains(.settle(1, .unknown(reason: StopReason.pastChanged(sequence: 1).description))))
  }

  @Test func `A record that does not come is asked for once more`() {
    var replica = replica()
    #expect(replica.take(.delivered(sequence: 2, .message(message(2)))) == [.follow(from: 1)])
    // Then the log has dropped it. Without a snapshot there is no way on.
    #expect(replica.take(.delivered(sequence: 2, .message(message(2)))) == [.restore(behind: 0)])
    _ = replica.take(.restored(.missing))
    #expect(replica.stopped == .recordMissing(sequence: 1))
  }

  @Test func `A new node starts from the newest snapshot, and without one from the first record`() {
    var replica = Replica(node: ReplicaTests.node)
    #expect(replica.take(.connected(first: 1, last: 9)) == [.restore(behind: 0)])
    var without = replica
    #expect(without.take(.restored(.missing)) == [.follow(from: 1)])
    // The log did not answer: the node asks again.
    #expect(replica.take(.restored(.unanswered)) == [.wait(.answer)])
    #expect(replica.take(.waited) == [.restore(behind: 0)])
    var position = Replica.Position()
    (position.sequence, position.action) = (7, 30)
    position.valid = Replica.Valid(sequence: 6, id: MessageID(incarnation: 8, place: 6))
    #expect(replica.take(.restored(.taken(position))) == [.follow(from: 6)])
    #expect(replica.link == .catchingUp(to: 9))
  }

  @Test func `A node that was away for longer than the log reaches begins anew from the snapshot`() {
    var replica = replica()
    _ = replica.take(.delivered(sequence: 1, .message(message(1))))
    _ = replica.take(.command(1, term: nil))
    _ = replica.take(.attempted(ReplicaAttempt(on: 1, commands: [.init(id: 1, actions: 1)], actionCount: 1)))
    _ = replica.take(.disconnected(reason: "cut"))
    #expect(replica.take(.connected(first: 5, last: 9)) == [.restore(behind: 1)])
    var unfit = replica
    _ = unfit.take(.restored(.unfit(reason: "counter: an integer is expected")))
    #expect(unfit.stopped == .snapshotUnfit(reason: "counter: an integer is expected"))
    var position = Replica.Position()
    (position.sequence, position.action, position.term, position.keeper) = (6, 30, 1, ReplicaTests.other)
    let effects = replica.take(.restored(.taken(position)))
    // The record that tells what became of its message is gone.
    #expect(effects.first == .discard && effects.last == .follow(from: 7))
    guard case .settle(1, .unknown(.some)) = effects[1] else {
      Issue.record("\(effects)")
      return
    }
    #expect(replica.position == position && replica.stopped == nil)
  }

  @Test func `A message of a newer format, of a wrong number or term stops the node`() {
    var newer = replica()
    _ = newer.take(.delivered(sequence: 1, .unreadable("it has format 2")))
    #expect(newer.stopped == .unreadable(sequence: 1, reason: "it has format 2"))
    var number = replica()
    _ = number.take(.delivered(sequence: 1, .message(message(1, action: 3))))
    #expect(number.stopped == .inconsistent(sequence: 1, reason: "its first action is #3, not #1"))
    var term = replica()
    _ = term.take(.delivered(sequence: 1, .message(message(1, term: 2))))
    #expect(term.stopped == .inconsistent(sequence: 1, reason: "it is of term 2, not 1"))
  }

  @Test func `A difference stops the node, which tells the entry and the path`() {
    var replica = replica()
    let reason = StopReason.differs(action: 12, path: "tasks.items[3].title")
    #expect(replica.take(.differs(action: 12, path: "tasks.items[3].title")) == [.stopped(reason)])
    #expect(reason.description == "#12 changes tasks.items[3].title otherwise here than at its origin")
  }

  @Test func `A node that only follows refuses commands and never keeps`() {
    var replica = replica(isReadOnly: true)
    #expect(refusal(replica.take(.command(1, term: nil)), of: 1) == .readOnly)
    #expect(replica.take(.ticked(100)) == [])
  }

  @Test func `A node whose clock is wrong asks for an acknowledgement alone`() {
    var replica = replica()
    _ = replica.take(.clockAhead(milliseconds: 5_001))
    #expect(refusal(replica.take(.command(1, term: nil)), of: 1) == .clockWrong(milliseconds: 5_001))
    #expect(replica.take(.sync(2)) == [.attempt(on: 0, [2], makesKeeper: false)])
    // It looks again with each tick.
    #expect(replica.take(.ticked(1)).contains(.follow(from: 1)))
    _ = replica.take(.clockAhead(milliseconds: -5_000))
    #expect(replica.wrongClock == nil)
  }

  @Test func `A message that never left is made anew for a while; one of which a copy may be on its way is not`() {
    var replica = replica()
    let attempt = ReplicaAttempt(on: 0, commands: [.init(id: 1, actions: 1)], actionCount: 1)
    _ = replica.take(.command(1, term: nil))
    _ = replica.take(.attempted(attempt))
    var resent = replica
    let id = MessageID(incarnation: 7, place: 1)
    for count in 0..<Replica.mostUnsent {
      let unsent = MessageID(incarnation: 7, place: 1, attempt: count)
      #expect(replica.take(.unsent(unsent, reason: "no leader")) == [.discard, .wait(.pause)])
      #expect(replica.take(.waited) == [.attempt(on: 0, [1], makesKeeper: false)])
      _ = replica.take(.attempted(attempt))
    }
    let last = MessageID(incarnation: 7, place: 1, attempt: Replica.mostUnsent)
    #expect(refusal(replica.take(.unsent(last, reason: "no leader")), of: 1) == .cutOff(reason: "no leader"))
    _ = resent.take(.waited)
    #expect(resent.take(.unsent(id, reason: "no server")) == [])
    #expect(resent.take(.withdrawn(1)) == [.settle(1, .unknown(reason: "no server"))])
  }

  @Test func `A silent keeper is replaced after six ticks, and each tick of it counts anew`() {
    var replica = replica()
    #expect(replica.take(.ticked(6)) == [])
    #expect(replica.take(.heard(ReplicaTests.other, beat: 1)) == [])
    #expect(replica.take(.ticked(6)) == [])
    #expect(replica.take(.ticked(1)) == [.attempt(on: 0, [], makesKeeper: true)])
    let effects = replica.take(.attempted(ReplicaAttempt(on: 0, commands: [], actionCount: 1)))
    guard case .append(let message, expecting: 0) = effects.first else {
      Issue.record("no append: \(effects)")
      return
    }
    #expect(message.makesKeeper)
    #expect(replica.take(.acknowledged(message.id, sequence: 1)).contains(.tasks(term: 2)))
    #expect(replica.position.keeper == ReplicaTests.node)
  }

  @Test func `A keeper that is not heard ends its tasks, and takes them up when it is heard again`() {
    var replica = Replica(node: ReplicaTests.node)
    _ = replica.take(.connected(first: 1, last: 0))
    let effects = replica.take(.attempted(ReplicaAttempt(on: 0, commands: [], actionCount: 1)))
    guard case .append(let message, _) = effects.first else {
      Issue.record("no append: \(effects)")
      return
    }
    _ = replica.take(.acknowledged(message.id, sequence: 1))
    #expect(replica.runsTasks)
    #expect(replica.take(.ticked(3)) == [.say(beat: 3)])
    // Heard late: the lease began when the words were sent.
    #expect(replica.take(.ticked(1)) == [.tasks(term: nil), .say(beat: 4)])
    #expect(replica.take(.heard(ReplicaTests.node, beat: 3)) == [.tasks(term: 1)])
    #expect(replica.take(.ticked(3)) == [.tasks(term: nil), .say(beat: 7)])
    // Without the log a keeper is none, though it might be heard.
    #expect(replica.take(.heard(ReplicaTests.node, beat: 7)) == [.tasks(term: 1)])
    _ = replica.take(.disconnected(reason: "no leader"))
    #expect(replica.take(.ticked(4)) == [.tasks(term: nil)])
    #expect(replica.take(.connected(first: 1, last: 1)) == [.follow(from: 1)])
    _ = replica.take(.delivered(sequence: 1, .message(message)))
    #expect(replica.take(.ticked(1)) == [.say(beat: 12)])
    #expect(replica.take(.heard(ReplicaTests.node, beat: 12)) == [.tasks(term: 1)])
    // A command of a task, whose term is over once another node is keeper.
    let taken = LogMessage(
      id: MessageID(incarnation: 8, place: 2), node: "lisbon-2", term: 1, predecessor: message.id, firstAction: 2,
      actionCount: 1, makesKeeper: true)
    _ = replica.take(.delivered(sequence: 2, .message(taken)))
    #expect(refusal(replica.take(.command(5, term: 1)), of: 5) == .termOver(current: 2))
  }

  @Test func `A node that may not run a plugin's tasks keeps none, and a keeper that may no more is silent`() {
    var replica = replica()
    #expect(replica.take(.mayKeep(false)) == [])
    #expect(replica.take(.ticked(7)) == [])
    #expect(replica.take(.mayKeep(true)) == [.attempt(on: 0, [], makesKeeper: true)])
    let effects = replica.take(.attempted(ReplicaAttempt(on: 0, commands: [], actionCount: 1)))
    guard case .append(let message, _) = effects.first else {
      Issue.record("no append: \(effects)")
      return
    }
    #expect(replica.take(.acknowledged(message.id, sequence: 1)).contains(.tasks(term: 2)))
    #expect(replica.take(.mayKeep(false)) == [.tasks(term: nil)])
    #expect(replica.take(.heard(ReplicaTests.node, beat: 1)) == [])
    #expect(replica.take(.ticked(2)) == [])
    // Nobody has taken over.
    #expect(replica.take(.mayKeep(true)) == [])
    #expect(replica.take(.ticked(1)) == [.say(beat: 3)])
    #expect(replica.take(.heard(ReplicaTests.node, beat: 3)) == [.tasks(term: 2)])
  }
}
