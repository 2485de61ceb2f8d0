extension Schema {
  /// Applies to a value of the type, in place, the changes that lead from it to another, or back to it.
  ///
  /// The changes come from ``changes(from:to:at:)`` between two values, whole and in their order. Their values have
  /// passed ``check(_:)``. The result equals the other value. Only what changed is looked at.
  /// - Parameters:
  ///   - changes: the changes.
  ///   - target: the old value, or the new one where the direction is ``Change/Direction/backward``.
  ///   - depth: the number of steps at the start of each path that lead to the value; none names an element by id.
  /// - Throws: ``ChangeError`` where a change does not fit; the value may then be partly changed.
  public func apply(
    _ changes: ArraySlice<Change>, _ direction: Change.Direction = .forward, to target: UnsafeMutableRawPointer,
    depth: Int = 0
  ) throws {
    guard !changes.isEmpty else { return }
    try ChangeApplier(direction: direction).apply(changes, self, target, ChangeApplier.Level(depth: depth, named: 0))
  }
}

extension Value {
  /// The state of a module of unknown type after some changes, read from JSON, by its shape alone.
  ///
  /// - Parameters:
  ///   - changes: the changes, read without types, each with the module as the first step of its path.
  ///   - isRecord: true if a path is known to lead to a record. A field that lost its value is null there; a member of
  ///     anything else that lost its value is gone.
  /// - Throws: ``ChangeError`` where one does not fit.
  public func changed(
    by changes: ArraySlice<Change>, isRecord: @escaping (Path) -> Bool = { _ in false }
  ) throws -> Value {
    var value = self
    try withUnsafeMutablePointer(to: &value) { target in
      let applier = ChangeApplier(direction: .forward, isRecord: isRecord)
      let level = ChangeApplier.Level(depth: 1, named: 0)
      try applier.apply(changes, .dynamic(.any), UnsafeMutableRawPointer(target), level)
    }
    return value
  }
}

/// Descends along the paths of changes, once for all that share a part.
private struct ChangeApplier {
  /// The depth of a descent: steps of the path, and those among them that name an element by id.
  struct Level {
    var depth: Int
    var named: Int

    func below(_ step: Path.Step) -> Level {
      if case .match = step { return Level(depth: depth + 1, named: named + 1) }
      return Level(depth: depth + 1, named: named)
    }
  }

  let direction: Change.Direction
  /// True if a path is known to lead to a record, where values without a type stand as JSON has them; nil: they do not.
  var isRecord: ((Path) -> Bool)?

  func apply(
    _ changes: ArraySlice<Change>, _ schema: Schema, _ target: UnsafeMutableRawPointer, _ level: Level
  ) throws {
    if let change = changes.first, change.path.steps.count == level.depth {
      for change in changes { try schema.access.assign(outcome(of: change) ?? .none, target) }
      return
    }
    switch (schema.access.parts, schema.kind) {
    case (.optional(let access), .optional(let wrapped)):
      guard try access.modify(target, { try apply(changes, wrapped, $0, level) }) else {
        throw misfit(changes, "there is no value to change")
      }
    case (.record(let access), .record(let record)):
      try eachPart(changes, level) { step, part in
        guard let name = step.name, let index = record.index(of: name) else {
          throw misfit(part, "'\(record.name)' has no such field")
        }
        try access.modify(target, index) { try apply(part, record.fields[index].schema, $0, level.below(step)) }
      }
    case (.list(let access), .list(let element)): try applyToList(changes, element, access, target, level)
    case (.map(let access), .map(let kind, let element)):
      try eachPart(changes, level) { step, part in
        guard let key = step.mapKey(kind) ?? (isRecord == nil ? nil : step.memberName) else {
          throw misfit(part, "no key of the map")
        }
        if let change = part.first, isWhole(change, level) {
          if change.isMove { throw misfit(part, "an entry of a map has no position") }
          if let value = outcome(of: change) {
            try access.set(target, key, value)
          } else if let isRecord, isRecord(Path(Array(change.path.steps.prefix(level.depth)))) {
            try access.set(target, key, .none)
          } else {
            access.remove(target, key)
          }
        } else {
          if isRecord != nil, !access.read(target, key, { _ in }) { try access.set(target, key, .none) }
          guard try access.modify(target, key, { try apply(part, element, $0, level.below(step)) }) else {
            throw misfit(part, "there is no such entry")
          }
        }
      }
    case (.none, .any) where isRecord != nil:
      guard let shape = target.assumingMemoryBound(to: Value.self).pointee.shape else { fallthrough }
      try apply(changes, shape, target, level)
    default: throw misfit(changes, "\(schema.typeName) has no parts")
    }
  }

