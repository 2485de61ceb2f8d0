/// The place at which a finder of differences stands. Changes at one place share their path: the finder keeps a node for each field of a
/// record, and the latest paths behind these nodes.
struct FinderPlace: Sendable {
  /// The steps behind the node.
  var steps: [Path.Step] = []
  private var node = 0
  /// A hash of the steps.
  private var hash: UInt = 0
  /// The nodes, each behind the one that leads to it.
  private var nodes: [Node]
  /// The slices that stand beside the fields of the outermost record, each with its node.
  private var slices: [(name: String, node: Int)] = []
  /// The latest paths behind nodes, each at the place that ``index`` gives it until another takes that.
  private var recent: [Recent] = []
  /// The path of the element of a list that came or went last.
  private var latest = Recent()
  /// True if nodes and paths are kept.
  private let isKept: Bool
  /// The shape of the place, where an edit is filled: then the keys by which such places differ are kept, and neither steps nor nodes. Nil:
  /// it is too deep.
  private(set) var shape: Unmanaged<PlaceShape>?
  /// The keys, and the positions from 1.
  private(set) var keys: [MapKey] = []
  private var fillsEdit = false

  private struct Node: Sendable {
    let path: Path
    let depth: Int
    /// The name of the last field.
    let name: String
    /// The nodes of the fields of the record there, by their positions; 0: there is none yet.
    var fields: [Int32] = []

    init(path: Path, name: String) { (self.path, self.name, depth) = (path, name, path.steps.count) }
  }

  private struct Recent: Sendable {
    var node = 0
    var path = Path()
  }

  init(isKept: Bool) {
    self.isKept = isKept
    nodes = isKept ? [Node(path: Path(), name: "")] : []
  }

  /// The most nodes: a type that holds itself has no end of them.
  private static let mostNodes = 4096
  private static let recentBits = 9

  /// A place to return to.
  struct Spot {
    fileprivate let node: Int
    fileprivate let depth: Int
    fileprivate let hash: UInt
    fileprivate let shape: Unmanaged<PlaceShape>?
  }

  @inline(__always)
  private var spot: Spot { Spot(node: node, depth: fillsEdit ? keys.count : steps.count, hash: hash, shape: shape) }

  /// Has places have a shape, from the outermost one on, until that is nil.
  mutating func fillEdit(from root: PlaceShape?) {
    shape = root.map { .passUnretained($0) }
    fillsEdit = root != nil
  }

  /// True if the last step is a position or a key.
  var endsInPart: Bool {
    if let shape { return shape._withUnsafeGuaranteedRef { $0.endsInPart } }
    return switch steps.last {
    case .index, .key: true
    default: false
    }
  }

  /// Goes one step further in.
  ///
  /// - Parameter hash: a hash of the step.
  /// - Returns: the place to return to.
  @inline(__always)
  mutating func enter(_ step: __owned Path.Step, hash: Int) -> Spot {
    let outer = spot
    steps.append(step)
    self.hash = Self.mix(self.hash ^ UInt(bitPattern: hash))
    return outer
  }

  /// Goes to the value under a key of the map here.
  ///
  /// - Returns: the place to return to.
  @inline(__always)
  mutating func enter(key: __owned MapKey) -> Spot {
    if fillsEdit { return enter(key, shape?._withUnsafeGuaranteedRef { $0.entry }) }
    let hash = key.quickHash
    return enter(.key(key), hash: hash)
  }

  /// Goes to the element of the list here that an id names.
  ///
  /// - Returns: the place to return to.
  @inline(__always)
  mutating func enter(id: MapKey) -> Spot {
    if fillsEdit { return enter(id, shape?._withUnsafeGuaranteedRef { $0.element }) }
    return enter(.match(field: ElementIdentity.fieldName, id.value), hash: id.quickHash)
  }

  /// Goes to the element at a position, from 1, of the list here.
  ///
  /// - Returns: the place to return to.
  @inline(__always)
  mutating func enter(position: Int) -> Spot {
    if fillsEdit { return enter(.int(position), shape?._withUnsafeGuaranteedRef { $0.position }) }
    return enter(.index(position), hash: position)
  }

  @inline(__always)
  private mutating func enter(_ key: __owned MapKey, _ part: Unmanaged<PlaceShape>?) -> Spot {
    let outer = spot
    keys.append(key)
    shape = part
    return outer
  }

  /// Goes into a field of the record here.
  ///
  /// - Returns: the place to return to.
  @inline(__always)
  mutating func enter(field index: Int, _ name: String) -> Spot {
    let outer = spot
    if fillsEdit {
      shape = shape?._withUnsafeGuaranteedRef { $0.field(index, name) }
      return outer
    }
    guard isKept, steps.isEmpty else { return enter(.field(name), hash: index) }
    if index < nodes[node].fields.count {
      let next = Int(nodes[node].fields[index])
      if next > 0, nodes[next].name.hasSameBytes(as: name) {
        node = next
        return outer
      }
    }
    return enterNew(index, name)
  }

