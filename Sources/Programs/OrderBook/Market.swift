import StoreCore
import StoreSchema

/// The module `market`: what the outside says of prices.
@Schema
struct Market: Hashable, Sendable {
  /// The price elsewhere, in cents.
  var price = 10_000
  /// Whether prices come in.
  var isOpen = false
}

/// The actions on the market.
@Schema
enum MarketAction: Hashable, Sendable {
  /// Has prices come in, one every so many milliseconds.
  case open(every: Int = 100)
  /// Has no more of them come in.
  case close
  /// A price came in.
  case tick(price: Int)
}

extension Market {
  /// The market's reducer.
  static let reducer = Reducer<MarketAction, Market>.throwing("market") { action, market, _ in
    switch action {
    case .open: market.isOpen = true
    case .close: market.isOpen = false
    case .tick(let price):
      guard Book.Order.prices ~= price else { throw Refusal.outOfBounds }
      if market.isOpen { market.price = price }
    }
  }

  /// The middleware that brings prices, from threads of its own, until the market is closed.
  static let prices = Middleware<MarketAction, MarketAction, Market>.effects("prices") { action, _, _ in
    switch action {
    case .open(let pause):
      .run { context in
        var price = 10_000
        while !context.isCancelled {
          let step = await context.concurrently {
            try? await Task.sleep(for: .milliseconds(max(1, pause)))
            return Int.random(in: -50...50)
          }
          price = max(1, price + step)
          context.send(.tick(price: price))
        }
      }.token("prices")
    case .close: .cancel("prices")
    case .tick: .none
    }
  }
}
