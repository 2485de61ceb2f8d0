/// The way into memory that holds a value of one type.
///
/// Every pointer must point to an initialised value of the type that the schema describes: a Swift value for a
/// schema that `@Schema` derived, a ``Value`` for a dynamic one. Closures, not methods of a generic class, because the
/// compiler specialises a closure that an inlinable generic function makes, and never a generic class's methods.
public struct Access: Sendable {
  /// Reads the whole value.
  public typealias Read = @Sendable (UnsafeRawPointer) -> Value
  /// Replaces the whole value by one that has passed ``Schema/check(_:)``.
  public typealias Assign = @Sendable (Value, UnsafeMutableRawPointer) throws(SchemaError) -> Void
  /// Compares two values.
  public typealias Compare = @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool

  /// Reads the whole value.
  public let read: Read
  /// Replaces the whole value.
  public let assign: Assign
  /// Compares two values; quick where they share storage.
  public let isEqual: Compare
  /// The way to the value's parts.
  public let parts: Parts
  /// How many bytes the value takes in memory: where they are the same, the values are; 0: not to be compared that way.
  public let byteCount: Int

  /// Joins the ways into a value.
  @inlinable
  public init(
    byteCount: Int = 0, read: @escaping Read, assign: @escaping Assign, isEqual: @escaping Compare,
    parts: Parts = .none
  ) {
    self.byteCount = byteCount
    self.read = read
    self.assign = assign
    self.isEqual = isEqual
    self.parts = parts
  }

  /// The parts that a value has.
  public enum Parts: Sendable {
    /// None: a scalar.
    case none
    /// The wrapped value, where there is one.
    case optional(OptionalAccess)
    /// Elements by position.
    case list(ListAccess)
    /// Entries by key.
    case map(MapAccess)
    /// Fields by position.
    case record(RecordAccess)
    /// The payload of the current case.
    case union(UnionAccess)
  }
}

/// What reads a part: gets the address of the part, valid only while it runs.
public typealias PartReader = (UnsafeRawPointer) -> Void

/// What changes a part in place: gets the address of the part, valid only while it runs.
public typealias PartWriter = (UnsafeMutableRawPointer) throws -> Void

/// The way to the value that an optional may hold.
public struct OptionalAccess: Sendable {
  /// Hands out the wrapped value; false where there is none.
  public let read: @Sendable (UnsafeRawPointer, PartReader) -> Bool
  /// Hands out the wrapped value for change in place; false where there is none.
  public let modify: @Sendable (UnsafeMutableRawPointer, PartWriter) throws -> Bool

  /// Joins the ways to the wrapped value.
  @inlinable
  public init(
    read: @escaping @Sendable (UnsafeRawPointer, PartReader) -> Bool,
    modify: @escaping @Sendable (UnsafeMutableRawPointer, PartWriter) throws -> Bool
  ) {
    self.read = read
    self.modify = modify
  }
}

/// The way to the elements of a list. Positions count from 0.
public struct ListAccess: Sendable {
  /// How many elements there are.
  public let count: @Sendable (UnsafeRawPointer) -> Int
  /// Hands out the element at a position, which must exist.
  public let read: @Sendable (UnsafeRawPointer, Int, PartReader) -> Void
  /// Hands out the element at a position, which must exist, for change in place.
  public let modify: @Sendable (UnsafeMutableRawPointer, Int, PartWriter) throws -> Void
  /// Puts a checked value at a position, moving the elements from there on up by one.
  public let insert: @Sendable (UnsafeMutableRawPointer, Int, Value) throws(SchemaError) -> Void
  /// Takes the element at a position away.
  public let remove: @Sendable (UnsafeMutableRawPointer, Int) -> Void
  /// How many elements two lists share at the start and, of the rest, at the end; quick where they share storage.
  public let commonEnds: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> (prefix: Int, suffix: Int)

  /// Joins the ways to the elements.
  @inlinable
  public init(
    count: @escaping @Sendable (UnsafeRawPointer) -> Int,
    read: @escaping @Sendable (UnsafeRawPointer, Int, PartReader) -> Void,
    modify: @escaping @Sendable (UnsafeMutableRawPointer, Int, PartWriter) throws -> Void,
    insert: @escaping @Sendable (UnsafeMutableRawPointer, Int, Value) throws(SchemaError) -> Void,
    remove: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> Void,
    commonEnds: @escaping @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> (prefix: Int, suffix: Int)
  ) {
    self.count = count
    self.read = read
    self.modify = modify
    self.insert = insert
    self.remove = remove
    self.commonEnds = commonEnds
  }
}