  /// Goes into a slice beside the fields of the outermost record.
  ///
  /// - Returns: the place to return to.
  mutating func enter(slice name: String) -> Spot {
    let outer = spot
    guard isKept, steps.isEmpty, node == 0 else { return enter(.field(name), hash: MapKey.string(name).quickHash) }
    if let known = slices.first(where: { $0.name == name }) {
      node = known.node
    } else if let new = newNode(name) {
      slices.append((name, new))
      node = new
    } else {
      return enter(.field(name), hash: MapKey.string(name).quickHash)
    }
    return outer
  }

  /// Goes back to where a field, a slice or a step was entered.
  @inline(__always)
  mutating func leave(to outer: Spot) {
    if fillsEdit {
      if keys.count > outer.depth { keys.removeLast() }
    } else if steps.count > outer.depth {
      steps.removeLast()
    }
    (node, hash, shape) = (outer.node, outer.hash, outer.shape)
  }

  @inline(never)
  private mutating func enterNew(_ index: Int, _ name: String) -> Spot {
    guard let new = newNode(name) else { return enter(.field(name), hash: index) }
    let outer = spot
    while nodes[node].fields.count <= index { nodes[node].fields.append(0) }
    nodes[node].fields[index] = Int32(truncatingIfNeeded: new)
    node = new
    return outer
  }

  private mutating func newNode(_ name: String) -> Int? {
    guard nodes.count < Self.mostNodes else { return nil }
    nodes.append(Node(path: nodes[node].path.appending(.field(name)), name: name))
    return nodes.count - 1
  }

  var path: Path {
    mutating get {
      guard isKept else { return newPath }
      if steps.isEmpty { return nodes[node].path }
      if recent.isEmpty { recent = Array(repeating: Recent(), count: 1 << Self.recentBits) }
      let index = index
      if !isRecent(index) { recent[index] = Recent(node: node, path: madePath) }
      return recent[index].path
    }
  }

  /// A path of the steps themselves, not of a reference to them.
  var newPath: Path {
    mutating get {
      guard isKept, steps.count == 1, nodes[node].depth == 2 else { return madePath }
      // An element of a list of a module. Once nobody has the path of the one before, its memory serves again.
      if latest.node == node, Value.ownsElements(of: &latest.path.steps) {
        latest.path.steps[2] = steps[0]
      } else {
        // An array with its length in the code is made by one call.
        latest = Recent(
          node: node, path: Path([nodes[node].path.steps[0], nodes[node].path.steps[1], steps[0]]))
      }
      return latest.path
    }
  }

  private var madePath: Path {
    guard isKept else { return Path(Array(steps)) }
    var all: [Path.Step] = []
    all.reserveCapacity(nodes[node].path.steps.count + steps.count)
    // One by one: the runtime's function for several looks up how a step is copied.
    for index in nodes[node].path.steps.indices { all.append(nodes[node].path.steps[index]) }
    for index in steps.indices { all.append(steps[index]) }
    return Path(all)
  }

  /// True if a recent path leads behind the node and then takes these steps, byte by byte. The last steps are the first to differ.
  private func isRecent(_ index: Int) -> Bool {
    let before = nodes[node].depth
    guard recent[index].node == node, recent[index].path.steps.count == before + steps.count else { return false }
    var step = steps.count
    while step > 0 {
      step -= 1
      guard recent[index].path.steps[before + step].isWritten(as: steps[step]) else { return false }
    }
    return true
  }

  /// The place of the path among the recent ones.
  private var index: Int { Int(Self.mix(hash ^ UInt(bitPattern: node)) >> (UInt.bitWidth - Self.recentBits)) }

  /// A product whose upper bits depend on all bits of a hash, and its lower ones on these.
  @inline(__always)
  private static func mix(_ hash: UInt) -> UInt {
    let product = hash &* 0x9e37_79b9_7f4a_7c15
    return product ^ product >> 32
  }
}

extension Path.Step {
  /// True if two steps agree byte by byte; `==` also takes different spellings of a character for one.
  fileprivate func isWritten(as other: Path.Step) -> Bool {
    switch (self, other) {
    case (.field(let name), .field(let otherName)): name.hasSameBytes(as: otherName)
    case (.match(let field, .string(let id)), .match(let otherField, .string(let otherId))):
      field == otherField && id.hasSameBytes(as: otherId)
    default: self == other
    }
  }
}
