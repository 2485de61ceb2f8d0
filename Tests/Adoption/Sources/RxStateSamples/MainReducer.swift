import StoreCore
import StoreUnits

// RxStateExample, `StateManagment/MainReducer.swift` and `Store.swift`: substates come while the store runs, each with its
// reducer.

typealias AppStore = Store<SubstateAction, Substates>

let mainReducer = SubstateReducers().registering("tasks", TasksState.reducer)

func makeStore(report: @escaping @Sendable (SubstateError) -> Void) throws -> AppStore {
  try Store(
    initial: Substates(), reducer: mainReducer.reducer,
    middleware: mainReducer.reporter { error, _ in report(error) }.lift(
      input: { $0 }, to: SubstateAction.self, state: { $0 }))
}
