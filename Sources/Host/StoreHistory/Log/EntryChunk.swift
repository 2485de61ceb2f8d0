import Platform
import StoreCore
import StoreSchema

/// Entries as bytes: most take 30 to 100 of them.
///
/// Numbers count from those of the first entry. Origins, actions, layouts and paths stand once, in the chunk's own vocabulary. An entry
/// that is long, or that has rare members, stays an object. Messages of a shared log have chunks with their vocabulary.
package final class EntryChunk: Sendable {
  let bytes: [UInt8]
  /// The offset of each entry.
  let places: [Int32]
  /// The entries that stay objects.
  let objects: [LoggedEntry]
  let vocabulary: EntryVocabulary
  let first: (number: Int, time: Int, wall: Int)

  /// Packs entries.
  package convenience init(_ entries: [LoggedEntry]) { self.init(entries, EntryVocabulary()) }

  convenience init(_ entries: [LoggedEntry], _ vocabulary: EntryVocabulary) {
    var packer = EntryPacker(most: entries.count, bytes: entries.count * 96, vocabulary)
    for entry in entries { packer.append(entry) }
    self.init(packer)
  }

  /// The entries of a packer, in no more memory than they take.
  package init(_ packer: EntryPacker) {
    (bytes, places) = packer.memory
    (objects, vocabulary, first) = (packer.objects, packer.vocabulary, packer.first)
  }

  init(
    bytes: [UInt8], places: [Int32], objects: [LoggedEntry], vocabulary: EntryVocabulary,
    first: (number: Int, time: Int, wall: Int)
  ) {
    (self.bytes, self.places, self.objects, self.vocabulary, self.first) = (bytes, places, objects, vocabulary, first)
  }

  /// The number of the entry at an index.
  func number(at index: Int) -> Int { reading(index) { $0.number(behind: first.number) } }

  /// The name of the action of the entry at an index.
  func action(at index: Int) -> String { reading(index) { $0.action(vocabulary, objects) } }

  package subscript(index: Int) -> LoggedEntry { reading(index) { $0.packedEntry(first, vocabulary, objects) } }

  /// The number of entries.
  package var count: Int { places.count }

  /// About how many bytes an entry takes.
  func size(at index: Int) -> Int {
    if !objects.isEmpty, bytes[Int(places[index])] == EntryMark.object { return self[index].footprint }
    return (index + 1 < count ? Int(places[index + 1]) : bytes.count) - Int(places[index]) + EntryPacker.share
  }

  private func reading<Result>(_ index: Int, _ body: (inout EntryBytesReader) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
      var reader = EntryBytesReader(UnsafeRawBufferPointer(rebasing: bytes[Int(places[index])...]))
      return body(&reader)
    }
  }
}

/// An entry in a chunk.
package struct PackedEntry: Sendable {
  /// A history takes over a chunk of so many entries. Fewer would not be worth words of their own.
  package static let leastKept = 64

  let chunk: EntryChunk
  let index: Int

  /// The entry at an index; nil: the chunk is too small for a history to take it over.
  package init?(_ chunk: EntryChunk, at index: Int) {
    if chunk.count < Self.leastKept { return nil }
    (self.chunk, self.index) = (chunk, index)
  }
}

extension Schema {
  /// True if a value is one of the type, which a look at both tells.
  fileprivate func has(_ value: Value) -> Bool {
    if isReadByItsType { return false }
    return switch (kind, value) {
    case (.bool, .bool), (.int(nil, nil), .int), (.double, .double), (.string, .string): true
    default: false
    }
  }
}

/// Why bytes are no entry.
enum PackedFault: Error {
  /// They end too early, or name a word that there is not.
  case torn
  /// An argument of an action has another type.
  case misfit(action: String, SchemaError)
}

/// The first byte of an entry.
private enum EntryMark {
  static var plain: UInt8 { 0 }
  static var withWall: UInt8 { 1 }
  static var object: UInt8 { 2 }
}

/// The first byte of a value.
private enum ValueMark {
  static var no: UInt8 { 1 }
  static var yes: UInt8 { 2 }
  static var int: UInt8 { 3 }
  static var text: UInt8 { 6 }
  static var record: UInt8 { 7 }
}

/// The first byte of a change.
private enum ChangeMark {
  static var replace: UInt8 { 0 }
  static var add: UInt8 { 1 }
  static var remove: UInt8 { 2 }
  static var move: UInt8 { 3 }
  static var inPlace: UInt8 { 4 }
}

