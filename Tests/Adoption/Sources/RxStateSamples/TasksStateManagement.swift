import StoreCore
import StoreSchema

// RxStateExample, `StateManagment/TasksStateManagement.swift`. What ends the program there fails an action here.

@Schema
struct TasksState: Equatable, Sendable {
  var tasks: [Task] = []
  var addingTask = false
  var togglingTaskStatusForTasksWithIds: [Task.ID] = []
  var updatingSummaryForTasksWithId: Update?

  @Schema
  struct Update: Equatable, Sendable { let newSummary: String, forTaskWithId: Task.ID }
}

@Schema
enum TasksAction: Equatable, Sendable {
  case togglingTaskStatus(forTaskWithId: Task.ID)
  case toggledTaskStatus(taskStatus: Task.Status, forTaskWithId: Task.ID)
  case addingTask
  case addedTask(task: Task)
  case updatingSummary(newSummary: String, forTaskWithId: Task.ID)
  case updatedSummary(newSummary: String, forTaskWithId: Task.ID)
}

enum TasksError: Error, Equatable { case invalidTaskId(Task.ID), notToggling(Task.ID) }

extension TasksState {
  static let reducer = Reducer<TasksAction, TasksState>.throwing("tasks") { action, state, _ in
    switch action {
    case .updatingSummary(let summary, let id):
      state.updatingSummaryForTasksWithId = Update(newSummary: summary, forTaskWithId: id)
    case .updatedSummary(let summary, let id):
      state.updatingSummaryForTasksWithId = nil
      try state.change(id) { $0.summary = summary }
    case .togglingTaskStatus(let id): state.togglingTaskStatusForTasksWithIds.append(id)
    case .toggledTaskStatus(let status, let id):
      guard let index = state.togglingTaskStatusForTasksWithIds.firstIndex(of: id) else {
        throw TasksError.notToggling(id)
      }
      state.togglingTaskStatusForTasksWithIds.remove(at: index)
      try state.change(id) { $0.status = status }
    case .addingTask: state.addingTask = true
    case .addedTask(let task):
      state.tasks.append(task)
      state.addingTask = false
    }
  }

  private mutating func change(_ id: Task.ID, _ change: (inout Task) -> Void) throws {
    guard let index = tasks.firstIndex(where: { $0.id == id }) else { throw TasksError.invalidTaskId(id) }
    change(&tasks[index])
  }
}
