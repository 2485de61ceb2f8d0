extension PersistentMap {
  /// The value of `key`, or nil where there is none; setting nil removes the entry. Changed in place, without a
  /// copy of the value.
  @inlinable
  public subscript(key: Key) -> Value? {
    get { find(key).entry?.pointee.value }
    set {
      if let newValue {
        updateValue(newValue, forKey: key)
      } else {
        removeValue(forKey: key)
      }
    }
    _modify {
      let (rank, entry) = find(key)
      if entry == nil {
        var value: Value?
        defer { if let value { tree.insert(Entry(key: key, value: value), at: rank) } }
        yield &value
      } else {
        let place = Self.value(of: tree.mutableElement(at: rank))
        var value: Value? = place.move()
        defer {
          if let value {
            place.initialize(to: value)
          } else {
            // The value has been moved out, the key has not.
            tree.remove(at: rank) { entry in
              _ = withUnsafeMutablePointer(to: &entry.pointee.key) { $0.deinitialize(count: 1) }
            }
          }
        }
        yield &value
      }
    }
  }

  /// The value of `key`, or `defaultValue` where there is none; changing it adds the entry. Changed in place.
  @inlinable
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { find(key).entry?.pointee.value ?? defaultValue() }
    _modify { yield &mutableValue(forKey: key, default: defaultValue()).pointee }
  }

  /// Calls `body` with the address of a value, valid during the call.
  /// - Returns: the result of `body`, or nil if there is no such key.
  @inlinable
  public func withValue<R>(forKey key: Key, _ body: (UnsafePointer<Value>) throws -> R) rethrows -> R? {
    guard let entry = find(key).entry else { return nil }
    return try body(UnsafePointer(Self.value(of: entry)))
  }

  /// Calls `body` with the address of a value, to be changed in place; valid during the call.
  /// - Returns: the result of `body`, or nil if there is no such key.
  @inlinable
  public mutating func withMutableValue<R>(
    forKey key: Key, _ body: (UnsafeMutablePointer<Value>) throws -> R
  ) rethrows -> R? {
    let (rank, entry) = find(key)
    guard entry != nil else { return nil }
    return try body(Self.value(of: tree.mutableElement(at: rank)))
  }

  /// Calls `body` with the address of a value, to be changed in place; valid during the call. If there is no such key,
  /// it is added with `defaultValue` first, and stays even if `body` throws.
  @inlinable
  public mutating func withMutableValue<R>(
    forKey key: Key, default defaultValue: @autoclosure () -> Value,
    _ body: (UnsafeMutablePointer<Value>) throws -> R
  ) rethrows -> R {
    try body(mutableValue(forKey: key, default: defaultValue()))
  }

  @inlinable
  mutating func mutableValue(
    forKey key: Key, default defaultValue: @autoclosure () -> Value
  ) -> UnsafeMutablePointer<Value> {
    let (rank, entry) = find(key)
    if entry == nil { tree.insert(Entry(key: key, value: defaultValue()), at: rank) }
    return Self.value(of: tree.mutableElement(at: rank))
  }

  /// Sets the value of `key`.
  /// - Returns: its former value, or nil where there was none.
  @inlinable
  @discardableResult
  public mutating func updateValue(_ value: __owned Value, forKey key: Key) -> Value? {
    let (rank, entry) = find(key)
    guard entry != nil else {
      tree.insert(Entry(key: key, value: value), at: rank)
      return nil
    }
    let place = Self.value(of: tree.mutableElement(at: rank))
    let former = place.move()
    place.initialize(to: value)
    return former
  }

  /// Removes the entry of `key`.
  /// - Returns: its value, or nil where there was none.
  @inlinable
  @discardableResult
  public mutating func removeValue(forKey key: Key) -> Value? {
    let (rank, entry) = find(key)
    return entry == nil ? nil : tree.remove(at: rank).value
  }

  /// Removes all entries.
  @inlinable
  public mutating func removeAll() { self = Self() }
}
