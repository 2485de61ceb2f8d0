/// The order in which nodes that append at the same time have their turns: next is the one whose last message is the oldest.
///
/// Each node reads it off the log, so that of those that wait one attempts at a time. One that has lost and is not known yet says so. A
/// node that does not use its turn is forgotten after two rounds.
struct TurnOrder: Hashable, Sendable {
  private struct Turn: Hashable, Sendable {
    var node: UInt64
    var sequence: UInt64
    /// True if it has had none yet, and asked for one.
    var isAsked = false
  }

  /// Those that asked, in this order, and the last message of each other node, the oldest first.
  private var turns: [Turn] = []

  /// A node, by its incarnation, had its turn with the record of a number.
  mutating func note(_ node: UInt64, at sequence: UInt64) {
    turns.removeAll { $0.node == node }
    turns.append(Turn(node: node, sequence: sequence))
    let rounds = UInt64(2 * turns.count)
    turns.removeAll { sequence - $0.sequence >= rounds }
  }

  /// A node that has had no turn lately asks for one.
  mutating func ask(_ node: UInt64, at sequence: UInt64) {
    guard count(before: node) == nil else { return }
    let place = turns.firstIndex { !$0.isAsked } ?? turns.endIndex
    turns.insert(Turn(node: node, sequence: sequence, isAsked: true), at: place)
  }

  /// True if no other node had a turn lately, or asks for one.
  func hasNone(but node: UInt64) -> Bool { turns.allSatisfy { $0.node == node } }

  /// The number of nodes whose turn comes before a node's; nil: it had none lately.
  func count(before node: UInt64) -> Int? { turns.firstIndex { $0.node == node } }
}
