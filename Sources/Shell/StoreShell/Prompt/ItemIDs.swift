import StoreModules
import StorePlugins
import StoreSchema

/// The ids of items that are there, for completion.
struct ItemIDs {
  /// The number of items that are looked at for their ids, and of the ids that are proposed. A list may be long, and
  /// Tab is not to wait.
  private static let (itemsLookedAt, idsProposed) = (100_000, 100)

  let view: any StateView
  /// The start of the ids.
  let typed: Substring
  /// The same as a number; nil: it is none.
  private let typedNumber: Int?

  init(view: any StateView, typed: Substring) {
    self.view = view
    self.typed = typed
    typedNumber = Int(typed)
  }

  /// The ids of the first list of a module whose items have ids.
  func ofFirstList(in module: String) -> [String] {
    var ids: [String] = []
    _ = view.readSlice(module) { schema, slice in
      guard case .record(let record) = schema.kind, case .record(let access) = schema.access.parts else { return }
      for (index, field) in record.fields.enumerated() where field.schema.idOfItems != nil {
        return access.read(slice, index) { ids = of(field.schema, $0) }
      }
    }
    return ids
  }

  /// The ids of the list that fields of a module lead to.
  func ofList(in module: String, at fields: ArraySlice<String>) -> [String] {
    var ids: [String] = []
    _ = view.readSlice(module) { schema, slice in read(fields, schema, slice) { ids = of($0, $1) } }
    return ids
  }

  private func read(
    _ fields: ArraySlice<String>, _ schema: Schema, _ value: UnsafeRawPointer,
    _ body: (Schema, UnsafeRawPointer) -> Void
  ) {
    guard let name = fields.first else { return body(schema, value) }
    guard case .record(let record) = schema.kind, case .record(let access) = schema.access.parts,
      let index = record.index(of: name)
    else { return }
    access.read(value, index) { read(fields.dropFirst(), record.fields[index].schema, $0, body) }
  }

  private func of(_ schema: Schema, _ list: UnsafeRawPointer) -> [String] {
    guard let (position, id) = schema.idOfItems, case .list(let element) = schema.kind,
      case .list(let items) = schema.access.parts, case .record(let parts) = element.access.parts
    else { return [] }
    var ids: [String] = []
    for row in 0..<min(items.count(list), Self.itemsLookedAt) where ids.count < Self.idsProposed {
      items.read(list, row) { item in
        parts.read(item, position) { if let text = self.id(id, $0) { ids.append(text) } }
      }
    }
    return ids
  }

  /// The id at an address; nil: it begins otherwise.
  private func id(_ schema: Schema, _ place: UnsafeRawPointer) -> String? {
    // Nearly all are numbers, and most begin otherwise: to make a text of each would take the time that Tab has.
    switch schema.access.memory {
    case .int: if !mayBegin(place.load(as: Int.self)) { return nil }
    case .value:
      if case .int(let number) = place.assumingMemoryBound(to: Value.self).pointee, !mayBegin(number) { return nil }
    default: break
    }
    let text = ActionText.literal(of: schema.access.read(place))
    return text.hasPrefix(typed) ? text : nil
  }

  /// Returns true if a number may begin with the typed text.
  private func mayBegin(_ number: Int) -> Bool {
    guard let start = typedNumber, start > 0, number > 0 else { return true }
    var rest = number
    while rest > start { rest /= 10 }
    return rest == start
  }
}

extension Schema {
  /// The position and type of the ids in the items of a list; nil: it is no list of such items.
  fileprivate var idOfItems: (position: Int, schema: Schema)? {
    guard case .list(let element) = kind, case .record(let item) = element.kind, let position = item.index(of: "id")
    else { return nil }
    return (position, item.fields[position].schema)
  }
}
