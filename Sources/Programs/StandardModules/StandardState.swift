import StoreCore
import StoreSchema

// @Schema, by scripts/expand.
/// The state of the modules that the shipped program hosts.
package struct StandardState: Hashable, Sendable {
  /// A counter.
  package var counter = Counter()
  /// A list of things to do.
  package var tasks = Tasks()

  /// All modules as they start.
  package init() {}
}

// @Schema, by scripts/expand.
/// The actions of the modules that the shipped program hosts.
package enum StandardAction: Hashable, Sendable {
  /// An action of the counter.
  case counter(CounterAction)
  /// An action of the list of things to do.
  case tasks(TasksAction)
}

extension StandardState {
  /// The reducers of all modules.
  package static let reducer = Reducer<StandardAction, StandardState>.compose(
    Counter.reducer.lift(action: StandardAction.cases.counter.extract, state: \.counter),
    Tasks.reducer.lift(action: StandardAction.cases.tasks.extract, state: \.tasks))
}
