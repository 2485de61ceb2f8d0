/// Collections inside values, reached where they are: taking them out and putting them back would count references twice,
/// and a second reference would make every change copy.
///
/// A ``Value`` in memory is its payload, followed by a tag that says which one. That is how Swift lays out an enum whose
/// payloads leave no bits for the tag: an `Int` takes all of its own. Debug builds hold it against the facts.
extension Value {
  /// Whether a payload lies at the start of a value, as the functions here take for granted.
  private static let payloadIsFirst: Bool = {
    let layout = RecordLayout(name: "", fields: [])
    let record = Record(layout, [.int(1)])
    return withUnsafeBytes(of: Value.record(record)) { value in
      withUnsafeBytes(of: record) { record in value.starts(with: record) }
    }
  }()

  @inline(__always)
  private static func payload<Payload>(_ value: UnsafeMutableRawPointer, as type: Payload.Type)
    -> UnsafeMutablePointer<Payload>
  {
    assert(payloadIsFirst, "values are laid out in an unknown way")
    return value.assumingMemoryBound(to: type)
  }

  /// The fields of the record at an address; nil where there is no record.
  @inline(__always)
  static func record(at value: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Record>? {
    guard case .record = value.assumingMemoryBound(to: Value.self).pointee else { return nil }
    return payload(value, as: Record.self)
  }

  /// The list at an address; nil where there is none.
  @inline(__always)
  static func list(at value: UnsafeMutableRawPointer) -> UnsafeMutablePointer<PersistentList<Value>>? {
    guard case .list = value.assumingMemoryBound(to: Value.self).pointee else { return nil }
    return payload(value, as: PersistentList<Value>.self)
  }

  /// The map at an address; nil where there is none.
  @inline(__always)
  static func map(at value: UnsafeMutableRawPointer) -> UnsafeMutablePointer<PersistentMap<MapKey, Value>>? {
    guard case .map = value.assumingMemoryBound(to: Value.self).pointee else { return nil }
    return payload(value, as: PersistentMap<MapKey, Value>.self)
  }
}
