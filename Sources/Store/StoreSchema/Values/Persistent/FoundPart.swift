/// A part that was looked for in a value that may be changed.
public struct FoundPart {
  /// The address of the part.
  public let address: UnsafeMutableRawPointer
  /// True if it can be changed there, since nobody shares it or anything on the way to it.
  public let isOwn: Bool

  /// Joins them.
  @inlinable
  public init(_ address: UnsafeMutableRawPointer, isOwn: Bool) {
    self.address = address
    self.isOwn = isOwn
  }
}
