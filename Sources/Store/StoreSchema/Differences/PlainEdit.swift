import Synchronization

/// The places of a type that differ in nothing but the keys of maps and the elements of lists. A tree of them grows with the places that
/// are asked for.
@usableFromInline
package final class PlaceShape: @unchecked Sendable {
  // Safe: constants, but for the children. These are looked at by the one thread alone that finds places.
  /// A number that no other shape has.
  package let id: Int
  /// The steps; `all` stands for the keys of maps, and elements have no id, or the position 0.
  package let steps: [Path.Step]
  /// The steps in which such places differ, a bit each.
  @usableFromInline package let keys: Int
  /// Those of them that are positions.
  package let positions: Int
  /// Those of them that are ids of elements.
  private let elementKeys: Int
  /// The name of the slice, and a number that the shapes of all its places share.
  package let (slice, sliceID): (String, Int)
  /// The shapes of the fields of a record there, by position; made when they are first asked for.
  @exclusivity(unchecked) @usableFromInline var fields: [PlaceShape?] = []
  /// The shape of the entries of a map there, and those of the elements of a list by id and by position.
  @exclusivity(unchecked) private var entries: PlaceShape?
  @exclusivity(unchecked) private var elements: PlaceShape?
  @exclusivity(unchecked) private var numbered: PlaceShape?
  /// What stands in the JSON of changes here before the first key and behind the last one, for each form that they have; empty: it was not
  /// written yet. Memory of its own, as arrays would be counted; nil: there is none.
  @exclusivity(unchecked) private var texts: UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>?
  private static let textCount = 8

  private static let count = Atomic<Int>(0)
  /// A type that holds itself has no end of places.
  private static let deepest = 16

  private init(_ steps: [Path.Step], keys: Int, positions: Int = 0, within outer: PlaceShape? = nil) {
    id = Self.count.add(1, ordering: .relaxed).newValue
    (self.steps, self.keys, self.positions) = (steps, keys, positions)
    elementKeys = steps.indices.reduce(0) { if case .match = steps[$1] { $0 | 1 << $1 } else { $0 } }
    if let outer, steps.count > 1 {
      (slice, sliceID) = (outer.slice, outer.sliceID)
    } else {
      (slice, sliceID) = if case .field(let name)? = steps.first { (name, id) } else { ("", id) }
    }
  }

  deinit {
    for index in 0..<Self.textCount { texts?[index].deallocate() }
    texts?.deallocate()
  }

  /// Such a text.
  @inline(__always)
  func text(_ index: Int) -> UnsafeBufferPointer<UInt8> { texts?[index] ?? UnsafeBufferPointer(start: nil, count: 0) }

  /// Keeps such a text.
  func setText(_ index: Int, _ text: [UInt8]) {
    if texts == nil {
      let all = UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>.allocate(capacity: Self.textCount)
      all.initialize(repeating: UnsafeBufferPointer(start: nil, count: 0), count: Self.textCount)
      texts = all
    }
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
    _ = memory.initialize(from: text)
    texts?[index] = UnsafeBufferPointer(memory)
  }

  /// The shape of the outermost record, whose fields are slices.
  package convenience init() { self.init([], keys: 0) }

  /// The shape of one place: the slice of a name.
  package convenience init(slice name: String) { self.init([.field(name)], keys: 0) }

  /// The shape of a field of a record here; nil: it is too deep. Lives as long as this one.
  @inlinable
  @inline(__always)
  package func field(_ index: Int, _ name: @autoclosure () -> String) -> Unmanaged<PlaceShape>? {
    if index < fields.count {
      let known = fields.withUnsafeBufferPointer { $0[index].map(Unmanaged.passUnretained) }
      if let known { return known }
    }
    return addField(index, name())
  }

  @inline(never)
  @usableFromInline
  func addField(_ index: Int, _ name: String) -> Unmanaged<PlaceShape>? {
    guard steps.count < Self.deepest else { return nil }
    while fields.count <= index { fields.append(nil) }
    let shape = PlaceShape(steps + [.field(name)], keys: keys, positions: positions, within: self)
    fields[index] = shape
    return .passUnretained(shape)
  }

  /// The shape of the entries of a map here; nil: it is too deep. Lives as long as this one.
  package var entry: Unmanaged<PlaceShape>? {
    if entries == nil { entries = part(.all) }
    return entries.map(Unmanaged.passUnretained)
  }

  /// The shape of the elements of a list here that have an id; nil: it is too deep. Lives as long as this one.
  var element: Unmanaged<PlaceShape>? {
    if elements == nil { elements = part(.match(field: ElementIdentity.fieldName, .none)) }
    return elements.map(Unmanaged.passUnretained)
  }

  /// The shape of the elements of a list here that have none; nil: it is too deep. Lives as long as this one.
  var position: Unmanaged<PlaceShape>? {
    if numbered == nil { numbered = part(.index(0), isPosition: true) }
    return numbered.map(Unmanaged.passUnretained)
  }

  private func part(_ step: Path.Step, isPosition: Bool = false) -> PlaceShape? {
    guard steps.count < Self.deepest else { return nil }
    let bit = 1 << steps.count
    return PlaceShape(
      steps + [step], keys: keys | bit, positions: positions | (isPosition ? bit : 0), within: self)
  }

  /// The position of the first step in which such places differ; behind the last one where there is none.
  package var firstKey: Int { keys == 0 ? steps.count : keys.trailingZeroBitCount }

  /// True if one element named by its id is all in which such places differ.
  var namesOneElement: Bool { keys != 0 && keys & (keys - 1) == 0 && keys == elementKeys }

  /// The position behind the last such step.
  var endOfKeys: Int { Int.bitWidth - keys.leadingZeroBitCount }

  /// True if the last step is a position or a key.
  var endsInPart: Bool {
    switch steps.last {
    case .index, .all: true
    default: false
    }
  }

  /// True if a path leads to such a place.
  package func hasShape(of path: [Path.Step]) -> Bool {
    path.count == steps.count
      && path.indices.allSatisfy { index in
        guard keys >> index & 1 == 1 else { return path[index] == steps[index] }
        return switch (path[index], steps[index]) {
        case (.key, .all), (.index, .index): true
        case (.match(let field, _), .match(let other, _)): field == other
        default: false
        }
      }
  }
}

