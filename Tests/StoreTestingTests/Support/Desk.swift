import StoreCore
import StoreTesting
import StoreSchema

/// The state of a small application: a counter that can be loaded, a search and a timer.
@Schema
struct Desk: Equatable {
  var value = 0
  var isLoading = false
  var query = ""
  var found: [Book] = []
  var isTicking = false
}

@Schema
struct Book: Equatable {
  var id: Int
  var title: String
}

@Schema
enum DeskAction: Equatable {
  case increment
  case spend(Int)
  case load
  case loaded(Int)
  case search(String)
  case found([Book])
  case setTicking(Bool)
  case tick
}

struct Overdrawn: Error, Equatable {
  let by: Int
}

/// What the effects of the application depend on.
struct Library: Sendable {
  var value: @Sendable () async -> Int = { 3 }
  var search: @Sendable (String) async -> [Book] = { [Book(id: 1, title: $0)] }
}

typealias DeskStore = TestStore<DeskAction, Desk>
typealias DeskMiddleware = Middleware<DeskAction, DeskAction, Desk>

extension Desk {
  static let reducer = Reducer<DeskAction, Desk>.compose(
    .throwing("spend", canFail: { if case .spend = $0 { true } else { false } }) { action, desk, _ in
      guard case .spend(let amount) = action else { return }
      desk.value -= amount
      if desk.value < 0 { throw Overdrawn(by: -desk.value) }
    },
    Reducer("desk") { action, desk in
      switch action {
      case .increment, .tick: desk.value += 1
      case .load: desk.isLoading = true
      case .loaded(let value):
        desk.isLoading = false
        desk.value = value
      case .search(let query): desk.query = query
      case .found(let books): desk.found = books
      case .setTicking(let isTicking): desk.isTicking = isTicking
      case .spend: break
      }
    })

  /// Loads, searches once nobody has typed for 0.3 seconds, and ticks every second while the state says so.
  static func middleware(_ library: Library = Library()) -> DeskMiddleware {
    .compose(load(library), search(library), ticker)
  }

  private static func load(_ library: Library) -> DeskMiddleware {
    EffectMiddleware<Library, DeskAction, DeskAction, Desk>("load") { action, _, _ in
      guard action == .load else { return .none }
      return .run { context in context.send(.loaded(await context.dependencies.value())) }
    }.inject(library)
  }

  private static func search(_ library: Library) -> DeskMiddleware {
    EffectMiddleware<Library, DeskAction, DeskAction, Desk>("search") { action, _, _ in
      guard case .search(let query) = action else { return .none }
      return Effect.run { context in context.send(.found(await context.dependencies.search(query))) }
        .debounce("query", for: .milliseconds(300))
    }.inject(library)
  }

  private static let ticker = DeskMiddleware(units: [
    MiddlewareUnit(name: "ticker") { attachment in
      attachment.supervise {
        guard attachment.state().isTicking else { return [] }
        return [
          Supervised("tick") { context in
            while (try? await context.sleep(for: .seconds(1))) != nil { context.send(.tick) }
          }
        ]
      }
      return { _, _ in nil }
    }
  ])
}
