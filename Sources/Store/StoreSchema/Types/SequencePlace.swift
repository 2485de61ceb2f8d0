/// The place of a sequence in a type: of a number that gives out ids, and of the list beside it whose elements have them.
package struct SequencePlace: Sendable {
  /// The path of the number.
  package let path: Path
  /// The positions of the fields that lead to the record.
  private let record: [Int]
  /// The position of the number in the record.
  private let number: Int
  /// The position of the list whose elements have ids of it; nil: no list alone has.
  private let list: Int?
  /// The offset of the number in a value; nil: it lies elsewhere.
  private let offset: Int?

  fileprivate init(_ path: Path, record: [Int], number: Int, list: Int?, offset: Int?) {
    (self.path, self.record, self.number, self.list, self.offset) = (path, record, number, list, offset)
  }

  /// The number in a value of the type.
  package func number(in value: UnsafeRawPointer, of schema: Schema) -> Int? {
    if let offset { return value.load(fromByteOffset: offset, as: Int.self) }
    guard let (place, type) = holder(in: value, of: schema), let (field, scalar) = type.field(number, in: place),
      case .int(let found) = scalar.access.read(field)
    else { return nil }
    return found
  }

  /// How many elements the list has in a value of the type, and the id of the last; nil: there is no such list.
  package func elements(in value: UnsafeRawPointer, of schema: Schema) -> (count: Int, lastID: Int?)? {
    guard let list, let (place, type) = holder(in: value, of: schema), let (field, found) = type.field(list, in: place),
      case .list(let access) = found.access.parts, case .list(let element) = found.kind
    else { return nil }
    let count = access.count(field)
    guard count > 0, case .int(let id)? = element.identity?.id(access.address(field, count - 1)) else {
      return (count, nil)
    }
    return (count, id)
  }

  /// The record that has the number, and its type.
  private func holder(in value: UnsafeRawPointer, of schema: Schema) -> (UnsafeRawPointer, Schema)? {
    var found = (value, schema)
    for index in record {
      guard let next = found.1.field(index, in: found.0) else { return nil }
      found = next
    }
    return found
  }
}

extension Schema {
  /// The sequences of a record and of the records in it.
  ///
  /// - Parameter path: where the record lies.
  package func sequences(from path: Path = Path()) -> [SequencePlace] { sequences(from: path, by: [], at: 0) }

  private func sequences(from path: Path, by indices: [Int], at offset: Int?) -> [SequencePlace] {
    guard case .record(let record) = kind, case .record(let access) = access.parts else { return [] }
    let lists = record.fields.indices.filter { record.fields[$0].schema.hasNumbersAsIDs }
    let areSeveral = lists.count > 1 || record.fields.count(where: \.isSequence) > 1
    return record.fields.enumerated().flatMap { index, field in
      let place = path.appending(.field(field.name))
      var inside: Int?
      if case .flat(let fields) = access, let offset { inside = offset + fields[index].offset }
      guard field.isSequence else {
        return field.schema.sequences(from: place, by: indices + [index], at: inside)
      }
      return [
        SequencePlace(
          place, record: indices, number: index, list: areSeveral ? nil : lists.first,
          offset: field.schema.access.memory == .int ? inside : nil)
      ]
    }
  }

  /// True for a list whose elements are told apart by whole numbers.
  private var hasNumbersAsIDs: Bool {
    guard case .list(let element) = kind, element.hasID, case .record(let record) = element.kind,
      let index = record.index(of: ElementIdentity.fieldName), case .int = record.fields[index].schema.kind
    else { return false }
    return true
  }

  /// The field of a record at an address, and its type; valid while the record stays as it is.
  fileprivate func field(_ index: Int, in record: UnsafeRawPointer) -> (UnsafeRawPointer, Schema)? {
    guard case .record(let type) = kind, case .record(let access) = access.parts else { return nil }
    return switch access {
    case .flat(let fields): (record + fields[index].offset, type.fields[index].schema)
    case .dynamic:
      (RecordAccess.fields(record) + index * MemoryLayout<Value>.stride, type.fields[index].schema)
    }
  }
}
