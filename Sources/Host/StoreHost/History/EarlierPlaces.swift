import StoreHistory
import StoreSchema

/// Where a value stood before an action. Elements of a list that have no ids move when others come or go before them.
package enum EarlierPlace {
  /// There, whether the action changed the value or not.
  case at(Path)
  /// There, in an element that the action moved to its later position, as it was.
  case moved(from: Path)
  /// Nowhere: it came with the element that this change added.
  case nowhere(Change)
  /// In one of several elements of the list at this path, all of which the action changed.
  case unknown(list: Path)
}

extension StoreClient {
  /// The most elements of a list that are compared to find where one of them stood.
  private static let mostCompared = 1000

  /// Where the value at a path after an action stood before it.
  ///
  /// - Parameter path: a place whose elements of lists have ids, or positions from 1.
  package func earlierPlace(of path: Path, behind entry: LoggedEntry) throws -> EarlierPlace {
    var path = path
    for depth in path.steps.indices {
      guard case .index(let position) = path.steps[depth] else { continue }
      let list = Path(Array(path.steps[..<depth]))
      var (come, gone, changed): ([Int], [Int], Set<Int>) = ([], [], [])
      var names: [Int: Path.Step] = [:]
      var added: Change?
      for change in entry.changes where change.path.steps.count > depth {
        let step = change.path.steps[depth]
        guard Path(Array(change.path.steps[..<depth])).lies(along: list), step.isOfList else { continue }
        let isWhole = change.path.steps.count == depth + 1 && !change.isInPlace
        guard let index = change.position(at: depth), !(isWhole && change.isMove) else { return .unknown(list: list) }
        switch change.kind {
        case .add where isWhole:
          come.append(index)
          if index == position { added = change }
        case .remove where isWhole: gone.append(index)
        default:
          if case .index = step { changed.insert(index) } else { names[index] = step }
        }
      }
      var earlier = position - come.count { $0 < position }
      for index in gone.sorted() where index <= earlier { earlier += 1 }
      // What changed in one element alone changed there. Of several, one may have taken the place of another.
      let isAlone = added == nil ? changed.count + come.count + gone.count == 1 : changed.isEmpty && gone.isEmpty
      if added != nil || changed.contains(earlier), !isAlone {
        switch try origin(of: path, depth, among: changed.union(gone), behind: entry.number) {
        case .here: break
        case .unknown: return .unknown(list: list)
        case .other(let origin):
          path.steps[depth] = .index(origin)
          return .moved(from: path)
        }
      }
      if let added { return .nowhere(added) }
      path.steps[depth] = names[earlier] ?? .index(earlier)
    }
    return .at(path)
  }

  private enum Origin {
    /// The action changed the element in its place, or brought it.
    case here
    /// The element stood at this position, as it is.
    case other(Int)
    case unknown
  }

  /// Where the element stood before an action that a path names by position after it.
  ///
  /// - Parameters:
  ///   - depth: the place of the step that names it.
  ///   - positions: those of the elements that the action changed or took.
  private func origin(
    of path: Path, _ depth: Int, among positions: Set<Int>, behind number: Int
  ) throws -> Origin {
    guard number > live.oldest, positions.count <= Self.mostCompared, case .field(let module)? = path.steps.first
    else { return .unknown }
    let rest = path.steps[(depth + 1)...]
    func values(_ positions: [Int], at number: Int) throws -> [(element: Value?, value: Value?)] {
      var found: [(Value?, Value?)] = []
      _ = try theMoment.state(at: number).readSlice(module) { schema, slice in
        func value(_ steps: ArraySlice<Path.Step>) -> Value? {
          try? schema.read(steps.dropFirst(), in: slice, from: Path([path.steps[0]])).value
        }
        found = positions.map { position in
          let element = path.steps[..<depth] + [.index(position)]
          return (value(element), value(element + rest))
        }
      }
      return found
    }
    guard case .index(let position) = path.steps[depth], let new = try values([position], at: number).first
    else { return .unknown }
    let positions = positions.sorted()
    let old = zip(positions, try values(positions, at: number - 1))
    let equal = old.filter { $0.1.element == new.element }
    guard equal.isEmpty else { return equal.count == 1 ? .other(equal[0].0) : .unknown }
    // A value that no element had is the action's.
    return old.contains { $0.1.value == new.value } ? .unknown : .here
  }
}

extension Change {
  /// The position, from 1, of the element of a list to which the step at a depth of the path leads; nil: it is not known.
  fileprivate func position(at depth: Int) -> Int? {
    guard case .match = path.steps[depth] else {
      if case .index(let index) = path.steps[depth] { return index }
      return nil
    }
    let named = path.steps[..<depth].count { if case .match = $0 { true } else { false } }
    return named < positions.count ? positions[named] + 1 : nil
  }

  fileprivate var isMove: Bool { if case .move = kind { true } else { false } }
}

extension Path.Step {
  /// True if it leads to an element of a list.
  fileprivate var isOfList: Bool {
    switch self {
    case .index, .match: true
    case .field, .key, .all: false
    }
  }
}
