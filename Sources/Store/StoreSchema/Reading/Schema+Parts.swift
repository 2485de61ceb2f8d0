extension Schema {
  /// The type of the part at a path in values of this type, and the path as ``changes(from:to:at:)`` writes it. The
  /// entry of a map is named by its key, whatever it looks like as text.
  ///
  /// - Returns: nil where no value of the type has anything there.
  public func part(at steps: ArraySlice<Path.Step>) -> (schema: Schema, steps: [Path.Step])? {
    var current = self
    var found: [Path.Step] = []
    found.reserveCapacity(steps.count)
    for step in steps {
      while case .optional(let wrapped) = current.kind { current = wrapped }
      switch (current.kind, step) {
      case (.record(let record), .field(let name)), (.record(let record), .key(.string(let name))):
        guard let index = record.index(of: name) else { return nil }
        found.append(.field(name))
        current = record.fields[index].schema
      case (.list(let element), .index):
        found.append(step)
        current = element
      case (.list(let element), .match(let field, let value)):
        guard case .record(let record) = element.kind, let index = record.index(of: field) else { return nil }
        found.append(.match(field: field, (try? record.fields[index].schema.check(value)) ?? value))
        current = element
      case (.map(let kind, let element), _):
        guard let key = step.mapKey(kind) else { return nil }
        found.append(.key(key))
        current = element
      case (.any, _): found.append(step)
      default: return nil
      }
    }
    return (current, found)
  }
}
