import StoreReplication

/// A log in memory and the ways of some nodes to it, as a value: all that can happen next can be listed, and each of it done.
///
/// Requests and answers of a node may arrive in any order. Records are delivered in order. ``MemoryLog`` leads one of these by
/// chosen steps; a test explores all steps of one.
package struct SimulatedLog<Content: Hashable & Sendable>: Hashable, Sendable {
  /// An event that can come next.
  package enum Step: Hashable, Sendable {
    /// A request arrives at the log, which answers.
    case carry(end: Int, request: Int)
    /// An answer arrives at the node.
    case answer(end: Int, answer: Int)
    /// The next record arrives at the node.
    case deliver(end: Int)
    /// A node that was cut off is connected again.
    case connect(end: Int)

    // Faults.

    /// A request is lost.
    case loseRequest(end: Int, request: Int)
    /// An answer is lost.
    case loseAnswer(end: Int, answer: Int)
    /// The log refuses a request though nothing came in between, as a replicated log may after a change of leaders.
    case refuse(end: Int, request: Int)
    /// A node is cut off. Requests on their way may still arrive; answers do not.
    case cut(end: Int)
    /// A node's reading ends, though it is not cut off.
    case endReading(end: Int)
  }

  /// News for a node.
  package enum News: Hashable, Sendable {
    /// The log can be reached; the numbers of its first and last record.
    case connected(first: UInt64, last: UInt64)
    /// The log can no longer be reached.
    case disconnected
    /// The next record.
    case delivered(sequence: UInt64, Content)
    /// A record stands in the log.
    case acknowledged(MessageID, sequence: UInt64)
    /// The log refused a record.
    case stale(MessageID)
  }

  private struct Request: Hashable, Sendable {
    var id: MessageID
    var content: Content
    var expecting: UInt64
    /// False when the node was cut off since: the answer would not arrive.
    var isAnswered = true
  }

  private struct End: Hashable, Sendable {
    var isConnected = false
    /// The number of the next record to deliver; nil: the node did not ask yet.
    var next: UInt64?
    var requests: [Request] = []
    var answers: [News] = []
  }

  /// The records, from number 1, those that were dropped included.
  package private(set) var records: [Content] = []
  /// The number of the first record that was not dropped.
  package private(set) var first: UInt64 = 1
  private var ends: [End] = []

  /// An empty log without nodes.
  package init() {}

  /// Adds a node's end, which is not connected yet, and gives its number.
  package mutating func addEnd() -> Int {
    ends.append(End())
    return ends.count - 1
  }

  /// Forgets what was on its way to a node: its process is gone. Its requests may still arrive.
  package mutating func crash(_ end: Int) {
    ends[end].isConnected = false
    loseConnection(end)
  }

  /// Drops records from the end, as an engine does that lost what it had not yet written to disk.
  package mutating func loseRecords(_ count: Int) { records.removeLast(count) }

  /// Changes a record, as an engine does whose servers have different ones: who reads from another server reads another record.
  package mutating func replaceRecord(_ number: UInt64, with content: Content) { records[Int(number) - 1] = content }

  /// Drops the records before a number. The others keep theirs.
  package mutating func drop(before sequence: UInt64) { first = max(first, sequence) }

  /// Sends a request to append. False when the node is cut off.
  package mutating func append(_ content: Content, id: MessageID, expecting: UInt64, from end: Int) -> Bool {
    guard ends[end].isConnected else { return false }
    ends[end].requests.append(Request(id: id, content: content, expecting: expecting))
    return true
  }

  /// Delivers records to a node from a number on.
  package mutating func follow(from sequence: UInt64, at end: Int) {
    if ends[end].isConnected { ends[end].next = sequence }
  }

  /// True while the node can reach the log.
  package func isConnected(_ end: Int) -> Bool { ends[end].isConnected }

  /// True while a request or an answer of a node is on its way, or a record that it has not got.
  package func isBusy(_ end: Int) -> Bool {
    !ends[end].requests.isEmpty || !ends[end].answers.isEmpty || hasRecord(for: end)
  }

  /// The steps that come without a fault.
  package var steps: [Step] {
    ends.indices.flatMap { end -> [Step] in
      var steps = ends[end].requests.indices.map { Step.carry(end: end, request: $0) }
      guard ends[end].isConnected else { return steps + [.connect(end: end)] }
      steps += ends[end].answers.indices.map { Step.answer(end: end, answer: $0) }
      if hasRecord(for: end) { steps.append(.deliver(end: end)) }
      return steps
    }
  }

  /// The faults that can come.
  package var faults: [Step] {
    ends.indices.flatMap { end -> [Step] in
      var faults = ends[end].requests.indices.flatMap { request -> [Step] in
        [.loseRequest(end: end, request: request), .refuse(end: end, request: request)]
      }
      faults += ends[end].answers.indices.map { Step.loseAnswer(end: end, answer: $0) }
      if ends[end].isConnected { faults.append(.cut(end: end)) }
      if ends[end].next != nil { faults.append(.endReading(end: end)) }
      return faults
    }
  }

  /// Does one of ``steps`` or ``faults``. Gives the news, if any, for the node whose step it was.
  package mutating func perform(_ step: Step) -> News? {
    switch step {
    case .carry(let end, let index):
      let request = ends[end].requests.remove(at: index)
      guard request.expecting == UInt64(records.count) else {
        reply(.stale(request.id), to: request, at: end)
        return nil
      }
      records.append(request.content)
      reply(.acknowledged(request.id, sequence: UInt64(records.count)), to: request, at: end)
      return nil
    case .answer(let end, let index): return ends[end].answers.remove(at: index)
    case .deliver(let end):
      guard let next = ends[end].next else { return nil }
      let sequence = max(next, first)
      ends[end].next = sequence + 1
      return .delivered(sequence: sequence, records[Int(sequence) - 1])
    case .connect(let end):
      ends[end].isConnected = true
      return .connected(first: first, last: UInt64(records.count))
    case .loseRequest(let end, let index):
      ends[end].requests.remove(at: index)
      return nil
    case .loseAnswer(let end, let index):
      ends[end].answers.remove(at: index)
      return nil
    case .refuse(let end, let index):
      let request = ends[end].requests.remove(at: index)
      reply(.stale(request.id), to: request, at: end)
      return nil
    case .cut(let end):
      ends[end].isConnected = false
      loseConnection(end)
      return .disconnected
    case .endReading(let end):
      ends[end].next = nil
      return .connected(first: first, last: UInt64(records.count))
    }
  }

  /// Drops the requests and answers of a node that are not about its message under way: to the node they mean nothing any more.
  /// A request is kept as long as the log could still accept it.
  package mutating func forget(at end: Int, except id: MessageID?) {
    let last = UInt64(records.count)
    ends[end].answers.removeAll { news in
      switch news {
      case .acknowledged(let answered, _), .stale(let answered): answered != id
      case .connected, .disconnected, .delivered: false
      }
    }
    ends[end].requests.removeAll { $0.expecting < last && (!$0.isAnswered || $0.id != id) }
  }

  private func hasRecord(for end: Int) -> Bool {
    ends[end].isConnected && ends[end].next.map { max($0, first) <= UInt64(records.count) } ?? false
  }

  private mutating func reply(_ news: News, to request: Request, at end: Int) {
    if request.isAnswered { ends[end].answers.append(news) }
  }

  private mutating func loseConnection(_ end: Int) {
    ends[end].next = nil
    ends[end].answers = []
    for index in ends[end].requests.indices { ends[end].requests[index].isAnswered = false }
  }
}

extension SimulatedLog.Step {
  /// The node whose step it is.
  package var end: Int {
    switch self {
    case .carry(let end, _), .answer(let end, _), .deliver(let end), .connect(let end), .loseRequest(let end, _),
      .loseAnswer(let end, _), .refuse(let end, _), .cut(let end), .endReading(let end):
      end
    }
  }
}
