import Dispatch
import Glibc
import PluginSupport
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import Testing

@testable import OrderBook

/// The example of a server: traders on threads, sessions, a view and a watcher share one store.
@Suite struct OrderBookTests {
  /// What an import may have brought.
  @Test func numbersThatFitNoMoreFailTheAction() throws {
    var book = Book(
      bids: [Book.Order(id: 1, price: 5, quantity: .min)], asks: [Book.Order(id: 2, price: .min, quantity: 1)])
    #expect(book.spread == nil)
    let before = book
    #expect(throws: ArithmeticError.self) {
      try Book.reducer.reduce(.place(id: 3, side: .sell, price: 1, quantity: 1), &book)
    }
    #expect(book == before)
    var market = Market(isOpen: true)
    #expect(throws: Refusal.self) { try Market.reducer.reduce(.tick(price: .max), &market) }
  }

  @Test func ordersAreMatchedByPriceThenByTime() throws {
    let store = try StoreHost(orderBook).store
    func place(_ id: Int, _ side: Book.Side, _ price: Int, _ quantity: Int) {
      store.dispatch(.book(.place(id: id, side: side, price: price, quantity: quantity)))
    }
    place(1, .sell, 101, 5)
    place(2, .sell, 100, 5)
    place(3, .sell, 100, 5)
    place(4, .buy, 99, 5)
    #expect(store.state.book.asks.map(\.id) == [2, 3, 1])
    #expect(store.state.book.spread == 1)
    place(5, .buy, 100, 7)
    #expect(store.state.book.asks.map(\.id) == [3, 1])
    #expect(store.state.book.asks.first?.quantity == 3)
    #expect(store.state.book.trades == 2)
    #expect(store.state.book.bids.map(\.id) == [4])
    place(6, .buy, 200, 100)
    #expect(store.state.book.bids.map(\.id) == [6, 4])
    #expect(store.state.book.bids.first?.quantity == 92)
    #expect(store.state.book.lastPrice == 101)
    store.dispatch(.book(.cancel(id: 6)))
    #expect(store.state.book.bids.map(\.id) == [4])
    guard case .failed = store.dispatch(.book(.place(id: 4, side: .buy, price: 1, quantity: 1))).outcome else {
      Issue.record("an id was taken twice")
      return
    }
  }

  /// Nothing is lost, and each thread's order is kept, whoever looks on meanwhile.
  ///
  /// `ORDERBOOK_SCALE=100` in the environment makes it four times 100,000 orders and two sessions of a thousand statements.
  @Test func tradersSessionsAndAViewShareOneStore() async throws {
    let scale = getenv("ORDERBOOK_SCALE").flatMap { Int(String(cString: $0)) } ?? 1
    let (orders, rounds) = (1000 * scale, max(10, scale))
    let host = try StoreHost(orderBook, program: "orderbook")
    // All that happens here is to be there to go back to.
    #expect(try talk(to: host, ["set journal.limit '100000000, 100GiB'"]).status == 0)
    let desk = Desk(host.store)
    let idle = host.store.watch("never read", { $0.book.trades }) { _ in }
    let board = await MainActor.run { Board() }
    let showing = Task { @MainActor in await board.follow(host.store.states()) }
    host.store.dispatch(.market(.open(every: 1)))
    desk.start(traders: 4, orders: orders)
    let sessions = DispatchGroup()
    let failures = Lock<[String]>([])
    for name in ["one", "two"] {
      DispatchQueue(label: name).async(group: sessions) {
        do {
          let outcome = try converse(with: host, rounds, name)
          if !outcome.isEmpty { failures.withLock { $0.append(outcome) } }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    await withCheckedContinuation { done in
      DispatchQueue(label: "end").async {
        desk.wait()
        sessions.wait()
        done.resume()
      }
    }
    // Behind all that the traders brought.
    await host.store.dispatchAndWait(.market(.close))
    #expect(failures.withLock { $0 } == [])
    // The log has each trader's actions in their order, without a gap.
    let log = host.live.recent()
    for trader in 1...4 {
      let numbers = log.compactMap { entry -> Int? in
        guard entry.action == "book.place", case .int(let id)? = entry.arguments["id"], id / 1_000_000_000 == trader
        else {
          return nil
        }
        return id % 1_000_000_000
      }
      #expect(numbers == Array(1...orders))
    }
    #expect(await board.updates > 0)
    // What was recorded leads to the same states anew, what was taken back included.
    let folder = try depth()
    #expect(try talk(to: host, ["export journal \(folder.root)/all.jsonl"]).status == 0)
    try host.close()
    let other = try StoreHost(orderBook, program: "orderbook")
    let replay = "replay \(folder.root)/all.jsonl --verify"
    let replayed = try talk(to: other, [replay]) { $0.pluginSearchPath = [folder.root + "/bad"] }
    #expect(replayed.status == 0, "\(replayed.text)")
    #expect(other.store.state == host.store.state)
    idle.cancel()
    showing.cancel()
  }

  /// A session that looks, goes back, acts among others and takes back what it did.
  ///
  /// - Returns: what went wrong; empty: nothing.
  private func converse(
    with host: StoreHost<OrderBookAction, OrderBookState>, _ rounds: Int, _ name: String
  ) throws -> String {
    let folder = try depth()
    var commands = ["watch book.trades", "watch book.spread"]
    for round in 1...rounds {
      let id = (name == "one" ? 7 : 8) * 1_000_000_000 + round
      commands += [
        "show book.spread", "log 3", "dispatch book.place id=\(id) side=buy price=1 quantity=1",
        // Where the other session's order stood behind this one, it is refused.
        "try undo", "dispatch book.cancel id=\(id) --quiet", "goto \(round)", "show market", "goto head",
        "show book.trades --at \(round)", "why book.trades",
      ]
    }
    commands += ["bisect state.book.trades > 0", "export journal /dev/null", "describe", "middleware"]
    if name == "one" {
      let checked = try talk(to: host, commands + ["dispatch book.plaace id=1"], isChecked: true)
      guard checked.status != 0, checked.text.contains("book.place") else { return checked.text }
      let plugin = ["plugin load \(folder.path)", "show depth.all", "watch depth.all"]
      commands.insert(contentsOf: plugin, at: commands.count / 2)
      commands += ["show depth.all", "plugin unload depth"]
    }
    let outcome = try talk(to: host, commands) { $0.grants = ["depth"] }
    guard outcome.status == 0 else { return outcome.text }
    return outcome.text.contains("(takes back #") ? "" : "nothing was taken back: \(outcome.text.suffix(2000))"
  }

  /// A plugin that counts the orders that wait, and how many were placed, whoever placed them.
  private func depth() throws -> PluginFolder {
    try PluginFolder(
      "depth", permissions: ["read:book"],
      lua: """
        return plugin {
          state = { field("placed", int()) },
          reducers = { ["book.place"] = function(depth) depth.placed = depth.placed + 1 end },
          projections = { { name = "all", type = int(), fn = function(state)
            return #state.book.bids + #state.book.asks
          end } },
        }
        """)
  }

  /// What a session says to some statements, results and errors together, and its status.
  private func talk(
    to host: StoreHost<OrderBookAction, OrderBookState>, _ commands: [String], isChecked: Bool = false,
    _ adjust: (inout SessionOptions) -> Void = { _ in }
  ) throws -> (text: String, status: Int32) {
    let file = try #require(tmpfile())
    defer { fclose(file) }
    var options = SessionOptions()
    adjust(&options)
    let session = try Session(host, options: options, console: Console(output: fileno(file), error: fileno(file)))
    if isChecked { session.checkOnly() }
    let status = session.run(commands: commands)
    session.console.flush()
    rewind(file)
    var text: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&block, 1, block.count, file), count > 0 { text += block[..<count] }
    return (String(decoding: text, as: UTF8.self), status)
  }
}
