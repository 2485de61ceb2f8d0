import StoreCore
import TraceSupport

/// What is done to a list of rows, each of which may be asked to do something.
enum ListAct: Equatable, Sendable, CustomStringConvertible {
  case row(Int, Act)
  case all(Act)
  case add(Int)
  case remove(Int)
  case replace(Int)
  case reverse
  case noop

  var description: String {
    switch self {
    case .row(let id, let act): "row(\(id),\(act))"
    case .all(let act): "all(\(act))"
    case .add(let id): "add(\(id))"
    case .remove(let id): "remove(\(id))"
    case .replace(let id): "replace(\(id))"
    case .reverse: "reverse"
    case .noop: "noop"
    }
  }

  var row: (Int, Act)? { if case .row(let id, let act) = self { (id, act) } else { nil } }
  var element: ElementAction<Int, Act>? { row.map { ElementAction(id: $0.0, action: $0.1) } }
  var all: Act? { if case .all(let act) = self { act } else { nil } }
}

typealias ListMiddleware = Middleware<ListAct, ListAct, [Row]>
typealias RowMiddleware = Middleware<Act, Act, Row>

/// A row changes by its own actions; the list removes a row that is told `named("go")`.
let list = Reducer<ListAct, [Row]>("list") { action, rows in
  switch action {
  case .row(let id, .named("go")), .remove(let id): rows.removeAll { $0.id == id }
  case .row(let id, .inc):
    if let index = rows.firstIndex(where: { $0.id == id }) { rows[index].count += 1 }
  case .row(let id, .set(let value)):
    if let index = rows.firstIndex(where: { $0.id == id }) { rows[index].count = value }
  case .all(.inc):
    for index in rows.indices { rows[index].count += 1 }
  case .all(.named("go")): rows = []
  case .add(let id): rows.append(Row(id: id))
  case .replace(let id):
    rows.removeAll { $0.id == id }
    rows.append(Row(id: id))
  case .reverse: rows.reverse()
  default: break
  }
}

extension Middleware where Input == Act, Output == Act, State == Row {
  /// On rows of a list, by id.
  func onRows() -> ListMiddleware {
    lift(input: \.row, output: ListAct.row, element: .of(\[Row].self))
  }
}

/// A store of rows with a virtual clock and a trace.
struct ListBench {
  let store: Store<ListAct, [Row]>
  let clock = VirtualClock()
  let trace: TraceLines

  init(_ middleware: ListMiddleware, kinds: String = "QE", ids: [Int] = [1, 2, 3]) throws {
    store = try Store(initial: ids.map { Row(id: $0) }, reducer: list, middleware: middleware, clock: clock)
    trace = TraceLines(kinds)
    trace.listen(to: store)
  }

  /// Dispatches, and gives the trace lines since the last call.
  @discardableResult
  func send(_ action: ListAct) -> [String] {
    store.dispatch(action)
    return trace.take()
  }

  /// Moves the clock, and gives the trace lines since the last call.
  @discardableResult
  func advance(_ seconds: Int) -> [String] {
    clock.advance(by: .seconds(seconds))
    return trace.take()
  }

  var effects: [String] { store.effects.map(\.name) }
}

/// Notes what it sees before and after, and answers `inc` by `noop`.
func rowUnit(_ name: String, _ notes: Notes<String>) -> RowMiddleware {
  RowMiddleware(name) { action, _, row in
    notes.note("H \(name) \(row())")
    return IO { output in
      notes.note("I \(name) \(row())")
      if action == .inc { output.dispatch(.noop) }
    }
  }
}

/// Sends `set(7)` a second after every `inc`, under one token.
let delayed = RowMiddleware.effects("u") { action, _, _ in
  action == .inc ? .just(.set(7)).after(.seconds(1)).token("w") : .none
}

/// Says that every row with a positive count should tick.
func ticks(_ name: String) -> RowMiddleware {
  .supervising(name) { row in
    guard row.count > 0 else { return [] }
    return [
      Supervised("tick") { context in
        while (try? await context.sleep(for: .seconds(1))) != nil { context.send(.inc) }
      }
    ]
  }
}

let ticking = ticks("u")
