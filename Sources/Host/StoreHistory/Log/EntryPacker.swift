import StoreCore
import StoreSchema
import Synchronization

/// The newest entries of a log, which become bytes as they come.
///
/// A copy shares the memory: the next entry stands behind those of the copy, which looks no further than to its own last one.
package struct EntryPacker: Sendable {
  /// The number of entries of a full chunk.
  package static let most = 256
  private var room: Memory
  private(set) var vocabulary: EntryVocabulary
  /// The entries that stay objects.
  private(set) var objects: [LoggedEntry] = []
  private(set) var first = (number: 0, time: 0, wall: 0)
  package private(set) var count = 0
  /// The number of bytes.
  private var end = 0

  /// Takes the entries of one full chunk.
  package init() { self.init(most: Self.most) }

  /// - Parameters:
  ///   - most: the greatest number of entries.
  ///   - bytes: the bytes that they may take; if they take more, they move.
  init(most: Int, bytes: Int = 1 << 13, _ vocabulary: EntryVocabulary = EntryVocabulary()) {
    room = Memory(entries: most, bytes: max(bytes, LoggedEntry.longestPacked))
    self.vocabulary = vocabulary
  }

  /// What an entry takes beside its own bytes: its place, and its part of the words of its chunk.
  static let share = 40

  /// Adds an entry behind the others.
  ///
  /// - Returns: about how many bytes it takes.
  @discardableResult
  package mutating func append(_ entry: LoggedEntry) -> Int {
    append(
      entry.number, entry.time, entry.wallTime, entry.source, entry.action, entry.arguments.layout,
      entry.arguments.values, isQuiet: entry.isQuiet, entry.changes, of: entry)
  }

  /// Adds an entry behind the others, of parts, none of which is counted.
  ///
  /// - Parameters:
  ///   - edit: what it changed, in plain words instead of changes.
  ///   - object: the entry, where it is an object already; nil: it has no rare members.
  /// - Returns: about how many bytes it takes.
  package mutating func append(
    _ number: Int, _ time: Duration, _ wallTime: Int?, _ source: ActionSource, _ action: String, _ layout: RecordLayout,
    _ arguments: [Value], isQuiet: Bool, _ changes: [Change], _ edit: Unmanaged<PlainEdit>? = nil,
    of object: LoggedEntry? = nil
  ) -> Int {
    if count == 0 { first = (number, time.wholeNanoseconds, wallTime ?? 0) }
    if room.size - end < LoggedEntry.longestPacked { room = room.copy(count, end, bytes: 2 * room.size) }
    if !room.take(count) {
      // A copy has gone on.
      room = room.copy(count, end, bytes: room.size)
      _ = room.take(count)
    }
    let rest = UnsafeMutableRawBufferPointer(start: room.bytes + end, count: LoggedEntry.longestPacked)
    var writer = EntryBytesWriter(rest)
    let isPacked =
      object?.isPlain ?? true
      && writer.write(
        number, time, wallTime, source, action, layout, arguments, isQuiet: isQuiet, changes, edit, first,
        &vocabulary)
    var size = writer.offset + Self.share
    if !isPacked {
      writer = EntryBytesWriter(rest)
      writer.write(objectAt: objects.count, number: number - first.number)
      let entry =
        object
        ?? LoggedEntry(
          applied: number, time: time, wallTime: wallTime, source: source, action: action,
          arguments: Record(layout, arguments), isQuiet: isQuiet,
          changes: edit?._withUnsafeGuaranteedRef { $0.all } ?? changes)
      objects.append(entry)
      size = entry.footprint
    }
    room.places[count] = Int32(truncatingIfNeeded: end)
    count += 1
    end += writer.offset
    return size
  }

  /// The number of the entry at an index.
  func number(at index: Int) -> Int { reading(index) { $0.number(behind: first.number) } }

  /// The name of the action of the entry at an index.
  func action(at index: Int) -> String { reading(index) { $0.action(vocabulary, objects) } }

  subscript(index: Int) -> LoggedEntry { reading(index) { $0.packedEntry(first, vocabulary, objects) } }

  private func reading<Result>(_ index: Int, _ body: (inout EntryBytesReader) -> Result) -> Result {
    precondition(index < count)
    return withExtendedLifetime(room) {
      let place = Int(room.places[index])
      var reader = EntryBytesReader(UnsafeRawBufferPointer(start: room.bytes + place, count: end - place))
      return body(&reader)
    }
  }

  /// The bytes of all entries, and the offset of each.
  var memory: (bytes: [UInt8], places: [Int32]) {
    withExtendedLifetime(room) {
      (
        Array(UnsafeRawBufferPointer(start: room.bytes, count: end)),
        Array(UnsafeBufferPointer(start: room.places, count: count))
      )
    }
  }

  /// Lets go of all entries.
  package mutating func removeAll() {
    if isKnownUniquelyReferenced(&room) { room.reset() } else { room = Memory(entries: room.entries, bytes: room.size) }
    (vocabulary, objects, count, end) = (EntryVocabulary(), [], 0, 0)
  }

  /// The memory of entries and their places: entries are added to it, and none is changed.
  private final class Memory: @unchecked Sendable {
    // Safe: the thread that took the place of an entry writes it, once, and before any other thread can know of it.
    let (entries, size): (Int, Int)
    let places: UnsafeMutablePointer<Int32>
    let bytes: UnsafeMutableRawPointer
    /// The number of entries whose places are taken.
    private let taken: Atomic<Int>

    init(entries: Int, bytes size: Int, taken count: Int = 0) {
      (self.entries, self.size) = (entries, size)
      places = .allocate(capacity: entries)
      bytes = .allocate(byteCount: size, alignment: 8)
      taken = Atomic(count)
    }

    /// Other memory with the first entries.
    func copy(_ count: Int, _ end: Int, bytes size: Int) -> Memory {
      let copy = Memory(entries: entries, bytes: size, taken: count)
      copy.places.update(from: places, count: count)
      copy.bytes.copyMemory(from: bytes, byteCount: end)
      return copy
    }

    deinit {
      places.deallocate()
      bytes.deallocate()
    }

    /// Takes the place behind so many entries.
    ///
    /// - Returns: false if another has it.
    func take(_ count: Int) -> Bool {
      taken.compareExchange(expected: count, desired: count + 1, ordering: .acquiringAndReleasing).exchanged
    }

    /// Gives all places back, where one alone has the memory.
    func reset() { taken.store(0, ordering: .relaxed) }
  }
}
