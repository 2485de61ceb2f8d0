/// The field by which the elements of a list are told apart: `id`, an integer or a text.
@usableFromInline
final class ElementIdentity: Sendable {
  static var fieldName: String { "id" }
  /// What stands before an id in the text of a path.
  static var start: StaticString { "[id=" }
  private let index: Int
  private let schema: Schema
  private let record: RecordAccess

  /// The identity of values of a type; nil: they have none.
  init?(_ kind: Schema.Kind, _ access: Access) {
    guard case .record(let fields) = kind, case .record(let access) = access.parts,
      let index = fields.index(of: ElementIdentity.fieldName)
    else { return nil }
    switch fields.fields[index].schema.kind {
    case .int, .string: break
    default: return nil
    }
    self.index = index
    schema = fields.fields[index].schema
    record = access
  }

  /// The id of the element at an address.
  @usableFromInline
  func id(_ element: UnsafeRawPointer) -> MapKey? {
    let field: UnsafeRawPointer
    switch record {
    case .flat(let fields): field = element + fields[index].offset
    case .dynamic: field = RecordAccess.fields(element) + index * MemoryLayout<Value>.stride
    }
    return switch schema.access.memory {
    case .int: .int(field.load(as: Int.self))
    case .string: .string(field.assumingMemoryBound(to: String.self).pointee)
    default: MapKey(schema.access.read(field))
    }
  }

  /// The id of the element of a list at a position, which must exist.
  func read(_ list: ListAccess, _ pointer: UnsafeRawPointer, _ position: Int) -> MapKey {
    // The type of the field leaves nothing else.
    id(list.address(pointer, position)) ?? .int(0)
  }

  /// True if an element outside a range of a list has the id of one within.
  ///
  /// - Parameter places: the ids of those within, which are all different.
  func repeats(
    _ list: ListAccess, _ pointer: UnsafeRawPointer, _ range: Range<Int>, _ places: [MapKey: Int]
  ) -> Bool {
    if list.hasOrderedIDs(pointer) { return false }
    // Of few elements each is looked for.
    if range.count <= 8 { return places.keys.contains { list.repeats(pointer, $0) } }
    return [0..<range.lowerBound, range.upperBound..<list.count(pointer)].contains { outside in
      outside.contains { places[read(list, pointer, $0)] != nil }
    }
  }
}
