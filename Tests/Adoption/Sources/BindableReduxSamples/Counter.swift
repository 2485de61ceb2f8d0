import StoreCore
import StoreUnits

// CounterBindableRedux, `Counter.swift`, without the drawing: what its views bind, and the thunk behind its button.

struct Counter {
  let store: Store<CounterAction, CounterState>
  var isIncrementing: Binding<Bool> { store.binding(\.isIncrementing, set: { .updateBindingToggle($0) }) }
  var limitText: Binding<String> { store.binding(\.limitText, set: { .updateLimitText($0) }) }
  var toggleText: String { isIncrementing.value ? "Increase" : "Decrease" }

  init(_ store: Store<CounterAction, CounterState>) { self.store = store }

  static let updateCounter = Thunk<CounterAction, CounterState>("updateCounter") { context in
    let state = context.state()
    if let limit = Int(state.limitText), state.isIncrementing ? state.count >= limit : state.count <= limit { return }
    context.dispatch(state.isIncrementing ? .incrementCount : .decrementCount)
  }

  func updateCount() { store.dispatch(.thunk(Counter.updateCounter)) }
}
