extension Set: Schematic where Element: Schematic {
  /// `[Element]`, in order (R31), each element once. It changes as a whole.
  public static var schema: Schema {
    .scalar(Set.self, .list(Element.schema)) { set in
      .list(PersistentList(set.map(\.schemaValue).sorted { $0.stands(before: $1) }))
    }
  }

  /// The set of the elements, in whatever order; one that is there twice counts once.
  public init(schemaValue value: Value) throws(SchemaError) { self.init(try value.elements(as: Element.self)) }
}

extension Value {
  /// The order of a set's elements: numbers by size, texts by bytes, anything else by its JSON.
  fileprivate func stands(before other: Value) -> Bool {
    if let key = MapKey(self), let otherKey = MapKey(other) { return key < otherKey }
    if case .double(let number) = self, case .double(let otherNumber) = other { return number < otherNumber }
    return JSON.text(of: self).precedesByBytes(JSON.text(of: other))
  }
}
