/// The number that a node gives a command whose outcome it wants to hear.
package typealias CommandID = UInt64

/// Something that a ``Replica`` has to hear.
package enum ReplicaInput: Hashable, Sendable {
  // The log.

  /// The log can be reached and holds the records from the first to the last; or it is to be followed anew.
  case connected(first: UInt64, last: UInt64)
  /// The log can no longer be reached.
  case disconnected(reason: String)
  /// The next record of the log.
  case delivered(sequence: UInt64, LogRecord)
  /// A message stands in the log under a number.
  case acknowledged(MessageID, sequence: UInt64)
  /// The log refused a message since its last number was another than the expected one.
  case stale(MessageID)
  /// A message never left this process.
  case unsent(MessageID, reason: String)
  /// The log answered with an error that does not tell whether the message stands there.
  case failed(MessageID, reason: String)
  /// The log's clock is ahead of this machine's by so many milliseconds.
  case clockAhead(milliseconds: Int64)
  /// A node is alive; the beat is the number of its tick.
  case heard(NodeID, beat: UInt64)
  /// A node asks for its turn.
  case turnAsked(NodeID)
  /// A node asks which nodes there are.
  case asked
  /// A node answered.
  case reported(NodeReport)

  // The store.

  /// A command to run. One of a supervised task names the term in which the task runs.
  case command(CommandID, term: UInt64?)
  /// A command that asks for an acknowledgement alone. A node whose clock is wrong may ask too.
  case sync(CommandID)
  /// The caller of a command waits no longer.
  case withdrawn(CommandID)
  /// The results of the attempt that ``ReplicaEffect/attempt(on:_:makesKeeper:)`` asked for.
  case attempted(ReplicaAttempt)
  /// The store's own changes differ from those of an entry (R44).
  case differs(action: UInt64, path: String)
  /// The outcome of ``ReplicaEffect/restore(behind:)``.
  case restored(Restoration)
  /// Whether this node may be the keeper: one that may not run the tasks of a plugin is none.
  case mayKeep(Bool)

  // Time.

  /// The wait that ``ReplicaEffect/wait(_:)`` asked for is over.
  case waited
  /// So many ticks of the monotonic clock have passed since the last input of this kind. A tick is a sixth of the keeper's time to
  /// live. A process that stood still counts the ticks that it missed.
  case ticked(UInt64)
}

/// Something that a ``Replica`` wants done, in the order given.
package enum ReplicaEffect: Hashable, Sendable {
  // The log.

  /// Deliver the records from a number on, and no more of an earlier call.
  case follow(from: UInt64)
  /// Append a message if the log's last number is the expected one.
  case append(LogMessage, expecting: UInt64)
  /// Tell all nodes that this one is alive.
  case say(beat: UInt64)
  /// Tell all nodes that this one waits for its turn.
  case askTurn
  /// Answer the node that asked which nodes there are.
  case report(NodeReport)

  // The store.

  /// Run commands on the last committed state, each on the results of those before; then give ``ReplicaInput/attempted(_:)``.
  /// Nothing of it may show. When the attempt makes this node the keeper, there are no commands, and the entry says so.
  case attempt(on: UInt64, [CommandID], makesKeeper: Bool)
  /// Drop the results of the attempt.
  case discard
  /// The results of the attempt are in the log, up to a position: commit them, notify, run IO.
  case commit(firstAction: UInt64, reaching: Replica.Position)
  /// Reduce the entries of another node's message, which lead to a position, and compare their changes.
  case apply(LogMessage, reaching: Replica.Position)
  /// The store has the state of a position; so many bytes of entries led from the message before to it. A keeper's store may make a
  /// snapshot of it.
  case reached(Replica.Position, bytes: Int)
  /// Take over the newest snapshot, if it stands for more records than so many; then give ``ReplicaInput/restored(_:)``.
  case restore(behind: UInt64)
  /// The outcome of a command.
  case settle(CommandID, Settlement)
  /// Run the supervised tasks of a term; nil: end them.
  case tasks(term: UInt64?)
  /// A node's answer to this one's question, or to another's.
  case show(NodeReport)
  /// The node follows the log and may append.
  case ready
  /// The node has stopped for good: it is read-only.
  case stopped(StopReason)

  // Time.

  /// Give ``ReplicaInput/waited`` after a while. A wait that was asked for before is off.
  case wait(ReplicaWait)
}

/// A while for which a ``Replica`` waits. Its driver knows how long that is, and adds the chance (R39).
package enum ReplicaWait: Hashable, Sendable {
  /// For the answer to an append. Longer with each wait of this kind in a row.
  case answer
  /// For so many nodes to have their turns since the last message was read.
  case turn(behind: Int)
  /// After a message that could not be sent: at random, within a range that grows with each one in a row.
  case pause
}

