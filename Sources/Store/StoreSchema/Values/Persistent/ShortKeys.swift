/// Finds texts that are kept in place in the keys of a map. Only two words and a tag have to be looked at, where
/// comparing any two texts takes many times longer. Row L2 takes 21 % more of the processor without it.
struct ShortKeys {
  /// The bits by which the last word of a text in place is known, and what they are.
  fileprivate let mask: UInt64
  fileprivate let mark: UInt64
  fileprivate let tag: UInt8

  fileprivate static let tagOffset = MemoryLayout<MapKey>.size - 1

  /// The way to find them, as a look at some keys tells; nil: keys are laid out in another way.
  static let finding: ShortKeys? = {
    // The marks of ASCII and of other text differ in one bit, which is not looked at.
    guard let marks = ShortText.marks, (marks.ascii ^ marks.other).nonzeroBitCount == 1,
      tagOffset == MemoryLayout<String>.size
    else { return nil }
    func bytes<Content>(_ content: Content) -> [UInt8] { withUnsafeBytes(of: content) { Array($0) } }
    let tag = bytes(MapKey.string(""))[tagOffset]
    for text in ["a", "é", "fifteen bytes..", "longer than fifteen bytes"] {
      guard bytes(MapKey.string(text)) == bytes(text) + [tag] else { return nil }
    }
    guard [0, 1, -1, Int.min].allSatisfy({ bytes(MapKey.int($0))[tagOffset] != tag }) else { return nil }
    let mask = UInt64(0xf0 & ~(marks.ascii ^ marks.other)) << 56
    return ShortKeys(mask: mask, mark: UInt64(marks.ascii) << 56 & mask, tag: tag)
  }()

  /// Writes the bytes of a text that is kept in place to sixteen bytes of memory, those behind it with something.
  ///
  /// - Returns: the number of its bytes; nil, and nothing is written, where the key is something else.
  @inline(__always)
  static func write(_ key: UnsafePointer<MapKey>, to memory: UnsafeMutableRawPointer) -> Int? {
    guard let finding else { return nil }
    let words = KeySearch.words(at: key)
    guard words.tag == finding.tag, words.last & finding.mask == finding.mark else { return nil }
    memory.storeBytes(of: words.first, as: UInt64.self)
    memory.storeBytes(of: words.last, toByteOffset: 8, as: UInt64.self)
    return Int(truncatingIfNeeded: words.last >> 56) & 15
  }
}

/// A comparison of the keys of a map with the one that is looked for.
struct KeySearch {
  private let key: UnsafePointer<MapKey>
  /// As in ``ShortKeys``; where the key is no text in place, such that they fit no other one.
  private let mask: UInt64
  private let mark: UInt64
  private let tag: UInt8
  // Words that sort as the bytes of the text do. The count is behind all bytes, and tells apart what differs in zero bytes
  // only; the mark, which follows from the bytes, is left out.
  private let first: UInt64
  private let last: UInt64

  @inline(__always)
  init(_ key: UnsafePointer<MapKey>) {
    self.key = key
    let finding = ShortKeys.finding ?? ShortKeys(mask: 0, mark: 1, tag: 0)
    let words = Self.words(at: key)
    let isShort = words.tag == finding.tag && words.last & finding.mask == finding.mark
    (mask, mark, tag) = (isShort ? finding.mask : 0, isShort ? finding.mark : 1, finding.tag)
    (first, last) = (words.first.byteSwapped, Self.ordered(words.last))
  }

  @inline(__always)
  fileprivate static func words(at key: UnsafePointer<MapKey>) -> (first: UInt64, last: UInt64, tag: UInt8) {
    let memory = UnsafeRawPointer(key)
    return (
      memory.load(as: UInt64.self), memory.load(fromByteOffset: 8, as: UInt64.self),
      memory.load(fromByteOffset: ShortKeys.tagOffset, as: UInt8.self)
    )
  }

  @inline(__always)
  private static func ordered(_ last: UInt64) -> UInt64 { (last & 0x0fff_ffff_ffff_ffff).byteSwapped }

  @inline(__always)
  func isBefore(_ other: UnsafePointer<MapKey>) -> Bool {
    let words = Self.words(at: other)
    guard words.tag == tag, words.last & mask == mark else { return Self.isBelow(key, other) }
    let otherFirst = words.first.byteSwapped
    return first == otherFirst ? last < Self.ordered(words.last) : first < otherFirst
  }

  @inline(__always)
  func isBehind(_ other: UnsafePointer<MapKey>) -> Bool {
    let words = Self.words(at: other)
    guard words.tag == tag, words.last & mask == mark else { return Self.isBelow(other, key) }
    let otherFirst = words.first.byteSwapped
    return first == otherFirst ? Self.ordered(words.last) < last : otherFirst < first
  }

  @inline(__always)
  func isEqual(_ other: UnsafePointer<MapKey>) -> Bool {
    let words = Self.words(at: other)
    guard words.tag == tag, words.last & mask == mark else { return other.pointee == key.pointee }
    return first == words.first.byteSwapped && last == Self.ordered(words.last)
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
  ///
  /// - Parameter guess: the number of an entry at which to look first, which need not be there; -1: none.
  mutating func ownPlace(ofKey key: MapKey, guess: Int) -> (number: Int, value: FoundPart)? {
    guard let root = tree.unmanagedRoot else { return nil }
    var isOwn = isKnownUniquelyReferenced(&tree.root) && root._withUnsafeGuaranteedRef { $0.hasOwnStorage }
    if guess >= 0 {
      var isGuessOwn = isOwn
      let entry = Self.entry(numbered: guess, below: root) { $0.child($1, isOwn: &isGuessOwn) }
      if let entry, Self.key(of: entry).pointee == key {
        return (guess, FoundPart(UnsafeMutableRawPointer(Self.value(of: entry)), isOwn: isGuessOwn))
      }
    }
    let place = Self.descend(from: root, to: key) { $0.child($1, isOwn: &isOwn) }
    return place.map { ($0.number, FoundPart(UnsafeMutableRawPointer(Self.value(of: $0.entry)), isOwn: isOwn)) }
  }

  /// The address of the value of the entry of a number, to be changed in place; copies shared nodes on the way.
  mutating func mutableValue(numbered number: Int) -> UnsafeMutablePointer<Value> {
    Self.value(of: tree.mutableElement(numbered: number))
  }

  @usableFromInline typealias Node = TreeNode<MapContent<Key, Value>>

  /// The entry of a number; nil: there is none.
  ///
  /// - Parameter child: a child of a node.
  @inline(__always)
  private static func entry(
    numbered number: Int, below root: Unmanaged<Node>, child: (Node, Int) -> Unmanaged<Node>
  ) -> UnsafeMutablePointer<Entry>? {
    var node = root
    var height = root._withUnsafeGuaranteedRef { $0.height }
    guard number >> (Node.numberShift + Node.fanOutShift * height) == 0 else { return nil }
    while true {
      let index = Node.index(of: number, atHeight: height)
      guard index < node._withUnsafeGuaranteedRef({ $0.slots }) else { return nil }
      if height == 0 { return node._withUnsafeGuaranteedRef { $0.elements + index } }
      node = node._withUnsafeGuaranteedRef { child($0, index) }
      height -= 1
    }
  }

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
