import StoreCore
import StoreSchema

/// Entries as bytes: most take 30 to 100 of them.
///
/// Numbers stand relative to the first entry, and what entries have in common, as names, layouts and paths, stands once in the
/// chunk's own vocabulary. An entry that is long, or that has rare members, stays an object.
final class EntryChunk: Sendable {
  private let bytes: [UInt8]
  /// Where each entry begins.
  private let places: [Int32]
  private let objects: [LoggedEntry]
  private let vocabulary: EntryVocabulary
  private let first: (number: Int, time: Int, wall: Int)

  /// Packs entries.
  init(_ entries: [LoggedEntry]) {
    let start = entries.first
    let first = (number: start?.number ?? 0, time: start?.time.wholeNanoseconds ?? 0, wall: start?.wallTime ?? 0)
    var (places, objects): ([Int32], [LoggedEntry]) = ([], [])
    var vocabulary = EntryVocabulary()
    places.reserveCapacity(entries.count)
    var packed: [UInt8] = []
    packed.reserveCapacity(entries.count * 96)
    withUnsafeTemporaryAllocation(byteCount: LoggedEntry.longestPacked, alignment: 8) { room in
      for entry in entries {
        places.append(Int32(truncatingIfNeeded: packed.count))
        var writer = EntryBytesWriter(room)
        if !(entry.isPlain && writer.write(entry, first, &vocabulary)) {
          writer = EntryBytesWriter(room)
          writer.byte(EntryMark.object)
          writer.number(entry.number - first.number)
          writer.number(objects.count)
          objects.append(entry)
        }
        packed.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<writer.offset]))
      }
    }
    // As a slice, so that the array has no room for more.
    (bytes, self.places, self.objects) = (Array(packed[...]), places, objects)
    (self.vocabulary, self.first) = (vocabulary, first)
  }

  /// The number of the entry at an index.
  func number(at index: Int) -> Int {
    reading(index) { reader in
      _ = reader.byte()
      return first.number + reader.number()
    }
  }

  subscript(index: Int) -> LoggedEntry {
    reading(index) { reader in
      let mark = reader.byte()
      let number = first.number + reader.number()
      guard mark != EntryMark.object else { return objects[reader.number()] }
      let time = first.time &+ reader.number()
      let wallTime = mark == EntryMark.withWall ? first.wall &+ reader.number() : nil
      var source = ActionSource(vocabulary.origins[reader.byte()], line: reader.number())
      source.link = reader.number()
      let action = vocabulary.actions[reader.byte()]
      let arguments = reader.values(vocabulary)
      let changes = reader.number()
      return LoggedEntry(
        applied: number, time: .nanoseconds(Int64(time)), wallTime: wallTime, source: source, action: action.name,
        arguments: Record(action.layout, arguments), isQuiet: action.isQuiet,
        changes: (0..<changes).map { _ in reader.change(vocabulary) })
    }
  }

  private func reading<Result>(_ index: Int, _ body: (inout EntryBytesReader) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
      var reader = EntryBytesReader(UnsafeRawBufferPointer(rebasing: bytes[Int(places[index])...]))
      return body(&reader)
    }
  }
}

/// The first byte of an entry.
private enum EntryMark {
  static let (plain, withWall, object): (UInt8, UInt8, UInt8) = (0, 1, 2)
}

/// What the entries of a chunk have in common, each once and found again by the number that it got.
private struct EntryVocabulary: Sendable {
  /// The longest text that an entry may bring, in bytes.
  private static let longest = 255
  var origins = Words<ActionSource.Origin>()
  var actions = Words<Action>()
  var layouts = Words<RecordLayout>()
  var paths = Words<Place>()

  struct Action: Sendable {
    let name: String
    let layout: RecordLayout
    let isQuiet: Bool
  }

  /// A path, or all paths that differ from it in one number: the index, or the id, of one step.
  struct Place: Sendable {
    let steps: [Path.Step]
    /// The step with the number; nil: there is none.
    let hole: Int?
  }

