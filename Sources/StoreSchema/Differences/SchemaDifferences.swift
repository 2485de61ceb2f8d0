#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Schema {
  /// The typed difference between two values of the type, in schema order (rule R22): fields as declared, map entries by
  /// key, list elements by their `id` field where they have one, else by index. What both values share in memory is not
  /// looked into.
  public func changes(from old: UnsafeRawPointer, to new: UnsafeRawPointer, at path: Path = Path()) -> [Change] {
    var collector = ChangeCollector()
    collector.compare(self, old, new, at: path)
    return collector.changes
  }
}

/// Walks two values of one type side by side.
private struct ChangeCollector {
  var changes: [Change] = []
  /// Where the elements stand that the path at hand names by id.
  private var positions: [Int] = []

  private mutating func add(_ path: Path, _ kind: Change.Kind, isInPlace: Bool = false) {
    changes.append(Change(path, kind, positions: positions, isInPlace: isInPlace))
  }

  /// Adds what happened to an element as a whole.
  private mutating func add(_ path: Path, _ kind: Change.Kind, at position: Int) {
    changes.append(Change(path, kind, positions: positions + [position]))
  }

  mutating func compare(
    _ schema: Schema, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, at path: @autoclosure () -> Path
  ) {
    // Collections that were not touched share their storage, so most of a state is known to be the same at once.
    let byteCount = schema.access.byteCount
    if byteCount > 0, memcmp(old, new, byteCount) == 0 { return }
    switch schema.access.parts {
    case .none, .union:
      guard !schema.access.isEqual(old, new) else { return }
      add(path(), .replace(from: schema.access.read(old), to: schema.access.read(new)))
    case .optional(let access): compareOptionals(schema, access, old, new, path)
    case .record(let access):
      guard case .record(let record) = schema.kind else { return }
      compareFields(record, byteCount, access, old, new, path)
    case .list(let access):
      guard case .list(let element) = schema.kind else { return }
      compareLists(element, access, old, new, path)
    case .map(let access):
      guard case .map(_, let element) = schema.kind else { return }
      access.visitDifferences(old, new) { key, old, new in
        switch (old, new) {
        case (let old?, let new?): compare(element, old, new, at: path().appending(.key(key)))
        case (nil, let new?): add(path().appending(.key(key)), .add(element.access.read(new)))
        case (let old?, nil): add(path().appending(.key(key)), .remove(element.access.read(old)))
        case (nil, nil): break
        }
      }
    }
  }

  private mutating func compareFields(
    _ record: RecordSchema, _ byteCount: Int, _ access: RecordAccess, _ old: UnsafeRawPointer,
    _ new: UnsafeRawPointer, _ path: () -> Path
  ) {
    switch access {
    case .flat(let offsets):
      for index in offsets.indices {
        let offset = offsets[index]
        // Fields do not overlap, so what lies in front of the next one holds all of this one.
        let end = index + 1 < offsets.count ? offsets[index + 1] : byteCount
        if end > offset, hasSameBytes(old + offset, new + offset, end - offset) { continue }
        compare(
          record.fields[index].schema, old + offset, new + offset,
          at: path().appending(.field(record.layout.fields[index])))
      }
    case .dynamic:
      guard case .record(let oldRecord) = old.assumingMemoryBound(to: Value.self).pointee,
        case .record(let newRecord) = new.assumingMemoryBound(to: Value.self).pointee
      else { return }
      oldRecord.values.withUnsafeBufferPointer { oldFields in
        newRecord.values.withUnsafeBufferPointer { newFields in
          guard let oldBase = oldFields.baseAddress, let newBase = newFields.baseAddress, oldBase != newBase else {
            return
          }
          for index in record.fields.indices {
            compare(
              record.fields[index].schema, UnsafeRawPointer(oldBase + index), UnsafeRawPointer(newBase + index),
              at: path().appending(.field(record.layout.fields[index])))
          }
        }
      }
    }
  }

  private mutating func compareOptionals(
    _ schema: Schema, _ access: OptionalAccess, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ path: () -> Path
  ) {
    guard case .optional(let wrapped) = schema.kind else { return }
    let hadValue = access.read(old) { old in
      let hasValue = access.read(new) { new in compare(wrapped, old, new, at: path()) }
      if !hasValue { addInPlace(path(), .remove(wrapped.access.read(old))) }
    }
    if !hadValue {
      _ = access.read(new) { addInPlace(path(), .add(wrapped.access.read($0))) }
    }
  }

