import StoreCore
import StoreSchema

/// The module `book`: the orders that nobody has met yet, and what was traded.
@Schema
struct Book: Hashable, Sendable {
  /// Orders to buy, the best first: the highest price, and among equal ones the earliest.
  var bids: [Order] = []
  /// Orders to sell, the best first: the lowest price, and among equal ones the earliest.
  var asks: [Order] = []
  /// The number of trades.
  var trades = 0
  /// The price of the last trade, in cents; nil: there was none.
  var lastPrice: Int?

  /// A wish to buy or to sell.
  @Schema
  struct Order: Hashable, Sendable {
    /// Tells it from all others; chosen by the trader.
    var id: Int
    /// The lowest price at which to sell or the highest at which to buy, in cents.
    var price: Int
    /// How many are wanted yet.
    var quantity: Int

    /// The prices that are taken, in cents.
    static let prices = 1...100_000_000
  }

  /// Which way an order goes.
  @Schema
  enum Side: Hashable, Sendable, CaseIterable {
    case buy
    case sell
  }

  /// The difference between the best prices, in cents; nil: one side has no orders, or imported prices are too far apart.
  var spread: Int? {
    guard let bid = bids.first, let ask = asks.first else { return nil }
    return try? ask.price -! bid.price
  }
}

/// The actions on the book.
@Schema
enum BookAction: Hashable, Sendable {
  /// Somebody wants to trade: what meets orders of the other side is traded at their prices, the rest waits.
  case place(id: Int, side: Book.Side, price: Int, quantity: Int)
  /// Somebody no longer wants what is left of an order; one that is gone changes nothing.
  case cancel(id: Int)
}

/// Why an order is refused.
enum Refusal: Error, CustomStringConvertible {
  case outOfBounds
  case taken(id: Int)

  var description: String {
    switch self {
    case .outOfBounds: "a price is 1 to 100000000 cents, a quantity 1 to 1000000"
    case .taken(let id): "there is an order \(id) already"
    }
  }
}

extension Book {
  /// The book's reducer: orders are matched by price, then by time.
  static let reducer = Reducer<BookAction, Book>.throwing("book") { action, book, _ in
    switch action {
    case .place(let id, let side, let price, let quantity):
      guard Order.prices ~= price, 1...1_000_000 ~= quantity else { throw Refusal.outOfBounds }
      guard !book.bids.contains(where: { $0.id == id }), !book.asks.contains(where: { $0.id == id }) else {
        throw Refusal.taken(id: id)
      }
      let order = Order(id: id, price: price, quantity: quantity)
      switch side {
      case .buy: try book.match(order, with: \.asks, restIn: \.bids) { $0 >= $1 }
      case .sell: try book.match(order, with: \.bids, restIn: \.asks) { $0 <= $1 }
      }
    case .cancel(let id):
      book.bids.removeAll { $0.id == id }
      book.asks.removeAll { $0.id == id }
    }
  }

  /// Trades an order against those of the other side, and has what is left of it wait.
  ///
  /// - Parameter isMet: whether the order's price takes another one's.
  /// - Throws: `ArithmeticError` where imported numbers fit no more.
  private mutating func match(
    _ order: Order, with others: WritableKeyPath<Book, [Order]>, restIn own: WritableKeyPath<Book, [Order]>,
    isMet: (_ price: Int, _ other: Int) -> Bool
  ) throws {
    var order = order
    while order.quantity > 0, let best = self[keyPath: others].first, isMet(order.price, best.price) {
      let traded = min(order.quantity, best.quantity)
      try order.quantity -!= traded
      try self[keyPath: others][0].quantity -!= traded
      if best.quantity == traded { self[keyPath: others].removeFirst() }
      try trades +!= 1
      lastPrice = best.price
    }
    guard order.quantity > 0 else { return }
    // Behind those that are as good.
    let place = self[keyPath: own].firstIndex { $0.price != order.price && isMet(order.price, $0.price) }
    self[keyPath: own].insert(order, at: place ?? self[keyPath: own].endIndex)
  }
}
