import LuaRuntime
import StoreSchema

/// A type as one Lua state reaches into values of it: what each access needs, looked up once. Lives as long as its
/// ``SliceObjects``, so that nodes refer to it without counting.
final class SliceShape {
  /// The type, not an optional.
  let schema: Schema
  let form: Form
  // Apart from each other, since an enum with them inside would be copied at each look, closures and all. Accesses that
  // the form does not have are never called.
  let record: RecordAccess
  let list: ListAccess
  let map: MapAccess
  let numbered: NumberedEntries
  /// True if the values of the map have addresses, which ``numbered`` finds.
  let isNumbered: Bool
  /// True if the memory holds a ``Value``.
  let isDynamic: Bool
  /// A record's fields, in declared order.
  let fields: UnsafeMutableBufferPointer<SlicePart>
  private let firstField: UnsafeMutablePointer<SlicePart>
  /// The element of a list or a map; else the type itself.
  let element: UnsafeMutablePointer<SlicePart>
  /// The positions of the first few fields of a record that are always there and have parts of their own. In a draft,
  /// Lua finds them without asking here.
  let shownParts: UnsafeMutablePointer<Int>
  let shownPartCount: Int
  /// More would cost drafts that nobody looks at so closely.
  private static let maximumShownParts = 4
  /// The fields of a record that Lua reads and writes without asking here; empty where there are none.
  let slots: UnsafeMutableBufferPointer<LuaWindowSlot>
  /// The fields' names, where they are a record's.
  let names: UnsafeMutableBufferPointer<String>
  /// The same as the Lua state interned them: a field is found by comparing addresses.
  private let keys: [LuaKey]
  /// The fields that a record made of a table gets where the table does not have them; looked up when the first is made.
  private(set) lazy var defaults = FieldDefaults(schema, keys)
  /// The latest keys of a map that were looked for and are not kept in place, by their last bytes; made with the first of them.
  @exclusivity(unchecked) private var latest: UnsafeMutablePointer<LatestKey>?
  /// The one that was looked for last; nil: it is kept in place.
  @exclusivity(unchecked) private var last: UnsafeMutablePointer<LatestKey>?

  private struct LatestKey {
    var key = ""
    /// The number of its entry, where it was found; -1: nowhere.
    var entry = -1
  }

  /// The form of a value, by the use that Lua can make of it.
  enum Form {
    case record
    case list
    /// Keys are integers, or text.
    case integerMap
    case textMap
    case none
  }

  init(_ schema: Schema, in state: LuaState) {
    self.schema = schema
    isDynamic = schema.isDynamic
    var parts: [SlicePart] = []
    var keys: [LuaKey] = []
    var element: Schema?
    var form = Form.none
    var (record, list, map) = (RecordAccess.dynamic, SliceShape.noList, SliceShape.noMap)
    switch (schema.access.parts, schema.kind) {
    case (.record(let access), .record(let type)):
      form = .record
      record = access
      // Without memory for a name, no field is found by it.
      for (position, field) in type.fields.enumerated() {
        let key = try? state.intern(field.name)
        if let key { keys.append(key) }
        parts.append(SlicePart(field.schema, key: key?.pointer, offset: access.offset(of: position)))
      }
    case (.list(let access), .list(let schema)):
      form = .list
      list = access
      element = schema
    case (.map(let access), .map(let kind, let schema)):
      form = if case .int = kind { .integerMap } else { .textMap }
      map = access
      element = schema
    default: break
    }
    self.form = form
    let fieldNames = if case .record(let type) = schema.kind { type.fields.map(\.name) } else { [String]() }
    names = .allocate(capacity: fieldNames.count)
    _ = names.initialize(from: fieldNames)
    self.record = record
    self.list = list
    self.map = map
    numbered = map.numbered ?? SliceShape.noNumbers
    isNumbered = map.numbered != nil
    self.keys = keys
    firstField = .allocate(capacity: parts.count)
    fields = UnsafeMutableBufferPointer(start: firstField, count: parts.count)
    _ = fields.initialize(from: parts)
    let isNamed = keys.count == parts.count
    let shownParts = parts.indices.filter { isNamed && parts[$0].form == .parts && !parts[$0].isWhole }.prefix(
      Self.maximumShownParts)
    self.shownParts = .allocate(capacity: Self.maximumShownParts)
    self.shownParts.initialize(from: Array(shownParts), count: shownParts.count)
    shownPartCount = shownParts.count
    var shown: [LuaWindowSlot] = []
    if isNamed {
      shown = parts.indices.map { position in
        parts[position].slot(keys[position], part: shownParts.firstIndex(of: position))
      }
    }
    slots = .allocate(capacity: shown.contains { $0.isShown } ? shown.count : 0)
    _ = slots.initialize(from: shown.prefix(slots.count))
    self.element = .allocate(capacity: 1)
    self.element.initialize(to: SlicePart(element ?? schema, key: nil, offset: 0))
  }

