import Dispatch
import ShellDoor
import StoreCore
import StoreHost
import StoreSchema
import StoreUnits

@Schema struct Stock: Sendable { var free: PersistentMap<String, Int> = [:] }

@Schema enum StockAction: Sendable { case receive(item: String, count: Int), reserve(item: String, count: Int) }

@Schema struct Shop: Sendable { var stock = Stock() }

@Schema enum ShopAction: Sendable { case stock(StockAction) }

struct SoldOut: Error, CustomStringConvertible { let description: String }

let stock = Reducer<StockAction, Stock>.throwing("stock") { action, stock, _ in
  switch action {
  // Others may send any number: `+` ends the server where it cannot hold the sum, `+!` refuses the action.
  case .receive(let item, let count): stock.free[item] = try (stock.free[item] ?? 0) +! count
  case .reserve(let item, let count):
    let free = stock.free[item] ?? 0
    guard count > 0, count <= free else { throw SoldOut(description: "only \(free) of \(item) are free") }
    stock.free[item] = free - count
  }
}

// The store, its file, and a way in for others.
let host = try StoreHost(
  Application<ShopAction, Shop>(initial: Shop(), reducer: stock.lift(action: \.stock, state: \.stock)), program: "shop",
  journal: JournalPlan(path: "shop.db"), onFault: { print("shop: \($0)") })
let door = try Door(host, at: DoorAddress(parsing: "./shop.sock"), allow: [.read, .dispatch("stock.*")])

/// Answers one request, such as `reserve apple 2`, on the thread that asks.
@Sendable func answer(_ request: String) -> String {
  let words = request.split(separator: " ").map(String.init)
  guard words.count == 3, let count = Int(words[2]) else { return "cannot read '\(request)'" }
  let isDelivery = words[0] == "receive"
  let result = host.store.dispatchAndBlock(
    .stock(isDelivery ? .receive(item: words[1], count: count) : .reserve(item: words[1], count: count)))
  guard case .failed(let error) = result.outcome else { return "\(request): \(result.outcome)" }
  return "\(request): refused, \(error)"
}

// Threads bring requests, here the lines of standard input. The file has an action before its caller is answered.
let requests = DispatchGroup()
while let line = readLine() {
  DispatchQueue.global().async(group: requests) {
    let text = answer(line)
    print(host.settle() ? text : "\(text), and kept in memory only")
  }
}
requests.wait()
door.close()
try host.close()
