import StoreModules
import StorePlugins
import StoreSchema

/// The elements of lists and the keys of maps that are there, for completion.
struct KnownElements {
  /// The number of elements that are looked at, and of the values that are proposed. A list may be long, and Tab is not
  /// to wait.
  private static let (lookedAt, proposed) = (100_000, 100)

  let view: any StateView
  /// The start of the values.
  let typed: Substring

  /// Values that begin as typed.
  struct Found {
    /// The first of them, each with the text that people know its element by, where it has one.
    var values: [(text: String, label: String?)] = []
    /// The number of those that are left out.
    var leftOut = 0
    /// The start that all of them have in common.
    var common: String?
    /// The name of the field with the texts.
    var labelName: String?

    /// Takes a value in.
    fileprivate mutating func take(_ text: @autoclosure () -> String, _ label: @autoclosure () -> String?, typed: Int) {
      if values.count < KnownElements.proposed { values.append((text(), label())) } else { leftOut += 1 }
      // Nearly always the first few have no more in common than what is typed.
      if let common, common.utf8.count <= typed { return }
      let text = text()
      guard let common else { return self.common = text }
      if text.utf8.starts(with: common.utf8) { return }
      self.common = String(zip(common, text).prefix { $0 == $1 }.map(\.0))
    }
  }

  /// The ids of the first list of a module whose items have ids. Where the typed text begins none of them, those of the
  /// items whose first text it begins.
  func idsOfFirstList(in module: String) -> Found {
    var found = Found()
    _ = view.readSlice(module) { schema, slice in
      guard case .record(let record) = schema.kind, case .record(let access) = schema.access.parts else { return }
      for (index, field) in record.fields.enumerated() where ListOfItems(field.schema, "id") != nil {
        return access.read(slice, index) { found = ids(field.schema, $0) }
      }
    }
    return found
  }

  /// The values of a field of the elements in a list that fields of a module lead to, as selectors: `[title=milk]`.
  func values(of field: String, in module: String, at fields: ArraySlice<String>) -> Found {
    var found = Found()
    _ = view.readSlice(module) { schema, slice in
      read(fields, schema, slice) { schema, list in
        found = selectors(field, schema, list)
      }
    }
    return found
  }

