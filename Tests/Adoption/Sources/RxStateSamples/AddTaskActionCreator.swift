import StoreCore
import StoreUnits

// RxStateExample, `ActionCreator/API/AddTaskActionCreator.swift`: the actions of a request that takes two seconds.

func addTask(_ task: Task, on clock: some StoreClock) -> AsyncStream<SubstateAction> {
  AsyncStream { actions in
    actions.yield(.send("tasks", TasksAction.addingTask))
    let request = _Concurrency.Task {
      try await clock.sleep(for: .seconds(2))
      actions.yield(.send("tasks", TasksAction.addedTask(task: task)))
      actions.finish()
    }
    actions.onTermination = { _ in request.cancel() }
  }
}
