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

  /// A number by which the key at an address stands among short texts; nil where it is none.
  @inline(__always)
  func order(at key: UnsafePointer<MapKey>) -> UInt128? {
    let memory = UnsafeRawPointer(key)
    guard memory.load(fromByteOffset: Self.tagOffset, as: UInt8.self) == tag else { return nil }
    return ShortText(
      first: memory.load(as: UInt64.self), last: memory.load(fromByteOffset: 8, as: UInt64.self), marks)?.order
  }
}

/// How the keys of a map stand to the one that is looked for.
struct KeySearch {
  private let key: UnsafePointer<MapKey>
  private let keys: ShortKeys?
  private let order: UInt128

  @inline(__always)
  init(_ key: UnsafePointer<MapKey>) {
    self.key = key
    if let finding = ShortKeys.finding, let order = finding.order(at: key) {
      (keys, self.order) = (finding, order)
    } else {
      (keys, order) = (nil, 0)
    }
  }

  @inline(__always)
  func isBefore(_ other: UnsafePointer<MapKey>) -> Bool {
    if let keys, let other = keys.order(at: other) { return order < other }
    return Self.isBelow(key, other)
  }

  @inline(__always)
  func isBehind(_ other: UnsafePointer<MapKey>) -> Bool {
    if let keys, let other = keys.order(at: other) { return other < order }
    return Self.isBelow(other, key)
  }

  @inline(__always)
  func isEqual(_ other: UnsafePointer<MapKey>) -> Bool {
    if let keys, let other = keys.order(at: other) { return other == order }
    return other.pointee == key.pointee
  }

  @inline(never)
  private static func isBelow(_ left: UnsafePointer<MapKey>, _ right: UnsafePointer<MapKey>) -> Bool {
    left.pointee < right.pointee
  }
}

extension PersistentMap where Key == MapKey {
  /// The number of the entry of `key` and where its value is, valid as long as the map is neither changed nor released.
  func place(ofKey key: MapKey) -> (number: Int, value: UnsafePointer<Value>)? {
    guard let root = tree.unmanagedRoot else { return nil }
    return Self.descend(from: root, to: key) { Unmanaged.passUnretained($0.children[$1]) }
      .map { ($0.number, UnsafePointer(Self.value(of: $0.entry))) }
  }

  /// The same, and whether the value can be changed where it is.
  mutating func ownPlace(ofKey key: MapKey) -> (number: Int, value: FoundPart)? {
    guard let root = tree.unmanagedRoot else { return nil }
    var isOwn = isKnownUniquelyReferenced(&tree.root)
    let place = Self.descend(from: root, to: key) { $0.child($1, isOwn: &isOwn) }
    return place.map { ($0.number, FoundPart(UnsafeMutableRawPointer(Self.value(of: $0.entry)), isOwn: isOwn)) }
  }

  /// Where the value of the entry of a number is, to be changed in place; copies what is shared on the way.
  mutating func mutableValue(numbered number: Int) -> UnsafeMutablePointer<Value> {
    Self.value(of: tree.mutableElement(numbered: number))
  }

  @usableFromInline typealias Node = TreeNode<MapContent<Key, Value>>

  /// - Parameter child: a child of a node.
  @inline(__always)
  private static func descend(
    from root: Unmanaged<Node>, to key: MapKey, child: (Node, Int) -> Unmanaged<Node>
  ) -> (number: Int, entry: UnsafeMutablePointer<Entry>)? {
    withUnsafePointer(to: key) { key in
      let search = KeySearch(key)
      var node = root
      var number = 0
      while node._withUnsafeGuaranteedRef({ $0.height }) > 0 {
        node = node._withUnsafeGuaranteedRef { node in
          let index = node.childIndex { search.isBefore($0) }
          number = number << Node.fanOutShift | index
          return child(node, index)
        }
      }
      return node._withUnsafeGuaranteedRef { leaf in
        let index = leaf.elementIndex { search.isBehind($0) }
        guard index < leaf.slots else { return nil }
        let entry = leaf.elements + index
        return search.isEqual(Self.key(of: entry)) ? (number << Node.numberShift | index, entry) : nil
      }
    }
  }
}
