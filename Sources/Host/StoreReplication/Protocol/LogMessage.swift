/// The name of a message: the process that sent it, and the place in the log for which it was meant.
package struct MessageID: Hashable, Sendable {
  /// A random number of the process, so that a restarted node never repeats a name.
  package var incarnation: UInt64
  /// The number of the record that the message is to become.
  package var place: UInt64
  /// Tells the messages of the process for one place apart; only the last of them was sent.
  package var attempt: UInt64

  /// Names a message.
  package init(incarnation: UInt64, place: UInt64, attempt: UInt64 = 0) {
    self.incarnation = incarnation
    self.place = place
    self.attempt = attempt
  }
}

/// A process that shares a store: the name that its user gave it, and a random number of the process.
package struct NodeID: Hashable, Sendable {
  /// The name that users see, such as `berlin-1`.
  package var name: String
  /// A random number that another process under the same name does not have.
  package var incarnation: UInt64

  /// A process of a name.
  package init(name: String, incarnation: UInt64) {
    self.name = name
    self.incarnation = incarnation
  }
}

/// One append to a shared log: the entries of one action or of many, which the log accepts or refuses together.
package struct LogMessage: Hashable, Sendable {
  /// The message's name.
  package var id: MessageID
  /// The name of the node that ran the actions.
  package var node: String
  /// The term in which the actions ran.
  package var term: UInt64
  /// The last valid message before this one; nil: there is none.
  package var predecessor: MessageID?
  /// The number of the first action.
  package var firstAction: UInt64
  /// The number of actions; 0 in a message that only asks for an acknowledgement.
  package var actionCount: UInt64
  /// True when the message makes its sender the keeper of the next term.
  package var makesKeeper: Bool
  /// The digest of all changes up to the end of this message, as the sender's store computed it.
  package var digest: UInt64
  /// The entries, in a form that only the stores know.
  package var entries: [UInt8]

  /// A message of entries.
  package init(
    id: MessageID, node: String, term: UInt64, predecessor: MessageID?, firstAction: UInt64, actionCount: UInt64,
    makesKeeper: Bool = false, digest: UInt64 = 0, entries: [UInt8] = []
  ) {
    self.id = id
    self.node = node
    self.term = term
    self.predecessor = predecessor
    self.firstAction = firstAction
    self.actionCount = actionCount
    self.makesKeeper = makesKeeper
    self.digest = digest
    self.entries = entries
  }

  /// The node that sent the message.
  package var sender: NodeID { NodeID(name: node, incarnation: id.incarnation) }
}

/// A record of the log, read as a message.
package enum LogRecord: Hashable, Sendable {
  /// A message of this format.
  case message(LogMessage)
  /// Something else: it does not begin as messages of any format do. Every node passes over it.
  case foreign
  /// A message that this program cannot read, and why.
  case unreadable(String)
}
