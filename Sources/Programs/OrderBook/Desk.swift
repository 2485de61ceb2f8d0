import Dispatch
import Glibc
import StoreCore
import Synchronization

/// Traders at work: threads that place orders around the market's price, and take some back.
final class Desk<Orders: StoreProtocol>: Sendable
where Orders.Action == OrderBookAction, Orders.State == OrderBookState {
  private let store: Orders
  private let hasClosed = Atomic<Bool>(false)
  private let traders = DispatchGroup()

  /// Traders of a store, whoever else uses it.
  init(_ store: Orders) { self.store = store }

  /// Has some traders begin.
  ///
  /// - Parameters:
  ///   - orders: how many orders each of them places.
  ///   - pause: how long each of them waits after an order, in microseconds.
  func start(traders count: Int, orders: Int = .max, pause: UInt32 = 0) {
    for trader in 1...count {
      DispatchQueue(label: "trader \(trader)").async(group: traders) { [self] in
        var number = 0
        while number < orders, !hasClosed.load(ordering: .relaxed) {
          number += 1
          act(trader, number)
          if pause > 0 { usleep(pause) }
        }
      }
    }
  }

  /// Has the traders stop, and waits for them.
  func close() {
    hasClosed.store(true, ordering: .relaxed)
    wait()
  }

  /// Waits until the traders have placed all their orders.
  func wait() { traders.wait() }

  private func act(_ trader: Int, _ number: Int) {
    let id = trader * 1_000_000_000 + number
    let prices = Book.Order.prices
    let market = min(max(store.withState { $0.market.price }, prices.lowerBound), prices.upperBound)
    let price = market + (number * 37 + trader * 11) % 101 - 50
    send(.place(id: id, side: (number + trader).isMultiple(of: 2) ? .buy : .sell, price: max(1, price), quantity: 1))
    // Nobody waits for ever.
    if number > 8 { send(.cancel(id: id - 8)) }
  }

  /// Dispatches once there is room for it: traders may be faster than the store.
  private func send(_ action: BookAction) {
    while case .stopped(.queueFull) = store.dispatch(.book(action)).outcome { usleep(1000) }
  }
}
