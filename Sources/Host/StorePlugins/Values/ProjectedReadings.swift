import StoreSchema

/// The projections that Lua code has read. Its tables have no types; a value that Lua gives back gets the type that it
/// had there.
struct ProjectedReadings {
  private var readings: [(path: String, reading: Reading)] = []

  /// Takes note of what a path was read as.
  mutating func note(_ path: String, _ reading: Reading) {
    readings.removeAll { $0.path == path }
    readings.append((path, reading))
  }

  /// A value from Lua, with the types of the projections that it, or parts of it, came from.
  func reading(of value: Value) -> Reading {
    fitting(value) ?? Reading(value: withParts(value), schema: .dynamic(.any))
  }

  /// True if a projection matches a value.
  func knows(_ value: Value) -> Bool { fitting(value) != nil }

  private func fitting(_ value: Value) -> Reading? {
    readings.last { _, reading in
      value.withFields(inOrderOf: reading.value) == reading.value
        || (try? reading.schema.check(value)) == reading.value
    }?.reading
  }

  private func withParts(_ value: Value) -> Value {
    guard !readings.isEmpty else { return value }
    switch value {
    case .map(var entries):
      for (key, part) in entries { entries[key] = typed(part) }
      return .map(entries)
    case .list(let items): return .list(PersistentList(items.map(typed)))
    default: return value
    }
  }

  private func typed(_ part: Value) -> Value {
    switch part {
    case .map, .list: fitting(part)?.value ?? withParts(part)
    default: part
    }
  }
}
