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
  /// Copies a value and gives what assigns the copy.
  public typealias Keep = @Sendable (UnsafeRawPointer) -> (UnsafeMutableRawPointer) -> Void
  /// Copies a value into memory of its own.
  public typealias Copy = @Sendable (UnsafeRawPointer) -> CopiedPart
  /// Both ways to copy a value of one type.
  public typealias Copies = (keep: Keep, copy: Copy)

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
  /// What the memory holds, where that can be told without a call.
  public let memory: Memory
  /// Copies the value, sharing what can be shared, and gives what puts the copy back.
  public let keep: Keep
  /// Copies the value, sharing what can be shared, into memory of its own, where it can be read and changed.
  public let copy: Copy

  /// Joins the ways into a value.
  @inlinable
  public init(
    byteCount: Int = 0, memory: Memory = .other, copies: Copies, read: @escaping Read, assign: @escaping Assign,
    isEqual: @escaping Compare, parts: Parts = .none
  ) {
    self.byteCount = byteCount
    self.memory = memory
    keep = copies.keep
    copy = copies.copy
    self.read = read
    self.assign = assign
    self.isEqual = isEqual
    self.parts = parts
  }

  /// What memory holds.
  public enum Memory: Sendable {
    /// A ``Value``.
    case value
    /// A `Bool`.
    case bool
    /// An `Int`.
    case int
    /// A `Double`.
    case double
    /// A `String`.
    case string
    /// Anything else.
    case other

    /// What the memory of a scalar type holds.
    @inlinable
    public init<Scalar>(of type: Scalar.Type) {
      if type == Bool.self {
        self = .bool
      } else if type == Int.self {
        self = .int
      } else if type == Double.self {
        self = .double
      } else if type == String.self {
        self = .string
      } else {
        self = .other
      }
    }
  }

  /// The ways to copy a value of a type.
  @inlinable
  public static func copying<Root: Sendable>(_ type: Root.Type) -> Copies {
    (
      keep: { source in
        let value = source.assumingMemoryBound(to: Root.self).pointee
        return { $0.assumingMemoryBound(to: Root.self).pointee = value }
      },
      copy: { source in
        let memory = UnsafeMutablePointer<Root>.allocate(capacity: 1)
        memory.initialize(to: source.assumingMemoryBound(to: Root.self).pointee)
        return CopiedPart(UnsafeMutableRawPointer(memory)) {
          $0.assumingMemoryBound(to: Root.self).deinitialize(count: 1)
          $0.deallocate()
        }
      }
    )
  }

  /// The parts that a value has. The ways to them are objects: they are taken up at every step of a walk, and one reference
  /// is cheaper to copy than a closure for each of them.
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

/// A copy of a part in memory of its own, which goes with the object.
public final class CopiedPart {
  /// Where the copy is.
  public let address: UnsafeMutableRawPointer
  private let free: (UnsafeMutableRawPointer) -> Void

  /// Takes over memory that holds a copy.
  ///
  /// - Parameter free: lets go of what the memory holds, and of the memory.
  public init(_ address: UnsafeMutableRawPointer, free: @escaping (UnsafeMutableRawPointer) -> Void) {
    self.address = address
    self.free = free
  }

  deinit { free(address) }
}

/// What reads a part: gets the address of the part, valid only while it runs.
public typealias PartReader = (UnsafeRawPointer) -> Void

/// What changes a part in place: gets the address of the part, valid only while it runs.
public typealias PartWriter = (UnsafeMutableRawPointer) throws -> Void

/// The way to the value that an optional may hold.
public final class OptionalAccess: Sendable {
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

/// A part that was looked for in a value that may be changed.
public struct FoundPart {
  /// Where it is.
  public let address: UnsafeMutableRawPointer
  /// Whether it can be changed there, since nobody shares it or anything on the way to it.
  public let isOwn: Bool

