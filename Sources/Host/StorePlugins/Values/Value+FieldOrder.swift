import StoreSchema

extension Value {
  /// A value that has been a table of Lua, which knows no order of fields. The fields of its records stand as in the
  /// value that the table was made of. Records with other fields by now are left as they are.
  func withFields(inOrderOf former: Value) -> Value {
    switch (self, former) {
    case (.map(let entries), .record(let record)):
      var values: [Value] = []
      var found = 0
      for (field, value) in zip(record.layout.fields, record.values) {
        let entry = entries[.string(field)]
        found += entry == nil ? 0 : 1
        values.append(entry?.withFields(inOrderOf: value) ?? .none)
      }
      return found == entries.count ? .record(Record(record.layout, values)) : self
    case (.list(let items), .list(let formers)):
      guard let last = formers.last else { return self }
      return .list(
        PersistentList(
          items.enumerated().map { $1.withFields(inOrderOf: $0 < formers.count ? formers[$0] : last) }))
    // An empty table may be either.
    case (.map(let entries), .list(let formers)) where entries.isEmpty && formers.isEmpty: return former
    default: return self
    }
  }
}
