/// The name of a message: the process that sent it, and the place in the log for which it was meant.
package struct MessageID: Hashable, Sendable {
  /// A random number of the process, so that a restarted node never repeats a name.
  package var incarnation: UInt64
  /// The number of the record that the message is to become.
  package var place: UInt64
  /// Tells the messages of the process for one place apart; only the last of them was sent.
  package var attempt: UInt64

  package init(incarnation: UInt64, place: UInt64, attempt: UInt64 = 0) {
    self.incarnation = incarnation
    self.place = place
    self.attempt = attempt
  }
}

extension MessageID: LosslessStringConvertible {
  /// The three numbers in base 16.
  package var description: String {
    [incarnation, place, attempt].map { String($0, radix: 16) }.joined(separator: "-")
  }

  /// Reads the three numbers.
  package init?(_ description: String) {
    let numbers = description.split(separator: "-").map { UInt64($0, radix: 16) }
    guard numbers.count == 3, let incarnation = numbers[0], let place = numbers[1], let attempt = numbers[2] else {
      return nil
    }
    self.init(incarnation: incarnation, place: place, attempt: attempt)
  }
}

/// A process that shares a store: the name that its user gave it, and a random number of the process.
package struct NodeID: Hashable, Sendable {
  /// The name that users see, such as `berlin-1`. A message carries up to 255 bytes of it.
  package var name: String
  /// A random number that another process under the same name does not have.
  package var incarnation: UInt64

  package init(name: String, incarnation: UInt64) {
    self.name = name
    self.incarnation = incarnation
  }
}

/// One append to a shared log: the entries of one action or of many, which the log accepts or refuses together.
package struct LogMessage: Hashable, Sendable {
  package var id: MessageID
  package var node: String
  /// The term in which the actions ran.
  package var term: UInt64
  /// The last valid message before this one; nil: there is none.
  package var predecessor: MessageID?
  package var firstAction: UInt64
  /// The number of actions; 0 in a message that only asks for an acknowledgement.
  package var actionCount: UInt64
  /// True when the message makes its sender the keeper of the next term.
  package var makesKeeper: Bool
  /// The digest of all changes up to the end of this message, as the sender's store computed it.
  package var digest: UInt64
  /// The entries, in a form that only the stores know.
  package var entries: [UInt8]

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

// MARK: Bytes

// A message begins with four bytes that tell it from other data, and its format. Then come numbers of 8 bytes, the lowest byte
// first: the id's three, the predecessor's three (all 0: none), term, first action, number of actions, digest; then a byte of flags,
// the length of the node's name in a byte, the name in UTF-8, and the entries up to the end.
extension LogMessage {
  /// The most bytes that entries may have.
  package static let mostEntryBytes = 512 * 1_024
  /// The most bytes of a message: entries and what stands before them.
  package static let mostBytes = mostEntryBytes + 512

  /// The version of the form in which messages are written.
  package static let format: UInt8 = 2

  private static let mark: [UInt8] = [0x9D, 0x53, 0x74, 0x4C]

  /// The bytes of the message. Equal messages have equal bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(128 + entries.count)
    bytes += LogMessage.mark
    bytes.append(LogMessage.format)
    for id in [id, predecessor ?? MessageID(incarnation: 0, place: 0)] {
      for number in [id.incarnation, id.place, id.attempt] { bytes.append(number: number) }
    }
    for number in [term, firstAction, actionCount, digest] { bytes.append(number: number) }
    bytes.append(makesKeeper ? 1 : 0)
    bytes.append(name: node)
    bytes += entries
    return bytes
  }

  package static func read(_ bytes: [UInt8]) -> LogRecord {
    guard bytes.starts(with: mark) else { return .foreign }
    var reader = ByteReader(bytes[mark.count...])
    guard let version = reader.number(UInt8.self) else { return .unreadable("it is cut short") }
    guard version == format else {
      return .unreadable("it has format \(version); this program reads format \(format)")
    }
    guard let id = reader.id(), let predecessor = reader.id(), let term = reader.number(UInt64.self),
      let firstAction = reader.number(UInt64.self), let actionCount = reader.number(UInt64.self),
      let digest = reader.number(UInt64.self), let flags = reader.number(UInt8.self), let node = reader.name()
    else { return .unreadable("it is cut short, or its node's name is not UTF-8") }
    guard flags <= 1 else { return .unreadable("it has unknown flags") }
    return .message(
      LogMessage(
        id: id, node: node, term: term, predecessor: predecessor.place == 0 ? nil : predecessor,
        firstAction: firstAction, actionCount: actionCount, makesKeeper: flags == 1, digest: digest,
        entries: Array(reader.rest)))
  }
}

extension Replica.Position {
  /// The position as bytes, for the head of a snapshot.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    let id = valid?.id ?? MessageID(incarnation: 0, place: 0)
    for number in [sequence, valid?.sequence ?? 0, id.incarnation, id.place, id.attempt, action, term, digest] {
      bytes.append(number: number)
    }
    bytes.append(number: keeper?.incarnation ?? 0)
    bytes.append(name: keeper?.name ?? "")
    return bytes
  }

  /// Reads a position; nil: the bytes are something else.
  package init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes[...])
    guard let sequence = reader.number(UInt64.self), let place = reader.number(UInt64.self), let id = reader.id(),
      let action = reader.number(UInt64.self), let term = reader.number(UInt64.self),
      let digest = reader.number(UInt64.self), let incarnation = reader.number(UInt64.self),
      let name = reader.name(), reader.rest.isEmpty
    else { return nil }
    self.init()
    self.sequence = sequence
    if place > 0 { valid = Replica.Valid(sequence: place, id: id) }
    (self.action, self.term, self.digest) = (action, term, digest)
    // No node is keeper before the first term.
    if term > 0 { keeper = NodeID(name: name, incarnation: incarnation) }
  }
}

extension [UInt8] {
  mutating func append(number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { self += $0 }
  }

  mutating func append(name: String) {
    var name = name[...]
    while name.utf8.count > UInt8.max { name.removeLast() }
    append(number: UInt8(name.utf8.count))
    self += name.utf8
  }
}

/// Takes numbers and names off the front of bytes.
struct ByteReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    let size = MemoryLayout<Number>.size
    guard rest.count >= size else { return nil }
    defer { rest.removeFirst(size) }
    return rest.prefix(size).reversed().reduce(0) { $0 << 8 | Number($1) }
  }

  mutating func id() -> MessageID? {
    guard let incarnation = number(UInt64.self), let place = number(UInt64.self), let attempt = number(UInt64.self)
    else {
      return nil
    }
    return MessageID(incarnation: incarnation, place: place, attempt: attempt)
  }

  mutating func name() -> String? {
    guard let count = number(UInt8.self), rest.count >= count else { return nil }
    defer { rest.removeFirst(Int(count)) }
    return String(validating: rest.prefix(Int(count)), as: UTF8.self)
  }
}
