import StoreSchema

extension PluginSlice {
  /// Whether another slice is of a type that takes the same values, as that of a reloaded plugin is unless its fields were
  /// changed.
  func hasType(of other: PluginSlice) -> Bool {
    schema === other.schema || schema.signature == other.schema.signature
  }

  /// Appends what differs from a slice of the same name and of another type: field by field, by the type that a field has in
  /// both, else as a whole.
  func appendChanges(toOther new: PluginSlice, _ changes: inout [Change]) {
    guard case .record(let oldFields) = schema.kind, case .record(let newFields) = new.schema.kind,
      case .record(let before) = value, case .record(let after) = new.value
    else { return changes.append(at: Path([.field(name)]), from: value, to: new.value) }
    func path(_ field: Field) -> Path { Path([.field(name), .field(field.name)]) }
    for field in newFields.fields {
      let (old, new) = (before[field.name] ?? .none, after[field.name] ?? .none)
      if let index = oldFields.index(of: field.name),
        oldFields.fields[index].schema.signature == field.schema.signature
      {
        withUnsafePointer(to: old) { old in
          withUnsafePointer(to: new) { new in
            changes += field.schema.changes(from: UnsafeRawPointer(old), to: UnsafeRawPointer(new), at: path(field))
          }
        }
      } else {
        changes.append(at: path(field), from: old, to: new)
      }
    }
    for field in oldFields.fields where newFields.index(of: field.name) == nil {
      changes.append(at: path(field), from: before[field.name] ?? .none, to: .none)
    }
  }
}

extension [Change] {
  /// Appends that a value became another of any type.
  fileprivate mutating func append(at path: Path, from old: Value, to new: Value) {
    switch (old, new) {
    case (.none, .none): return
    case (.none, _): append(Change(path, .add(new)))
    case (_, .none): append(Change(path, .remove(old)))
    default: if old != new { append(Change(path, .replace(from: old, to: new))) }
    }
  }
}