/// What an action changed, in plain words: of integers and truths what they were and are, and of other values where they lie in the states
/// before and after. An edit is good as long as these states are. Paths and values are made of it where changes are asked for.
public final class PlainEdit: @unchecked Sendable {
  // Safe: one who alone refers to it fills it; then it is only read.
  /// The shape that holds those of all places.
  package let root: PlaceShape
  /// The values that lie in neither state.
  @exclusivity(unchecked) private var held: [Value] = []
  @usableFromInline let changes: UnsafeMutablePointer<Item>
  @exclusivity(unchecked) @usableFromInline var changeCount = 0
  /// The keys of the places.
  @exclusivity(unchecked) @usableFromInline var keys: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var keyCount = 0
  @exclusivity(unchecked) private var keyCapacity = 256

  /// The number of changes.
  @inlinable package var count: Int { changeCount }

  /// The most changes.
  package static let most = 48

  /// What became of a place.
  @usableFromInline
  package struct Item {
    @usableFromInline package let shape: Unmanaged<PlaceShape>
    /// Where the keys of the place begin.
    @usableFromInline let keys: Int
    package let kind: Kind
    /// As ``Change/isInPlace``.
    package let isInPlace: Bool
    /// The position of the element that the path names by its id; -1: it names none.
    package let position: Int
    /// The type of a value whose address `from` or `to` is; nil: they count the values that the edit holds.
    package let schema: Unmanaged<Schema>?
    package let from: Int
    package let to: Int
  }

  /// The kinds of an item.
  package enum Kind {
    /// One value took the place of another, came, or went.
    case replaced, added, removed
    /// An element got the position `to`.
    case moved
    /// An integer took the place of another.
    case integer
    /// So did a truth, which is 0 or 1.
    case truth
  }

