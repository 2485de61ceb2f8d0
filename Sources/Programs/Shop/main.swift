import Dispatch
import Glibc
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

/// Writes a line at once; `print` would keep it back in a pipe.
@Sendable func say(_ text: String) { _ = write(STDOUT_FILENO, "\(text)\n", text.utf8.count + 1) }

// The store, its file, and a way in for others.
let host = try StoreHost(
  Application<ShopAction, Shop>(initial: Shop(), reducer: stock.lift(action: \.stock, state: \.stock)), program: "shop",
  journal: JournalPlan(path: "shop.db"), onFault: { say("shop: \($0)") })
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

/// Ends the program in order: what was answered is in the file, and clients read why they go.
@Sendable func stop() -> Never {
  do { try host.close() } catch {
    say("shop: \(error)")
    exit(1)
  }
  exit(0)
}

// SIGTERM ends a daemon, which has no input. On a queue of its own, so that it does not wait behind requests.
signal(SIGTERM, SIG_IGN)
let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: DispatchQueue(label: "end"))
termination.setEventHandler { @Sendable in stop() }
termination.resume()
if CommandLine.arguments.contains("--daemon") { dispatchMain() }

// Threads bring requests, here the lines of standard input. The file has an action before its caller is answered.
let (requests, room) = (DispatchGroup(), DispatchSemaphore(value: 64))
while let line = readLine() {
  room.wait()
  DispatchQueue.global().async(group: requests) {
    let text = answer(line)
    say(host.settle() ? text : "\(text), and kept in memory only")
    room.signal()
  }
}
requests.wait()
stop()