/// The results of running commands on the last committed state.
package struct ReplicaAttempt: Hashable, Sendable {
  /// A command of the attempt, and the number of actions that it and what it caused took.
  package struct Command: Hashable, Sendable {
    package var id: CommandID
    /// The number of its actions, those that failed or were dropped included.
    package var actions: UInt64

    package init(id: CommandID, actions: UInt64) {
      self.id = id
      self.actions = actions
    }
  }

  /// The number of the log's record on which the commands ran.
  package var sequence: UInt64
  /// The commands that ran: all that were asked for, or the first of them when a message holds no more.
  package var commands: [Command]
  package var actionCount: UInt64
  /// The digest of all changes, up to the end of this message.
  package var digest: UInt64
  package var entries: [UInt8]

  /// The results of an attempt.
  package init(
    on sequence: UInt64, commands: [Command], actionCount: UInt64, digest: UInt64 = 0, entries: [UInt8] = []
  ) {
    self.sequence = sequence
    self.commands = commands
    self.actionCount = actionCount
    self.digest = digest
    self.entries = entries
  }
}

/// What became of the wish to start from a snapshot.
package enum Restoration: Hashable, Sendable {
  /// The store has the state of a snapshot.
  case taken(Replica.Position)
  /// There is no snapshot that is new enough.
  case missing
  /// The log did not answer.
  case unanswered
  /// The store cannot take the snapshot over.
  case unfit(reason: String)
}

package enum Settlement: Hashable, Sendable {
  /// The command's actions are in the log, from a number on.
  case committed(firstAction: UInt64, count: UInt64)
  /// Nothing of the command has happened, nor will it.
  case refused(Refusal)
  /// The command may happen or have happened. A final settlement follows if the node learns it.
  case unknown(reason: String?)
}

/// Why a command was not run.
package enum Refusal: Error, Hashable, Sendable {
  /// The log cannot be reached (R45).
  case cutOff(reason: String)
  /// The node only follows.
  case readOnly
  /// The node has stopped.
  case stopped(StopReason)
  /// The command is of a task, and its term is over (R43).
  case termOver(current: UInt64)
  /// This machine's clock is wrong by so many milliseconds.
  case clockWrong(milliseconds: Int64)
  /// The caller took the command back.
  case withdrawn
}

/// Why a node follows its log no further.
package enum StopReason: Error, Hashable, Sendable {
  /// The store's changes differ from those of an action (R44).
  case differs(action: UInt64, path: String)
  /// The log ends before the record up to which this node has read it.
  case logIsBehind(last: UInt64, own: UInt64)
  /// The log has another record under a number than before.
  case pastChanged(sequence: UInt64)
  /// A message stands behind another past than this node has read.
  case otherPast(sequence: UInt64, node: String)
  /// The log no longer has a record that this node needs, and there is no snapshot behind it.
  case recordMissing(sequence: UInt64)
  /// The log no longer has a record that this node needs, and the snapshot cannot be used.
  case snapshotUnfit(reason: String)
  /// A record cannot be read.
  case unreadable(sequence: UInt64, reason: String)
  /// A message contradicts those before it.
  case inconsistent(sequence: UInt64, reason: String)
}

extension Refusal: CustomStringConvertible {
  package var description: String {
    switch self {
    case .cutOff(let reason): "this node is cut off from the log: \(reason)"
    case .readOnly: "this node is read-only"
    case .stopped(let reason): "this node is read-only since \(reason)"
    case .termOver(let current): "another node runs the tasks now, in term \(current)"
    case .clockWrong(let milliseconds):
      "this machine's clock is \(abs(milliseconds)) ms \(milliseconds > 0 ? "behind" : "ahead of") the log's"
    case .withdrawn: "the caller took the command back"
    }
  }
}

extension StopReason: CustomStringConvertible {
  /// The reason in a clause.
  package var description: String {
    switch self {
    case .differs(let action, let path): "#\(action) changes \(path) otherwise here than at its origin"
    case .logIsBehind(let last, let own):
      "the log ends at record \(last), and this node has read it up to record \(own)"
    case .pastChanged(let sequence): "the log has another record \(sequence) than before"
    case .otherPast(let sequence, let node):
      "\(node), which appended record \(sequence) of the log, had read other records before it: the log's servers differ"
    case .recordMissing(let sequence): "the log no longer has record \(sequence), and no snapshot behind it"
    case .snapshotUnfit(let reason): "the log's newest snapshot cannot be used: \(reason)"
    case .unreadable(let sequence, let reason): "record \(sequence) of the log cannot be read: \(reason)"
    case .inconsistent(let sequence, let reason): "record \(sequence) of the log contradicts those before: \(reason)"
    }
  }
}
