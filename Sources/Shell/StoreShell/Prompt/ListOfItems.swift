import StoreSchema

/// A list of records, of which a field is read.
struct ListOfItems {
  private let items: ListAccess
  private let parts: RecordAccess
  private let field: (position: Int, schema: Schema)
  /// The first text among the other fields: people know an element by it.
  private let labelField: (position: Int, schema: Schema)?
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

  func count(_ list: UnsafeRawPointer) -> Int { items.count(list) }

  /// True if it is known that the field, an id, ascends or descends.
  func areInOrder(_ list: UnsafeRawPointer) -> Bool { items.hasOrderedIDs(list) }

  func row(of id: MapKey, _ list: UnsafeRawPointer) -> Int? { items.position(list, id) }

  /// Hands out the first elements, each with its field.
  func visit(
    _ list: UnsafeRawPointer, upTo most: Int, _ body: (_ item: UnsafeRawPointer, _ field: UnsafeRawPointer) -> Void
  ) {
    for row in 0..<min(count(list), most) { read(list, row) { body($0.item, $0.field) } }
  }

  /// Hands out the element of a row, with its field.
  func read(_ list: UnsafeRawPointer, _ row: Int, _ body: ((item: UnsafeRawPointer, field: UnsafeRawPointer)) -> Void) {
    items.read(list, row) { item in parts.read(item, field.position) { body((item, $0)) } }
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

  /// The value of the field without quotes.
  func words(_ place: UnsafeRawPointer) -> String {
    let value = value(place)
    return if case .string(let text) = value { text } else { JSON.text(of: value) }
  }

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