  /// A key where it lies.
  @usableFromInline
  package enum Key {
    case int(Int)
    case text(UnsafeRawBufferPointer)
  }

  package init(_ root: PlaceShape) {
    self.root = root
    changes = .allocate(capacity: Self.most)
    keys = .allocate(byteCount: keyCapacity, alignment: 8)
  }

  deinit {
    changes.deallocate()
    keys.deallocate()
  }

  /// True if it is one of a slice that has a name.
  package func isOf(slice name: String) -> Bool { root.slice.hasSameBytes(as: name) }

  /// Forgets all changes.
  package func removeAll() {
    (changeCount, keyCount) = (0, 0)
    if !held.isEmpty { held.removeAll(keepingCapacity: true) }
  }

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

  /// Adds that one integer or truth took the place of another. There may be ``most`` changes.
  package func add(
    _ shape: Unmanaged<PlaceShape>, keys: Int, from: Int, to: Int, isTruth: Bool, position: Int = -1
  ) {
    add(
      Item(
        shape: shape, keys: keys, kind: isTruth ? .truth : .integer, isInPlace: false, position: position, schema: nil,
        from: from, to: to))
  }

  /// Adds what became of a value of a type. There may be ``most`` changes.
  ///
  /// - Parameters:
  ///   - old: where the value before lies; nil: there was none.
  ///   - new: where the value after lies; nil: there is none.
  ///   - isHeld: true if they do not lie in the states.
  func add(
    _ kind: Kind, _ shape: Unmanaged<PlaceShape>, keys: Int, _ schema: Schema, _ old: UnsafeRawPointer?,
    _ new: UnsafeRawPointer?, position: Int, isInPlace: Bool, isHeld: Bool
  ) {
    func hold(_ value: UnsafeRawPointer?) -> Int {
      guard let value else { return 0 }
      held.append(schema.access.read(value))
      return held.count - 1
    }
    add(
      Item(
        shape: shape, keys: keys, kind: kind, isInPlace: isInPlace, position: position,
        schema: isHeld ? nil : .passUnretained(schema), from: isHeld ? hold(old) : Int(bitPattern: old),
        to: isHeld ? hold(new) : Int(bitPattern: new)))
  }

  /// Adds that an element got another position. There may be ``most`` changes.
  func add(moveOf shape: Unmanaged<PlaceShape>, keys: Int, from position: Int, to: Int) {
    add(
      Item(
        shape: shape, keys: keys, kind: .moved, isInPlace: false, position: position, schema: nil, from: 0, to: to))
  }

  @inline(__always)
  private func add(_ item: Item) {
    precondition(changeCount < Self.most)
    (changes + changeCount).initialize(to: item)
    changeCount += 1
  }

  /// A value that the edit holds.
  package func heldValue(_ index: Int) -> Value { held[index] }

  private func value(_ place: Int, of change: Item) -> Value {
    guard let schema = change.schema else { return held[place] }
    guard let address = UnsafeRawPointer(bitPattern: place) else { return .none }
    return schema._withUnsafeGuaranteedRef { $0.access.read(address) }
  }

  /// The change at a position, from 0.
  @inlinable
  @inline(__always)
  package func change(_ index: Int) -> Item { changes[index] }

  /// As many bytes as the keys of a change's place take at most, each with a mark, as texts behind their length or as numbers of ten bytes.
  @inlinable
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
  @inlinable
  @inline(__always)
  static func size(of count: Int) -> Int { count < 0 ? 16 : 8 + (count + 7) & ~7 }

  /// Hands out the keys of a change's place in order, each with the position of its step. Of a text sixteen bytes may be read at least.
  @inlinable
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

  /// The only key of a change's place, if there is one alone and it is a number.
  @inline(__always)
  package func onlyNumber(of change: Item) -> Int? {
    let steps = change.shape._withUnsafeGuaranteedRef { $0.keys }
    guard steps & (steps - 1) == 0, keys.load(fromByteOffset: change.keys, as: Int.self) < 0 else { return nil }
    return keys.load(fromByteOffset: change.keys + 8, as: Int.self)
  }

