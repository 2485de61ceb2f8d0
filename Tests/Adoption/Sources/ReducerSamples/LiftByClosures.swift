import StoreCore

// README of Reducer, "Lifting Reducer using closures".

let liftedByClosures = volumeReducer.lift(
  action: { (action: AppAction) in action.prism1?.prism2?.prism3 },
  get: { (state: AppState) in state.property1.property2 },
  set: { state, volume in state.property1.property2 = volume }
)