  /// Adds what happened to the value of an optional: within a collection it must not pass for one of its elements.
  private mutating func addInPlace(_ path: Path, _ kind: Change.Kind) {
    switch path.steps.last {
    case .index, .key: add(path, kind, isInPlace: true)
    default: add(path, kind)
    }
  }

  private mutating func compareLists(
    _ element: Schema, _ access: ListAccess, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ path: () -> Path
  ) {
    let (prefix, suffix) = access.commonEnds(old, new)
    let oldRange = prefix..<(access.count(old) - suffix)
    let newRange = prefix..<(access.count(new) - suffix)
    guard !oldRange.isEmpty || !newRange.isEmpty else { return }
    let path = path()
    if let identity = ElementIdentity(element) {
      compareById(identity, element, access, old, oldRange, new, newRange, path)
    } else {
      compareByIndex(element, access, old, oldRange, new, newRange, path)
    }
  }

  private mutating func compareByIndex(
    _ element: Schema, _ access: ListAccess, _ old: UnsafeRawPointer, _ oldRange: Range<Int>, _ new: UnsafeRawPointer,
    _ newRange: Range<Int>, _ path: Path
  ) {
    for index in oldRange.lowerBound..<max(oldRange.upperBound, newRange.upperBound) {
      let place = path.appending(.index(index + 1))
      switch (oldRange.contains(index), newRange.contains(index)) {
      case (true, true):
        access.read(old, index) { old in
          access.read(new, index) { new in compare(element, old, new, at: place) }
        }
      case (false, true): access.read(new, index) { add(place, .add(element.access.read($0))) }
      case (true, false): access.read(old, index) { add(place, .remove(element.access.read($0))) }
      case (false, false): break
      }
    }
  }

  private mutating func compareById(
    _ identity: ElementIdentity, _ element: Schema, _ access: ListAccess, _ old: UnsafeRawPointer,
    _ oldRange: Range<Int>, _ new: UnsafeRawPointer, _ newRange: Range<Int>, _ path: Path
  ) {
    var oldPlaces: [Value: Int] = [:]
    var newPlaces: [Value: Int] = [:]
    for index in oldRange { oldPlaces[identity.read(access, old, index)] = index }
    for index in newRange { newPlaces[identity.read(access, new, index)] = index }
    let kept = oldRange.compactMap { newPlaces[identity.read(access, old, $0)] }
    guard oldPlaces.count == oldRange.count, newPlaces.count == newRange.count,
      zip(kept, kept.dropFirst()).allSatisfy(<)
    else {
      // Ids that repeat name nothing, and a new order is a change that ids do not show.
      return compareByIndex(element, access, old, oldRange, new, newRange, path)
    }
    for index in oldRange {
      let id = identity.read(access, old, index)
      let place = path.appending(.match(field: ElementIdentity.fieldName, id))
      access.read(old, index) { old in
        guard let newIndex = newPlaces[id] else {
          add(place, .remove(element.access.read(old)), at: index)
          return
        }
        positions.append(index)
        access.read(new, newIndex) { new in compare(element, old, new, at: place) }
        positions.removeLast()
      }
    }
    for index in newRange {
      let id = identity.read(access, new, index)
      guard oldPlaces[id] == nil else { continue }
      let place = path.appending(.match(field: ElementIdentity.fieldName, id))
      access.read(new, index) { add(place, .add(element.access.read($0)), at: index) }
    }
  }
}

/// Whether two stretches of memory are the same; at once for the few bytes of a field, where a call costs more than the look.
@inline(__always)
private func hasSameBytes(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ count: Int) -> Bool {
  guard count == MemoryLayout<UInt64>.size else { return memcmp(old, new, count) == 0 }
  return old.loadUnaligned(as: UInt64.self) == new.loadUnaligned(as: UInt64.self)
}

/// The field by which the elements of a list are told apart: `id`, an integer or a text.
struct ElementIdentity {
  static let fieldName = "id"
  private let index: Int
  private let schema: Schema
  private let record: RecordAccess

  init?(_ element: Schema) {
    guard case .record(let fields) = element.kind, case .record(let access) = element.access.parts,
      let index = fields.index(of: ElementIdentity.fieldName)
    else { return nil }
    switch fields.fields[index].schema.kind {
    case .int, .string: break
    default: return nil
    }
    self.index = index
    schema = fields.fields[index].schema
    record = access
  }

  func read(_ list: ListAccess, _ pointer: UnsafeRawPointer, _ position: Int) -> Value {
    var id = Value.none
    list.read(pointer, position) { element in
      record.read(element, index) { id = schema.access.read($0) }
    }
    return id
  }
}
