/// A value whose type is known only at run time. Actions, state and results look so to the shell, to Lua, to history
/// and to files.
///
/// A `Value` says nothing about its type beyond its own shape; ``Schema`` decides what it stands for (rule R32). An
/// enum case without payload is a ``string(_:)`` of the case's name.
///
/// Extensions add one question to values a file, most of them for that file alone.
public enum Value: Hashable, Sendable {
  /// No value: an absent optional.
  case none
  /// A truth value.
  case bool(Bool)
  /// A 64-bit integer.
  case int(Int)
  /// A double-precision number.
  case double(Double)
  /// An exact decimal number.
  case decimal(DecimalNumber)
  /// Text.
  case string(String)
  /// Values in order; the first has index 1 in paths and in Lua.
  case list(PersistentList<Value>)
  /// Entries by key, in key order: integers, then strings by bytes (R31).
  case map(PersistentMap<MapKey, Value>)
  /// Named fields in declared order.
  case record(Record)
  /// An enum case with payload.
  case variant(Variant)
}

/// The fields of a value of a record type, in the order in which the type declares them.
public struct Record: Hashable, Sendable {
  /// The type's name and its field names; shared by all records of a type.
  public let layout: RecordLayout
  /// The values, one a field, in the layout's order.
  public var values: [Value]

  /// Makes a record; `values` holds one value for each field name of `layout`.
  @inlinable
  public init(_ layout: RecordLayout, _ values: [Value]) {
    self.layout = layout
    self.values = values
  }

  /// The value of the field of that name, or nil where there is no such field.
  public subscript(name: String) -> Value? {
    guard let index = layout.index(of: name) else { return nil }
    return values[index]
  }
}

/// The name of a record type and the names of its fields in declared order.
public final class RecordLayout: Hashable, Sendable {
  /// The type's name, such as `Task`; empty for a record without a type of its own.
  public let name: String
  /// The fields' names in declared order.
  public let fields: [String]
  /// The bytes of JSON before each field's value: `{"name":` and `,"name":`. So of many records none is escaped.
  ///
  /// Memory of the layout's own, as arrays would be counted. No thread changes it once the layout is made.
  nonisolated(unsafe) package let keys: [UnsafeBufferPointer<UInt8>]

  /// Makes a layout of those fields.
  public init(name: String, fields: [String]) {
    self.name = name
    self.fields = fields
    keys = fields.enumerated().map {
      let key = "\($0 == 0 ? "{" : ",")\(ScalarText.quoted($1)):".utf8
      let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: key.count)
      _ = memory.initialize(from: key)
      return UnsafeBufferPointer(memory)
    }
  }

  deinit { for key in keys { key.deallocate() } }

  /// The position of a field, from 0, or nil where there is none of that name.
  public func index(of name: String) -> Int? { fields.firstIndex(of: name) }

  /// Two layouts are equal when names and order agree.
  public static func == (left: RecordLayout, right: RecordLayout) -> Bool {
    left === right || (left.name == right.name && left.fields == right.fields)
  }

  /// Feeds the names into the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(fields)
  }
}

/// An enum case together with its payload.
public final class Variant: Hashable, Sendable {
  /// The case's name.
  public let name: String
  /// The payload's fields; the layout bears the case's name.
  public let payload: Record

  /// Makes a case with a payload.
  public init(name: String, payload: Record) {
    self.name = name
    self.payload = payload
  }

  /// Two variants are equal when case and payload are.
  public static func == (left: Variant, right: Variant) -> Bool {
    left === right || (left.name == right.name && left.payload == right.payload)
  }

  /// Feeds case and payload into the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(payload)
  }
}

extension Value {
  /// True if two values are the same. Not-a-number is the same as itself, unlike in arithmetic: a state that holds it
  /// has not changed, and is the one that was recorded. The zeros of both signs are not, nor are texts that spell a
  /// character in two ways: what reads them can tell them apart.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.none, .none): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)):
      left == right ? left.sign == right.sign : left.isNaN && right.isNaN
    case (.decimal(let left), .decimal(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.list(let left), .list(let right)): left == right
    case (.map(let left), .map(let right)): left == right
    case (.record(let left), .record(let right)): left == right
    case (.variant(let left), .variant(let right)): left == right
    default: false
    }
  }

  /// Feeds kind and content to a hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .none: hasher.combine(0)
    case .bool(let value): hash(1, value, into: &hasher)
    case .int(let value): hash(2, value, into: &hasher)
    case .double(let value): hash(3, value.isNaN ? .nan : value, into: &hasher)
    case .string(let value): hash(4, value, into: &hasher)
    case .list(let value): hash(5, value, into: &hasher)
    case .map(let value): hash(6, value, into: &hasher)
    case .record(let value): hash(7, value, into: &hasher)
    case .variant(let value): hash(8, value, into: &hasher)
    case .decimal(let value): hash(9, value, into: &hasher)
    }
  }

  private func hash(_ kind: Int, _ content: some Hashable, into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(content)
  }
}

extension [Value] {
  /// So many absent values. An array of equal values is made by code that is not specialised, which takes twice as long.
  package static func absent(_ count: Int) -> [Value] {
    // An array with its length in the code is made by one call. Of constants it would be one for all, and be copied.
    let none = none
    switch count {
    case 0: return []
    case 1: return [none]
    case 2: return [none, none]
    case 3: return [none, none, none]
    case 4: return [none, none, none, none]
    case 5: return [none, none, none, none, none]
    case 6: return [none, none, none, none, none, none]
    default: break
    }
    var values: [Value] = []
    values.reserveCapacity(count)
    for _ in 0..<count { values.append(.none) }
    return values
  }

  @inline(never)
  private static var none: Value { .none }
}

/// Collections inside values, reached in place. Taking them out and putting them back would count references twice, and
/// a second reference would make every change copy.
///
/// A ``Value`` in memory is its payload, followed by a tag that says which one. Swift chooses this layout for an enum
/// whose payloads leave no bits for the tag: an `Int` takes all of its own. Debug builds hold it against the facts.
extension Value {
  /// True if a payload lies at the start of a value, as the functions here take for granted.
  @usableFromInline
  static let payloadIsFirst: Bool = {
    func isFirst<Payload>(_ payload: Payload, in value: Value) -> Bool {
      withUnsafeBytes(of: value) { value in withUnsafeBytes(of: payload) { value.starts(with: $0) } }
    }
    let record = Record(RecordLayout(name: "", fields: []), [.int(1)])
    return isFirst(record, in: .record(record)) && isFirst("text", in: .string("text"))
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

  /// The place of the text at an address; nil where there is no text.
  @inlinable
  @inline(__always)
  package static func text(at value: UnsafePointer<Value>) -> UnsafeRawPointer? {
    guard case .string = value.pointee else { return nil }
    assert(payloadIsFirst, "values are laid out in an unknown way")
    return UnsafeRawPointer(value)
  }

  /// The address of the elements of an array, for as long as nobody changes it.
  @inline(__always)
  static func elements(of array: UnsafePointer<[Value]>) -> UnsafeRawPointer {
    array.pointee.withUnsafeBytes { $0.baseAddress } ?? UnsafeRawPointer(array)
  }

  /// True if nobody else refers to the elements of an array. An array is one reference to them.
  @inline(__always)
  static func ownsElements<Element>(of array: UnsafeMutablePointer<[Element]>) -> Bool {
    assert(MemoryLayout<[Element]>.size == MemoryLayout<AnyObject>.size)
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