  mutating func index(of origin: ActionSource.Origin) -> UInt8? {
    origins.index {
      $0 === origin
    } adding: {
      origin.info.map { $0.utf8.count > Self.longest } == true ? nil : origin
    }
  }

  mutating func index(ofActionOf entry: LoggedEntry) -> UInt8? {
    actions.index {
      $0.layout === entry.arguments.layout && $0.isQuiet == entry.isQuiet && $0.name == entry.action
    } adding: {
      Action(name: entry.action, layout: entry.arguments.layout, isQuiet: entry.isQuiet)
    }
  }

  mutating func index(of layout: RecordLayout) -> UInt8? {
    layouts.index {
      $0 === layout
    } adding: {
      layout
    }
  }

  mutating func index(of steps: [Path.Step]) -> UInt8? {
    let address = steps.withUnsafeBufferPointer { $0.baseAddress }
    return paths.known { $0.steps.withUnsafeBufferPointer { $0.baseAddress } == address }
      ?? paths.index {
        Self.differ(in: $0.hole, $0.steps, steps)
      } adding: {
        steps.contains { $0.text.map { $0.utf8.count > Self.longest } == true }
          ? nil : Place(steps: steps, hole: steps.lastIndex { $0.number != nil })
      }
  }

  /// The number in a path that is known; nil: it has none.
  func number(in steps: [Path.Step], _ place: UInt8) -> Int? {
    paths[place].hole.flatMap { hole in steps.withUnsafeBufferPointer { $0[hole].number } }
  }

  /// True if two paths are the same but for the number of a step.
  private static func differ(in hole: Int?, _ left: [Path.Step], _ right: [Path.Step]) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        left.indices.allSatisfy { index in
          index == hole ? left[index].isLike(right[index]) : left[index] == right[index]
        }
      }
    }
  }
}

extension Path.Step {
  /// The index, or the id if it is a number; nil: it has none.
  @inline(__always)
  fileprivate var number: Int? {
    switch self {
    case .index(let number), .match(_, .int(let number)): number
    default: nil
    }
  }

  /// The text that stands for an element; nil: none does.
  fileprivate var text: String? {
    switch self {
    case .key(.string(let text)), .match(_, .string(let text)), .field(let text): text
    default: nil
    }
  }

  /// True if another differs in nothing but the number.
  fileprivate func isLike(_ other: Path.Step) -> Bool {
    switch (self, other) {
    case (.index, .index): true
    case (.match(let left, .int), .match(let right, .int)): left == right
    default: false
    }
  }

  fileprivate func with(_ number: Int) -> Path.Step {
    if case .match(let field, _) = self { return .match(field: field, .int(number)) }
    return .index(number)
  }
}

/// Items, each once, by the number that they got.
private struct Words<Item: Sendable>: Sendable {
  private var items: [Item] = []

  subscript(index: UInt8) -> Item { items[Int(index)] }

  /// The number of an item that is there, the latest first.
  @inline(__always)
  func known(_ isIt: (borrowing Item) -> Bool) -> UInt8? { items.lastIndex { isIt($0) }.map { UInt8($0) } }

  /// The number of an item, which is added where it is not there; nil: there is no room, or it is not to be added.
  @inline(__always)
  mutating func index(_ isIt: (borrowing Item) -> Bool, adding item: () -> Item?) -> UInt8? {
    if let known = known(isIt) { return known }
    guard items.count < 64, let item = item() else { return nil }
    items.append(item)
    return UInt8(items.count - 1)
  }
}

// MARK: Bytes

/// Writes the bytes of an entry, and notes where there is no room for them.
private struct EntryBytesWriter {
  private let bytes: UnsafeMutableRawBufferPointer
  private(set) var offset = 0
  private(set) var isFull = false
  /// The longest text, and the most elements of a collection.
  private static let most = 255

  init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  /// The room that is left for what is written next, which is at most so long.
  @inline(__always)
  private mutating func room(for count: Int) -> UnsafeMutableRawPointer? {
    guard offset + count <= bytes.count, let start = bytes.baseAddress else {
      isFull = true
      return nil
    }
    return start + offset
  }