/// The words of a chunk's entries, each once, by numbers.
struct EntryVocabulary: Sendable {
  /// The longest text of a word, in bytes.
  private static let longest = 255
  var origins: Words<ActionSource.Origin>
  var actions: Words<Action>
  var layouts: Words<RecordLayout>
  var paths: Words<[Path.Step]>
  /// The path that was written last, and of each the one that came behind it the last time.
  private var (latest, followers): (UInt8, [UInt8]) = (0, [])
  /// The shapes of places whose words are known, by their numbers: all that has the place of such a word, but for the keys.
  private var shapes: [(id: Int, path: UInt8)] = []

  /// An empty one with room for so many words of a kind. Of paths few, since one is looked for among all of them.
  init(most: Int = 64) {
    (origins, actions, layouts) = (Words(most: most), Words(most: most), Words(most: most))
    paths = Words(most: most / 4)
  }

  struct Action: Sendable {
    let name: String
    let layout: RecordLayout
    let isQuiet: Bool
    /// The types of the arguments, where they come from elsewhere and have yet to be checked.
    var fields: [Field]?
  }

  mutating func index(of origin: ActionSource.Origin) -> UInt8? {
    if let known = origins.index(where: { $0 === origin }) ?? origins.index(where: { $0 == origin }) { return known }
    return (origin.info?.utf8.count ?? 0) > Self.longest ? nil : origins.add(origin)
  }

  mutating func index(ofAction name: String, _ layout: RecordLayout, isQuiet: Bool) -> UInt8? {
    func index(_ isSame: (RecordLayout) -> Bool) -> UInt8? {
      actions.index { isSame($0.layout) && $0.isQuiet == isQuiet && $0.name == name }
    }
    return index { $0 === layout } ?? index { $0 == layout }
      ?? actions.add(Action(name: name, layout: layout, isQuiet: isQuiet))
  }

  mutating func index(of layout: RecordLayout) -> UInt8? {
    layouts.index { $0 === layout } ?? layouts.index { $0 == layout } ?? layouts.add(layout)
  }

  /// A path of the same shape, and the steps in which that of a change differs from it, a bit each; nil: there is no room.
  mutating func index(ofPathOf change: UnsafePointer<Change>) -> (path: UInt8, differing: Int)? {
    // Changes at one place share the steps of their path, which are not counted for a look at where they lie.
    let place = change.pointee.path.steps.withUnsafeBufferPointer { $0.baseAddress }
    if let path = paths.index(where: { $0.withUnsafeBufferPointer { $0.baseAddress } == place }) {
      note(path)
      return (path, 0)
    }
    let found = index(of: change.pointee.path.steps)
    if let found { note(found.path) }
    return found
  }

  /// A path that differs from the place of a change in keys alone; nil: there is no room.
  @inline(__always)
  mutating func index(of shape: PlaceShape, _ change: PlainEdit.Item, of edit: PlainEdit) -> UInt8? {
    for known in shapes.indices where shapes[known].id == shape.id { return shapes[known].path }
    return addIndex(of: shape, change, of: edit)
  }

  @inline(never)
  private mutating func addIndex(of shape: PlaceShape, _ change: PlainEdit.Item, of edit: PlainEdit) -> UInt8? {
    let known = paths.indices.first { path in paths.look(at: path) { shape.hasShape(of: $0) } }
    guard let path = known ?? addPath(edit.steps(of: change)) else { return nil }
    shapes.append((shape.id, path))
    return path
  }

  /// Adds a path; nil: there is no room, or it has a long text.
  private mutating func addPath(_ steps: [Path.Step]) -> UInt8? {
    guard !steps.contains(where: { ($0.text?.utf8.count ?? 0) > Self.longest }), let added = paths.add(steps) else {
      return nil
    }
    followers.append(added)
    return added
  }

  private mutating func index(of steps: [Path.Step]) -> (path: UInt8, differing: Int)? {
    guard steps.count < Int.bitWidth - 1 else { return nil }
    // Changes mostly come as they came before.
    guard Int(latest) < followers.count, case let path = followers[Int(latest)],
      let differing = difference(of: steps, from: path)
    else { return find(steps) }
    return (path, differing)
  }

  /// Takes note of the path that a change has.
  @inline(__always)
  private mutating func note(_ path: UInt8) {
    if Int(latest) < followers.count, followers[Int(latest)] != path { followers[Int(latest)] = path }
    latest = path
  }

