import StoreCore
import StoreSchema

// What the landing page of StoreSchema shows of arithmetic.

@Schema
enum StockAction: Sendable { case add(pieces: Int), reset }

let stock = Reducer<StockAction, Int>.throwing("stock") { action, count, _ in
  switch action {
  case .add(let pieces): try count +!= pieces
  case .reset: count = 0
  }
}
