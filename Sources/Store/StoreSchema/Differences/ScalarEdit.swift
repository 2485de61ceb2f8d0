import Synchronization

/// The places of a type that differ in nothing but the keys of maps. A tree of them grows with the places that are asked for.
package final class PlaceShape: @unchecked Sendable {
  // Safe: constants, but for the children. These are looked at by the one thread alone that finds places.
  /// A number that no other shape has.
  package let id: Int
  /// The steps; `all` stands for the keys of maps.
  package let steps: [Path.Step]
  /// The steps that are keys, a bit each.
  package let keys: Int
  /// The shapes of the fields of a record there, by position; made when they are first asked for.
  @exclusivity(unchecked) private var fields: [PlaceShape?] = []
  /// The shape of the entries of a map there.
  @exclusivity(unchecked) private var entries: PlaceShape?

  private static let count = Atomic<Int>(0)
  /// A type that holds itself has no end of places.
  private static let deepest = 16

  private init(_ steps: [Path.Step], keys: Int) {
    id = Self.count.add(1, ordering: .relaxed).newValue
    (self.steps, self.keys) = (steps, keys)
  }

  /// The shape of one place: the slice of a name.
  package convenience init(slice name: String) { self.init([.field(name)], keys: 0) }

  /// The name of the slice.
  fileprivate var slice: String {
    if case .field(let name) = steps[0] { return name }
    return ""
  }

  /// The shape of a field of a record here; nil: it is too deep. Its name stands where the type has it. Lives as long as this one.
  @inline(__always)
  package func field(_ index: Int, _ name: UnsafePointer<String>) -> Unmanaged<PlaceShape>? {
    if index < fields.count {
      let known = fields.withUnsafeBufferPointer { $0[index].map(Unmanaged.passUnretained) }
      if let known { return known }
    }
    return addField(index, name)
  }

  @inline(never)
  private func addField(_ index: Int, _ name: UnsafePointer<String>) -> Unmanaged<PlaceShape>? {
    guard steps.count < Self.deepest else { return nil }
    while fields.count <= index { fields.append(nil) }
    let shape = PlaceShape(steps + [.field(name.pointee)], keys: keys)
    fields[index] = shape
    return .passUnretained(shape)
  }

  /// The shape of the entries of a map here; nil: it is too deep. Lives as long as this one.
  package var entry: Unmanaged<PlaceShape>? {
    if entries == nil, steps.count < Self.deepest {
      entries = PlaceShape(steps + [.all], keys: keys | 1 << steps.count)
    }
    return entries.map(Unmanaged.passUnretained)
  }
}

/// What an action changed, where it wrote integers and truths alone to a slice: the most frequent difference, in plain words. Paths and
/// values are made of it when somebody asks for changes.
public final class ScalarEdit: @unchecked Sendable {
  // Safe: one who alone refers to it fills it; then it is only read.
  /// The shape of the slice: it holds those of all places.
  package let root: PlaceShape
  /// The name of the slice.
  package let slice: String
  private let changes: UnsafeMutablePointer<Item>
  @exclusivity(unchecked) private var changeCount = 0
  /// The keys of the places.
  @exclusivity(unchecked) private var keys: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var keyCount = 0
  @exclusivity(unchecked) private var keyCapacity = 256

  /// The number of changes.
  package var count: Int { changeCount }

  /// The most changes.
  package static let most = 48

  /// That one integer or truth took the place of another.
  package struct Item {
    package let shape: Unmanaged<PlaceShape>
    /// Where the keys of the place begin.
    fileprivate let keys: Int
    /// True if it is a truth, which is 0 or 1.
    package let isTruth: Bool
    package let from: Int
    package let to: Int
  }

  /// A key where it lies.
  package enum Key {
    case int(Int)
    case text(UnsafeRawBufferPointer)
  }

  package init(_ root: PlaceShape) {
    (self.root, slice) = (root, root.slice)
    changes = .allocate(capacity: Self.most)
    keys = .allocate(byteCount: keyCapacity, alignment: 8)
  }

  deinit {
    changes.deallocate()
    keys.deallocate()
  }

  /// True if the slice has a name.
  package func isOf(slice name: String) -> Bool { slice.hasSameBytes(as: name) }

  /// Forgets all changes.
  package func removeAll() { (changeCount, keyCount) = (0, 0) }

  /// Begins the keys of a place.
  package var nextKeys: Int { keyCount }

