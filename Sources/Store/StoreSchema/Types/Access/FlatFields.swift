/// The places of the fields of a Swift struct, with all that a comparison needs of each. An object, because it is taken
/// up at every struct of a walk, and one reference is cheaper to copy than what it stands for.
public final class FlatFields: Sendable {
  package let fields: [FlatField]
  package let layout: RecordLayout

  /// Lays out the fields of a record.
  ///
  /// - Parameters:
  ///   - record: the record, as declared.
  ///   - offsets: the start of each field, in bytes.
  ///   - byteCount: the number of bytes that the struct takes.
  public init(_ record: RecordSchema, offsets: [Int], byteCount: Int) {
    layout = record.layout
    fields = record.fields.indices.map { index in
      let next = index + 1 < offsets.count ? offsets[index + 1] : byteCount
      return FlatField(
        name: record.fields[index].name, schema: record.fields[index].schema, offset: offsets[index],
        room: next - offsets[index])
    }
  }

  /// The positions of the fields.
  public var indices: Range<Int> { fields.indices }

  /// The struct at an address as a value.
  @usableFromInline
  func record(at place: UnsafeRawPointer) -> Value {
    var values = [Value].absent(fields.count)
    values.withUnsafeMutableBufferPointer { values in
      for index in values.indices {
        let place = place + fields[index].offset
        switch fields[index].memory {
        case .int: values[index] = .int(place.load(as: Int.self))
        case .bool: values[index] = .bool(place.load(as: Bool.self))
        case .string: values[index] = .string(place.assumingMemoryBound(to: String.self).pointee)
        case .double, .value, .other: values[index] = fields[index].schema.access.read(place)
        }
      }
    }
    return .record(Record(layout, values))
  }

  /// The field at a position, from 0, in declared order.
  public subscript(index: Int) -> FlatField {
    _read { yield fields[index] }
  }
}

extension Schema {
  /// The name of the field of a Swift struct that begins at a byte; nil: none does.
  package func field(at offset: Int) -> String? {
    guard case .record(.flat(let fields)) = access.parts else { return nil }
    return fields.indices.first { fields[$0].offset == offset }.map { fields[$0].name }
  }
}

/// A field of a Swift struct.
public struct FlatField: Sendable {
  /// The field's name.
  public let name: String
  /// The field's type.
  public let schema: Schema
  /// The offset of its start, in bytes.
  public let offset: Int
  /// The number of bytes from there to the next field, or to the end; nothing else lies there. 0 or less: not known.
  public let room: Int
  /// The content of its memory.
  public let memory: Access.Memory
  /// The fields of the field, where it is a Swift struct itself.
  package let flat: FlatFields?

  fileprivate init(name: String, schema: Schema, offset: Int, room: Int) {
    self.name = name
    self.schema = schema
    self.offset = offset
    self.room = room
    memory = schema.access.memory
    flat = if case .record(.flat(let fields)) = schema.access.parts { fields } else { nil }
  }
}