  /// In the coordinates of the old list: first the changes within elements, then the elements that went away, then
  /// those that came. The other way round on the way back. An element that moved goes away and comes.
  private func applyToList(
    _ changes: ArraySlice<Change>, _ element: Schema, _ access: ListAccess, _ target: UnsafeMutableRawPointer,
    _ level: Level
  ) throws {
    let list = ListTarget(element: element, access: access, memory: target, level: level)
    let whole = changes.filter { isWhole($0, level) }
    var coming = whole.filter { $0.isMove || outcome(of: $0) != nil }
    var going = whole.filter { $0.isMove || outcome(of: $0) == nil }
    if whole.contains(where: \.isMove) {
      func ascend(_ left: Change, _ right: Change, _ direction: Change.Direction) -> Bool {
        (list.place(of: left, direction) ?? 0) < (list.place(of: right, direction) ?? 0)
      }
      going.sort { ascend($0, $1, direction == .forward ? .backward : .forward) }
      coming.sort { ascend($0, $1, direction) }
    }
    var moving: [Path: Value] = [:]
    func applyWithinElements() throws {
      guard whole.count < changes.count else { return }
      let within = whole.isEmpty ? changes : changes.filter { !isWhole($0, level) }[...]
      try eachPart(within, level) { step, part in
        guard let change = part.first else { return }
        guard let position = list.position(of: change), position < access.count(target) else {
          throw misfit(part, "there is no such element")
        }
        try access.modify(target, position) { try apply(part, element, $0, level.below(step)) }
      }
    }
    if direction == .forward { try applyWithinElements() }
    for change in going.reversed() {
      let stated = change.isMove ? list.place(of: change, direction == .forward ? .backward : .forward) : nil
      guard let position = stated ?? list.position(of: change), position < access.count(target) else {
        throw misfit([change], "there is no such element")
      }
      if change.isMove { moving[change.path] = element.access.read(access.address(target, position)) }
      access.remove(target, position)
    }
    for change in coming {
      let count = access.count(target)
      let position = list.place(of: change, direction) ?? count
      guard position <= count, let value = outcome(of: change) ?? moving[change.path] else {
        throw misfit([change], "the list has \(count) elements")
      }
      try access.insert(target, position, value)
    }
    if direction == .backward { try applyWithinElements() }
  }

  /// Hands out the changes to each part of a value, which stand side by side.
  private func eachPart(
    _ changes: ArraySlice<Change>, _ level: Level, _ body: (Path.Step, ArraySlice<Change>) throws -> Void
  ) throws {
    var rest = changes
    while let first = rest.first {
      guard first.path.steps.count > level.depth else { throw misfit(rest, "it is within another change") }
      let step = first.path.steps[level.depth]
      let position = first.position(level)
      let end =
        rest.firstIndex {
          $0.path.steps.count <= level.depth || $0.path.steps[level.depth] != step || $0.position(level) != position
        } ?? rest.endIndex
      try body(step, rest[..<end])
      rest = rest[end...]
    }
  }

  /// True if an element or entry of the collection at hand came or went as a whole.
  private func isWhole(_ change: Change, _ level: Level) -> Bool {
    guard change.path.steps.count == level.depth + 1, !change.isInPlace else { return false }
    if case .replace = change.kind { return false }
    return true
  }

  /// The value after the change; nil where there is none.
  private func outcome(of change: Change) -> Value? {
    switch (change.kind, direction) {
    case (.replace(_, let value), .forward), (.replace(let value, _), .backward): value
    case (.add(let value), .forward), (.remove(let value), .backward): value
    case (.add, .backward), (.remove, .forward), (.move, _): nil
    }
  }

  private func misfit(_ changes: ArraySlice<Change>, _ message: String) -> ChangeError {
    ChangeError(changes.first?.path ?? Path(), message)
  }
}

private struct ListTarget {
  let element: Schema
  let access: ListAccess
  let memory: UnsafeMutableRawPointer
  let level: ChangeApplier.Level

  /// The position of an element that is there: as the change says, else the first of that id.
  func position(of change: Change) -> Int? {
    if let position = statedPosition(of: change) { return position }
    guard case .match(let field, let id) = change.path.steps[level.depth] else { return nil }
    if field == ElementIdentity.fieldName, let id = MapKey(id) { return access.position(memory, id) }
    guard case .any = element.kind else { return nil }
    return (0..<access.count(memory)).first {
      element.access.read(access.address(memory, $0)).part(named: field) == id
    }
  }

  /// The stated position of an element that comes or goes as a whole: in the new list, or in the old one.
  func place(of change: Change, _ side: Change.Direction) -> Int? {
    if case .move(let position) = change.kind, side == .forward { return position }
    return statedPosition(of: change)
  }

  /// The position of the element as the change states it.
  func statedPosition(of change: Change) -> Int? {
    switch change.path.steps[level.depth] {
    case .index(let index) where index > 0: index - 1
    case .match: change.position(level)
    default: nil
    }
  }
}

extension Change {
  fileprivate var isMove: Bool { if case .move = kind { true } else { false } }

  /// The position of the element that the step at a level names by id.
  fileprivate func position(_ level: ChangeApplier.Level) -> Int? {
    guard level.named < positions.count, case .match = path.steps[level.depth] else { return nil }
    return positions[level.named]
  }
}

extension Path.Step {
  /// The name of a record's field.
  fileprivate var name: String? {
    switch self {
    case .field(let name), .key(.string(let name)): name
    default: nil
    }
  }

  /// The name that an entry under a number has in JSON.
  fileprivate var memberName: MapKey? {
    switch self {
    case .index(let number), .key(.int(let number)): .string("\(number)")
    default: nil
    }
  }
}
