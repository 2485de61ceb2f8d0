import Dispatch
import Glibc
import StoreCore
import StoreHost
import StoreSchema
import StoreUnits

// What the article "Hosting a store" shows beside its server, in what it needs around it to compile.

@Schema
struct Goods: Sendable { var free: PersistentMap<String, Int> = [:] }

@Schema
enum GoodsAction: Sendable { case receive(item: String, count: Int) }

@Schema
struct Market: Sendable { var stock = Goods() }

@Schema
enum MarketAction: Sendable { case stock(GoodsAction) }

@Schema
struct Holds: Sendable {
  var open: PersistentList<Hold> = []

  @Schema
  struct Hold: Identifiable, Sendable {
    var id: Int
    var until: Duration
  }
}

@Schema
enum HoldAction: Sendable { case expire(id: Int) }

let market = Application<MarketAction, Market>(
  initial: Market(),
  reducer: Reducer<GoodsAction, Goods>("stock") { action, stock in
    if case .receive(let item, let count) = action { stock.free[item, default: 0] += count }
  }.lift(action: \.stock, state: \.stock))

func reading(_ host: StoreHost<MarketAction, Market>) -> (Bool, Int) {
  let isSoldOut = host.store.withState { $0.stock.free["apple"] == 0 }
  let healthy = host.store.lastCommitted.stock.free.count
  return (isSoldOut, healthy)
}

func bounding(_ application: Application<MarketAction, Market>) throws -> StoreHost<MarketAction, Market> {
  let bounded = try StoreHost(application, program: "shop", queueLimit: 500)
  return bounded
}

func expiring() -> Middleware<HoldAction, HoldAction, Holds> {
  let expiring = Middleware<HoldAction, HoldAction, Holds>.supervising("expiring", over: \.open) { hold in
    Supervised(hold.id, at: hold.until) { $0.send(.expire(id: hold.id)) }
  }
  return expiring
}

func stopping(_ host: StoreHost<MarketAction, Market>) -> any DispatchSourceSignal {
  signal(SIGTERM, SIG_IGN)
  let stopping = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
  stopping.setEventHandler {
    try? host.close()
    exit(0)
  }
  stopping.resume()
  return stopping
}

func keeping(_ application: Application<MarketAction, Market>) throws {
  let host = try StoreHost(application, program: "shop", journal: JournalPlan(path: "shop.db"))
  host.store.dispatch(.stock(.receive(item: "apple", count: 5)))
  try host.close()
}
