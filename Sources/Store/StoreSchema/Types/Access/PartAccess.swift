/// Reads a part: gets its address, valid only during the call.
public typealias PartReader = (UnsafeRawPointer) -> Void

/// Changes a part in place: gets its address, valid only during the call.
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
