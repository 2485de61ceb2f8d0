/// Finds texts that are kept in place in the keys of a map: two words and a tag are all that has to be looked at, where
/// comparing any two texts takes many times longer.
struct ShortKeys {
  private let marks: ShortText.Marks
  private let tag: UInt8

  private static let tagOffset = MemoryLayout<MapKey>.size - 1

  /// How they are found, as a look at some keys tells; nil where keys are laid out in another way.
  static let finding: ShortKeys? = {
    guard let marks = ShortText.marks, tagOffset == MemoryLayout<String>.size else { return nil }
    func bytes<Content>(_ content: Content) -> [UInt8] { withUnsafeBytes(of: content) { Array($0) } }
    let tag = bytes(MapKey.string(""))[tagOffset]
    for text in ["a", "é", "fifteen bytes..", "longer than fifteen bytes"] {
      guard bytes(MapKey.string(text)) == bytes(text) + [tag] else { return nil }
    }
    guard [0, 1, -1, Int.min].allSatisfy({ bytes(MapKey.int($0))[tagOffset] != tag }) else { return nil }
    return ShortKeys(marks: marks, tag: tag)
  }()

  /// The text of the key at an address; nil where it is no short one.
  @inline(__always)
  func text(at key: UnsafePointer<MapKey>) -> ShortText? {
    let memory = UnsafeRawPointer(key)
    guard memory.load(fromByteOffset: Self.tagOffset, as: UInt8.self) == tag else { return nil }
    return ShortText(
      first: memory.load(as: UInt64.self), last: memory.load(fromByteOffset: 8, as: UInt64.self), marks)
  }
}

extension PersistentMap where Key == MapKey {
  /// The rank of `key` and where its value is, valid as long as the map is neither changed nor released.
  func place(ofKey key: MapKey) -> (rank: Int, value: UnsafePointer<Value>)? {
    withUnsafePointer(to: key) { pointer in
      guard let keys = ShortKeys.finding, let text = keys.text(at: pointer) else { return place(of: key) }
      let (rank, entry) = find(
        isAbove: { other in keys.text(at: other).map { text < $0 } ?? Self.isBelow(pointer, other) },
        isBelow: { other in keys.text(at: other).map { $0 < text } ?? Self.isBelow(other, pointer) },
        isEqual: { other in keys.text(at: other).map { $0 == text } ?? (other.pointee == pointer.pointee) })
      return entry.map { (rank, UnsafePointer(Self.value(of: $0))) }
    }
  }

  @inline(never)
  private static func isBelow(_ left: UnsafePointer<MapKey>, _ right: UnsafePointer<MapKey>) -> Bool {
    left.pointee < right.pointee
  }
}