/// The way to the entries of a map.
public struct MapAccess: Sendable {
  /// How many entries there are.
  public let count: @Sendable (UnsafeRawPointer) -> Int
  /// Hands out the value under a key; false where there is none.
  public let read: @Sendable (UnsafeRawPointer, MapKey, PartReader) -> Bool
  /// Hands out the value under a key for change in place; false where there is none.
  public let modify: @Sendable (UnsafeMutableRawPointer, MapKey, PartWriter) throws -> Bool
  /// Puts a checked value under a key.
  public let set: @Sendable (UnsafeMutableRawPointer, MapKey, Value) throws(SchemaError) -> Void
  /// Takes the entry under a key away, where there is one.
  public let remove: @Sendable (UnsafeMutableRawPointer, MapKey) -> Void
  /// The first key after another, or the very first; nil at the end.
  public let nextKey: @Sendable (UnsafeRawPointer, MapKey?) -> MapKey?
  /// Visits in key order at least the entries that differ between two maps, with nil for an absent value.
  public let visitDifferences:
    @Sendable (
      UnsafeRawPointer, UnsafeRawPointer, (MapKey, UnsafeRawPointer?, UnsafeRawPointer?) -> Void
    ) -> Void

  /// Joins the ways to the entries.
  @inlinable
  public init(
    count: @escaping @Sendable (UnsafeRawPointer) -> Int,
    read: @escaping @Sendable (UnsafeRawPointer, MapKey, PartReader) -> Bool,
    modify: @escaping @Sendable (UnsafeMutableRawPointer, MapKey, PartWriter) throws -> Bool,
    set: @escaping @Sendable (UnsafeMutableRawPointer, MapKey, Value) throws(SchemaError) -> Void,
    remove: @escaping @Sendable (UnsafeMutableRawPointer, MapKey) -> Void,
    nextKey: @escaping @Sendable (UnsafeRawPointer, MapKey?) -> MapKey?,
    visitDifferences:
      @escaping @Sendable (
        UnsafeRawPointer, UnsafeRawPointer, (MapKey, UnsafeRawPointer?, UnsafeRawPointer?) -> Void
      ) -> Void
  ) {
    self.count = count
    self.read = read
    self.modify = modify
    self.set = set
    self.remove = remove
    self.nextKey = nextKey
    self.visitDifferences = visitDifferences
  }
}

/// The way to the fields of a record. Positions count from 0, in declared order.
public enum RecordAccess: Sendable {
  /// A Swift struct: the fields' byte offsets.
  case flat(offsets: [Int])
  /// A ``Value/record(_:)``.
  case dynamic

  /// Hands out the field at a position.
  @inlinable
  public func read(_ record: UnsafeRawPointer, _ index: Int, _ body: PartReader) {
    switch self {
    case .flat(let offsets): body(record + offsets[index])
    case .dynamic:
      guard case .record(let fields) = record.assumingMemoryBound(to: Value.self).pointee else { return }
      withUnsafePointer(to: fields.values[index]) { body(UnsafeRawPointer($0)) }
    }
  }

  /// Hands out the field at a position for change in place.
  @inlinable
  public func modify(_ record: UnsafeMutableRawPointer, _ index: Int, _ body: PartWriter) throws {
    switch self {
    case .flat(let offsets): try body(record + offsets[index])
    case .dynamic:
      let value = record.assumingMemoryBound(to: Value.self)
      guard case .record(var fields) = value.pointee else { return }
      // Emptied meanwhile, so that `fields` is the only owner and changes in place.
      value.pointee = .none
      defer { value.pointee = .record(fields) }
      try withUnsafeMutablePointer(to: &fields.values[index]) { try body(UnsafeMutableRawPointer($0)) }
    }
  }
}

/// The way into an enum.
public struct UnionAccess: Sendable {
  /// The position of the current case, from 0.
  public let caseIndex: @Sendable (UnsafeRawPointer) -> Int
  /// The current case's payload in declared order.
  public let payload: @Sendable (UnsafeRawPointer) -> [Value]
  /// Hands out one payload field of the current case, by position from 0, for change in place.
  public let modify: @Sendable (UnsafeMutableRawPointer, Int, PartWriter) throws -> Void

  /// Joins the ways into an enum.
  @inlinable
  public init(
    caseIndex: @escaping @Sendable (UnsafeRawPointer) -> Int,
    payload: @escaping @Sendable (UnsafeRawPointer) -> [Value],
    modify: @escaping @Sendable (UnsafeMutableRawPointer, Int, PartWriter) throws -> Void
  ) {
    self.caseIndex = caseIndex
    self.payload = payload
    self.modify = modify
  }
}
