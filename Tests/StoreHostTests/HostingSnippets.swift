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
struct Kiosk: Sendable {
  var price = FixedDecimal<2>(units: 250)
  var takings = FixedDecimal<2>(units: 0)
}

@Schema
enum KioskAction: Sendable { case sell(count: Int), setPrice(price: FixedDecimal<2>) }

let kiosk = Reducer<KioskAction, Kiosk>.throwing("kiosk") { action, kiosk, _ in
  switch action {
  case .sell(let count): kiosk.takings = try kiosk.takings +! (kiosk.price *! count)
  case .setPrice(let price): kiosk.price = price
  }
}

@Schema
struct Holds: Sendable {
  var open: PersistentList<Hold> = []
  var seats: PersistentMap<String, Duration> = [:]

  @Schema
  struct Hold: Identifiable, Sendable {
    var id: Int
    var until: Duration
  }
}

@Schema
enum HoldAction: Sendable { case hold(id: Int, lasting: Duration), expire(id: Int), leave(seat: String) }

let holds = Reducer<HoldAction, Holds>.throwing("holds") { action, holds, context in
  switch action {
  case .hold(let id, let lasting): holds.open.append(Holds.Hold(id: id, until: context.time + lasting))
  case .expire(let id): holds.open[id: id] = nil
  case .leave(let seat): holds.seats[seat] = nil
  }
}

@Schema
struct Theatre: Sendable { var holds = Holds() }

@Schema
enum TheatreAction: Sendable { case holds(HoldAction) }

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

func bounding(_ application: Application<MarketAction, Market>) throws -> Bool {
  let bounded = try StoreHost(
    application, program: "shop", queueLimit: 500, journal: JournalPlan(path: "shop.db"),
    onFault: { print("shop: \($0)") })
  bounded.start()
  func hasRoom(for item: String) -> Bool {
    let result = bounded.store.dispatch(.stock(.receive(item: item, count: 1)))
    if case .stopped(.queueFull) = result.outcome { return false }
    return true
  }
  return hasRoom(for: "apple")
}

func supervising() -> Application<TheatreAction, Theatre> {
  let expiring = Middleware<HoldAction, HoldAction, Holds>.supervising("expiring", over: \.open) { hold in
    Supervised(hold.id, at: hold.until) { $0.send(.expire(id: hold.id)) }
  }
  let leaving = Middleware<HoldAction, HoldAction, Holds>.supervising("leaving", over: \.seats) { seat, until in
    Supervised(seat, at: until) { $0.send(.leave(seat: seat)) }
  }
  let theatre = Application<TheatreAction, Theatre>(
    initial: Theatre(), reducer: holds.lift(action: \.holds, state: \.holds),
    middleware: .compose(
      expiring.lift(action: \.holds, state: \.holds), leaving.lift(action: \.holds, state: \.holds)))
  return theatre
}

func opening(_ application: Application<MarketAction, Market>) {
  do {
    let host = try StoreHost(application, program: "shop", journal: JournalPlan(path: "shop.db"))
    try host.close()
  } catch {
    print("shop: \(error)")
    exit(1)
  }
}

func keeping(_ application: Application<MarketAction, Market>) throws {
  let host = try StoreHost(application, program: "shop", journal: JournalPlan(path: "shop.db"))
  host.store.dispatch(.stock(.receive(item: "apple", count: 5)))
  try host.close()
}
