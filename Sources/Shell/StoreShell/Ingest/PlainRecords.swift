import Platform
import StoreModules
import StorePlugins
import StoreSchema

/// Reads records that are as plain as most are: an object with texts without escapes, whole numbers, truth values and nothing
/// more, under names of arguments. Their values go to the arguments' places at once, where `JSON.fields` makes a text of
/// every name and looks for it.
///
/// The gain is 38 % of the instructions of `ingest`: a record of the Debian packages (row B2) costs 34,200 of them here and
/// 54,900 by `JSON.fields`, counted by callgrind.
///
/// What is not plain is left to `JSON.fields`, which also says what is wrong with it.
final class PlainRecords {
  /// A field of records, and the argument that it fills.
  private struct Member {
    let name: Range<Int>
    let argument: Int
    let accepts: Accepted
  }

  /// The values that an argument takes without a closer look.
  private enum Accepted {
    case text
    case whole(ClosedRange<Int>)
    case nothing
  }

  private let type: ActionType
  private let members: [Member]
  /// The names of the members, one behind the other.
  private let names: [UInt8]
  /// The arguments that some record had, a bit each.
  private var given: UInt64 = 0

  /// The names of the fields that some record had.
  var seen: [String] {
    members.filter { given & UInt64(1) << UInt64($0.argument) != 0 }.map { member in
      String(decoding: names[member.name], as: UTF8.self)
    }
  }

  /// Reads for an action; nil where it has more arguments than a word has bits.
  init?(_ mapping: RecordMapping) {
    let type = mapping.type
    guard type.fields.count <= UInt64.bitWidth else { return nil }
    let unnamed = type.fields.indices.filter { index in
      !mapping.argumentNames.contains { $0.key == type.fields[index].name || $0.value == type.fields[index].name }
    }
    let named = mapping.argumentNames.compactMap { name, argument in
      type.layout.index(of: argument).map { (name, $0) }
    }
    var members: [Member] = []
    var names: [UInt8] = []
    for (name, argument) in unnamed.map({ (type.fields[$0].name, $0) }) + named {
      let start = names.count
      names += name.utf8
      members.append(
        Member(name: start..<names.count, argument: argument, accepts: Self.accepted(type.fields[argument])))
    }
    (self.type, self.members, self.names) = (type, members, names)
  }

  private static func accepted(_ field: Field) -> Accepted {
    switch field.schema.kind {
    case .string: .text
    case .int(let minimum, let maximum) where minimum ?? .min <= maximum ?? .max:
      .whole((minimum ?? .min)...(maximum ?? .max))
    default: .nothing
    }
  }

  /// The action of a record; nil where the record is not plain, or does not fit.
  func call(_ line: UnsafeBufferPointer<UInt8>) -> ActionCall? {
    var arguments = [Value](repeating: .none, count: type.fields.count)
    let isWhole = arguments.withUnsafeMutableBufferPointer { read(line, into: $0) }
    return isWhole ? ActionCall(type, arguments) : nil
  }

  /// Puts the values of a record at the arguments' places; false where that cannot be done.
  private func read(_ line: UnsafeBufferPointer<UInt8>, into arguments: UnsafeMutableBufferPointer<Value>) -> Bool {
    var scanner = PlainScanner(line)
    guard scanner.take(UInt8(ascii: "{")) else { return false }
    var given: UInt64 = 0
    var expected = 0
    repeat {
      guard let name = scanner.name(), scanner.take(UInt8(ascii: ":")), let index = find(name, expected),
        let value = scanner.scalar()
      else { return false }
      let member = members[index]
      let bit = UInt64(1) << UInt64(member.argument)
      guard given & bit == 0, let checked = check(value, member) else { return false }
      arguments[member.argument] = checked
      given |= bit
      expected = index + 1
    } while scanner.take(UInt8(ascii: ","))
    guard scanner.take(UInt8(ascii: "}")), scanner.isAtEnd else { return false }
    for index in arguments.indices where given & UInt64(1) << UInt64(index) == 0 {
      guard let value = try? type.fields[index].check(nil) else { return false }
      arguments[index] = value
    }
    self.given |= given
    return true
  }

  /// The member of a name; `expected` is looked at first, because records of one file have their fields in one order.
  private func find(_ name: UnsafeBufferPointer<UInt8>, _ expected: Int) -> Int? {
    names.withUnsafeBytes { names in
      func isName(of member: Int) -> Bool {
        let range = members[member].name
        guard range.count == name.count, let names = names.baseAddress, let name = name.baseAddress else {
          return range.isEmpty && name.isEmpty
        }
        return memcmp(names + range.lowerBound, name, range.count) == 0
      }
      if expected < members.count, isName(of: expected) { return expected }
      return members.indices.first(where: isName)
    }
  }

  private func check(_ value: Value, _ member: Member) -> Value? {
    switch (value, member.accepts) {
    case (.string, .text): value
    case (.int(let number), .whole(let bounds)) where bounds.contains(number): value
    default: try? type.fields[member.argument].check(value)
    }
  }
}

/// Takes plain JSON apart, from front to back. Each of its ways gives nil or false where something else stands there.
private struct PlainScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0D { position += 1 }
  }

  /// Whether nothing but blanks is left.
  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return position == bytes.count
    }
  }

  /// Goes past a byte and blanks in front of it.
  mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard peek == byte else { return false }
    position += 1
    return true
  }

  /// The bytes of a text between quotes, in which nothing is escaped.
  mutating func name() -> UnsafeBufferPointer<UInt8>? { quoted()?.text }

  private mutating func quoted() -> (text: UnsafeBufferPointer<UInt8>, isASCII: Bool)? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    let start = position
    var all: UInt8 = 0
    while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      all |= byte
      position += 1
    }
    guard peek == UInt8(ascii: "\"") else { return nil }
    defer { position += 1 }
    return (UnsafeBufferPointer(rebasing: bytes[start..<position]), all < 0x80)
  }

  /// A text, a whole number, a truth value or `null`.
  mutating func scalar() -> Value? {
    skipSpace()
    switch peek {
    case UInt8(ascii: "\""):
      guard let (text, isASCII) = quoted() else { return nil }
      // What is known to be ASCII need not pass the slower check.
      guard isASCII else { return String(validating: text, as: UTF8.self).map(Value.string) }
      return .string(String(decoding: text, as: UTF8.self))
    case UInt8(ascii: "t"): return word("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return word("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return word("null") ? .some(.none) : nil
    default: return whole().map(Value.int)
    }
  }

  private mutating func word(_ word: StaticString) -> Bool {
    guard bytes.count - position >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where bytes[position + index] != word.utf8Start[index] { return false }
    position += word.utf8CodeUnitCount
    return true
  }

  /// A number of at most eighteen digits, which fits in any case.
  private mutating func whole() -> Int? {
    let isNegative = peek == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let first = position
    var number = 0
    while let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), position - first < 18 {
      number = number &* 10 &+ Int(byte &- UInt8(ascii: "0"))
      position += 1
    }
    guard position > first, bytes[first] != UInt8(ascii: "0") || position == first + 1 else { return nil }
    return isNegative ? -number : number
  }
}
