import StoreCore

func firstStore() throws -> Int {
  enum CounterAction: Sendable { case press, count }

  let counting = Reducer<CounterAction, Int>("counting") { action, count in
    if action == .count { count += 1 }
  }
  let waiting = Middleware<CounterAction, CounterAction, Int>.effects("waiting") { action, _, _ in
    action == .press ? .just(.count).after(.seconds(1)).token("press") : .none
  }

  let clock = VirtualClock()
  let store = try Store(initial: 0, reducer: counting, middleware: waiting, clock: clock)
  let watching = store.watch("printer") { print($0.new) }
  store.dispatch(.press)
  clock.advance(by: .seconds(1))
  watching.cancel()
  return store.state
}
