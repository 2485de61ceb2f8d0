import StoreHistory
import StoreSchema

extension HostState {
  /// Applies recorded changes of the modules in place.
  ///
  /// - Throws: `ChangeError` where one does not fit; the state may then be partly changed.
  package mutating func apply(_ changes: [Change], _ direction: Change.Direction = .forward) throws {
    let (schema, record) = (app.schema, app.record)
    var rest = changes[...]
    while let name = rest.first?.module {
      if record.index(of: name) != nil {
        let part = rest.prefix { $0.module.flatMap { record.index(of: $0) } != nil }
        try app.modify { try schema.apply(part, direction, to: $0) }
        rest = rest[part.endIndex...]
      } else {
        let part = rest.prefix { $0.module == name }
        if let index = plugins.firstIndex(where: { $0.name == name }) {
          try plugins[index].apply(part, direction)
        } else if let index = substates.firstIndex(where: { $0.name == name }) {
          try substates[index].apply(part, direction)
        } else {
          throw ChangeError(part[part.startIndex].path, "there is no module '\(name)'")
        }
        rest = rest[part.endIndex...]
      }
    }
  }
}

extension PluginSlice {
  fileprivate mutating func apply(_ changes: ArraySlice<Change>, _ direction: Change.Direction) throws {
    let schema = schema
    if case .any = schema.kind, direction == .forward, changes.contains(where: { $0.path.steps.count > 1 }) {
      // Of a plugin whose code is gone: it had a type.
      value = try value.changed(by: changes)
      return
    }
    try withUnsafeMutablePointer(to: &value) {
      try schema.apply(changes, direction, to: UnsafeMutableRawPointer($0), depth: 1)
    }
  }
}
