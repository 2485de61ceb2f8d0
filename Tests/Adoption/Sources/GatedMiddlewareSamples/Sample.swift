import StoreCore
import StoreSchema
import StoreUnits

// GatedMiddleware, `GatedMiddlewareTests.swift`: the middleware, its actions and its state.

@Schema
enum AppAction: Equatable, Sendable { case somethingElse, oneMore, toggleSampleMiddleware(Bool) }

struct AppState: Equatable, Sendable {
  var sampleEnabled = GateState.on

  init() {}
}

func sample(handled: @escaping @Sendable () -> Void) -> Middleware<AppAction, AppAction, AppState> {
  Middleware("sample") { action, _, _ in
    handled()
    return action == .somethingElse ? IO { $0.dispatch(.oneMore) } : .none
  }
}

let enabling = Reducer<AppAction, AppState>.on(\.toggleSampleMiddleware) { state, isEnabled in
  state.sampleEnabled = isEnabled ? .on : .off
}

/// The sample gated by action.
func gatedByAction(handled: @escaping @Sendable () -> Void) -> Middleware<AppAction, AppAction, AppState> {
  sample(handled: handled).gated(control: \.toggleSampleMiddleware)
}

/// The sample gated by state.
func gatedByState(handled: @escaping @Sendable () -> Void) -> Middleware<AppAction, AppAction, AppState> {
  sample(handled: handled).gated(whileState: \.sampleEnabled)
}