  /// Adds a key to those of a place, read where it lies: a copy would count references.
  @inline(__always)
  package func add(keyAt place: UnsafePointer<MapKey>) {
    reserve(24)
    guard let count = ShortKeys.write(place, to: keys + keyCount + 8) else { return add(longKeyAt: place) }
    keys.storeBytes(of: count, toByteOffset: keyCount, as: Int.self)
    keyCount += 8 + (count + 7) & ~7
  }

  @inline(never)
  private func add(longKeyAt place: UnsafePointer<MapKey>) {
    switch place.pointee {
    case .int(let number):
      keys.storeBytes(of: -1, toByteOffset: keyCount, as: Int.self)
      keys.storeBytes(of: number, toByteOffset: keyCount + 8, as: Int.self)
      keyCount += 16
    case .string(let text):
      let added: Void? = text.utf8.withContiguousStorageIfAvailable { add(text: UnsafeRawBufferPointer($0)) }
      if added == nil { Array(text.utf8).withUnsafeBytes { add(text: $0) } }
    }
  }

  private func add(text: UnsafeRawBufferPointer) {
    // All begin at eight bytes.
    let size = 8 + (text.count + 7) & ~7
    reserve(size)
    keys.storeBytes(of: text.count, toByteOffset: keyCount, as: Int.self)
    if let start = text.baseAddress { (keys + keyCount + 8).copyMemory(from: start, byteCount: text.count) }
    keyCount += size
  }

  private func reserve(_ size: Int) {
    // Sixteen bytes can be read from each text.
    guard keyCount + size + 16 > keyCapacity else { return }
    keyCapacity = max(keyCapacity * 2, keyCount + size + 16)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: keyCapacity, alignment: 8)
    larger.copyMemory(from: keys, byteCount: keyCount)
    keys.deallocate()
    keys = larger
  }

  /// Adds a change, of which there may be ``most``.
  package func add(_ shape: Unmanaged<PlaceShape>, keys: Int, from: Int, to: Int, isTruth: Bool) {
    precondition(changeCount < Self.most)
    (changes + changeCount).initialize(to: Item(shape: shape, keys: keys, isTruth: isTruth, from: from, to: to))
    changeCount += 1
  }

  /// The change at a position, from 0.
  @inline(__always)
  package func change(_ index: Int) -> Item { changes[index] }

  /// As many bytes as the keys of a change's place take at most, each with a mark, as texts behind their length or as numbers of ten bytes.
  @inline(__always)
  package func keySize(of change: Item) -> Int {
    var (rest, place) = (change.shape._withUnsafeGuaranteedRef { $0.keys }, change.keys)
    while rest != 0 {
      rest &= rest - 1
      place += Self.size(of: keys.load(fromByteOffset: place, as: Int.self))
    }
    return place - change.keys
  }

  /// The bytes that a key takes here, given the length of its text; -1: it is a number.
  @inline(__always)
  private static func size(of count: Int) -> Int { count < 0 ? 16 : 8 + (count + 7) & ~7 }

  /// Hands out the keys of a change's place in order, each with the position of its step. Of a text sixteen bytes may be read at least.
  @inline(__always)
  package func visitKeys(of change: Item, _ body: (_ step: Int, Key) -> Void) {
    var rest = change.shape._withUnsafeGuaranteedRef { $0.keys }
    var place = change.keys
    while rest != 0 {
      let step = rest.trailingZeroBitCount
      rest &= rest - 1
      let size = keys.load(fromByteOffset: place, as: Int.self)
      if size < 0 {
        body(step, .int(keys.load(fromByteOffset: place + 8, as: Int.self)))
      } else {
        body(step, .text(UnsafeRawBufferPointer(start: keys + place + 8, count: size)))
      }
      place += Self.size(of: size)
    }
  }

  /// The steps to the place of a change.
  package func steps(of change: Item) -> [Path.Step] {
    change.shape._withUnsafeGuaranteedRef { shape in
      if shape.keys == 0 { return shape.steps }
      var steps = shape.steps
      visitKeys(of: change) { step, key in
        switch key {
        case .int(let number): steps[step] = .key(.int(number))
        case .text(let bytes): steps[step] = .key(.string(String(decoding: bytes, as: UTF8.self)))
        }
      }
      return steps
    }
  }

  /// Appends the changes.
  package func append(to all: inout [Change]) {
    all.reserveCapacity(all.count + count)
    for index in 0..<count {
      let change = changes[index]
      let kind: Change.Kind =
        change.isTruth
        ? .replace(from: .bool(change.from == 1), to: .bool(change.to == 1))
        : .replace(from: .int(change.from), to: .int(change.to))
      all.append(Change(Path(steps(of: change)), kind))
    }
  }

  /// The changes.
  package var all: [Change] {
    var all: [Change] = []
    append(to: &all)
    return all
  }
}
