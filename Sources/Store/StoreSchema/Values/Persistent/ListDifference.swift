/// An element in which two lists differ whose elements are told apart by ids. Positions count from 0.
public enum ListDifference: Equatable, Sendable {
  /// An element of the old list that the new one lacks.
  case gone(Int)
  /// An element of the new list that the old one lacks.
  case come(Int)
  /// An element of both that is another now.
  case changed(old: Int, new: Int)
}