  /// The step of a key where a shape has another.
  package static func step(like step: Path.Step, _ key: Key) -> Path.Step {
    let key: MapKey =
      switch key {
      case .int(let number): .int(number)
      case .text(let bytes): .string(String(decoding: bytes, as: UTF8.self))
      }
    return switch (step, key) {
    case (.index, .int(let number)): .index(number)
    case (.match(let field, _), _): .match(field: field, key.value)
    default: .key(key)
    }
  }

  /// The steps to the place of a change.
  package func steps(of change: Item) -> [Path.Step] {
    change.shape._withUnsafeGuaranteedRef { shape in
      if shape.keys == 0 { return shape.steps }
      var steps = shape.steps
      visitKeys(of: change) { step, key in steps[step] = Self.step(like: steps[step], key) }
      return steps
    }
  }

  /// True if changes are the same, member for member.
  package func isSame(as others: [Change]) -> Bool {
    guard others.count == count else { return false }
    // From where they lie: a copy would count all that a change refers to.
    return others.withUnsafeBufferPointer { others in
      guard let first = others.baseAddress else { return true }
      return (0..<count).allSatisfy { isSame(changes[$0], as: first + $0) }
    }
  }

  private func isSame(_ own: Item, as other: UnsafePointer<Change>) -> Bool {
    guard own.isInPlace == other.pointee.isInPlace,
      other.pointee.positions.count == (own.position < 0 ? 0 : 1),
      own.position < 0 || other.pointee.positions[0] == own.position, hasPlace(own, of: other)
    else { return false }
    switch (own.kind, other.pointee.kind) {
    case (.integer, .replace(.int(let from), .int(let to))): return own.from == from && own.to == to
    case (.truth, .replace(.bool(let from), .bool(let to))): return own.from == (from ? 1 : 0) && own.to == (to ? 1 : 0)
    case (.replaced, .replace(let from, let to)):
      return value(own.from, of: own) == from && value(own.to, of: own) == to
    case (.added, .add(let added)): return value(own.to, of: own) == added
    case (.removed, .remove(let removed)): return value(own.from, of: own) == removed
    case (.moved, .move(let position)): return own.to == position
    default: return false
    }
  }

  private func hasPlace(_ own: Item, of other: UnsafePointer<Change>) -> Bool {
    own.shape._withUnsafeGuaranteedRef { shape in
      guard shape.hasShape(of: other.pointee.path.steps) else { return false }
      var isSame = true
      visitKeys(of: own) { step, key in
        isSame = isSame && Self.step(like: shape.steps[step], key) == other.pointee.path.steps[step]
      }
      return isSame
    }
  }

  /// True if a greater integer took the place of one at a path.
  package func raises(_ path: Path) -> Bool {
    (0..<count).contains { index in
      let change = changes[index]
      return change.kind == .integer && change.to > change.from && steps(of: change) == path.steps
    }
  }

  /// Appends the changes.
  package func append(to all: inout [Change]) {
    all.reserveCapacity(all.count + count)
    for index in 0..<count {
      let change = changes[index]
      let kind: Change.Kind =
        switch change.kind {
        case .integer: .replace(from: .int(change.from), to: .int(change.to))
        case .truth: .replace(from: .bool(change.from == 1), to: .bool(change.to == 1))
        case .replaced: .replace(from: value(change.from, of: change), to: value(change.to, of: change))
        case .added: .add(value(change.to, of: change))
        case .removed: .remove(value(change.from, of: change))
        case .moved: .move(to: change.to)
        }
      let positions = change.position < 0 ? Change.Positions([]) : Change.Positions(only: change.position)
      all.append(Change(Path(steps(of: change)), kind, at: positions, isInPlace: change.isInPlace))
    }
  }

  /// The changes.
  package var all: [Change] {
    var all: [Change] = []
    append(to: &all)
    return all
  }
}
