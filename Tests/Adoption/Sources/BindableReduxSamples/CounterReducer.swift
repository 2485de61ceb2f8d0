import StoreCore

// CounterBindableRedux, `CounterReducer.swift`: who turns the direction round clears the limit.

let counterReducer = Reducer<CounterAction, CounterState>("counter") { action, state in
  switch action {
  case .updateBindingToggle(let isIncrementing):
    state.isIncrementing = isIncrementing
    state.limitText = ""
  case .updateLimitText(let text): state.limitText = text
  case .incrementCount: state.count += 1
  case .decrementCount: state.count -= 1
  case .thunk: break
  }
}