  /// Joins them.
  @inlinable
  public init(_ address: UnsafeMutableRawPointer, isOwn: Bool) {
    self.address = address
    self.isOwn = isOwn
  }
}

/// The way to the elements of a list. Positions count from 0.
///
/// The address of an element holds as long as the list stays where it is and nothing in it is changed but by such
/// addresses.
public final class ListAccess: Sendable {
  /// How many elements there are.
  public let count: @Sendable (UnsafeRawPointer) -> Int
  /// Where the element at a position is, which must exist.
  public let address: @Sendable (UnsafeRawPointer, Int) -> UnsafeRawPointer
  /// Where the element at a position, which must exist, can be changed in place; what snapshots share is copied first.
  public let mutableAddress: @Sendable (UnsafeMutableRawPointer, Int) -> UnsafeMutableRawPointer
  /// Where the element at a position of a list that may be changed is, and whether it can be changed there; nil where there
  /// is none.
  public let find: @Sendable (UnsafeMutableRawPointer, Int) -> FoundPart?
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
    address: @escaping @Sendable (UnsafeRawPointer, Int) -> UnsafeRawPointer,
    mutableAddress: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> UnsafeMutableRawPointer,
    insert: @escaping @Sendable (UnsafeMutableRawPointer, Int, Value) throws(SchemaError) -> Void,
    remove: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> Void,
    commonEnds: @escaping @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> (prefix: Int, suffix: Int),
    find: (@Sendable (UnsafeMutableRawPointer, Int) -> FoundPart?)? = nil
  ) {
    self.find =
      find ?? { list, position in
        guard position >= 0, position < count(list) else { return nil }
        return FoundPart(UnsafeMutableRawPointer(mutating: address(list, position)), isOwn: false)
      }
    self.count = count
    self.address = address
    self.mutableAddress = mutableAddress
    self.insert = insert
    self.remove = remove
    self.commonEnds = commonEnds
  }

  /// Hands out the element at a position, which must exist.
  @inlinable
  public func read(_ list: UnsafeRawPointer, _ index: Int, _ body: PartReader) { body(address(list, index)) }

  /// Hands out the element at a position, which must exist, for change in place.
  @inlinable
  public func modify(_ list: UnsafeMutableRawPointer, _ index: Int, _ body: PartWriter) throws {
    try body(mutableAddress(list, index))
  }
}

/// The way to the entries of a map.
public final class MapAccess: Sendable {
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
  /// All keys in order; nil where walking by `nextKey` costs no more.
  public let sortedKeys: (@Sendable (UnsafeRawPointer) -> [MapKey])?
  /// Visits in key order at least the entries that differ between two maps, with nil for an absent value.
  public let visitDifferences:
    @Sendable (
      UnsafeRawPointer, UnsafeRawPointer, (MapKey, UnsafeRawPointer?, UnsafeRawPointer?) -> Void
    ) -> Void
  /// The way to values that have addresses of their own; nil where a map does not let them out.
  public let numbered: NumberedEntries?

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
      ) -> Void, numbered: NumberedEntries? = nil, sortedKeys: (@Sendable (UnsafeRawPointer) -> [MapKey])? = nil
  ) {
    self.sortedKeys = sortedKeys
    self.numbered = numbered
    self.count = count
    self.read = read
    self.modify = modify
    self.set = set
    self.remove = remove
    self.nextKey = nextKey
    self.visitDifferences = visitDifferences
  }
}

/// The way to map entries by numbers of their own, which tell where in the map an entry stands. Numbers and addresses hold as
/// long as the map stays where it is and nothing in it is changed but by such addresses.
public struct NumberedEntries: Sendable {
  /// The number of the entry under a key and the address of its value; nil where there is none.
  public let find: @Sendable (UnsafeRawPointer, MapKey) -> (number: Int, address: UnsafeRawPointer)?
  /// The same in a map that may be changed, and whether the value can be changed where it is.
  public let findOwn: @Sendable (UnsafeMutableRawPointer, MapKey) -> (number: Int, value: FoundPart)?
  /// Where the value of the entry of a number, which must exist, can be changed in place; what snapshots share is copied
  /// first.
  public let mutableAddress: @Sendable (UnsafeMutableRawPointer, Int) -> UnsafeMutableRawPointer

  /// Joins the ways to the entries.
  @inlinable
  public init(
    find: @escaping @Sendable (UnsafeRawPointer, MapKey) -> (number: Int, address: UnsafeRawPointer)?,
    findOwn: @escaping @Sendable (UnsafeMutableRawPointer, MapKey) -> (number: Int, value: FoundPart)?,
    mutableAddress: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> UnsafeMutableRawPointer
  ) {
    self.find = find
    self.findOwn = findOwn
    self.mutableAddress = mutableAddress
  }
}

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

  /// Where the fields of a ``Value/record(_:)`` are, one ``Value`` after the other.
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

/// The way into an enum.
public final class UnionAccess: Sendable {
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