  @inline(__always)
  mutating func byte(_ byte: UInt8) {
    guard let place = room(for: 1) else { return }
    place.storeBytes(of: byte, as: UInt8.self)
    offset += 1
  }

  /// Seven bits a byte, the lowest first; small numbers of either sign are short.
  @inline(__always)
  mutating func number(_ number: Int) {
    guard let place = room(for: 10) else { return }
    var rest = UInt(bitPattern: number << 1 ^ number >> 63)
    var count = 0
    while rest >= 0x80 {
      place.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
      rest >>= 7
      count += 1
    }
    place.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
    offset += count + 1
  }

  private mutating func word(_ word: UInt64) {
    guard let place = room(for: 8) else { return }
    place.storeBytes(of: word, as: UInt64.self)
    offset += 8
  }

  /// - Parameter first: the numbers of the first entry, from which others count.
  /// - Returns: false: it does not fit.
  mutating func write(
    _ entry: LoggedEntry, _ first: (number: Int, time: Int, wall: Int), _ vocabulary: inout EntryVocabulary
  ) -> Bool {
    let time = entry.time.wholeNanoseconds
    guard entry.time == .nanoseconds(Int64(time)), let origin = vocabulary.index(of: entry.source.origin),
      let action = vocabulary.index(ofActionOf: entry)
    else { return false }
    byte(entry.wallTime == nil ? EntryMark.plain : EntryMark.withWall)
    number(entry.number - first.number)
    number(time &- first.time)
    if let wallTime = entry.wallTime { number(wallTime &- first.wall) }
    byte(origin)
    number(entry.source.line)
    number(entry.source.link)
    byte(action)
    guard write(entry.arguments.values, &vocabulary) else { return false }
    number(entry.changes.count)
    for change in entry.changes {
      guard write(change, &vocabulary) else { return false }
    }
    return !isFull
  }

  private mutating func text(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { utf8 in
      guard utf8.count <= Self.most else { return false }
      number(utf8.count)
      guard let place = room(for: utf8.count) else { return false }
      if let start = utf8.baseAddress { place.copyMemory(from: start, byteCount: utf8.count) }
      offset += utf8.count
      return true
    }
  }

  /// - Returns: false: they are no small values.
  mutating func write(_ values: [Value], _ vocabulary: inout EntryVocabulary) -> Bool {
    number(values.count)
    return values.withUnsafeBufferPointer { values in
      for index in values.indices {
        guard write(values[index], &vocabulary) else { return false }
      }
      return true
    }
  }

  private mutating func write(_ record: Record, _ vocabulary: inout EntryVocabulary) -> Bool {
    guard let layout = vocabulary.index(of: record.layout) else { return false }
    byte(layout)
    return write(record.values, &vocabulary)
  }

  private mutating func write(_ value: Value, _ vocabulary: inout EntryVocabulary) -> Bool {
    guard !isFull else { return false }
    switch value {
    case .none: byte(0)
    case .bool(let flag): byte(flag ? 2 : 1)
    case .int(let value):
      byte(3)
      number(value)
    case .double(let value):
      byte(4)
      word(value.bitPattern)
    case .decimal(let value):
      byte(5)
      number(value.units)
      number(Int(value.scale))
    case .string(let value):
      byte(6)
      return text(value)
    case .record(let record):
      byte(7)
      return write(record, &vocabulary)
    case .list(let list):
      guard list.count <= Self.most else { return false }
      byte(8)
      number(list.count)
      for value in list { guard write(value, &vocabulary) else { return false } }
    case .map(let map):
      guard map.count <= Self.most else { return false }
      byte(9)
      number(map.count)
      for (key, value) in map { guard write(key.value, &vocabulary), write(value, &vocabulary) else { return false } }
    case .variant(let variant):
      byte(10)
      return text(variant.name) && write(variant.payload, &vocabulary)
    }
    return true
  }

