import Dispatch
import Glibc
import LineEditor
import ShellDoor
import StoreHost
import StoreShell

let host = try StoreHost(orderBook, program: "orderbook")
host.start()

// Other processes come in by `stsh --attach orderbook`.
let door = attempt("no door") {
  try Door(host, at: DoorAddress(parsing: "orderbook"), allow: [.read, .dispatch("book.*"), .dispatch("market.*")])
}

// The owner's code, on threads of its own: traders, and a watcher.
let desk = Desk(host.store)
let watching = host.store.watch("crossed", { ($0.book.spread ?? 1) <= 0 }) { isCrossed in
  if isCrossed.new { print("orderbook: a bid meets an ask without a trade") }
}

// A view: the main actor shows the newest state while the prompt runs elsewhere.
let board = Board()
let showing = Task { @MainActor in await board.follow(host.store.states()) }

/// One conversation with the store; there may be more of them at a time.
@Sendable func talk() throws -> Int32 {
  let session = try Session(host, options: SessionOptions(program: "orderbook"))
  defer { session.console.flush() }
  guard isatty(0) == 1 else { return session.run(descriptor: 0) }
  let editor = try ReadlineEditor(program: "orderbook", historyFile: HistoryFile(program: "orderbook"))
  return try Prompt(session, on: editor, pager: .preferred).run()
}

/// The result of a call. If the call throws, the error is printed, and the result is nil.
func attempt<Value>(_ consequence: String, _ call: () throws -> Value) -> Value? {
  do {
    return try call()
  } catch {
    print("orderbook: \(consequence): \(error)")
    return nil
  }
}

host.store.dispatch(.market(.open()))
// An argument makes the traders quicker or slower: the microseconds that each of them waits after an order.
desk.start(traders: 4, pause: CommandLine.arguments.dropFirst().first.flatMap { UInt32($0) } ?? 500_000)
let status = await withCheckedContinuation { end in
  DispatchQueue(label: "prompt").async {
    do {
      end.resume(returning: try talk())
    } catch {
      print("orderbook: \(error)")
      end.resume(returning: 1)
    }
  }
}
desk.close()
showing.cancel()
try host.close()
exit(status)
