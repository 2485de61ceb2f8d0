/// The way to the fields of a record. Positions count from 0, in declared order.
public enum RecordAccess: Sendable {
  /// A Swift struct.
  case flat(FlatFields)
  /// A ``Value/record(_:)``.
  case dynamic

  /// Hands out the field at a position.
  @inlinable
  public func read(_ record: UnsafeRawPointer, _ index: Int, _ body: PartReader) {
    switch self {
    case .flat(let fields): body(record + fields[index].offset)
    case .dynamic:
      guard case .record(let fields) = record.assumingMemoryBound(to: Value.self).pointee else { return }
      withUnsafePointer(to: fields.values[index]) { body(UnsafeRawPointer($0)) }
    }
  }

  /// Hands out the field at a position for change in place.
  @inlinable
  public func modify(_ record: UnsafeMutableRawPointer, _ index: Int, _ body: PartWriter) throws {
    switch self {
    case .flat(let fields): try body(record + fields[index].offset)
    case .dynamic: try body(Self.mutableFields(record) + index * MemoryLayout<Value>.stride)
    }
  }

  /// The address of the fields of a ``Value/record(_:)``, one ``Value`` after the other.
  public static func fields(_ record: UnsafeRawPointer) -> UnsafeRawPointer {
    // Only looked at.
    guard let fields = Value.record(at: UnsafeMutableRawPointer(mutating: record)) else { return record }
    return Value.elements(of: &fields.pointee.values)
  }

  /// The same, and whether they can be changed there, since no other record shares them.
  public static func foundFields(_ record: UnsafeMutableRawPointer) -> FoundPart {
    guard let fields = Value.record(at: record) else { return FoundPart(record, isOwn: false) }
    return FoundPart(
      UnsafeMutableRawPointer(mutating: Value.elements(of: &fields.pointee.values)),
      isOwn: Value.ownsElements(of: &fields.pointee.values))
  }

  /// The same for change in place; what another record shares is copied first.
  public static func mutableFields(_ record: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    let fields = Value.record(at: record)
    return fields?.pointee.values.withUnsafeMutableBufferPointer { UnsafeMutableRawPointer($0.baseAddress) } ?? record
  }
}
