/// The place at which a finder of differences stands. Changes at one place share their path: the finder keeps a node for each field of a
/// record, and the latest paths behind these nodes.
struct FinderPlace: Sendable {
  /// The steps behind the node.
  var steps: [Path.Step] = []
  private var node = 0
  /// The nodes, each behind the one that leads to it.
  private var nodes: [Node]
  /// The slices that stand beside the fields of the outermost record, each with its node.
  private var slices: [(name: String, node: Int)] = []
  /// The latest paths behind nodes, each at the place that ``index`` gives it until another takes that.
  private var recent: [Recent] = []
  /// True if nodes and paths are kept.
  private let isKept: Bool

  /// A path of fields.
  private struct Node: Sendable {
    let path: Path
    /// The name of the last field.
    let name: String
    /// The nodes of the fields of the record there, by their positions; 0: there is none yet.
    var fields: [Int32] = []
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
  private static let mostRecent = 512

  /// Goes into a field of the record here.
  ///
  /// - Returns: the place to return to.
  @inline(__always)
  mutating func enter(field index: Int, _ name: String) -> Int {
    guard isKept, steps.isEmpty else { return enterSteps(name) }
    let outer = node
    if index < nodes[outer].fields.count {
      let next = Int(nodes[outer].fields[index])
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
  mutating func enter(slice name: String) -> Int {
    guard isKept, steps.isEmpty, node == 0 else { return enterSteps(name) }
    if let known = slices.first(where: { $0.name == name }) {
      node = known.node
    } else if let new = newNode(name) {
      slices.append((name, new))
      node = new
    } else {
      return enterSteps(name)
    }
    return 0
  }

  /// Goes back to where a field or a slice was entered.
  @inline(__always)
  mutating func leave(to outer: Int) {
    if outer < 0 { steps.removeLast() } else { node = outer }
  }

  private mutating func enterSteps(_ name: String) -> Int {
    steps.append(.field(name))
    return -1
  }

  @inline(never)
  private mutating func enterNew(_ index: Int, _ name: String) -> Int {
    guard let new = newNode(name) else { return enterSteps(name) }
    let outer = node
    while nodes[outer].fields.count <= index { nodes[outer].fields.append(0) }
    nodes[outer].fields[index] = Int32(truncatingIfNeeded: new)
    node = new
    return outer
  }

  private mutating func newNode(_ name: String) -> Int? {
    guard nodes.count < Self.mostNodes else { return nil }
    nodes.append(Node(path: nodes[node].path.appending(.field(name)), name: name))
    return nodes.count - 1
  }

  /// The path to here.
  var path: Path {
    mutating get {
      guard isKept else { return newPath }
      if steps.isEmpty { return nodes[node].path }
      if recent.isEmpty { recent = Array(repeating: Recent(), count: Self.mostRecent) }
      let index = index
      if recent[index].node != node || !isWritten(recent[index].path.steps) {
        recent[index] = Recent(node: node, path: newPath)
      }
      return recent[index].path
    }
  }

  /// A path of the steps themselves, not of a reference to them.
  var newPath: Path {
    guard isKept else { return Path(Array(steps)) }
    var all: [Path.Step] = []
    all.reserveCapacity(nodes[node].path.steps.count + steps.count)
    // One by one: the runtime's function for several looks up how a step is copied.
    for index in nodes[node].path.steps.indices { all.append(nodes[node].path.steps[index]) }
    for index in steps.indices { all.append(steps[index]) }
    return Path(all)
  }

  /// True if the steps of a path behind those of the node are the steps here. The last steps are the first to differ.
  private func isWritten(_ other: [Path.Step]) -> Bool {
    let before = other.count - steps.count
    guard before == nodes[node].path.steps.count else { return false }
    var index = steps.count
    while index > 0 {
      index -= 1
      guard other[before + index].isWritten(as: steps[index]) else { return false }
    }
    return true
  }

  /// The place of the path among the recent ones, by the last two steps: earlier steps are mostly the same.
  private var index: Int {
    guard let last = steps.indices.last else { return 0 }
    let before = last > 0 ? steps[last - 1].quickHash &* 31 : node
    return (before ^ steps[last].quickHash) & (Self.mostRecent - 1)
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

  /// A hash that is quicker than a good one.
  fileprivate var quickHash: Int {
    switch self {
    case .field(let name): MapKey.string(name).quickHash
    case .key(let key): key.quickHash
    case .index(let number), .match(_, .int(let number)): number
    case .match(_, .string(let text)): MapKey.string(text).quickHash
    case .match, .all: 0
    }
  }
}