  private static let noList = ListAccess(
    count: { _ in 0 }, address: { list, _ in list }, mutableAddress: { list, _ in list }, find: { _, _ in nil },
    position: { _, _ in nil }, insert: { _, _, _ in }, remove: { _, _ in }, differing: { _, _ in (0..<0, 0..<0) })

  private static let noMap = MapAccess(
    count: { _ in 0 }, read: { _, _, _ in false }, modify: { _, _, _ in false }, set: { _, _, _ in },
    remove: { _, _ in }, nextKey: { _, _ in nil }, visitDifferences: { _, _, _ in })

  private static let noNumbers = NumberedEntries(
    find: { _, _ in nil }, findOwn: { _, _, _ in nil }, mutableAddress: { map, _ in map })

  // MARK: Parts

  // Methods that are never inlined: a closure of an object that is an argument is called without counting references.

  /// The address of a list's element at a position; nil if there is none.
  @inline(never)
  func element(at position: Int, in list: UnsafeRawPointer) -> UnsafeRawPointer? {
    position >= 0 && position < self.list.count(list) ? self.list.address(list, position) : nil
  }

  /// The same in a list that may be changed.
  @inline(never)
  func element(at position: Int, in list: UnsafeMutableRawPointer) -> FoundPart? { self.list.find(list, position) }

  /// The address at which the element of a list at a position, which exists, can be changed.
  @inline(never)
  func mutableElement(at position: Int, in list: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    self.list.mutableAddress(list, position)
  }

  /// The number and the address of the value under a key of a map whose values have addresses; nil where there is none.
  @inline(never)
  func find(_ key: MapKey, in map: UnsafeRawPointer) -> (number: Int, address: UnsafeRawPointer)? {
    numbered.find(map, key)
  }

  /// The same in a map that may be changed. A long key takes long to compare: it is looked for where it was found last.
  @inline(never)
  func findOwn(_ key: MapKey, in map: UnsafeMutableRawPointer) -> (number: Int, value: FoundPart)? {
    guard let last else { return numbered.findOwn(map, key, -1) }
    let found = numbered.findOwn(map, key, last.pointee.entry)
    if let found { last.pointee.entry = found.number }
    return found
  }

  /// The address at which the value of the entry of a number, which exists, can be changed.
  @inline(never)
  func mutableValue(numbered number: Int, in map: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    numbered.mutableAddress(map, number)
  }

  /// True if the list finds its elements by their ids.
  var hasIDs: Bool { form == .list && element.pointee.schema.hasID }

  /// The key of an entry that a Lua key stands for; nil where no entry can have it.
  func mapKey(_ key: LuaArgument) -> MapKey? {
    last = nil
    return switch (form, key.kind) {
    case (.integerMap, .integer(let number)): .int(number)
    case (.integerMap, .string(let text)) where schema.isReadByItsType && text.text.isWideInteger: .string(text.text)
    case (.textMap, .string(let text)): (ShortText.text(text.bytes) ?? longKey(text)).map { .string($0) }
    default: nil
    }
  }

  /// A key that is not kept in place. A call asks for one several times, and calls that follow each other for the same: the latest are
  /// not made anew.
  private func longKey(_ text: LuaBytes) -> String? {
    guard text.count > 15, text.count <= Self.longestKept else { return text.validText }
    let end = text.bytes.loadUnaligned(fromByteOffset: text.count - 8, as: UInt64.self)
    let place = latestKeys + Int(truncatingIfNeeded: (end &* 0x9e37_79b9_7f4a_7c15) >> 61)
    if !place.pointee.key.hasBytes(text.bytes) {
      guard let key = text.validText else { return nil }
      place.pointee = LatestKey(key: key)
    }
    last = place
    return place.pointee.key
  }

  private var latestKeys: UnsafeMutablePointer<LatestKey> {
    if let latest { return latest }
    let made = UnsafeMutablePointer<LatestKey>.allocate(capacity: Self.keptKeys)
    made.initialize(repeating: LatestKey(), count: Self.keptKeys)
    latest = made
    return made
  }

  private static var keptKeys: Int { 8 }

  private static var longestKept: Int { 64 }

