/// The values of a dictionary, by their keys: `.of(\.named)`.
public struct KeyedEntries<Whole, Entries: KeyedCollection>: StateFocus where Entries.Key: Hashable & Sendable {
  @usableFromInline let slice: KeyPathFocus<Whole, Entries>

  @inlinable
  init(_ path: WritableKeyPath<Whole, Entries> & Sendable) { slice = KeyPathFocus(path) }

  /// True if the dictionary lies behind a class reference.
  @inlinable public var sharesParts: Bool { slice.sharesParts }

  /// Changes the value under a key, if there is one.
  @inlinable
  public func modify(
    _ whole: inout Whole, at key: Entries.Key, _ body: (inout Entries.Value) throws -> Void
  ) rethrows {
    try slice.modify(&whole, at: ()) { entries in try entries.modifyValue(forKey: key, body) }
  }
}

extension KeyedEntries: ElementsFocus where Entries.Key: Comparable {
  /// Changes every value, in the order of the keys (R31).
  @inlinable
  public func modifyEach(_ whole: inout Whole, _ body: (inout Entries.Value) throws -> Void) rethrows {
    try slice.modify(&whole, at: ()) { entries in
      for key in entries.keys.sorted() { try entries.modifyValue(forKey: key, body) }
    }
  }
}

// Keys are comparable, because long-lived effects of the entries start in the order of the keys (R31).
extension KeyedEntries: ElementReading where Entries.Key: Comparable {
  /// True: a key leads to its value.
  @inlinable public var findsQuickly: Bool { true }

  /// The value under a key, if there is one.
  @inlinable
  public func element(_ key: Entries.Key, in whole: Whole) -> Entries.Value? { whole[keyPath: slice.path][key] }

  /// Walks along the values in the order of the keys.
  @inlinable
  public func walk(_ whole: Whole, _ body: (Entries.Key, Entries.Value) -> Bool) {
    let entries = whole[keyPath: slice.path]
    for key in entries.keys.sorted() {
      if let value = entries[key], !body(key, value) { return }
    }
  }
}
