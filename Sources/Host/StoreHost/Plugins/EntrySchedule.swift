import HeapModule
import StoreCore

/// The times at which the tasks of entries start, by key: some hundred bytes each, where a task takes kilobytes.
final class EntrySchedule {
  private struct Node: Comparable {
    let due: Duration
    let order: Int
    let key: EffectToken

    static func < (left: Node, right: Node) -> Bool {
      left.due == right.due ? left.order < right.order : left.due < right.due
    }

    static func == (left: Node, right: Node) -> Bool { left.order == right.order }
  }

  /// Nodes whose times no longer hold stay until their turn comes.
  private var nodes = Heap<Node>()
  private var orders: [EffectToken: Int] = [:]
  /// The order of the one that was inserted last; 0: none was.
  private(set) var lastOrder = 0

  /// The keys in it.
  var keys: [EffectToken] { Array(orders.keys) }

  /// The earliest time.
  var next: Duration? {
    dropStale()
    return nodes.min?.due
  }

  /// The order in which that of the earliest time was inserted, from 1; 0: there is none.
  var nextOrder: Int {
    dropStale()
    return nodes.min?.order ?? 0
  }

  func insert(_ key: EffectToken, at due: Duration) {
    lastOrder += 1
    orders[key] = lastOrder
    nodes.insert(Node(due: due, order: lastOrder, key: key))
    guard nodes.count > 2 * orders.count + 64 else { return }
    nodes = Heap(nodes.unordered.filter { orders[$0.key] == $0.order })
  }

  func remove(_ key: EffectToken) { orders[key] = nil }

  func removeAll() { (nodes, orders) = (Heap(), [:]) }

  /// Takes out keys whose time has come, the earliest first.
  func takeDue(by time: Duration, atMost limit: Int) -> [EffectToken] {
    var due: [EffectToken] = []
    while due.count < limit, let next, next <= time {
      let key = nodes.removeMin().key
      orders[key] = nil
      due.append(key)
    }
    return due
  }

  private func dropStale() {
    while let first = nodes.min, orders[first.key] != first.order { nodes.removeMin() }
  }
}
