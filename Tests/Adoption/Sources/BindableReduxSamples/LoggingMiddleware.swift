import StoreCore

// CounterBindableRedux, `LogginMiddleware.swift`: before and after what is inside it, in the shape of Redux.

func logging(to print: @escaping @Sendable (String) -> Void) -> Interceptor<CounterAction, CounterState> {
  Interceptor("logging") { _, getState in
    { next in
      { action in
        print("before \(getState())")
        next(action)
        print("after \(getState())")
      }
    }
  }
}