  private mutating func find(_ steps: [Path.Step]) -> (path: UInt8, differing: Int)? {
    for path in paths.indices.reversed() {
      if let differing = difference(of: steps, from: path) { return (path, differing) }
    }
    // One that differs more is a word of its own while there is room.
    if let added = addPath(steps) { return (added, 0) }
    let like = paths.indices.compactMap { path in
      difference(of: steps, from: path, most: .max).map { (path: path, differing: $0) }
    }
    return like.min { $0.differing.nonzeroBitCount < $1.differing.nonzeroBitCount }
  }

  /// The steps in which a path differs from a word, a bit each; nil: they have not the same shape, or differ in more than so many.
  @inline(__always)
  private func difference(of steps: [Path.Step], from path: UInt8, most: Int = 1) -> Int? {
    paths.look(at: path) { word in
      guard word.count == steps.count else { return nil }
      return word.withUnsafeBufferPointer { word in
        steps.withUnsafeBufferPointer { steps in
          guard let word = word.baseAddress, let other = steps.baseAddress else { return 0 }
          var (differing, rest) = (0, most)
          // The last ones are those that differ most often.
          for index in steps.indices.reversed() {
            // Their bytes tell of most that they are the same: a copy would be counted.
            if memcmp(word + index, other + index, MemoryLayout<Path.Step>.size) == 0 { continue }
            switch word[index].likeness(to: other + index) {
            case .same: break
            case .sameShape where rest > 0:
              differing |= 1 << index
              rest -= 1
            default: return nil
            }
          }
          return differing
        }
      }
    }
  }
}

extension Path.Step {
  /// The text that the step has; nil: it has none.
  fileprivate var text: String? {
    switch self {
    case .key(.string(let text)), .match(_, .string(let text)), .field(let text): text
    default: nil
    }
  }

  fileprivate enum Likeness {
    case same, sameShape, none

    @inline(__always)
    init(isSame: Bool) { self = isSame ? .same : .sameShape }
  }

  /// Compares two steps where they lie: a copy would be counted.
  @inline(__always)
  fileprivate func likeness(to other: UnsafePointer<Path.Step>) -> Likeness {
    switch self {
    case .field(let name): if case .field(let other) = other.pointee { return Likeness(isSame: name == other) }
    case .index(let index): if case .index(let other) = other.pointee { return Likeness(isSame: index == other) }
    case .key(let key): if case .key(let other) = other.pointee { return Likeness(isSame: key == other) }
    case .match(let field, let value):
      if case .match(field, let other) = other.pointee { return Likeness(isSame: value == other) }
    case .all: if case .all = other.pointee { return .same }
    }
    return .none
  }
}

/// Words by numbers, in the order in which they came.
struct Words<Word: Sendable>: Sendable {
  private var words: [Word] = []
  private let most: Int

  init(most: Int) { self.most = most }

  var indices: Range<UInt8> { 0..<UInt8(words.count) }

  /// The word of a number; nil: there is none.
  subscript(index: UInt8) -> Word? { index < words.count ? words[Int(index)] : nil }

  var all: [Word] { words }

  /// Looks at a word where it lies: a copy would be counted.
  @inline(__always)
  func look<Result>(at index: UInt8, _ body: (Word) -> Result) -> Result {
    words.withUnsafeBufferPointer { body($0[Int(index)]) }
  }

  /// The number of a word that is there, the latest first.
  @inline(__always)
  func index(where isIt: (Word) -> Bool) -> UInt8? { indices.reversed().first { look(at: $0, isIt) } }

  /// Adds a word; nil: there is no room.
  mutating func add(_ word: Word) -> UInt8? {
    guard words.count < most else { return nil }
    words.append(word)
    return UInt8(words.count - 1)
  }
}

// MARK: Bytes

/// Writes the bytes of an entry, and notes where there is no room for them.
struct EntryBytesWriter {
  private let bytes: UnsafeMutableRawBufferPointer
  private(set) var offset = 0
  private(set) var isFull = false

  init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  /// The place of the next bytes; nil: there is no room for so many.
  @inline(__always)
  private mutating func room(for count: Int) -> UnsafeMutableRawPointer? {
    guard count <= bytes.count &- offset, let start = bytes.baseAddress else {
      isFull = true
      return nil
    }
    return start + offset
  }

  @inline(__always)
  mutating func byte(_ byte: UInt8) {
    guard let place = room(for: 1) else { return }
    place.storeBytes(of: byte, as: UInt8.self)
    offset &+= 1
  }

  /// Seven bits a byte, the lowest first; small numbers of either sign are short.
  @inline(__always)
  mutating func number(_ number: Int) {
    guard let place = room(for: 10) else { return }
    var next = place
    Self.number(number, &next)
    offset &+= next - place
  }

