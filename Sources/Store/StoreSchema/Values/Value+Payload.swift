/// Collections inside values, reached in place. Taking them out and putting them back would count references twice, and
/// a second reference would make every change copy.
///
/// A ``Value`` in memory is its payload, followed by a tag that says which one. Swift chooses this layout for an enum
/// whose payloads leave no bits for the tag: an `Int` takes all of its own. Debug builds hold it against the facts.
extension Value {
  /// True if a payload lies at the start of a value, as the functions here take for granted.
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

  /// The address of the elements of an array, for as long as nobody changes it.
  @inline(__always)
  static func elements(of array: UnsafePointer<[Value]>) -> UnsafeRawPointer {
    array.pointee.withUnsafeBytes { $0.baseAddress } ?? UnsafeRawPointer(array)
  }

  /// True if nobody else refers to the elements of an array. An array is one reference to them.
  @inline(__always)
  static func ownsElements(of array: UnsafeMutablePointer<[Value]>) -> Bool {
    assert(MemoryLayout<[Value]>.size == MemoryLayout<AnyObject>.size)
    return isKnownUniquelyReferenced(&UnsafeMutableRawPointer(array).assumingMemoryBound(to: AnyObject.self).pointee)
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

/// The tags that tell the scalars apart in memory, for code that reads and writes them there: the windows of a Lua
/// state. Without those row L1 takes 62 % more of the processor, and L3 30 %.
extension Value {
  /// The place of the byte that tells the kind of a value, and its content for each kind of scalar, which lies at the
  /// start.
  public struct ScalarTags: Sendable {
    /// The number of bytes from the start to the tag.
    public let offset: Int
    /// The tag of an ``Value/int(_:)``.
    public let int: UInt8
    /// The tag of a ``Value/double(_:)``.
    public let double: UInt8
    /// The tag of a ``Value/bool(_:)``, which is one byte.
    public let bool: UInt8
    /// The tag of a ``Value/string(_:)``.
    public let string: UInt8
  }

  /// The tags as a look at some values finds them; nil where values are laid out in another way.
  public static let scalarTags: ScalarTags? = {
    let offset = MemoryLayout<Value>.size - 1
    func bytes<Content>(_ content: Content) -> [UInt8] { withUnsafeBytes(of: content) { Array($0) } }
    /// The tag, where a payload lies at the start of the value and takes the place of that of another value of its kind.
    func tag<Payload>(_ value: Value, _ payload: Payload, replacing other: Value) -> UInt8? {
      let tag = bytes(value)[offset]
      guard MemoryLayout<Payload>.size <= offset, bytes(other)[offset] == tag else { return nil }
      var target = other
      withUnsafeMutableBytes(of: &target) { $0.copyBytes(from: bytes(payload)) }
      return target == value && bytes(value).starts(with: bytes(payload)) ? tag : nil
    }
    guard let int = tag(.int(0x0102_0304_0506_0708), 0x0102_0304_0506_0708, replacing: .int(-1)),
      let double = tag(.double(1.5), 1.5, replacing: .double(-.infinity)),
      let bool = tag(.bool(true), true, replacing: .bool(false)),
      tag(.bool(false), false, replacing: .bool(true)) == bool,
      let string = tag(.string("short"), "short", replacing: .string("another one"))
    else { return nil }
    let layout = RecordLayout(name: "", fields: [])
    let others: [Value] = [
      .none, .list([]), .map([:]), .record(Record(layout, [])),
      .variant(Variant(name: "", payload: Record(layout, []))), .decimal(DecimalNumber(units: 1, scale: 2)),
    ]
    let tags = [int, double, bool, string] + others.map { bytes($0)[offset] }
    // No payload and any one of those without may share a tag, which is none of the four.
    guard Set(tags.prefix(4)).count == 4, Set(tags.prefix(4)).isDisjoint(with: tags.dropFirst(4)),
      bytes(Value.string(String(repeating: "long ", count: 9)))[offset] == string
    else { return nil }
    return ScalarTags(offset: offset, int: int, double: double, bool: bool, string: string)
  }()
}
