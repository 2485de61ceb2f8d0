import StoreCore
import StoreUnits

// README of Reducer, "Lifting Reducer using KeyPath".

let liftedByPaths: Reducer<AppAction, AppState> = volumeReducer.lift(
  action: \.prism1.prism2.prism3,
  state: \.property1.property2
)
