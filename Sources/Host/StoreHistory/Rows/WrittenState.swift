import StoreSchema

extension JournalReading {
  /// The state after an action as it was written, for a program that does not know the types of then any more: the latest
  /// snapshot, led on by what the rows behind it say.
  ///
  /// - Parameters:
  ///   - number: the action.
  ///   - latest: the latest action whose snapshot may be taken; nil: the action itself.
  ///   - isRecord: whether what a path leads to is known to be a record. A field that lost its value is null there; a member
  ///     of anything else that lost its value is gone.
  /// - Returns: nil: there is no snapshot that can be read.
  /// - Throws: ``JournalError``; `ChangeError` where a row does not fit the state before it.
  public func writtenState(
    after number: Int, from latest: Int? = nil, isRecord: @escaping (Path) -> Bool
  ) throws -> JournalSnapshot? {
    guard let snapshot = try snapshot(upTo: latest ?? number) else { return nil }
    guard snapshot.number < number else { return snapshot }
    var states: [String: Value] = [:]
    let untyped = EntryReader(EntryTypes(action: { _ in nil }, slice: { _ in nil }))
    try visit(snapshot.number + 1...number) { row in
      if row.changesMore { throw row.stateIsLost(path) }
      guard let text = row.changes else { return }
      var rest = try untyped.changes(of: text)[...]
      while let module = rest.first?.module {
        let part = rest.prefix { $0.module == module }
        rest = rest[part.endIndex...]
        if states[module] == nil {
          let slice = snapshot.slices.first { $0.module == module }
          states[module] = try slice.map { try JSON.value(of: $0.state) }
        }
        states[module] = try (states[module] ?? Value.none).changed(by: part, isRecord: isRecord)
      }
    }
    return JournalSnapshot(
      number: number,
      slices: snapshot.slices.map { slice in
        states[slice.module].map { JournalSnapshot.Slice(module: slice.module, state: JSON.text(of: $0)) } ?? slice
      })
  }
}

extension Value {
  /// What changes make of the state of a module whose type nobody knows any more, by its shape alone.
  ///
  /// - Parameters:
  ///   - changes: the changes, read without types, each with the module as the first step of its path.
  ///   - isRecord: whether what a path leads to is known to be a record.
  /// - Throws: `ChangeError` where one does not fit.
  public func changed(
    by changes: ArraySlice<Change>, isRecord: @escaping (Path) -> Bool = { _ in false }
  ) throws -> Value {
    try WrittenState(isRecord: isRecord).outcome(of: changes, in: self)
  }
}

/// Applies changes to a state as JSON holds it, by its shape alone; in the order in which a schema applies them, see
/// `Schema.apply`.
private struct WrittenState {
  let isRecord: (Path) -> Bool

  /// How far a descent has come: steps of the path, and those among them that name an element by id.
  private struct Level {
    var depth = 1
    var named = 0

    func below(_ step: Path.Step) -> Level {
      if case .match = step { return Level(depth: depth + 1, named: named + 1) }
      return Level(depth: depth + 1, named: named)
    }
  }

  /// What the changes to a module make of its state.
  func outcome(of changes: ArraySlice<Change>, in state: Value) throws -> Value {
    try outcome(of: changes, in: state, Level())
  }

  private func outcome(of changes: ArraySlice<Change>, in value: Value, _ level: Level) throws -> Value {
    if let change = changes.last, changes.first?.path.steps.count == level.depth { return change.after ?? Value.none }
    switch value {
    case .list(let list): return .list(try outcome(of: changes, in: list, level))
    case .map(let members): return .map(try outcome(of: changes, in: members, level))
    default: throw misfit(changes)
    }
  }

  private func outcome(
    of changes: ArraySlice<Change>, in members: PersistentMap<MapKey, Value>, _ level: Level
  ) throws -> PersistentMap<MapKey, Value> {
    var members = members
    for part in parts(of: changes, level) {
      guard let change = part.first, let key = change.path.steps[level.depth].memberName else { throw misfit(part) }
      if isWhole(change, level) {
        let parent = Path(Array(change.path.steps.prefix(level.depth)))
        members[key] = change.after ?? (isRecord(parent) ? Value.none : nil)
      } else {
        members[key] = try outcome(
          of: part, in: members[key] ?? Value.none, level.below(change.path.steps[level.depth]))
      }
    }
    return members
  }

  /// First what changed within elements, then what went away, then what came.
  private func outcome(
    of changes: ArraySlice<Change>, in list: PersistentList<Value>, _ level: Level
  ) throws -> PersistentList<Value> {
    var list = list
    for part in parts(of: changes, level) {
      guard let change = part.first, !isWhole(change, level) else { continue }
      guard let index = position(of: change, in: list, level), list.indices.contains(index) else { throw misfit(part) }
      list[index] = try outcome(of: part, in: list[index], level.below(change.path.steps[level.depth]))
    }
    let whole = changes.filter { isWhole($0, level) }
    for change in whole.reversed() where change.after == nil {
      guard let index = position(of: change, in: list, level), list.indices.contains(index) else {
        throw misfit([change])
      }
      _ = list.remove(at: index)
    }
    for change in whole {
      guard let value = change.after else { continue }
      let index = statedPosition(of: change, level) ?? list.count
      guard index <= list.count else { throw misfit([change]) }
      list.insert(value, at: index)
    }
    return list
  }

  /// The changes to each part of a value, which stand side by side.
  private func parts(of changes: ArraySlice<Change>, _ level: Level) -> [ArraySlice<Change>] {
    var parts: [ArraySlice<Change>] = []
    var rest = changes
    while let first = rest.first, first.path.steps.count > level.depth {
      let part = rest.prefix {
        $0.path.steps.count > level.depth && $0.path.steps[level.depth] == first.path.steps[level.depth]
          && position($0, level) == position(first, level)
      }
      parts.append(part)
      rest = rest[part.endIndex...]
    }
    return parts
  }

  /// Whether a member or an element came or went as a whole.
  private func isWhole(_ change: Change, _ level: Level) -> Bool {
    guard change.path.steps.count == level.depth + 1, !change.isInPlace else { return false }
    if case .replace = change.kind { return false }
    return true
  }

  private func position(of change: Change, in list: PersistentList<Value>, _ level: Level) -> Int? {
    if let position = statedPosition(of: change, level) { return position }
    guard case .match(let field, let id) = change.path.steps[level.depth] else { return nil }
    return list.firstIndex { element in
      guard case .map(let members) = element else { return false }
      return members[.string(field)] == id
    }
  }

  private func statedPosition(of change: Change, _ level: Level) -> Int? {
    if case .index(let index) = change.path.steps[level.depth] { return index > 0 ? index - 1 : nil }
    return position(change, level)
  }

  /// The position of the element that the step at a level names by id.
  private func position(_ change: Change, _ level: Level) -> Int? {
    guard level.named < change.positions.count, case .match = change.path.steps[level.depth] else { return nil }
    return change.positions[level.named]
  }

  private func misfit(_ changes: ArraySlice<Change>) -> ChangeError {
    ChangeError(changes.first?.path ?? Path(), "what the file says of it does not fit the state before")
  }
}

extension Change {
  /// The value after the change; nil where there is none.
  fileprivate var after: Value? {
    switch kind {
    case .replace(_, let value), .add(let value): value
    case .remove: nil
    }
  }
}

extension Path.Step {
  /// The name that the member has in JSON.
  fileprivate var memberName: MapKey? {
    switch self {
    case .field(let name), .key(.string(let name)): .string(name)
    case .index(let number), .key(.int(let number)): .string("\(number)")
    default: nil
    }
  }
}
