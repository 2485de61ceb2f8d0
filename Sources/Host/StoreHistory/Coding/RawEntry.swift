import StoreCore
import StoreSchema

/// The members of an entry as they stand in the text, not yet held against any type.
struct RawEntry {
  var number: Value?
  var time: String?
  var action: Value?
  var isQuiet: Value?
  var arguments: Value?
  var source: Value?
  var digest: Value?
  var original: Value?
  var droppedBy: Value?
  var failure: Value?
  var changes: Value?
  var hashes: Value?
  /// The name of a member that entries do not have.
  var unknown: String?

  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var reader = JSONReader(bytes)
    try reader.members { (reader, name, offset) throws(JSONError) in
      if name == "at", time == nil {
        time = try reader.numberText()
        return
      }
      let value = try reader.value()
      let isNew: Bool
      switch name {
      case "id": isNew = RawEntry.set(&number, value)
      case "action": isNew = RawEntry.set(&action, value)
      case "quiet": isNew = RawEntry.set(&isQuiet, value)
      case "args": isNew = RawEntry.set(&arguments, value)
      case "source": isNew = RawEntry.set(&source, value)
      case "original": isNew = RawEntry.set(&original, value)
      case "droppedBy": isNew = RawEntry.set(&droppedBy, value)
      case "digest": isNew = RawEntry.set(&digest, value)
      case "failure": isNew = RawEntry.set(&failure, value)
      case "changes": isNew = RawEntry.set(&changes, value)
      case "hash": isNew = RawEntry.set(&hashes, value)
      case "at": isNew = false
      default:
        isNew = true
        unknown = unknown ?? name
      }
      if !isNew { throw JSONError(message: "the key \"\(name)\" stands twice", offset: offset) }
    }
    try reader.end()
  }

  private static func set(_ member: inout Value?, _ value: Value) -> Bool {
    defer { member = value }
    return member == nil
  }
}

/// The members of one object that was read as a map.
struct ObjectMembers {
  private let members: PersistentMap<MapKey, Value>
  private let place: String

  /// - Parameters:
  ///   - place: what messages call the object.
  ///   - names: the members that it may have.
  init(_ value: Value?, _ place: String, names: Set<String>) throws(EntryError) {
    guard let value else { throw EntryError("'\(place)' is missing") }
    guard case .map(let members) = value else {
      throw EntryError("'\(place)' must be an object, got \(value.described)")
    }
    self.members = members
    self.place = place
    for (key, _) in members {
      guard case .string(let name) = key, names.contains(name) else {
        throw EntryError("'\(place)' has no member '\(key.value.described)'")
      }
    }
  }

  subscript(name: String) -> Value? { members[.string(name)] }

  func text(_ name: String) throws(EntryError) -> String {
    guard let text = try optionalText(name) else { throw EntryError("'\(place).\(name)' is missing") }
    return text
  }

  func optionalText(_ name: String) throws(EntryError) -> String? {
    guard let value = self[name] else { return nil }
    guard case .string(let text) = value else {
      throw EntryError("'\(place).\(name)' must be String, got \(value.described)")
    }
    return text
  }

  func integer(_ name: String) throws(EntryError) -> Int {
    guard let number = try optionalInteger(name) else { throw EntryError("'\(place).\(name)' is missing") }
    return number
  }

  func optionalInteger(_ name: String) throws(EntryError) -> Int? {
    guard let value = self[name] else { return nil }
    guard case .int(let number) = value else {
      throw EntryError("'\(place).\(name)' must be Int, got \(value.described)")
    }
    return number
  }

  func flag(_ name: String) throws(EntryError) -> Bool {
    guard let value = self[name] else { return false }
    guard case .bool(let flag) = value else {
      throw EntryError("'\(place).\(name)' must be Bool, got \(value.described)")
    }
    return flag
  }
}
