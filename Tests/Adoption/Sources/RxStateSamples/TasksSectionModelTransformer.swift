import StoreCore
import StoreUnits

// RxStateExample, `Transformer/TasksSectionModelTransformer.swift`: what is shown, as a function of the state that views share.

func sectionModel(of store: AppStore) -> StoreProjection<SubstateAction, [String]> {
  store.projection(
    state: { substates in
      let tasks: TasksState? = substates["tasks"]?.value()
      return tasks?.tasks.map { "\($0.status == .done ? "✓" : "·") \($0.summary)" } ?? []
    })
}
