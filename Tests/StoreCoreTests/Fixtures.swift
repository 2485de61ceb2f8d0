import StoreCore
import Testing

/// The actions of the scenarios' fixture.
enum Act: Equatable, Hashable, Sendable, CustomStringConvertible {
  case inc, dec, noop
  case set(Int)
  /// Adds one as well; told apart by name.
  case named(String)
  case fail(String)

  var description: String {
    switch self {
    case .inc: "inc"
    case .dec: "dec"
    case .noop: "noop"
    case .set(let value): "set(\(value))"
    case .named(let name): name
    case .fail(let why): "fail(\(why))"
    }
  }
}

typealias Counting = Store<Act, Int>
typealias CountReducer = Reducer<Act, Int>
typealias CountMiddleware = Middleware<Act, Act, Int>

struct Refused: Error, Equatable, CustomStringConvertible {
  let description: String
}

let count = CountReducer("count") { action, count in
  switch action {
  case .inc, .named: count += 1
  case .dec: count -= 1
  case .noop, .fail: break
  case .set(let value): count = value
  }
}

func on(_ action: Act, _ name: String, _ body: @escaping @Sendable (inout Int) -> Void) -> CountReducer {
  CountReducer(name) { if $0 == action { body(&$1) } }
}

/// A middleware whose IO does something with every action.
func unit(
  _ name: String, _ body: @escaping @Sendable (Act, ActionContext, ActionHandler<Act>) -> Void = { _, _, _ in }
) -> CountMiddleware {
  CountMiddleware(name) { action, context, _ in IO { output in body(action, context, output) } }
}

/// A place for what happens on whatever thread.
final class Notes<Note: Sendable>: Sendable {
  private let collected = Lock<[Note]>([])

  var all: [Note] { collected.withLock { $0 } }
  func note(_ note: Note) { collected.withLock { $0.append(note) } }
}

/// Keeps subscriptions until a test drops them.
final class Kept: Sendable {
  private let subscriptions = Lock<[Subscription]>([])

  func keep(_ subscription: Subscription) { subscriptions.withLock { $0.append(subscription) } }
  func cancelAll() { subscriptions.withLock { $0 }.forEach { $0.cancel() } }
  func cancel(_ index: Int) { subscriptions.withLock { $0[index] }.cancel() }
}

extension Middleware {
  func liftedByIdentity() -> Middleware { lift(input: { $0 }, output: { $0 }, state: { $0 }) }
}

extension Reducer {
  func liftedByIdentity() -> Reducer { lift(action: { $0 }, state: \.self) }
}

/// The ways of writing one list of middlewares, all of which must behave alike.
func arrangements(_ units: [CountMiddleware]) -> [(String, CountMiddleware)] {
  let flat = CountMiddleware(units: units.flatMap(\.units))
  let right = units.reversed().reduce(CountMiddleware.identity) { $1.appending($0) }
  let left = units.reduce(CountMiddleware.identity) { $0.appending($1) }
  let padded = units.reduce(CountMiddleware.identity) { .compose($0, .identity, $1, .identity) }
  let lifted = units.reduce(CountMiddleware.identity) { $0.appending($1.liftedByIdentity()) }
  return [
    ("flat", flat), ("right", right), ("left", left), ("padded", padded), ("each lifted", lifted),
    ("lifted twice", right.liftedByIdentity().liftedByIdentity()),
  ]
}

func arrangements(_ reducers: [CountReducer]) -> [(String, CountReducer)] {
  let right = reducers.reversed().reduce(CountReducer.identity) { $1.appending($0) }
  let left = reducers.reduce(CountReducer.identity) { $0.appending($1) }
  let padded = reducers.reduce(CountReducer.identity) { .compose($0, .identity, $1) }
  let lifted = reducers.reduce(CountReducer.identity) { $0.appending($1.liftedByIdentity()) }
  return [
    ("right", right), ("left", left), ("padded", padded), ("each lifted", lifted),
    ("lifted twice", right.liftedByIdentity().liftedByIdentity()),
  ]
}
