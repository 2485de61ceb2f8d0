extension Schema {
  /// The typed difference between two values of the type, in schema order (rule R22). Fields come as declared, map
  /// entries by key, list elements by their `id` field where they have one, else by index. Memory that both values
  /// share is not looked into.
  public func changes(from old: UnsafeRawPointer, to new: UnsafeRawPointer, at path: Path = Path()) -> [Change] {
    var changes: [Change] = []
    var finder = DifferenceFinder(isKept: false)
    finder.place.steps = path.steps
    finder.append(from: old, to: new, of: self, to: &changes)
    return changes
  }
}

/// Finds typed differences, one after the other. A store that looks for differences after every action keeps a finder.
/// Its memory is there already, and changes at one place share their path.
public struct DifferenceFinder: Sendable {
  /// The place where the two values stand that are compared.
  fileprivate var place: FinderPlace
  /// The positions of the elements that the path names by id.
  private var positions: [Int] = []
  private var changes: [Change] = []
  /// The edit that is filled, instead of the changes.
  private var edit: Unmanaged<PlainEdit>?
  /// True if the edit cannot tell all.
  private var isBeyondEdit = false
  /// True within a map or an optional: the values lie there for that long alone.
  private var isPassing = false

  /// A finder that has found nothing yet.
  ///
  /// - Parameter isKept: true if it is to find many differences; for one alone the memory is not worth it.
  public init(isKept: Bool = true) { place = FinderPlace(isKept: isKept) }

  /// Appends the difference between two values of a type, as ``Schema/changes(from:to:at:)`` gives it.
  ///
  /// - Parameter field: the field that holds the two values; nil: they are no part of anything.
  public mutating func append(
    from old: UnsafeRawPointer, to new: UnsafeRawPointer, of schema: Schema, in field: String? = nil,
    to changes: inout [Change]
  ) {
    if hasSameMemory(schema, old, new) { return }
    swap(&self.changes, &changes)
    if let field {
      let outer = place.enter(slice: field)
      lookInto(schema, old, new)
      place.leave(to: outer)
    } else {
      lookInto(schema, old, new)
    }
    swap(&self.changes, &changes)
  }

  /// Fills an edit with the difference between two values of a type, which stay where they are while it is used.
  ///
  /// - Returns: false where it takes changes: the edit has no room, or no words for it.
  package mutating func fill(
    _ edit: PlainEdit, from old: UnsafeRawPointer, to new: UnsafeRawPointer, of schema: Schema
  ) -> Bool {
    edit.removeAll()
    if hasSameMemory(schema, old, new) { return true }
    (self.edit, isBeyondEdit) = (.passUnretained(edit), false)
    place.fillEdit(from: edit.root)
    lookInto(schema, old, new)
    place.fillEdit(from: nil)
    self.edit = nil
    return !isBeyondEdit
  }

  private mutating func add(_ kind: consuming Change.Kind, isInPlace: Bool = false) {
    append(Change(place.path, kind, at: Change.Positions(positions), isInPlace: isInPlace))
  }

  /// Adds what became of the value here.
  @inline(__always)
  private mutating func put(
    _ kind: PlainEdit.Kind, _ schema: Schema, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?,
    isInPlace: Bool = false
  ) {
    if edit == nil {
      add(Self.kind(schema, old, new), isInPlace: isInPlace)
    } else {
      fillEdit(kind, schema, old, new, isInPlace: isInPlace)
    }
  }

  /// Adds that an element, at a position, or an entry has come, gone or moved: it is seldom met again, and its path is not kept.
  @inline(__always)
  private mutating func putOnce(
    _ kind: PlainEdit.Kind, _ schema: Schema, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?,
    at position: Int? = nil,
    to moved: Int = 0
  ) {
    guard edit == nil else { return fillEdit(kind, schema, old, new, at: position, to: moved) }
    let all =
      position.map { positions.isEmpty ? Change.Positions(only: $0) : Change.Positions(positions + [$0]) }
      ?? Change.Positions(positions)
    if case .moved = kind {
      append(Change(place.newPath, .move(to: moved), at: all))
    } else {
      append(Change(place.newPath, Self.kind(schema, old, new), at: all))
    }
  }

