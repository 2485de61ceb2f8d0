/// Words that nodes say to all nodes of a shared store. They pass beside the log and may be lost.
package enum NodeWord: Hashable, Sendable {
  /// The keeper is alive; the beat is the number of its tick.
  case alive(NodeID, beat: UInt64)
  /// A node waits for its turn to append.
  case waiting(NodeID)
  /// A node asks which nodes there are.
  case question
  /// A node's answer.
  case report(NodeReport)
}

package struct NodeReport: Hashable, Sendable {
  package var node: NodeID
  /// The number of the last action that it has.
  package var action: UInt64
  package var digest: UInt64
  /// True for the node that runs the supervised tasks.
  package var isKeeper: Bool
  /// True when it follows no further.
  package var isStopped: Bool

  package init(node: NodeID, action: UInt64, digest: UInt64, isKeeper: Bool, isStopped: Bool) {
    self.node = node
    self.action = action
    self.digest = digest
    self.isKeeper = isKeeper
    self.isStopped = isStopped
  }
}

// The first byte tells the kind. Numbers stand as in messages.
extension NodeWord {
  private enum Kind: UInt8 { case alive = 1, question, report, waiting }

  /// The words as bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ kind: Kind, _ node: NodeID, _ numbers: [UInt64]) {
      bytes.append(kind.rawValue)
      for number in [node.incarnation] + numbers { bytes.append(number: number) }
      bytes.append(name: node.name)
    }
    switch self {
    case .alive(let node, let beat): append(.alive, node, [beat])
    case .waiting(let node): append(.waiting, node, [])
    case .question: bytes.append(Kind.question.rawValue)
    case .report(let report):
      let flags: UInt64 = (report.isKeeper ? 1 : 0) | (report.isStopped ? 2 : 0)
      append(.report, report.node, [report.action, report.digest, flags])
    }
    return bytes
  }

  /// Reads words; nil: the bytes are something else.
  package init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes[...])
    guard let kind = reader.number(UInt8.self).flatMap(Kind.init(rawValue:)) else { return nil }
    func sender(andNumbers count: Int) -> (NodeID, [UInt64])? {
      let numbers = (0...count).compactMap { _ in reader.number(UInt64.self) }
      guard numbers.count == count + 1, let name = reader.name(), reader.rest.isEmpty else { return nil }
      return (NodeID(name: name, incarnation: numbers[0]), Array(numbers.dropFirst()))
    }
    switch kind {
    case .alive:
      guard let (node, numbers) = sender(andNumbers: 1) else { return nil }
      self = .alive(node, beat: numbers[0])
    case .waiting:
      guard let (node, _) = sender(andNumbers: 0) else { return nil }
      self = .waiting(node)
    case .question: self = .question
    case .report:
      guard let (node, numbers) = sender(andNumbers: 3) else { return nil }
      self = .report(
        NodeReport(
          node: node, action: numbers[0], digest: numbers[1], isKeeper: numbers[2] & 1 > 0,
          isStopped: numbers[2] & 2 > 0))
    }
  }
}
