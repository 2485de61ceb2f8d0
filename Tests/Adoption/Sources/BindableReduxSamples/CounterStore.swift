import StoreCore
import StoreUnits

// CounterBindableRedux, `CounterStore.swift`, with the middlewares of the README's `createStore`.

func createStore(
  preloadedState: CounterState? = nil, log: @escaping @Sendable (String) -> Void
) throws -> Store<CounterAction, CounterState> {
  try Store(
    initial: preloadedState ?? CounterState(), reducer: counterReducer,
    interceptors: [logging(to: log), .thunks { if case .thunk(let thunk) = $0 { thunk } else { nil } }])
}