  @inline(__always)
  private static func kind(_ schema: Schema, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?) -> Change.Kind {
    guard let new else { return .remove(old.map { schema.access.read($0) } ?? .none) }
    return if let old {
      .replace(from: schema.access.read(old), to: schema.access.read(new))
    } else {
      .add(schema.access.read(new))
    }
  }

  // A function of its own, since most looks for changes fill no edit.
  @inline(never)
  private mutating func fillEdit(
    _ kind: PlainEdit.Kind, _ schema: Schema, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?,
    at position: Int? = nil,
    to moved: Int = 0, isInPlace: Bool = false
  ) {
    edit?._withUnsafeGuaranteedRef { edit in
      guard let (shape, keys, known) = beginItem(of: edit), position == nil || known < 0 else {
        return isBeyondEdit = true
      }
      let position = position ?? known
      switch (kind, schema.access.memory) {
      case (.moved, _): edit.add(moveOf: shape, keys: keys, from: position, to: moved)
      case (.replaced, .bool):
        guard let old, let new else { return isBeyondEdit = true }
        let (before, now) = (old.load(as: Bool.self) ? 1 : 0, new.load(as: Bool.self) ? 1 : 0)
        edit.add(shape, keys: keys, from: before, to: now, isTruth: true, position: position)
      default:
        edit.add(
          kind, shape, keys: keys, schema, old, new, position: position, isInPlace: isInPlace, isHeld: isPassing)
      }
    }
  }

  /// Adds the keys of the place here to those of an edit, with its shape and the position of the element around it, or -1; nil: the
  /// edit cannot tell of it.
  @inline(__always)
  private func beginItem(of edit: PlainEdit) -> (shape: Unmanaged<PlaceShape>, keys: Int, position: Int)? {
    guard let shape = place.shape, positions.count <= 1, edit.count < PlainEdit.most else { return nil }
    let keys = edit.nextKeys
    place.keys.withUnsafeBufferPointer { all in
      guard let first = all.baseAddress else { return }
      for index in all.indices { edit.add(keyAt: first + index) }
    }
    return (shape, keys, positions.first ?? -1)
  }

  @inline(__always)
  private mutating func append(_ change: consuming Change) {
    // Of one size: to ask an array for more takes longer than to make it.
    if changes.capacity == 0 { changes = [change] } else { changes.append(change) }
  }

  /// Goes to an element of a list and back.
  @inline(__always)
  private mutating func at(index: Int, _ body: (inout DifferenceFinder) -> Void) {
    let outer = place.enter(position: index)
    body(&self)
    place.leave(to: outer)
  }

  /// Goes to the element of a list that an id names, and back.
  @inline(__always)
  private mutating func at(id: MapKey, _ body: (inout DifferenceFinder) -> Void) {
    let outer = place.enter(id: id)
    body(&self)
    place.leave(to: outer)
  }

  /// True if a look at their bytes shows that two values are equal. Collections that were not touched share
  /// their storage, so most of a state is.
  @inline(__always)
  private func hasSameMemory(_ schema: Schema, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer) -> Bool {
    let count = schema.access.byteCount
    return count > 0 && hasSameBytes(old, new, count)
  }

  private mutating func compare(_ schema: Schema, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer) {
    if !hasSameMemory(schema, old, new) { lookInto(schema, old, new) }
  }

