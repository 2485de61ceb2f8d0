/// The way into memory that holds a value of one type.
///
/// Every pointer must point to an initialised value of the type that the schema describes. A schema that `@Schema`
/// derived takes a Swift value, a dynamic one a ``Value``. Closures, not methods of a generic class, because the
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
  /// The number of bytes that the value takes in memory. Equal bytes mean equal values; 0: not to be compared that way.
  public let byteCount: Int
  /// The content of the memory, where that can be told without a call.
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

  /// The kinds of content in memory.
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

    /// The content of the memory of a scalar type.
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

  /// The parts that a value has. The ways to them are objects, because they are taken up at every step of a walk.
  /// Copying one reference is cheaper than copying a closure for each of them.
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
  /// The address of the copy.
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
