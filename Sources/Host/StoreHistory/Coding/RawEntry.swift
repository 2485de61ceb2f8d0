import StoreCore
import StoreSchema

/// The members of an entry as they stand in the text, not yet held against any type.
struct RawEntry {
  private static let names: Set<String> = [
    "id", "when", "action", "quiet", "args", "source", "digest", "original", "droppedBy", "failure", "reason",
    "changes", "hash",
  ]

  /// The time, digit for digit; nil: it is missing.
  private(set) var time: String?
  /// The other members.
  let members: ObjectMembers

  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(EntryError) {
    var reader = JSONReader(bytes)
    var members = PersistentMap<MapKey, Value>()
    var time: String?
    do throws(JSONError) {
      try reader.members { (reader, name, offset) throws(JSONError) in
        if name == "at", time == nil {
          time = try reader.numberText()
          return
        }
        let value = try reader.value()
        guard name != "at", members.updateValue(value, forKey: .string(name)) == nil else {
          throw JSONError(message: "the key \"\(name)\" appears twice", offset: offset)
        }
      }
      try reader.end()
    } catch {
      throw EntryError(error)
    }
    self.time = time
    self.members = try ObjectMembers(.map(members), nil, names: Self.names)
  }
}

/// The members of one object that was read as a map.
struct ObjectMembers {
  private let members: PersistentMap<MapKey, Value>
  /// What stands before the names of members in messages.
  private let prefix: String

  /// - Parameters:
  ///   - place: what messages call the object; nil: it is the entry.
  ///   - names: the members that it may have.
  init(_ value: Value?, _ place: String?, names: Set<String>) throws(EntryError) {
    let shown = place.map { "'\($0)'" } ?? "an entry"
    guard let value else { throw EntryError("\(shown) is missing") }
    guard case .map(let members) = value else { throw EntryError("\(shown) must be an object, got \(value.described)") }
    self.members = members
    prefix = place.map { "\($0)." } ?? ""
    for (key, _) in members {
      guard case .string(let name) = key, names.contains(name) else {
        throw EntryError("\(shown) has no member '\(place == nil ? key.name : key.value.described)'")
      }
    }
  }

  subscript(name: String) -> Value? { members[.string(name)] }

  func text(_ name: String) throws(EntryError) -> String {
    guard let text = try optionalText(name) else { throw EntryError("'\(prefix)\(name)' is missing") }
    return text
  }

  func optionalText(_ name: String) throws(EntryError) -> String? {
    guard let value = self[name] else { return nil }
    guard case .string(let text) = value else {
      throw EntryError("'\(prefix)\(name)' must be String, got \(value.described)")
    }
    return text
  }

  func integer(_ name: String) throws(EntryError) -> Int {
    guard let number = try optionalInteger(name) else { throw EntryError("'\(prefix)\(name)' is missing") }
    return number
  }

  func optionalInteger(_ name: String) throws(EntryError) -> Int? {
    guard let value = self[name] else { return nil }
    guard case .int(let number) = value else {
      throw EntryError("'\(prefix)\(name)' must be Int, got \(value.described)")
    }
    return number
  }

  /// The number of an action.
  ///
  /// - Parameter least: the smallest that may stand there.
  func number(_ name: String, from least: Int) throws(EntryError) -> Int {
    let number = try integer(name)
    guard (least...LoggedEntry.greatestNumber).contains(number) else {
      throw EntryError("'\(prefix)\(name)' must be in \(least)...\(LoggedEntry.greatestNumber), got \(number)")
    }
    return number
  }

  func flag(_ name: String) throws(EntryError) -> Bool {
    guard let value = self[name] else { return false }
    guard case .bool(let flag) = value else {
      throw EntryError("'\(prefix)\(name)' must be Bool, got \(value.described)")
    }
    return flag
  }
}