  /// Compares two values that take different bytes.
  private mutating func lookInto(_ schema: Schema, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer) {
    if let fields = schema.flat {
      return fields._withUnsafeGuaranteedRef { compareFields($0, old, new, isOutermost: true) }
    }
    if let (elements, element) = schema.list {
      return elements._withUnsafeGuaranteedRef { access in
        element._withUnsafeGuaranteedRef { compareLists($0, access, old, new) }
      }
    }
    switch schema.access.parts {
    case .none, .list, .union:
      guard !schema.access.isEqual(old, new) else { return }
      put(.replaced, schema, old, new)
    case .optional(let access): compareOptionals(schema, access, old, new)
    case .record(.flat(let fields)): compareFields(fields, old, new)
    case .record(.dynamic):
      guard case .record(let record) = schema.kind else { return }
      compareFields(record, old, new)
    case .map(let access):
      guard case .map(_, let element) = schema.kind else { return }
      let wasPassing = isPassing
      isPassing = true
      access.visitDifferences(old, new) { key, old, new in
        if let old, let new, hasSameMemory(element, old, new) { return }
        compareEntries(element, key, old, new)
      }
      isPassing = wasPassing
    }
  }

  /// Compares the entries of two maps under a key, of which one may be missing.
  private mutating func compareEntries(
    _ element: Schema, _ key: MapKey, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?
  ) {
    let outer = place.enter(key: key)
    switch (old, new) {
    case (let old?, let new?): lookInto(element, old, new)
    case (nil, let new?): putOnce(.added, element, nil, new)
    case (let old?, nil): putOnce(.removed, element, old, nil)
    case (nil, nil): break
    }
    place.leave(to: outer)
  }

  /// Compares the fields of two Swift structs.
  ///
  /// - Parameter isOutermost: true for a whole, of which seldom more than one field has changed.
  private mutating func compareFields(
    _ fields: FlatFields, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, isOutermost: Bool = false
  ) {
    fields.fields.withUnsafeBufferPointer { compareFields($0, old, new, isOutermost) }
  }

  @inline(__always)
  private mutating func compareFields(
    _ fields: UnsafeBufferPointer<FlatField>, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ isOutermost: Bool
  ) {
    func isSame(_ index: Int) -> Bool {
      let (offset, room) = (fields[index].offset, fields[index].room)
      return room > 0 && hasSameBytes(old + offset, new + offset, room)
    }
    for index in fields.indices where !isSame(index) {
      // An array that grows is copied: room for a second change, where there may be one.
      if !isOutermost, changes.isEmpty, edit == nil, fields.indices[(index + 1)...].contains(where: { !isSame($0) }) {
        changes.reserveCapacity(2)
      }
      let outer = place.enter(field: index, fields[index].name)
      let offset = fields[index].offset
      if case .int = fields[index].memory {
        // The most frequent change of all.
        compareIntegers(old + offset, new + offset)
      } else if let flat = fields[index].flat.map({ Unmanaged.passUnretained($0) }) {
        flat._withUnsafeGuaranteedRef { compareFields($0, old + offset, new + offset) }
      } else {
        Unmanaged.passUnretained(fields[index].schema)._withUnsafeGuaranteedRef {
          compare($0, old + offset, new + offset)
        }
      }
      place.leave(to: outer)
    }
  }

  private mutating func compareIntegers(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer) {
    let (old, new) = (old.load(as: Int.self), new.load(as: Int.self))
    if old == new { return }
    guard let edit else { return add(.replace(from: .int(old), to: .int(new))) }
    edit._withUnsafeGuaranteedRef { edit in
      guard let (shape, keys, position) = beginItem(of: edit) else { return isBeyondEdit = true }
      edit.add(shape, keys: keys, from: old, to: new, isTruth: false, position: position)
    }
  }

