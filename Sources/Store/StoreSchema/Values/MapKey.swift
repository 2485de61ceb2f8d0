/// The key of a map entry: an integer or a text, ordered as R31 asks: integers first, then texts by their UTF-8 bytes.
public enum MapKey: Hashable, Comparable, Sendable {
  /// An integer key.
  case int(Int)
  /// A text key.
  case string(String)

  /// Integers before texts; integers by size, texts by bytes.
  public static func < (left: MapKey, right: MapKey) -> Bool {
    switch (left, right) {
    case (.int(let left), .int(let right)): left < right
    case (.int, .string): true
    case (.string, .int): false
    case (.string(let left), .string(let right)): left.precedesByBytes(right)
    }
  }

  /// Two keys are equal when neither stands before the other: texts byte by byte, so that two spellings of the same
  /// character are two keys.
  public static func == (left: MapKey, right: MapKey) -> Bool {
    switch (left, right) {
    case (.int(let left), .int(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    default: false
    }
  }

  /// The key as a value.
  public var value: Value {
    switch self {
    case .int(let key): .int(key)
    case .string(let key): .string(key)
    }
  }

  /// The key that a value stands for, or nil where it is neither an integer nor text.
  public init?(_ value: Value) {
    switch value {
    case .int(let key): self = .int(key)
    case .string(let key): self = .string(key)
    default: return nil
    }
  }
}

extension String {
  /// True if two texts agree byte by byte; `==` also takes different spellings of a character for one.
  package func hasSameBytes(as other: String) -> Bool {
    // Texts that are kept in place, and those that share their bytes.
    let isSameText = withUnsafePointer(to: self) { text in
      withUnsafePointer(to: other) { StoreSchema.hasSameBytes(text, $0, MemoryLayout<String>.size) }
    }
    if isSameText { return true }
    guard utf8.count == other.utf8.count else { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        // Not `memcmp`: who calls C code is thought to change anything, and those who ask count references.
        let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
        var index = 0
        while index + 8 <= left.count {
          let word = left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
          if word != right.loadUnaligned(fromByteOffset: index, as: UInt64.self) { return false }
          index += 8
        }
        while index < left.count {
          if left[index] != right[index] { return false }
          index += 1
        }
        return true
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// True if this text sorts before another by UTF-8 bytes, whatever the locale.
  public func precedesByBytes(_ other: String) -> Bool {
    let order = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        // As above.
        let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
        let count = min(left.count, right.count)
        var index = 0
        while index + 8 <= count {
          let word = left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
          let other = right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
          if word != other { return UInt64(bigEndian: word) < UInt64(bigEndian: other) }
          index += 8
        }
        while index < count {
          if left[index] != right[index] { return left[index] < right[index] }
          index += 1
        }
        return left.count < right.count
      }
    }
    return (order ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
  }
}

extension MapKey {
  /// A hash that is quicker than a good one.
  public var quickHash: Int {
    switch self {
    case .int(let key): return key
    case .string(let key):
      if let short = ShortText(key) { return short.quickHash }
      let hash = key.utf8.withContiguousStorageIfAvailable { Self.quickHash(UnsafeRawBufferPointer($0)) }
      return hash ?? Array(key.utf8).withUnsafeBytes { Self.quickHash($0) }
    }
  }

  private static func quickHash(_ bytes: UnsafeRawBufferPointer) -> Int {
    var (hash, index) = (UInt64(truncatingIfNeeded: bytes.count), 0)
    func mix(_ word: UInt64) {
      hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
      hash ^= hash >> 32
    }
    while index + 8 <= bytes.count {
      mix(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      index += 8
    }
    while index < bytes.count {
      mix(UInt64(bytes[index]))
      index += 1
    }
    return Int(truncatingIfNeeded: hash)
  }
}
