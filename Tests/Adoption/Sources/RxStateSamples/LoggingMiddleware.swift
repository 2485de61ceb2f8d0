import StoreCore
import StoreUnits

// RxStateExample, `Middleware/LoggingMiddleware.swift`: the state together with the action that led to it.

func logging(_ store: AppStore, to print: @escaping @Sendable (String) -> Void) -> Subscription {
  store.watchWithAction("logging") { change, action in
    print("\(change.new) by \(action.map { "\($0)" } ?? "no action yet")")
  }
}
