import StoreUnits

// CounterBindableRedux, `Actions.swift`. An action may carry a thunk.

enum CounterAction: Sendable {
  case updateBindingToggle(Bool)
  case updateLimitText(String)
  case incrementCount, decrementCount
  case thunk(Thunk<CounterAction, CounterState>)
}
