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
  /// The offsets of the number and of the list in a value, and the number of bytes of the list; nil: they do not lie flat.
  private let flat: (number: Int, list: Int, byteCount: Int)?

  fileprivate init(
    _ path: Path, record: [Int], number: Int, list: Int?, flat: (number: Int, list: Int, byteCount: Int)?
  ) {
    (self.path, self.record, self.number, self.list, self.flat) = (path, record, number, list, flat)
  }

  /// True if a look at their bytes tells that the sequence went on from one value to another, or that neither it nor its list has
  /// changed.
  package func isAhead(from old: UnsafeRawPointer, to new: UnsafeRawPointer) -> Bool {
    guard let flat else { return false }
    let (before, now) = (
      old.load(fromByteOffset: flat.number, as: Int.self), new.load(fromByteOffset: flat.number, as: Int.self)
    )
    if now != before { return now > before }
    return flat.byteCount == 0 || hasSameBytes(old + flat.list, new + flat.list, flat.byteCount)
  }

  /// A sequence at one moment: its number, and how many elements the list has; 0: there is no such list.
  package struct Mark: BitwiseCopyable, Sendable {
    package let number: Int
    package let count: Int
  }

  /// The sequence in a value of the type.
  package func mark(in value: UnsafeRawPointer, of schema: @autoclosure () -> Schema) -> Mark? {
    guard let (place, type) = holder(in: value, of: schema()), let (field, scalar) = type.field(number, in: place),
      case .int(let found) = scalar.access.read(field)
    else { return nil }
    return Mark(number: found, count: listed(in: place, of: type)?.count ?? 0)
  }

  /// The id of the last element of the list in a value of the type.
  package func lastID(in value: UnsafeRawPointer, of schema: Schema) -> Int? {
    guard let (place, type) = holder(in: value, of: schema),
      let (count, address, element) = listed(in: place, of: type),
      count > 0, case .int(let id)? = element.identity?.id(address(count - 1))
    else { return nil }
    return id
  }

  /// The list of a record: how many elements it has, where each lies, and their type.
  private func listed(
    in place: UnsafeRawPointer, of type: Schema
  ) -> (count: Int, address: (Int) -> UnsafeRawPointer, element: Schema)? {
    guard let list, let (field, found) = type.field(list, in: place), case .list(let access) = found.access.parts,
      case .list(let element) = found.kind
    else { return nil }
    return (access.count(field), { access.address(field, $0) }, element)
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
      let inside = access.offset(of: index).flatMap { own in offset.map { $0 + own } }
      guard field.isSequence else {
        return field.schema.sequences(from: place, by: indices + [index], at: inside)
      }
      let list = areSeveral ? nil : lists.first
      var flat: (number: Int, list: Int, byteCount: Int)?
      if let inside, field.schema.access.memory == .int { flat = (inside, 0, 0) }
      if let list, let number = flat?.number {
        let byteCount = record.fields[list].schema.access.byteCount
        flat = nil
        if byteCount > 0, let own = access.offset(of: list), let offset { flat = (number, offset + own, byteCount) }
      }
      return [SequencePlace(place, record: indices, number: index, list: list, flat: flat)]
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

extension RecordAccess {
  /// The offset of a field in a value, where each has one.
  fileprivate func offset(of index: Int) -> Int? {
    if case .flat(let fields) = self { fields[index].offset } else { nil }
  }
}
