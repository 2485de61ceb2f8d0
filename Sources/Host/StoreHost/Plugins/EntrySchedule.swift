import StoreCore

/// The times at which the tasks of entries start, by key: some hundred bytes each, where a task takes kilobytes.
final class EntrySchedule {
  private struct Node {
    let due: Duration
    let order: Int
    let key: EffectToken

    func isBefore(_ other: Node) -> Bool { due == other.due ? order < other.order : due < other.due }
  }

  /// A heap, in which nodes stay whose times no longer hold until their turn comes.
  private var nodes: [Node] = []
  private var orders: [EffectToken: Int] = [:]
  /// The order of the one that was inserted last; 0: none was.
  private(set) var lastOrder = 0

  /// The keys in it.
  var keys: [EffectToken] { Array(orders.keys) }

  /// The earliest time.
  var next: Duration? {
    dropStale()
    return nodes.first?.due
  }

  /// The order in which that of the earliest time was inserted, from 1; 0: there is none.
  var nextOrder: Int {
    dropStale()
    return nodes.first?.order ?? 0
  }

  func insert(_ key: EffectToken, at due: Duration) {
    lastOrder += 1
    orders[key] = lastOrder
    push(Node(due: due, order: lastOrder, key: key))
    guard nodes.count > 2 * orders.count + 64 else { return }
    let live = nodes.filter { orders[$0.key] == $0.order }
    nodes = []
    for node in live { push(node) }
  }

  func remove(_ key: EffectToken) { orders[key] = nil }

  func removeAll() { (nodes, orders) = ([], [:]) }

  /// Takes out keys whose time has come, the earliest first.
  func takeDue(by time: Duration, atMost limit: Int) -> [EffectToken] {
    var due: [EffectToken] = []
    while due.count < limit, let next, next <= time {
      let key = pop().key
      orders[key] = nil
      due.append(key)
    }
    return due
  }

  private func dropStale() {
    while let first = nodes.first, orders[first.key] != first.order { _ = pop() }
  }

  private func push(_ node: Node) {
    nodes.append(node)
    var index = nodes.count - 1
    while index > 0, nodes[index].isBefore(nodes[(index - 1) / 2]) {
      nodes.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private func pop() -> Node {
    nodes.swapAt(0, nodes.count - 1)
    let first = nodes.removeLast()
    var index = 0
    while 2 * index + 1 < nodes.count {
      var child = 2 * index + 1
      if child + 1 < nodes.count, nodes[child + 1].isBefore(nodes[child]) { child += 1 }
      guard nodes[child].isBefore(nodes[index]) else { break }
      nodes.swapAt(child, index)
      index = child
    }
    return first
  }
}