  /// The keys of a map that fields of a module lead to, as they are written by a spelling; nil leaves one out.
  func keys(in module: String, at fields: ArraySlice<String>, as spelling: (MapKey) -> String?) -> Found {
    var found = Found()
    func take(_ key: MapKey) -> Bool {
      guard key.text.hasPrefix(typed) else { return false }
      if let text = spelling(key) { found.take(text, nil, typed: 0) }
      return true
    }
    _ = view.readSlice(module) { schema, slice in
      read(fields, schema, slice) { schema, value in
        guard case .map(let map) = schema.access.parts else { return }
        guard map.sortedKeys == nil, !typed.isEmpty, Int(typed) == nil else {
          var keys = map.sortedKeys?(value) ?? []
          if map.sortedKeys == nil {
            while keys.count < Self.lookedAt, let key = map.nextKey(value, keys.last) { keys.append(key) }
          }
          for key in keys.prefix(Self.lookedAt) { _ = take(key) }
          return
        }
        // Those that begin as typed stand together, behind the typed text.
        let start = MapKey.string(String(typed))
        if map.read(value, start, { _ in }) { _ = take(start) }
        var key = map.nextKey(value, start)
        while let next = key, take(next) { key = map.nextKey(value, next) }
      }
    }
    return found
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

  // MARK: Lists

  private func ids(_ schema: Schema, _ list: UnsafeRawPointer, byLabel: Bool = true) -> Found {
    guard let items = ListOfItems(schema, "id") else { return Found() }
    var found = Found()
    let number = Int(typed)
    items.visit(list, upTo: Self.lookedAt) { item in
      items.read(item) { id in
        // Nearly all are numbers: to make a text of each would take the time that Tab has.
        if let value = items.number(id) {
          guard typed.isEmpty || mayBegin(value, number) else { return }
          let text = "\(value)"
          guard text.hasPrefix(typed) else { return }
          found.take(text, items.label(item), typed: typed.utf8.count)
        } else {
          let text = items.text(id)
          if text.hasPrefix(typed) { found.take(text, items.label(item), typed: typed.utf8.count) }
        }
      }
    }
    if found.values.isEmpty, byLabel, !typed.isEmpty, number == nil { found = idsByLabel(items, list) }
    found.labelName = items.labelName
    return found
  }

  private func idsByLabel(_ items: ListOfItems, _ list: UnsafeRawPointer) -> Found {
    var found = Found()
    let start = typed.lowercased()
    items.visit(list, upTo: Self.lookedAt) { item in
      guard let label = items.label(item), label.lowercased().hasPrefix(start) else { return }
      items.read(item) { found.take(items.text($0), label, typed: 0) }
    }
    return found
  }

  private func selectors(_ field: String, _ schema: Schema, _ list: UnsafeRawPointer) -> Found {
    guard let items = ListOfItems(schema, field) else { return Found() }
    guard field != "id" else {
      var found = ids(schema, list, byLabel: false)
      found.values = found.values.map { ("[id=\($0.text)]", $0.label) }
      found.common = found.common.map { "[id=\($0)" }
      found.labelName = nil
      return found
    }
    var found = Found()
    var known: Set<Value> = []
    items.visit(list, upTo: Self.lookedAt) { item in
      items.read(item) { place in
        let value = items.value(place)
        let text = if case .string(let text) = value { text } else { JSON.text(of: value) }
        guard text.hasPrefix(typed), known.insert(value).inserted else { return }
        found.take(Self.selector(field, value), nil, typed: 0)
      }
    }
    return found
  }

  private static func selector(_ field: String, _ value: Value) -> String {
    var selector = ""
    Path.Step.match(field: field, value).append(to: &selector)
    return selector
  }

  /// Returns true if a number may begin with the typed one.
  private func mayBegin(_ number: Int, _ start: Int?) -> Bool {
    guard let start, start > 0, number > 0 else { return true }
    var rest = number
    while rest > start { rest /= 10 }
    return rest == start
  }
}

/// A list of records, of which a field is read.
private struct ListOfItems {
  private let items: ListAccess
  private let parts: RecordAccess
  private let field: (position: Int, schema: Schema)
  /// The first text among the other fields: people know an element by it.
  private let labelField: (position: Int, schema: Schema)?
  /// Its name.
  let labelName: String?

  /// Nil: it is no list of records with that field.
  init?(_ schema: Schema, _ name: String) {
    guard case .list(let element) = schema.kind, case .record(let item) = element.kind,
      let position = item.index(of: name), case .list(let items) = schema.access.parts,
      case .record(let parts) = element.access.parts
    else { return nil }
    (self.items, self.parts) = (items, parts)
    field = (position, item.fields[position].schema)
    let label = item.fields.indices.first {
      if $0 != position, case .string = item.fields[$0].schema.kind { true } else { false }
    }
    labelField = label.map { ($0, item.fields[$0].schema) }
    labelName = label.map { item.fields[$0].name }
  }

  func visit(_ list: UnsafeRawPointer, upTo most: Int, _ body: (UnsafeRawPointer) -> Void) {
    for row in 0..<min(items.count(list), most) { items.read(list, row) { body($0) } }
  }

  /// Hands out the field of an element.
  func read(_ item: UnsafeRawPointer, _ body: (UnsafeRawPointer) -> Void) {
    parts.read(item, field.position) { body($0) }
  }

  /// The value of the field, if it is a number.
  func number(_ value: UnsafeRawPointer) -> Int? {
    switch field.schema.access.memory {
    case .int: return value.load(as: Int.self)
    case .value:
      if case .int(let number) = value.assumingMemoryBound(to: Value.self).pointee { return number }
      return nil
    default: return nil
    }
  }

  func value(_ place: UnsafeRawPointer) -> Value { field.schema.access.read(place) }

  /// The value of the field, as it is typed.
  func text(_ place: UnsafeRawPointer) -> String { ActionText.literal(of: value(place)) }

  /// The text that people know an element by.
  func label(_ item: UnsafeRawPointer) -> String? {
    guard let labelField else { return nil }
    var label: String?
    parts.read(item, labelField.position) {
      if case .string(let text) = labelField.schema.access.read($0) { label = text }
    }
    return label
  }
}

extension MapKey {
  /// The key, as it is typed.
  fileprivate var text: String {
    switch self {
    case .int(let number): "\(number)"
    case .string(let text): text
    }
  }
}
