import Platform
import StoreModules
import StorePlugins
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
    let name: Range<Int>
    let argument: Int
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
      members.append(Member(name: start..<names.count, argument: argument))
    }
    (self.type, self.members, self.names) = (type, members, names)
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
    // Constants: to ask the object for them would be counted each time.
    let (fields, members) = (type.fields, members)
    do throws(JSONError) {
      try reader.namedMembers { (reader, name, offset) throws(JSONError) in
        let index = find(name, expected)
        let value = try reader.value()
        guard let index else { throw JSONError(message: "not plain", offset: offset) }
        let argument = members[index].argument
        let bit = UInt64(1) << UInt64(argument)
        guard given & bit == 0, let checked = Self.check(value, fields[argument]) else {
          throw JSONError(message: "not plain", offset: offset)
        }
        arguments[argument] = checked
        given |= bit
        expected = index + 1
      }
      try reader.end()
    } catch {
      return false
    }
    for index in arguments.indices where given & UInt64(1) << UInt64(index) == 0 {
      guard let value = try? fields[index].check(nil) else { return false }
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

  private static func check(_ value: Value, _ field: Field) -> Value? {
    if field.schema.surelyHas(value) { return value }
    // A float may have room for fewer digits than the record has.
    if case .double = value, field.schema.isOfDecimals { return nil }
    return try? field.check(value)
  }
}