  private mutating func word(_ word: UInt64) {
    guard let place = room(for: 8) else { return }
    place.storeBytes(of: word, as: UInt64.self)
    offset += 8
  }

  /// Writes an entry of parts, none of which is counted.
  ///
  /// - Parameter first: the numbers of the first entry, from which others count.
  /// - Returns: false: it does not fit.
  mutating func write(
    _ number: Int, _ time: Duration, _ wallTime: Int?, _ source: ActionSource, _ action: String, _ layout: RecordLayout,
    _ arguments: [Value], isQuiet: Bool, _ changes: [Change], _ edit: Unmanaged<PlainEdit>?,
    _ first: (number: Int, time: Int, wall: Int), _ vocabulary: inout EntryVocabulary
  ) -> Bool {
    let nanoseconds = time.wholeNanoseconds
    guard time == .nanoseconds(Int64(nanoseconds)), let origin = vocabulary.index(of: source.origin),
      let action = vocabulary.index(ofAction: action, layout, isQuiet: isQuiet)
    else { return false }
    byte(wallTime == nil ? EntryMark.plain : EntryMark.withWall)
    self.number(number - first.number)
    self.number(nanoseconds &- first.time)
    if let wallTime { self.number(wallTime &- first.wall) }
    byte(origin)
    self.number(source.line)
    self.number(source.link)
    byte(action)
    guard write(arguments, &vocabulary) else { return false }
    guard let edit else { return write(changes, &vocabulary) && !isFull }
    return edit._withUnsafeGuaranteedRef { edit in
      let start = offset
      if write(edit, &vocabulary) { return !isFull }
      // There is no room for one more word.
      offset = start
      return write(edit.all, &vocabulary) && !isFull
    }
  }

  @inline(__always)
  private mutating func write(_ changes: [Change], _ vocabulary: inout EntryVocabulary) -> Bool {
    self.number(changes.count)
    return changes.withUnsafeBufferPointer { changes in
      guard let first = changes.baseAddress else { return true }
      return changes.indices.allSatisfy { write(first + $0, &vocabulary) }
    }
  }

  /// Writes the place of an entry among those that stay objects.
  mutating func write(objectAt index: Int, number: Int) {
    byte(EntryMark.object)
    self.number(number)
    self.number(index)
  }

  mutating func text(_ text: String) -> Bool {
    if withUnsafeBytes(of: text, { $0.baseAddress.map { shortText(at: $0) } ?? false }) { return true }
    if let isWritten = text.utf8.withContiguousStorageIfAvailable({ self.text(UnsafeRawBufferPointer($0)) }) {
      return isWritten
    }
    var text = text
    return text.withUTF8 { self.text(UnsafeRawBufferPointer($0)) }
  }

  /// Writes a text from where it lies.
  ///
  /// - Returns: false, and nothing is written, where it is not kept in place.
  @inline(__always)
  private mutating func shortText(at text: UnsafeRawPointer) -> Bool {
    guard let place = room(for: 17), let count = ShortText.write(at: text, to: place + 1, ShortText.marks) else {
      return false
    }
    // As ``number(_:)`` does.
    place.storeBytes(of: UInt8(truncatingIfNeeded: count << 1), as: UInt8.self)
    offset += 1 + count
    return true
  }

  @inline(__always)
  @discardableResult
  private mutating func text(_ utf8: UnsafeRawBufferPointer) -> Bool {
    number(utf8.count)
    guard let place = room(for: utf8.count) else { return false }
    if let start = utf8.baseAddress { place.copyMemory(from: start, byteCount: utf8.count) }
    offset += utf8.count
    return true
  }

  /// - Returns: false: they are no small values.
  mutating func write(_ values: [Value], _ vocabulary: inout EntryVocabulary) -> Bool {
    number(values.count)
    return values.withUnsafeBufferPointer { values in
      guard let first = values.baseAddress else { return true }
      let marks = ShortText.marks
      for index in values.indices {
        guard write(integerOrShortTextAt: first + index, marks) || write(valueAt: first + index, &vocabulary) else {
          return false
        }
      }
      return true
    }
  }

  /// Writes an integer, or a text that is kept in place, from where it lies: a copy would be counted.
  ///
  /// - Returns: false, and nothing is written, where something else is there.
  @inline(__always)
  private mutating func write(integerOrShortTextAt value: UnsafePointer<Value>, _ marks: ShortText.Marks?) -> Bool {
    guard let place = room(for: 18) else { return false }
    if let text = Value.text(at: value) {
      guard let count = ShortText.write(at: text, to: place + 2, marks) else { return false }
      place.storeBytes(of: ValueMark.text, as: UInt8.self)
      // As ``number(_:)`` does.
      place.storeBytes(of: UInt8(truncatingIfNeeded: count << 1), toByteOffset: 1, as: UInt8.self)
      offset &+= 2 &+ count
      return true
    }
    guard case .int(let number) = value.pointee else { return false }
    var next = place
    Self.byte(ValueMark.int, &next)
    Self.number(number, &next)
    offset &+= next - place
    return true
  }

