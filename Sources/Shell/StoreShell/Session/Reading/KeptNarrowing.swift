import StoreSchema

/// The elements of a list or a map that met a condition at the last look. The next look asks the condition of elements alone that are
/// new or have changed: it depends on nothing but the element.
struct KeptNarrowing {
  /// The list or the map before the choice.
  private var whole: Value
  /// The chosen elements, in a collection of the same kind.
  private(set) var chosen: Value
  /// For each element of a list, true if it was chosen.
  private var isChosen: [Bool]
  private let kind: ElementKind
  private let choice: ElementChoice

  /// The kinds of elements that a condition reads alike.
  private enum ElementKind: Equatable {
    /// Records with those fields.
    case records(RecordLayout)
    /// Maps, whose keys pass for fields.
    case maps
    /// Values without fields.
    case others

    init(_ value: Value) {
      switch value {
      case .record(let record): self = .records(record.layout)
      case .map: self = .maps
      default: self = .others
      }
    }
  }

  /// The differences up to which elements are looked at one by one: so many, and one for each of so many elements.
  private static let (fewDifferences, elementsForOne) = (64, 8)

  /// - Parameters:
  ///   - whole: the list or the map before the choice.
  ///   - chosen: the chosen elements, in a collection of the same kind.
  /// - Returns: nil: the condition must be asked of all elements each time.
  init?(of whole: Value, chosen: Value, _ choice: ElementChoice) {
    let elements: [Value]
    switch (whole, chosen) {
    case (.list(let list), .list): elements = Array(list)
    case (.map(let map), .map): elements = map.map { $1 }
    default: return nil
    }
    guard choice.dependsOnElementAlone, let first = elements.first else { return nil }
    kind = ElementKind(first)
    (self.whole, self.chosen, self.choice) = (whole, chosen, choice)
    isChosen = choice.isChosen
    guard elements.allSatisfy({ isOfKind($0) }) else { return nil }
  }

  private func isOfKind(_ element: Value) -> Bool {
    switch (kind, element) {
    case (.records(let layout), .record(let record)): record.layout == layout
    case (.maps, .map(let map)): choice.otherNames.allSatisfy { map[.string($0)] == nil }
    case (.others, .record), (.others, .map): false
    case (.others, _): true
    default: false
    }
  }

  /// Brings the choice up to the collection as it is now.
  ///
  /// - Returns: false: all elements are to be looked at anew, and this is of no use any more.
  mutating func follow(_ reading: Reading) throws -> Bool {
    switch (whole, reading.value) {
    case (.list(let old), .list(let new)): try follow(from: old, to: new, reading.schema.dynamic)
    case (.map(let old), .map(let new)): try follow(from: old, to: new)
    default: false
    }
  }

  // MARK: Lists

  private mutating func follow(
    from old: PersistentList<Value>, to new: PersistentList<Value>, _ schema: Schema
  ) throws -> Bool {
    guard !new.isEmpty, case .list(var chosen) = chosen,
      let differences = differences(from: whole, to: .list(new), schema)
    else { return false }
    // The distance by which positions of the old list have moved.
    var shift = 0
    for difference in differences {
      switch difference {
      case .gone(let index):
        let position = position(of: index + shift, among: chosen)
        if isChosen.remove(at: index + shift) { chosen.remove(at: position) }
        shift -= 1
      case .come(let index):
        guard isOfKind(new[index]) else { return false }
        let holds = try choice.holds(new[index], nil)
        if holds { chosen.insert(new[index], at: position(of: index, among: chosen)) }
        isChosen.insert(holds, at: index)
        shift += 1
      case .changed(_, let index):
        guard isOfKind(new[index]) else { return false }
        let position = position(of: index, among: chosen)
        let holds = try choice.holds(new[index], nil)
        switch (isChosen[index], holds) {
        case (true, true): chosen[position] = new[index]
        case (true, false): chosen.remove(at: position)
        case (false, true): chosen.insert(new[index], at: position)
        case (false, false): break
        }
        isChosen[index] = holds
      }
    }
    (whole, self.chosen) = (.list(new), .list(chosen))
    return true
  }

  /// The elements that have come, gone or changed between two lists, in their order; nil: too many.
  private func differences(from old: Value, to new: Value, _ schema: Schema) -> [ListDifference]? {
    let plain = Schema.dynamic(.list(.dynamic(.any)))
    return withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { new in
        let access: ListAccess
        switch (schema.access.parts, plain.access.parts) {
        case (.list(let typed), _): access = typed
        case (_, .list(let any)): access = any
        default: return nil
        }
        let (oldRange, newRange) = access.differing(old, new)
        let most = Self.fewDifferences + access.count(new) / Self.elementsForOne
        // A few elements are soon looked at one by one.
        let differences = oldRange.count + newRange.count <= 16 ? nil : access.differences(old, oldRange, new, newRange)
        if let differences { return differences.count <= most ? differences : nil }
        guard oldRange.count + newRange.count <= most else { return nil }
        return oldRange.map { .gone($0) } + newRange.map { .come($0) }
      }
    }
  }

  /// The number of chosen elements before a position of the list, counted from the nearer end.
  private func position(of index: Int, among chosen: PersistentList<Value>) -> Int {
    if index < isChosen.count / 2 { return isChosen[..<index].count { $0 } }
    return chosen.count - isChosen[index...].count { $0 }
  }

  // MARK: Maps

  private mutating func follow(
    from old: PersistentMap<MapKey, Value>, to new: PersistentMap<MapKey, Value>
  ) throws -> Bool {
    guard !new.isEmpty, case .map(var chosen) = chosen else { return false }
    let most = Self.fewDifferences + new.count / Self.elementsForOne
    var keys: [MapKey] = []
    PersistentMap.difference(old, new) { key, _, _ in keys.append(key) }
    guard keys.count <= most else { return false }
    for key in keys {
      let element = new[key]
      if let element, !isOfKind(element) { return false }
      chosen[key] = try element.flatMap { try choice.holds($0, key) ? $0 : nil }
    }
    (whole, self.chosen) = (.map(new), .map(chosen))
    return true
  }
}

/// A condition on the elements of a list or a map, and its choice among them.
struct ElementChoice {
  /// The names that it reads, without those of fields.
  let otherNames: Set<String>
  /// For each element in order, true if it was chosen.
  let isChosen: [Bool]
  /// The condition, of an element and its key in a map.
  let holds: (Value, MapKey?) throws -> Bool

  /// True if it says the same of an element whatever happens elsewhere.
  var dependsOnElementAlone: Bool { otherNames.isSubset(of: Self.pureNames) }

  /// The functions and libraries of Lua that read nothing but their arguments.
  private static let pureNames: Set<String> = ["string", "tonumber", "tostring", "type", "utf8"]
}
