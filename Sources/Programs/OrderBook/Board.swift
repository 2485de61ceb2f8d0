import StoreCore

/// A board on the main actor, as a view would be: it shows the newest state, however fast they come.
@MainActor
final class Board {
  private(set) var lastPrice: Int?
  private(set) var updates = 0

  /// Shows states until there are no more, or the task is cancelled.
  func follow(_ states: StateStream<OrderBookState>) async {
    for await state in states {
      lastPrice = state.book.lastPrice
      updates += 1
    }
  }
}
