import Dispatch
import Glibc
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import Testing

@testable import OrderBook

/// The example of a server: traders on threads, sessions, a view and a watcher share one store.
@Suite struct OrderBookTests {
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
  @Test func tradersSessionsAndAViewShareOneStore() async throws {
    let scale = Int(String(cString: getenv("ORDERBOOK_SCALE") ?? strdup("1"))) ?? 1
    let (orders, statements) = (1000 * scale, 10 * scale)
    let host = try StoreHost(orderBook, program: "orderbook")
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
          let outcome = try converse(with: host, statements, name)
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
    host.store.dispatch(.market(.close))
    #expect(failures.withLock { $0 } == [])
    // The log has each trader's actions in their order, without a gap.
    let log = host.live.log.entries
    for trader in 1...4 {
      let numbers = log.compactMap { entry -> Int? in
        guard entry.action == "book.place", case .int(let id)? = entry.arguments["id"], id / 1_000_000_000 == trader
        else {
          return nil
        }
        return id % 1_000_000_000
      }
      #expect(numbers == Array((numbers.first ?? 1)..<((numbers.first ?? 1) + numbers.count)))
      #expect(numbers.last == orders)
    }
    #expect(await board.updates > 0)
    idle.cancel()
    showing.cancel()
    try host.close()
  }

  /// A session that looks, goes back and acts among others.
  ///
  /// - Returns: what went wrong; empty: nothing.
  private func converse(
    with host: StoreHost<OrderBookAction, OrderBookState>, _ count: Int, _ name: String
  ) throws -> String {
    let file = try #require(tmpfile())
    defer { fclose(file) }
    var options = SessionOptions(program: "orderbook")
    options.isQuiet = true
    let session = try Session(host, options: options, console: Console(output: fileno(file), error: fileno(file)))
    // All that happens here is to be there to go back to.
    var commands = ["set journal.limit 10000000", "watch book.trades", "watch book.spread"]
    for index in 0..<count {
      let id = (name == "one" ? 7 : 8) * 1_000_000_000 + index
      commands += [
        "show book.spread", "log 3", "dispatch book.place id=\(id) side=buy price=1 quantity=1",
        "goto \(index + 1)", "show market", "goto head", "show book.trades --at \(index + 1)",
        "dispatch book.cancel id=\(id)", "= #state.book.bids", "why book.trades",
      ]
    }
    commands += ["bisect state.book.trades > 0", "export journal /dev/null", "describe", "middleware"]
    let status = session.run(commands: commands)
    session.console.flush()
    guard status != 0 else { return "" }
    rewind(file)
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let length = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(length), as: UTF8.self)
  }
}
