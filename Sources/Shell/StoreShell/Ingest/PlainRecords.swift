import StoreModules
import StoreSchema

/// Reads records under whose names there are arguments: their values go to the arguments' places at once, where `JSON.fields`
/// makes a text of every name and looks for it.
///
/// What does not fit is left to `JSON.fields`, which also says what is wrong with it.
///
/// A record of the Debian packages (row B2) took 34,200 instructions so and 54,900 by `JSON.fields`, 38 % less, by callgrind on
/// 2026-11-25, when a scanner of its own read the values that `JSONReader` reads now.
final class PlainRecords {
  /// A field of records, and the argument that it fills.
  private struct Member {
    /// The place of the name in quotes, with a colon behind it, among the keys.
    let key: Range<Int>
    let argument: Int
    let form: PlainForm
  }

  private let type: ActionType
  private let members: [Member]
  private let names: [String]
  /// The keys of the members, one behind the other.
  private let keys: [UInt8]
  /// The arguments that some record had, a bit each.
  private var given: UInt64 = 0

  var seen: [String] {
    members.indices.filter { given & UInt64(1) << UInt64(members[$0].argument) != 0 }.map { names[$0] }
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
    let all = unnamed.map { (type.fields[$0].name, $0) } + named
    var members: [Member] = []
    var keys: [UInt8] = []
    for (name, argument) in all {
      let start = keys.count
      JSON.append(quoted: name, to: &keys)
      keys.append(UInt8(ascii: ":"))
      let form = PlainForm(type.fields[argument].schema)
      members.append(Member(key: start..<keys.count, argument: argument, form: form))
    }
    (self.type, self.members, self.keys) = (type, members, keys)
    names = all.map(\.0)
  }

  /// The action of a record; nil where the record is not plain, or does not fit.
  func call(_ line: UnsafeBufferPointer<UInt8>) -> ActionCall? {
    var arguments = [Value].absent(type.fields.count)
    let isWhole = arguments.withUnsafeMutableBufferPointer { read(line, into: $0) }
    return isWhole ? ActionCall(type, arguments) : nil
  }

  /// Puts the values of a record at the arguments' places; false where that cannot be done.
  private func read(_ line: UnsafeBufferPointer<UInt8>, into arguments: UnsafeMutableBufferPointer<Value>) -> Bool {
    var reader = JSONReader(line)
    var given: UInt64 = 0
    var expected = 0
    // At their places: to ask the object for them would be counted each time.
    let isRead = members.withUnsafeBufferPointer { members in
      keys.withUnsafeBufferPointer { keys in
        do throws(JSONError) {
          if try reader.beginMembers() {
            repeat {
              guard let index = try passName(&reader, members, keys, expected) else { return false }
              let argument = members[index].argument
              let bit = UInt64(1) << UInt64(argument)
              guard given & bit == 0, let value = try value(&reader, members[index].form, argument) else {
                return false
              }
              arguments[argument] = value
              given |= bit
              expected = index + 1
            } while try reader.passMember()
          }
          try reader.end()
          return true
        } catch {
          return false
        }
      }
    }
    guard isRead else { return false }
    for index in arguments.indices where given & UInt64(1) << UInt64(index) == 0 {
      guard let value = try? type.fields[index].check(nil) else { return false }
      arguments[index] = value
    }
    self.given |= given
    return true
  }

  /// Goes past the name of a member. That of `expected` is looked for first, because records of one file have their fields in one
  /// order.
  @inline(__always)
  private func passName(
    _ reader: inout JSONReader, _ members: UnsafeBufferPointer<Member>, _ keys: UnsafeBufferPointer<UInt8>,
    _ expected: Int
  ) throws(JSONError) -> Int? {
    if expected < members.count, reader.pass(UnsafeBufferPointer(rebasing: keys[members[expected].key])) {
      return expected
    }
    return try findName(&reader, members, keys)
  }

  private func findName(
    _ reader: inout JSONReader, _ members: UnsafeBufferPointer<Member>, _ keys: UnsafeBufferPointer<UInt8>
  ) throws(JSONError) -> Int? {
    for index in members.indices where reader.pass(UnsafeBufferPointer(rebasing: keys[members[index].key])) {
      return index
    }
    let name = try reader.memberName()
    return names.firstIndex(of: name)
  }

  /// Reads the value of an argument; nil: it takes a closer look.
  @inline(__always)
  private func value(_ reader: inout JSONReader, _ form: PlainForm, _ argument: Int) throws(JSONError) -> Value? {
    switch form {
    case .text: return .string(try reader.text())
    case .integer(let bounds):
      if let number = reader.passInteger() { return bounds.contains(number) ? .int(number) : nil }
      // It may be left out.
      let field = type.fields[argument]
      return field.isOptional ? Self.check(try reader.value(), field) : nil
    case .other: return Self.check(try reader.value(), type.fields[argument])
    }
  }

  private static func check(_ value: Value, _ field: Field) -> Value? {
    if field.schema.surelyHas(value) { return value }
    // A float may have room for fewer digits than the record has.
    if case .double = value, field.schema.isOfDecimals { return nil }
    return try? field.check(value)
  }
}
