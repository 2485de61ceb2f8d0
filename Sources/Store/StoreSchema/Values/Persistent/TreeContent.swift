/// The content of a `TreeNode`: the type of its elements, and the note that an inner node keeps of each child. The note
/// saves a search the look into the child.
@usableFromInline
protocol TreeContent {
  associatedtype Element
  /// A copy of the part of a child's first element that orders it; empty where elements have a position only.
  associatedtype Separator

  static func separator(of element: UnsafePointer<Element>) -> Separator

  /// True if elements may have an id by which they are looked for.
  static var mayHaveIDs: Bool { get }
}

/// Elements found by position alone.
@usableFromInline
enum ListContent<Element>: TreeContent {
  @inlinable
  static func separator(of element: UnsafePointer<Element>) {}

  /// Numbers and texts have none; told by their size, so that lists of them pay nothing for it.
  @inlinable static var mayHaveIDs: Bool { MemoryLayout<Element>.size > 8 && Element.self != String.self }
}

/// Entries that stand in ascending order of their keys.
@usableFromInline
enum MapContent<Key: Comparable, Value>: TreeContent {
  @usableFromInline
  struct Entry {
    @usableFromInline var key: Key
    @usableFromInline var value: Value

    @inlinable
    init(key: Key, value: Value) {
      self.key = key
      self.value = value
    }
  }

  @usableFromInline typealias Element = Entry

  @inlinable
  static func separator(of element: UnsafePointer<Entry>) -> Key { element.pointee.key }

  /// The entries have keys.
  @inlinable static var mayHaveIDs: Bool { false }
}
