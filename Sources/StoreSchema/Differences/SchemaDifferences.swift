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
    var collector = ChangeCollector(path)
    collector.compare(self, old, new)
    return collector.changes
  }
}

/// Walks two values of one type side by side.
private struct ChangeCollector {
  var changes: [Change] = []
  /// Where the two values stand that are compared. Copied only where they differ.
  private var path: Path
  /// Where the elements stand that the path names by id.
  private var positions: [Int] = []

  init(_ path: Path) { self.path = path }

  private mutating func add(_ kind: Change.Kind, isInPlace: Bool = false) {
    changes.append(Change(path, kind, positions: positions, isInPlace: isInPlace))
  }

  /// Adds what happened to an element as a whole.
  private mutating func add(_ kind: Change.Kind, at position: Int) {
    changes.append(Change(path, kind, positions: positions + [position]))
  }

  /// Goes one step further in and back.
  @inline(__always)
  private mutating func at(_ step: Path.Step, _ body: (inout ChangeCollector) -> Void) {
    path.steps.append(step)
    body(&self)
    path.steps.removeLast()
  }

  mutating func compare(_ schema: Schema, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer) {
    // Collections that were not touched share their storage, so most of a state is known to be the same at once.
    let byteCount = schema.access.byteCount
    if byteCount > 0, memcmp(old, new, byteCount) == 0 { return }
    switch schema.access.parts {
    case .none, .union:
      guard !schema.access.isEqual(old, new) else { return }
      add(.replace(from: schema.access.read(old), to: schema.access.read(new)))
    case .optional(let access): compareOptionals(schema, access, old, new)
    case .record(let access):
      guard case .record(let record) = schema.kind else { return }
      compareFields(record, byteCount, access, old, new)
    case .list(let access):
      guard case .list(let element) = schema.kind else { return }
      compareLists(element, access, old, new)
    case .map(let access):
      guard case .map(_, let element) = schema.kind else { return }
      access.visitDifferences(old, new) { key, old, new in
        at(.key(key)) { collector in
          switch (old, new) {
          case (let old?, let new?): collector.compare(element, old, new)
          case (nil, let new?): collector.add(.add(element.access.read(new)))
          case (let old?, nil): collector.add(.remove(element.access.read(old)))
          case (nil, nil): break
          }
        }
      }
    }
  }

  private mutating func compareFields(
    _ record: RecordSchema, _ byteCount: Int, _ access: RecordAccess, _ old: UnsafeRawPointer,
    _ new: UnsafeRawPointer
  ) {
    switch access {
    case .flat(let offsets):
      for index in offsets.indices {
        let offset = offsets[index]
        // Fields do not overlap, so what lies in front of the next one holds all of this one.
        let end = index + 1 < offsets.count ? offsets[index + 1] : byteCount
        if end > offset, hasSameBytes(old + offset, new + offset, end - offset) { continue }
        at(.field(record.layout.fields[index])) {
          $0.compare(record.fields[index].schema, old + offset, new + offset)
        }
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
            at(.field(record.layout.fields[index])) {
              $0.compare(
                record.fields[index].schema, UnsafeRawPointer(oldBase + index), UnsafeRawPointer(newBase + index))
            }
          }
        }
      }
    }
  }

  private mutating func compareOptionals(
    _ schema: Schema, _ access: OptionalAccess, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer
  ) {
    guard case .optional(let wrapped) = schema.kind else { return }
    let hadValue = access.read(old) { old in
      let hasValue = access.read(new) { new in compare(wrapped, old, new) }
      if !hasValue { addInPlace(.remove(wrapped.access.read(old))) }
    }
    if !hadValue {
      _ = access.read(new) { addInPlace(.add(wrapped.access.read($0))) }
    }
  }

  /// Adds what happened to the value of an optional: within a collection it must not pass for one of its elements.
  private mutating func addInPlace(_ kind: Change.Kind) {
    switch path.steps.last {
    case .index, .key: add(kind, isInPlace: true)
    default: add(kind)
    }
  }

  private mutating func compareLists(
    _ element: Schema, _ access: ListAccess, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer
  ) {
    let (prefix, suffix) = access.commonEnds(old, new)
    let oldRange = prefix..<(access.count(old) - suffix)
    let newRange = prefix..<(access.count(new) - suffix)
    guard !oldRange.isEmpty || !newRange.isEmpty else { return }
    if let identity = ElementIdentity(element) {
      compareById(identity, element, access, old, oldRange, new, newRange)
    } else {
      compareByIndex(element, access, old, oldRange, new, newRange)
    }
  }

  private mutating func compareByIndex(
    _ element: Schema, _ access: ListAccess, _ old: UnsafeRawPointer, _ oldRange: Range<Int>, _ new: UnsafeRawPointer,
    _ newRange: Range<Int>
  ) {
    for index in oldRange.lowerBound..<max(oldRange.upperBound, newRange.upperBound) {
      at(.index(index + 1)) { collector in
        switch (oldRange.contains(index), newRange.contains(index)) {
        case (true, true):
          collector.compare(element, access.address(old, index), access.address(new, index))
        case (false, true): collector.add(.add(element.access.read(access.address(new, index))))
        case (true, false): collector.add(.remove(element.access.read(access.address(old, index))))
        case (false, false): break
        }
      }
    }
  }

  private mutating func compareById(
    _ identity: ElementIdentity, _ element: Schema, _ access: ListAccess, _ old: UnsafeRawPointer,
    _ oldRange: Range<Int>, _ new: UnsafeRawPointer, _ newRange: Range<Int>
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
      return compareByIndex(element, access, old, oldRange, new, newRange)
    }
    for index in oldRange {
      let id = identity.read(access, old, index)
      at(.match(field: ElementIdentity.fieldName, id)) { collector in
        let old = access.address(old, index)
        guard let newIndex = newPlaces[id] else {
          collector.add(.remove(element.access.read(old)), at: index)
          return
        }
        collector.positions.append(index)
        collector.compare(element, old, access.address(new, newIndex))
        collector.positions.removeLast()
      }
    }
    for index in newRange {
      let id = identity.read(access, new, index)
      guard oldPlaces[id] == nil else { continue }
      at(.match(field: ElementIdentity.fieldName, id)) {
        $0.add(.add(element.access.read(access.address(new, index))), at: index)
      }
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
