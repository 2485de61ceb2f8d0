import StoreCore
import StoreHost
import StoreSchema

/// The state of the whole program: each field is a module.
@Schema
struct OrderBookState: Hashable, Sendable {
  /// The orders.
  var book = Book()
  /// The prices elsewhere.
  var market = Market()
}

/// The actions of the whole program: each case holds the actions of the module with its name.
@Schema
enum OrderBookAction: Hashable, Sendable {
  case book(BookAction)
  case market(MarketAction)
}

/// The store: the reducers and the middleware of both modules.
let orderBook = Application<OrderBookAction, OrderBookState>(
  initial: OrderBookState(),
  reducer: .compose(
    Book.reducer.lift(action: \.book, state: \.book),
    Market.reducer.lift(action: \.market, state: \.market)),
  middleware: Market.prices.lift(input: \.market, output: \.market, state: \.market),
  projections: [ApplicationProjection("spread", of: \.book) { $0.spread }])