  /// - Returns: false: it is no small change.
  mutating func write(_ change: Change, _ vocabulary: inout EntryVocabulary) -> Bool {
    guard let place = vocabulary.index(of: change.path.steps), change.positions.count <= Self.most
    else { return false }
    let kind: UInt8 =
      switch change.kind {
      case .replace: 0
      case .add: 1
      case .remove: 2
      case .move: 3
      }
    byte(kind | (change.isInPlace ? 4 : 0))
    byte(place)
    if let number = vocabulary.number(in: change.path.steps, place) { self.number(number) }
    number(change.positions.count)
    change.positions.withUnsafeBufferPointer { positions in
      for index in positions.indices { number(positions[index]) }
    }
    switch change.kind {
    case .replace(let from, let to): return write(from, &vocabulary) && write(to, &vocabulary)
    case .add(let value), .remove(let value): return write(value, &vocabulary)
    case .move(let position): number(position)
    }
    return true
  }
}

/// Reads what ``EntryBytesWriter`` wrote.
private struct EntryBytesReader {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  @inline(__always)
  mutating func byte() -> UInt8 {
    defer { place += 1 }
    return bytes[place]
  }

  @inline(__always)
  mutating func number() -> Int {
    var (bits, shift): (UInt, UInt) = (0, 0)
    while true {
      let next = byte()
      bits |= UInt(next & 0x7F) << shift
      if next < 0x80 { return Int(bitPattern: bits >> 1) ^ -Int(bitPattern: bits & 1) }
      shift += 7
    }
  }

  private mutating func word() -> UInt64 {
    defer { place += 8 }
    return bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
  }

  private mutating func text() -> String {
    let count = number()
    defer { place += count }
    return String(decoding: bytes[place..<place + count], as: UTF8.self)
  }

  mutating func values(_ vocabulary: borrowing EntryVocabulary) -> [Value] {
    let count = number()
    var values: [Value] = []
    values.reserveCapacity(count)
    for _ in 0..<count { values.append(value(vocabulary)) }
    return values
  }

  private mutating func record(_ vocabulary: borrowing EntryVocabulary) -> Record {
    let layout = vocabulary.layouts[byte()]
    return Record(layout, values(vocabulary))
  }

  private mutating func value(_ vocabulary: borrowing EntryVocabulary) -> Value {
    switch byte() {
    case 0: return .none
    case 1: return .bool(false)
    case 2: return .bool(true)
    case 3: return .int(number())
    case 4: return .double(Double(bitPattern: word()))
    case 5:
      let units = number()
      return .decimal(DecimalNumber(units: units, scale: number()))
    case 6: return .string(text())
    case 7: return .record(record(vocabulary))
    case 8: return .list(PersistentList(values(vocabulary)))
    case 9:
      var map = PersistentMap<MapKey, Value>()
      for _ in 0..<number() {
        let key = value(vocabulary)
        let value = value(vocabulary)
        switch key {
        case .int(let number): map[.int(number)] = value
        case .string(let text): map[.string(text)] = value
        default: preconditionFailure("no key of a map")
        }
      }
      return .map(map)
    default:
      let name = text()
      return .variant(Variant(name: name, payload: record(vocabulary)))
    }
  }

  mutating func change(_ vocabulary: borrowing EntryVocabulary) -> Change {
    let mark = byte()
    let place = vocabulary.paths[byte()]
    var steps = place.steps
    if let hole = place.hole, case let number = number(), steps[hole].number != number {
      steps[hole] = steps[hole].with(number)
    }
    let positions = (0..<number()).map { _ in number() }
    let kind: Change.Kind
    switch mark & 3 {
    case 0:
      let from = value(vocabulary)
      kind = .replace(from: from, to: value(vocabulary))
    case 1: kind = .add(value(vocabulary))
    case 2: kind = .remove(value(vocabulary))
    default: kind = .move(to: number())
    }
    return Change(Path(steps), kind, positions: positions, isInPlace: mark & 4 != 0)
  }
}