  /// Compares the fields of two ``Value/record(_:)``.
  private mutating func compareFields(_ record: RecordSchema, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer) {
    // Only looked at.
    guard let oldRecord = Value.record(at: UnsafeMutableRawPointer(mutating: old)),
      let newRecord = Value.record(at: UnsafeMutableRawPointer(mutating: new))
    else { return }
    let oldFields = Value.elements(of: &oldRecord.pointee.values)
    let newFields = Value.elements(of: &newRecord.pointee.values)
    guard oldFields != newFields else { return }
    func isSame(_ index: Int) -> Bool {
      let offset = index * MemoryLayout<Value>.stride
      return hasSameBytes(oldFields + offset, newFields + offset, MemoryLayout<Value>.size)
    }
    record.fields.withUnsafeBufferPointer { fields in
      var index = 0
      while index < fields.count {
        defer { index += 1 }
        if isSame(index) { continue }
        if changes.isEmpty, edit == nil {
          // An array that grows is copied: room for all that may differ.
          let count = (index..<fields.count).count { !isSame($0) }
          if count > 1 { changes.reserveCapacity(count) }
        }
        // Unmanaged: the record has the fields, and they their types.
        Unmanaged.passUnretained(fields[index])._withUnsafeGuaranteedRef { field in
          let offset = index * MemoryLayout<Value>.stride
          let outer = place.enter(field: index, field.name)
          lookInto(field.schema, oldFields + offset, newFields + offset)
          place.leave(to: outer)
        }
      }
    }
  }

  private mutating func compareOptionals(
    _ schema: Schema, _ access: OptionalAccess, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer
  ) {
    guard case .optional(let wrapped) = schema.kind else { return }
    let wasPassing = isPassing
    isPassing = true
    // Within a collection what happened to the value of an optional must not pass for one of its elements.
    let hadValue = access.read(old) { old in
      let hasValue = access.read(new) { new in compare(wrapped, old, new) }
      if !hasValue { put(.removed, wrapped, old, nil, isInPlace: place.endsInPart) }
    }
    if !hadValue {
      _ = access.read(new) { put(.added, wrapped, nil, $0, isInPlace: place.endsInPart) }
    }
    isPassing = wasPassing
  }

  private mutating func compareLists(
    _ element: Schema, _ access: ListAccess, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer
  ) {
    let (oldRange, newRange) = access.differing(old, new)
    guard !oldRange.isEmpty || !newRange.isEmpty else { return }
    // Unmanaged: the type has it.
    guard let identity = element.identity.map({ Unmanaged.passUnretained($0) }) else {
      return compareByIndex(element, access, old, oldRange, new, newRange)
    }
    identity._withUnsafeGuaranteedRef { identity in
      // Most elements come behind the others.
      if oldRange.isEmpty, newRange.count == 1, newRange.upperBound == access.count(new),
        compareAppended(identity, element, access, old, new, newRange.lowerBound)
      {
        return
      }
      compareById(identity, element, access, old, oldRange, new, newRange)
    }
  }

  /// Adds that an element came behind the others.
  ///
  /// - Returns: false, and nothing is appended, where its id stands twice.
  private mutating func compareAppended(
    _ identity: ElementIdentity, _ element: Schema, _ access: ListAccess, _ old: UnsafeRawPointer,
    _ new: UnsafeRawPointer, _ index: Int
  ) -> Bool {
    let place = access.address(new, index)
    // The type of the field leaves nothing else.
    let id = identity.id(place) ?? .int(0)
    guard access.keepOrder(old, new, id) || !access.repeats(new, id) else { return false }
    at(id: id) { $0.putOnce(.added, element, nil, place, at: index) }
    return true
  }

  private mutating func compareByIndex(
    _ element: Schema, _ access: ListAccess, _ old: UnsafeRawPointer, _ oldRange: Range<Int>, _ new: UnsafeRawPointer,
    _ newRange: Range<Int>
  ) {
    for index in oldRange.lowerBound..<max(oldRange.upperBound, newRange.upperBound) {
      at(index: index + 1) { finder in
        switch (oldRange.contains(index), newRange.contains(index)) {
        case (true, true):
          finder.compare(element, access.address(old, index), access.address(new, index))
        case (false, true): finder.put(.added, element, nil, access.address(new, index))
        case (true, false): finder.put(.removed, element, access.address(old, index), nil)
        case (false, false): break
        }
      }
    }
  }