  /// The type name of the keys of a list or a map.
  var keyName: String { form == .textMap ? Schema.KeyKind.string.name : Schema.KeyKind.int.name }

  deinit {
    for index in fields.indices { fields[index].forget() }
    firstField.deallocate()
    names.deinitialize()
    names.deallocate()
    shownParts.deallocate()
    slots.deallocate()
    latest?.deinitialize(count: Self.keptKeys)
    latest?.deallocate()
    element.pointee.forget()
    element.deallocate()
  }

  /// The field at a position.
  @inline(__always)
  func part(_ position: Int) -> UnsafeMutablePointer<SlicePart> { firstField + position }

  /// The position of the field that a key names, from 0.
  @inline(__always)
  func position(of text: LuaBytes) -> Int? {
    for index in fields.indices where fields[index].key == text.pointer { return index }
    // Lua interns no longer strings.
    return text.count > 40 && keys.count == fields.count ? keys.firstIndex { $0 == text } : nil
  }
}

/// The type of a field or an element, and where it is: all of it plain words, so that looking at it counts no references.
struct SlicePart {
  /// The name's address in the Lua state; nil for an element.
  let key: UnsafeRawPointer?
  /// The offset of the field from the start of the record, in bytes.
  let offset: Int
  let memory: Access.Memory
  let form: Form
  /// True if the value has parts that Lua reads, and a Swift type that changes them together only, such as a set.
  let isWhole: Bool
  let minimum: Int
  let maximum: Int
  private let unmanagedSchema: Unmanaged<Schema>
  /// The shape of the value, through an optional; nil until somebody asks.
  var shape: Unmanaged<SliceShape>?

  /// The kind of value that Lua reads and writes.
  enum Form {
    /// An integer between `minimum` and `maximum`.
    case int
    case double
    case bool
    case string
    /// Another scalar, an enum, an optional scalar: converted.
    case other
    /// Something with parts of its own: an object.
    case parts
    /// The same, or nothing.
    case optionalParts
  }

  init(_ schema: Schema, key: UnsafeRawPointer?, offset: Int) {
    unmanagedSchema = .passRetained(schema)
    self.key = key
    self.offset = offset
    memory = schema.access.memory
    var bounds = (Int.min, Int.max)
    switch schema.kind {
    case .int(let minimum, let maximum):
      form = .int
      bounds = (minimum ?? .min, maximum ?? .max)
    case .double: form = .double
    case .bool: form = .bool
    case .string: form = .string
    case .record, .list, .map: form = .parts
    case .optional(let wrapped): form = wrapped.kind.hasParts ? .optionalParts : .other
    case .choice, .decimal, .union, .any: form = .other
    }
    (minimum, maximum) = bounds
    isWhole = schema.unwrapped.isWhole
  }

  var schema: Schema { unmanagedSchema.takeUnretainedValue() }

  /// True if Lua gets objects for the values.
  var hasParts: Bool { form == .parts || form == .optionalParts }

  /// Lets go of the schema; to be called once, last.
  func forget() { unmanagedSchema.release() }
}

extension RecordAccess {
  /// The offset of a field from the start of the fields, in bytes.
  func offset(of position: Int) -> Int {
    switch self {
    case .flat(let fields): fields[position].offset
    case .dynamic: position * MemoryLayout<Value>.stride
    }
  }
}

extension Schema {
  /// True if the parts of a value are not reached where they are.
  fileprivate var isWhole: Bool {
    guard kind.hasParts, case .none = access.parts else { return false }
    return true
  }

  /// The type without an optional around it.
  var unwrapped: Schema {
    if case .optional(let wrapped) = kind { return wrapped }
    return self
  }
}

/// The fields of a record of a type, as far as a table of scalars needs no closer look to become one.
final class FieldDefaults {
  let layout: RecordLayout
  /// The addresses of the names in Lua.
  let addresses: [UnsafeRawPointer]
  /// The values of the fields that are not given.
  let values: [Value]
  /// The fields that have to be given, a bit each.
  let required: UInt64

  /// Nil for a type that is no record, or has too many fields.
  init?(_ schema: Schema, _ keys: [LuaKey]) {
    guard case .record(let record) = schema.kind, !schema.isReadByItsType, keys.count == record.fields.count,
      keys.count <= LuaArgument.mostFields
    else { return nil }
    layout = record.layout
    addresses = keys.map(\.pointer)
    values = record.fields.map { $0.defaultValue ?? .none }
    required = record.fields.enumerated().reduce(0) { $1.element.isRequired ? $0 | 1 << UInt64($1.offset) : $0 }
  }
}
