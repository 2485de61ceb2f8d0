import StoreCore

func landingExample() throws -> Int {
  enum CounterAction { case increment, reset }

  let counting = Reducer<CounterAction, Int>("counting") { action, count in
    switch action {
    case .increment: count = min(count + 1, 10)
    case .reset: count = 0
    }
  }

  let store = try Store(initial: 0, reducer: counting)
  let watching = store.watch("printer") { print($0.new) }
  store.dispatch(.increment)
  watching.cancel()
  return store.state
}