  @inline(never)
  private mutating func write(valueAt value: UnsafePointer<Value>, _ vocabulary: inout EntryVocabulary) -> Bool {
    write(value.pointee, &vocabulary)
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
    case .bool(let flag): byte(flag ? ValueMark.yes : ValueMark.no)
    case .int(let value):
      byte(ValueMark.int)
      number(value)
    case .double(let value):
      byte(4)
      word(value.bitPattern)
    case .decimal(let value):
      byte(5)
      number(value.units)
      number(Int(value.scale))
    case .string(let value):
      byte(ValueMark.text)
      return text(value)
    case .record(let record):
      byte(ValueMark.record)
      return write(record, &vocabulary)
    case .list(let list):
      byte(8)
      number(list.count)
      for value in list { guard write(value, &vocabulary) else { return false } }
    case .map(let map):
      byte(9)
      number(map.count)
      for (key, value) in map { guard write(key.value, &vocabulary), write(value, &vocabulary) else { return false } }
    case .variant(let variant):
      byte(10)
      return text(variant.name) && write(variant.payload, &vocabulary)
    }
    return true
  }

  /// Writes the part of a step that others of its shape do not have.
  mutating func write(_ step: Path.Step, _ vocabulary: inout EntryVocabulary) -> Bool {
    switch step {
    case .field(let name): return text(name)
    case .index(let index): number(index)
    case .key(let key): return write(key.value, &vocabulary)
    case .match(_, let value): return write(value, &vocabulary)
    case .all: break
    }
    return true
  }

  /// Writes the changes of an edit, as others are written.
  ///
  /// - Returns: false: there is no room for a word.
  private mutating func write(_ edit: PlainEdit, _ vocabulary: inout EntryVocabulary) -> Bool {
    number(edit.count)
    for index in 0..<edit.count {
      let change = edit.change(index)
      let word = change.shape._withUnsafeGuaranteedRef { shape in
        vocabulary.index(of: shape, change, of: edit).map { (path: $0, keys: shape.keys, positions: shape.positions) }
      }
      guard let word else { return false }
      if case .integer = change.kind, word.keys == 0, change.position < 0 {
        // The most frequent one.
        guard let place = room(for: Self.mostBesideKeys) else { return true }
        var next = place
        Self.byte(ChangeMark.replace, &next)
        Self.byte(word.path, &next)
        // Neither keys nor positions.
        Self.byte(0, &next)
        Self.byte(0, &next)
        Self.integers(change.from, change.to, &next)
        offset += next - place
        continue
      }
      // One look for the room that all of it may take, but for values.
      guard let place = room(for: Self.mostBesideKeys + edit.keySize(of: change)) else { return true }
      var next = place
      let mark =
        switch change.kind {
        case .replaced, .integer, .truth: ChangeMark.replace
        case .added: ChangeMark.add
        case .removed: ChangeMark.remove
        case .moved: ChangeMark.move
        }
      Self.byte(mark | (change.isInPlace ? ChangeMark.inPlace : 0), &next)
      Self.byte(word.path, &next)
      // Keys are written whether they are those of the word or not: to compare them takes longer.
      Self.number(word.keys, &next)
      if word.keys != 0 {
        edit.visitKeys(of: change) { step, key in
          switch key {
          case .int(let key):
            // A position is no value.
            if word.positions >> step & 1 == 0 { Self.byte(ValueMark.int, &next) }
            Self.number(key, &next)
          case .text(let bytes):
            Self.byte(ValueMark.text, &next)
            Self.number(bytes.count, &next)
            if let start = bytes.baseAddress, bytes.count <= 16 {
              // Two words take less than a call.
              next.storeBytes(of: start.loadUnaligned(as: UInt64.self), as: UInt64.self)
              next.storeBytes(
                of: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self), toByteOffset: 8, as: UInt64.self)
            } else if let start = bytes.baseAddress {
              next.copyMemory(from: start, byteCount: bytes.count)
            }
            next += bytes.count
          }
        }
      }
      Self.number(change.position < 0 ? 0 : 1, &next)
      if change.position >= 0 { Self.number(change.position, &next) }
      switch change.kind {
      case .truth:
        Self.byte(change.from == 1 ? ValueMark.yes : ValueMark.no, &next)
        Self.byte(change.to == 1 ? ValueMark.yes : ValueMark.no, &next)
      case .integer: Self.integers(change.from, change.to, &next)
      case .moved: Self.number(change.to, &next)
      case .replaced, .added, .removed: break
      }
      offset += next - place
      let isWritten =
        switch change.kind {
        case .replaced:
          write(change.from, of: change, edit, &vocabulary) && write(change.to, of: change, edit, &vocabulary)
        case .added: write(change.to, of: change, edit, &vocabulary)
        case .removed: write(change.from, of: change, edit, &vocabulary)
        case .moved, .integer, .truth: true
        }
      guard isWritten else { return false }
    }
    return true
  }

  /// Writes a value of an edit.
  private mutating func write(
    _ place: Int, of change: PlainEdit.Item, _ edit: PlainEdit, _ vocabulary: inout EntryVocabulary
  ) -> Bool {
    guard let schema = change.schema else { return write(edit.heldValue(place), &vocabulary) }
    guard let place = UnsafeRawPointer(bitPattern: place) else { return false }
    return schema._withUnsafeGuaranteedRef { schema in
      if let fields = schema.flat { return fields._withUnsafeGuaranteedRef { write(at: place, $0, &vocabulary) } }
      return write(schema.access.read(place), &vocabulary)
    }
  }

  /// Writes a Swift struct from where it lies, as its value is written.
  private mutating func write(
    at place: UnsafeRawPointer, _ record: FlatFields, _ vocabulary: inout EntryVocabulary
  ) -> Bool {
    guard let layout = vocabulary.index(of: record.layout), let start = room(for: 12) else { return false }
    var next = start
    Self.byte(ValueMark.record, &next)
    Self.byte(layout, &next)
    Self.number(record.fields.count, &next)
    offset += next - start
    return record.fields.withUnsafeBufferPointer { fields in
      for index in fields.indices {
        let place = place + fields[index].offset
        switch fields[index].memory {
        case .int:
          guard let start = room(for: 11) else { return false }
          var next = start
          Self.byte(ValueMark.int, &next)
          Self.number(place.load(as: Int.self), &next)
          offset += next - start
        case .bool: byte(place.load(as: Bool.self) ? ValueMark.yes : ValueMark.no)
        case .string:
          byte(ValueMark.text)
          guard shortText(at: place) || text(place.assumingMemoryBound(to: String.self).pointee) else { return false }
        case .double, .value, .other:
          if let inner = fields[index].flat.map({ Unmanaged.passUnretained($0) }) {
            guard inner._withUnsafeGuaranteedRef({ write(at: place, $0, &vocabulary) }) else { return false }
          } else {
            let value = Unmanaged.passUnretained(fields[index].schema)._withUnsafeGuaranteedRef {
              $0.access.read(place)
            }
            guard write(value, &vocabulary) else { return false }
          }
        }
      }
      return true
    }
  }

  /// The bytes that a change of integers takes at most beside its keys: those of seven numbers with a mark each and of two marks. And
  /// sixteen that a text may be copied with.
  private static var mostBesideKeys: Int { 7 * 11 + 2 + 16 }

  /// Writes two integers where there is room for them.
  @inline(__always)
  private static func integers(_ first: Int, _ second: Int, _ place: inout UnsafeMutableRawPointer) {
    byte(ValueMark.int, &place)
    number(first, &place)
    byte(ValueMark.int, &place)
    number(second, &place)
  }

  /// Writes a byte where there is room.
  @inline(__always)
  private static func byte(_ byte: UInt8, _ place: inout UnsafeMutableRawPointer) {
    place.storeBytes(of: byte, as: UInt8.self)
    place += 1
  }

  /// Writes a number where there is room for ten bytes.
  @inline(__always)
  private static func number(_ number: Int, _ place: inout UnsafeMutableRawPointer) {
    var rest = UInt(bitPattern: number << 1 ^ number >> 63)
    while rest >= 0x80 {
      place.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
      rest >>= 7
      place += 1
    }
    place.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
    place += 1
  }

  /// Writes a change from where it lies: a copy would count all that it refers to.
  ///
  /// - Returns: false: it is no small change.
  private mutating func write(_ change: UnsafePointer<Change>, _ vocabulary: inout EntryVocabulary) -> Bool {
    guard let (path, differing) = vocabulary.index(ofPathOf: change) else { return false }
    if differing == 0, change.pointee.positions.count <= 1,
      case .replace(.int(let from), .int(let to)) = change.pointee.kind
    {
      // The most frequent one, with one look for the room that it may take.
      guard let place = room(for: Self.mostBesideKeys) else { return false }
      var next = place
      Self.byte(ChangeMark.replace | (change.pointee.isInPlace ? ChangeMark.inPlace : 0), &next)
      Self.byte(path, &next)
      Self.number(differing, &next)
      Self.number(change.pointee.positions.count, &next)
      if let position = change.pointee.positions.first { Self.number(position, &next) }
      Self.integers(from, to, &next)
      offset += next - place
      return true
    }
    let kind: UInt8 =
      switch change.pointee.kind {
      case .replace: ChangeMark.replace
      case .add: ChangeMark.add
      case .remove: ChangeMark.remove
      case .move: ChangeMark.move
      }
    byte(kind | (change.pointee.isInPlace ? ChangeMark.inPlace : 0))
    byte(path)
    number(differing)
    if differing != 0 {
      for index in change.pointee.path.steps.indices where differing >> index & 1 == 1 {
        guard write(change.pointee.path.steps[index], &vocabulary) else { return false }
      }
    }
    let count = change.pointee.positions.count
    number(count)
    for index in 0..<count { number(change.pointee.positions[index]) }
    switch change.pointee.kind {
    case .replace(let from, let to): return write(from, &vocabulary) && write(to, &vocabulary)
    case .add(let value), .remove(let value): return write(value, &vocabulary)
    case .move(let position): number(position)
    }
    return true
  }
}