  /// Appends what differs between two lists whose ids are in order, without a look at what lies between.
  ///
  /// - Returns: false, and nothing is appended, where the ids are not, or are not known to be.
  private mutating func appendOrdered(
    _ identity: ElementIdentity, _ element: Schema, _ access: ListAccess, _ old: UnsafeRawPointer,
    _ oldRange: Range<Int>, _ new: UnsafeRawPointer, _ newRange: Range<Int>
  ) -> Bool {
    // A few elements are soon looked at one by one.
    guard max(oldRange.count, newRange.count) > 32, let differences = access.differences(old, oldRange, new, newRange)
    else { return false }
    var come: [Int] = []
    for difference in differences {
      switch difference {
      case .gone(let index):
        at(id: identity.read(access, old, index)) {
          $0.putOnce(.removed, element, access.address(old, index), nil, at: index)
        }
      case .changed(let index, let newIndex):
        at(id: identity.read(access, old, index)) { finder in
          finder.positions.append(index)
          finder.compare(element, access.address(old, index), access.address(new, newIndex))
          finder.positions.removeLast()
        }
      case .come(let index): come.append(index)
      }
    }
    for index in come {
      at(id: identity.read(access, new, index)) {
        $0.putOnce(.added, element, nil, access.address(new, index), at: index)
      }
    }
    return true
  }

  /// Compares the one element that differs, as after most actions: it has changed, come, gone, or another has its place.
  ///
  /// - Returns: false, and nothing is appended, where its id stands twice.
  private mutating func compareOne(
    _ identity: ElementIdentity, _ element: Schema, _ access: ListAccess, _ old: UnsafeRawPointer, _ oldIndex: Int?,
    _ new: UnsafeRawPointer, _ newIndex: Int?
  ) -> Bool {
    let gone = oldIndex.map { (index: $0, id: identity.read(access, old, $0)) }
    let come = newIndex.map { (index: $0, id: identity.read(access, new, $0)) }
    if let gone, access.repeats(old, gone.id) { return false }
    let isSameElement = gone?.id == come?.id
    if isSameElement { _ = access.keepOrder(old, new, nil) }
    if let come, !isSameElement, access.repeats(new, come.id) { return false }
    if let gone {
      at(id: gone.id) { finder in
        let before = access.address(old, gone.index)
        guard let come, isSameElement else { return finder.putOnce(.removed, element, before, nil, at: gone.index) }
        finder.positions.append(gone.index)
        finder.compare(element, before, access.address(new, come.index))
        finder.positions.removeLast()
      }
    }
    if let come, !isSameElement {
      at(id: come.id) { $0.putOnce(.added, element, nil, access.address(new, come.index), at: come.index) }
    }
    return true
  }

  private mutating func compareById(
    _ identity: ElementIdentity, _ element: Schema, _ access: ListAccess, _ old: UnsafeRawPointer,
    _ oldRange: Range<Int>, _ new: UnsafeRawPointer, _ newRange: Range<Int>
  ) {
    if oldRange.count <= 1, newRange.count <= 1 {
      if compareOne(identity, element, access, old, oldRange.first, new, newRange.first) { return }
      return compareByIndex(element, access, old, oldRange, new, newRange)
    }
    if appendOrdered(identity, element, access, old, oldRange, new, newRange) { return }
    var oldPlaces: [MapKey: Int] = [:]
    var newPlaces: [MapKey: Int] = [:]
    for index in oldRange { oldPlaces[identity.read(access, old, index)] = index }
    for index in newRange { newPlaces[identity.read(access, new, index)] = index }
    guard oldPlaces.count == oldRange.count, newPlaces.count == newRange.count,
      !identity.repeats(access, old, oldRange, oldPlaces), !identity.repeats(access, new, newRange, newPlaces)
    else {
      // Ids that repeat name nothing.
      return compareByIndex(element, access, old, oldRange, new, newRange)
    }
    let kept = oldRange.compactMap { newPlaces[identity.read(access, old, $0)] }
    let staying = zip(kept, kept.dropFirst()).allSatisfy(<) ? nil : kept.longestAscent
    for index in oldRange {
      let id = identity.read(access, old, index)
      at(id: id) { finder in
        let old = access.address(old, index)
        guard let newIndex = newPlaces[id] else {
          finder.putOnce(.removed, element, old, nil, at: index)
          return
        }
        finder.positions.append(index)
        finder.compare(element, old, access.address(new, newIndex))
        finder.positions.removeLast()
        if let staying, !staying.contains(newIndex) {
          finder.putOnce(.moved, element, nil, nil, at: index, to: newIndex)
        }
      }
    }
    for index in newRange {
      let id = identity.read(access, new, index)
      guard oldPlaces[id] == nil else { continue }
      at(id: id) { $0.putOnce(.added, element, nil, access.address(new, index), at: index) }
    }
  }
}

