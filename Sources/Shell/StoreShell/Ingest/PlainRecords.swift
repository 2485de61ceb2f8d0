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
    /// The place of the name in quotes, with a colon behind it, among the keys, and its length.
    let (key, length): (Int, Int)
    let argument: Int
    let form: PlainForm

    /// Goes past the name if it comes next.
    @inline(__always)
    func pass(_ reader: inout JSONReader, _ keys: UnsafeBufferPointer<UInt8>) -> Bool {
      reader.pass(UnsafeBufferPointer(start: keys.baseAddress.map { $0 + key }, count: length))
    }
  }

  private let type: ActionType
  private let members: [Member]
  private let names: [String]
  /// The keys of the members, one behind the other.
  private let keys: [UInt8]
  /// The arguments that some record had, a bit each.
  private var given: UInt64 = 0
  /// The arguments of the latest record. Once its action has let go of them, those of the next one take their memory.
  @exclusivity(unchecked) private var arguments: [Value]

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
      members.append(Member(key: start, length: keys.count - start, argument: argument, form: form))
    }
    (self.type, self.members, self.keys) = (type, members, keys)
    arguments = .absent(type.fields.count)
    names = all.map(\.0)
  }

  /// The action of a record; nil where the record is not plain, or does not fit.
  func call(_ line: UnsafeBufferPointer<UInt8>) -> ActionCall? {
    let isWhole = arguments.withUnsafeMutableBufferPointer { read(line, into: $0) }
    return isWhole ? ActionCall(type, arguments) : nil
  }

  /// Puts the values of a record at the arguments' places; false where that cannot be done.
  private func read(_ line: UnsafeBufferPointer<UInt8>, into arguments: UnsafeMutableBufferPointer<Value>) -> Bool {
    var reader = JSONReader(line)
    var given: UInt64 = 0
    // At their places: to ask the object for them would be counted each time.
    let isRead = members.withUnsafeBufferPointer { members in
      keys.withUnsafeBufferPointer { keys in
        do throws(JSONError) {
          guard try reader.beginMembers() else {
            try reader.end()
            return true
          }
          // Records of one file have their fields in one order.
          var expected = 0
          repeat {
            var index = expected
            if index >= members.count || !members[index].pass(&reader, keys) {
              guard let found = try findName(&reader, members, keys) else { return false }
              index = found
            }
            let argument = members[index].argument
            let bit = UInt64(1) &<< UInt64(argument)
            guard given & bit == 0, try read(&reader, members[index].form, argument, into: &arguments[argument]) else {
              return false
            }
            given |= bit
            expected = index &+ 1
          } while try reader.passMember()
          try reader.end()
          return true
        } catch {
          return false
        }
      }
    }
    guard isRead else { return false }
    if given != UInt64.max >> UInt64(UInt64.bitWidth - arguments.count) {
      for index in arguments.indices where given & UInt64(1) &<< UInt64(index) == 0 {
        guard let value = try? type.fields[index].check(nil) else { return false }
        arguments[index] = value
      }
    }
    self.given |= given
    return true
  }

  private func findName(
    _ reader: inout JSONReader, _ members: UnsafeBufferPointer<Member>, _ keys: UnsafeBufferPointer<UInt8>
  ) throws(JSONError) -> Int? {
    for index in members.indices where members[index].pass(&reader, keys) { return index }
    let name = try reader.memberName()
    return names.firstIndex(of: name)
  }

  /// Reads the value of an argument into its place.
  ///
  /// - Returns: false: it takes a closer look.
  @inline(__always)
  private func read(
    _ reader: inout JSONReader, _ form: PlainForm, _ argument: Int, into place: inout Value
  ) throws(JSONError) -> Bool {
    let value: Value?
    switch form {
    case .text:
      if let short = reader.passShortText() {
        place = .string(short)
        return true
      }
      value = .string(try reader.text())
    case .integer(let bounds):
      if let number = reader.passInteger() {
        guard bounds.contains(number) else { return false }
        place = .int(number)
        return true
      }
      // It may be left out.
      let field = type.fields[argument]
      value = field.isOptional ? Self.check(try reader.value(), field) : nil
    case .other: value = Self.check(try reader.value(), type.fields[argument])
    }
    guard let value else { return false }
    place = value
    return true
  }

  private static func check(_ value: Value, _ field: Field) -> Value? {
    if field.schema.surelyHas(value) { return value }
    // A float may have room for fewer digits than the record has.
    if case .double = value, field.schema.isOfDecimals { return nil }
    return try? field.check(value)
  }
}