/// Reads the bytes of ``EntryBytesWriter``. Bytes that another process wrote may be torn: then it gives anything, and says so. It ends
/// whatever they are, and takes no more memory than their number allows for.
struct EntryBytesReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var place = 0
  private(set) var isTorn = false
  /// The number of values around the present one.
  private var depth = 0
  /// As deep as JSON is read.
  private static let deepest = 512
  /// The number of elements for which there is room before they are read: a count may say anything.
  private static let expected = 64

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  @inline(__always)
  mutating func byte() -> UInt8 {
    guard place < bytes.count else {
      isTorn = true
      return 0
    }
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

  /// The number of things that come, each of one byte at least.
  mutating func count() -> Int {
    let count = number()
    guard 0...(bytes.count - place) ~= count else {
      isTorn = true
      return 0
    }
    return count
  }

  private mutating func word() -> UInt64 {
    guard bytes.count - place >= 8 else {
      isTorn = true
      return 0
    }
    defer { place += 8 }
    return bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
  }

  mutating func text() -> String {
    let count = count()
    defer { place += count }
    return String(decoding: bytes[place..<place + count], as: UTF8.self)
  }

  /// The bytes of a part behind their number; nil: they are torn.
  mutating func part() -> UnsafeRawBufferPointer? {
    guard bytes.count - place >= 4 else { return nil }
    let count = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    place += 4
    guard bytes.count - place >= count else { return nil }
    defer { place += count }
    return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
  }

  /// The number of the entry that is here.
  mutating func number(behind first: Int) -> Int {
    _ = byte()
    return first + number()
  }

  /// The name of the action of the entry that was packed here.
  mutating func action(_ vocabulary: borrowing EntryVocabulary, _ objects: [LoggedEntry]) -> String {
    let mark = byte()
    _ = number()
    if mark == EntryMark.object {
      let index = number()
      return objects.indices.contains(index) ? objects[index].action : ""
    }
    _ = number()
    if mark == EntryMark.withWall { _ = number() }
    _ = byte()
    _ = number()
    _ = number()
    return vocabulary.actions[byte()]?.name ?? ""
  }

  /// The entry that was packed here.
  mutating func packedEntry(
    _ first: (number: Int, time: Int, wall: Int), _ vocabulary: borrowing EntryVocabulary, _ objects: [LoggedEntry]
  ) -> LoggedEntry {
    guard let entry = try? entry(first, vocabulary, objects) else {
      preconditionFailure("a chunk has the entries that it packed")
    }
    return entry
  }

  /// - Parameters:
  ///   - first: the numbers of the first entry, from which others count.
  ///   - objects: the entries that stayed objects.
  mutating func entry(
    _ first: (number: Int, time: Int, wall: Int), _ vocabulary: borrowing EntryVocabulary, _ objects: [LoggedEntry]
  ) throws(PackedFault) -> LoggedEntry {
    let mark = byte()
    let number = first.number &+ number()
    if mark == EntryMark.object {
      let index = self.number()
      guard objects.indices.contains(index) else { throw .torn }
      return objects[index]
    }
    let time = first.time &+ self.number()
    let wallTime = mark == EntryMark.withWall ? first.wall &+ self.number() : nil
    guard let origin = vocabulary.origins[byte()] else { throw .torn }
    var source = ActionSource(origin, line: self.number())
    source.link = self.number()
    guard let action = vocabulary.actions[byte()] else { throw .torn }
    let arguments = try checked(values(vocabulary), of: action)
    let count = count()
    var changes: [Change] = []
    changes.reserveCapacity(min(count, Self.expected))
    for _ in 0..<count {
      changes.append(try change(vocabulary))
      if isTorn { break }
    }
    if isTorn { throw .torn }
    return LoggedEntry(
      applied: number, time: .nanoseconds(Int64(time)), wallTime: wallTime, source: source, action: action.name,
      arguments: Record(action.layout, arguments), isQuiet: action.isQuiet, changes: changes)
  }

  private func checked(_ values: [Value], of action: EntryVocabulary.Action) throws(PackedFault) -> [Value] {
    guard values.count == action.layout.fields.count else { throw .torn }
    guard let fields = action.fields else { return values }
    var checked: [Value] = []
    checked.reserveCapacity(values.count)
    do throws(SchemaError) {
      for index in fields.indices {
        checked.append(fields[index].schema.has(values[index]) ? values[index] : try fields[index].check(values[index]))
      }
    } catch {
      throw .misfit(action: action.name, error)
    }
    return checked
  }

  private mutating func values(_ vocabulary: borrowing EntryVocabulary) -> [Value] {
    let count = count()
    var values: [Value] = []
    values.reserveCapacity(min(count, Self.expected))
    for _ in 0..<count {
      values.append(value(vocabulary))
      if isTorn { break }
    }
    return values
  }

  private mutating func record(_ vocabulary: borrowing EntryVocabulary) -> Record {
    let (layout, values) = (vocabulary.layouts[byte()], values(vocabulary))
    if let layout, layout.fields.count == values.count { return Record(layout, values) }
    isTorn = true
    return Record(RecordLayout(name: "", fields: []), [])
  }

  mutating func value(_ vocabulary: borrowing EntryVocabulary) -> Value {
    guard depth < Self.deepest else {
      isTorn = true
      return .none
    }
    depth += 1
    defer { depth -= 1 }
    switch byte() {
    case 0: return .none
    case ValueMark.no: return .bool(false)
    case ValueMark.yes: return .bool(true)
    case ValueMark.int: return .int(number())
    case 4: return .double(Double(bitPattern: word()))
    case 5:
      let units = number()
      return .decimal(DecimalNumber(units: units, scale: number()))
    case ValueMark.text: return .string(text())
    case ValueMark.record: return .record(record(vocabulary))
    case 8: return .list(PersistentList(values(vocabulary)))
    case 9:
      var map = PersistentMap<MapKey, Value>()
      for _ in 0..<count() {
        let key = key(vocabulary)
        map[key] = value(vocabulary)
        if isTorn { break }
      }
      return .map(map)
    default:
      let name = text()
      return .variant(Variant(name: name, payload: record(vocabulary)))
    }
  }

  mutating func key(_ vocabulary: borrowing EntryVocabulary) -> MapKey {
    if let key = MapKey(value(vocabulary)) { return key }
    isTorn = true
    return .int(0)
  }

  private mutating func step(like step: Path.Step, _ vocabulary: borrowing EntryVocabulary) -> Path.Step {
    switch step {
    case .field: .field(text())
    case .index: .index(number())
    case .key: .key(key(vocabulary))
    case .match(let field, _): .match(field: field, value(vocabulary))
    case .all: .all
    }
  }

  private mutating func change(_ vocabulary: borrowing EntryVocabulary) throws(PackedFault) -> Change {
    let mark = byte()
    guard var steps = vocabulary.paths[byte()] else { throw .torn }
    let differing = number()
    for index in steps.indices where differing >> index & 1 == 1 { steps[index] = step(like: steps[index], vocabulary) }
    var positions: [Int] = []
    for _ in 0..<count() { positions.append(number()) }
    let kind: Change.Kind
    switch mark & 3 {
    case ChangeMark.replace:
      let from = value(vocabulary)
      kind = .replace(from: from, to: value(vocabulary))
    case ChangeMark.add: kind = .add(value(vocabulary))
    case ChangeMark.remove: kind = .remove(value(vocabulary))
    default: kind = .move(to: number())
    }
    return Change(Path(steps), kind, positions: positions, isInPlace: mark & 4 != 0)
  }
}