/// The same difference where a record of writes says where to look: whoever has it goes to the places that were written to, in the order
/// of the schema, and nothing else is compared.
extension DifferenceFinder {
  /// A place to return to.
  package struct Spot {
    fileprivate let spot: FinderPlace.Spot
    fileprivate var isNumbered = false
  }

  /// Makes room for so many changes: an array that grows is copied.
  package mutating func reserve(_ count: Int) { changes.reserveCapacity(count) }

  package mutating func enter(slice name: String) -> Spot { Spot(spot: place.enter(slice: name)) }

  /// Goes into a field of the record here.
  ///
  /// - Parameter name: where its name stands: a copy would count references.
  package mutating func enter(field index: Int, _ name: UnsafePointer<String>) -> Spot {
    Spot(spot: place.enter(field: index, name.pointee))
  }

  /// Goes to the value under a key of the map here.
  package mutating func enter(key: __owned MapKey) -> Spot { Spot(spot: place.enter(key: key)) }

  /// Goes to an element of the list here that is the only one to differ, or one of several where elements have no ids. Its id is what
  /// it was.
  ///
  /// - Returns: the place to return to; nil: its id stands twice.
  package mutating func enter(
    element index: Int, of list: UnsafeRawPointer, _ access: ListAccess, _ element: Schema
  ) -> Spot? {
    guard let identity = element.identity else {
      return Spot(spot: place.enter(position: index + 1))
    }
    let id = identity.read(access, list, index)
    if access.repeats(list, id) { return nil }
    positions.append(index)
    return Spot(spot: place.enter(id: id), isNumbered: true)
  }

  /// Goes back to where a place was entered.
  package mutating func leave(to outer: Spot) {
    place.leave(to: outer.spot)
    if outer.isNumbered { positions.removeLast() }
  }

  /// Appends the difference between two values that stand here.
  package mutating func compareHere(_ schema: Schema, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer) {
    compare(schema, old, new)
  }

  /// Appends that one scalar took the place of another here.
  package mutating func replaceHere(_ old: __owned Value, by new: __owned Value) { add(.replace(from: old, to: new)) }

  /// Appends the difference between the values under a key of the map here, of which one may be missing.
  package mutating func compareHere(
    _ element: Schema, under key: MapKey, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?
  ) {
    if let old, let new, hasSameMemory(element, old, new) { return }
    compareEntries(element, key, old, new)
  }

  /// Appends that elements came behind the others of the list here.
  ///
  /// - Parameter first: the position of the first of them; where elements have ids, it is the only one.
  package mutating func addAppended(
    from first: Int, to list: UnsafeRawPointer, _ access: ListAccess, _ element: Schema
  ) {
    for index in first..<access.count(list) {
      let value = access.address(list, index)
      if let identity = element.identity {
        let id = identity.read(access, list, index)
        if !access.repeats(list, id) {
          at(id: id) { $0.putOnce(.added, element, nil, value, at: index) }
          continue
        }
      }
      at(index: index + 1) { $0.put(.added, element, nil, value) }
    }
  }

  /// The differences that were appended since the last time.
  package mutating func takeChanges() -> [Change] {
    defer { changes = [] }
    return changes
  }
}
