import StoreSchema

/// What differs between the slices that two versions of a plugin have, whose types differ: told by the type of the later one as
/// far as the earlier value can be read by it, else member by member, else as a whole.
package struct TypeChange {
  package private(set) var changes: [Change] = []

  /// Finds the differences.
  package init(from old: PluginSlice, to new: PluginSlice) {
    compare(Self.json(old.value), new.value, new.schema, at: Path([.field(new.name)]))
  }

  /// - Parameter old: the earlier value as JSON holds it, which has no types.
  private mutating func compare(_ old: Value, _ new: Value, _ schema: Schema, at path: Path) {
    let json = Self.json(new)
    guard old != json else { return }
    if case .any = schema.kind {
    } else if let read = try? schema.value(fromJSON: old), Self.json(read) == old {
      withUnsafePointer(to: read) { read in
        withUnsafePointer(to: new) { new in changes += schema.changes(from: read, to: new, at: path) }
      }
      return
    }
    guard case .map(let before) = old, case .map(let after) = json, let fields = Self.fields(of: new, schema) else {
      changes.append(Change(path, .replace(from: old, to: new)))
      return
    }
    for (name, value, type) in fields {
      let path = path.appending(.field(name))
      if let old = before[.string(name)] {
        compare(old, value, type, at: path)
      } else if value != .none {
        changes.append(Change(path, .add(value)))
      }
    }
    for case (.string(let name), let value) in before where after[.string(name)] == nil && value != .none {
      changes.append(Change(path.appending(.field(name)), .remove(value)))
    }
  }

  private static func json(_ value: Value) -> Value { (try? JSON.value(of: JSON.text(of: value))) ?? value }

  /// The members of a record, whether its type is known or gone with the code that declared it.
  private static func fields(of value: Value, _ schema: Schema) -> [(name: String, value: Value, type: Schema)]? {
    switch (schema.kind, value) {
    case (.optional(let wrapped), _): fields(of: value, wrapped)
    case (.record(let type), .record(let record)):
      zip(type.fields, record.values).map { ($0.name, $1, $0.schema) }
    case (.any, .map(let members)):
      members.compactMap { key, value in
        if case .string(let name) = key { (name, value, schema) } else { nil }
      }
    default: nil
    }
  }
}
