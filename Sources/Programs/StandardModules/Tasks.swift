import StoreCore
import StoreSchema

// @Schema, by scripts/expand.
/// The module `tasks`: a list of things to do.
package struct Tasks: Hashable, Sendable {
  // @Sequence
  /// The id that the next to-do gets.
  package var nextId = 1
  /// The to-dos in the order in which they were added.
  package var items: PersistentList<Task> = []

  /// No to-dos.
  package init() {}

  // @Schema, by scripts/expand.
  /// Something to do.
  package struct Task: Hashable, Sendable {
    /// Tells the to-do from all others, also from removed ones.
    package var id: Int
    /// What is to be done.
    package var title: String
    /// Whether it is done.
    package var done: Bool

    /// Makes a to-do.
    package init(id: Int, title: String, done: Bool) {
      self.id = id
      self.title = title
      self.done = done
    }
  }

  /// The to-dos that are not done.
  package var open: [Task] { items.filter { !$0.done } }

  /// The number of done to-dos and of all to-dos, in words.
  package var summary: String { "\(items.count { $0.done }) of \(items.count) done" }
}

// @Schema, by scripts/expand.
/// The actions on to-dos.
package enum TasksAction: Hashable, Sendable {
  /// Adds a to-do at the end.
  case add(title: String)
  /// Marks a to-do as done; an unknown id is refused.
  case complete(id: Int)
  /// Takes a to-do off the list; an unknown id is refused.
  case remove(id: Int)
}

/// There is no to-do of an id.
package struct UnknownTask: Error, Hashable, CustomStringConvertible {
  /// The id.
  package let id: Int
  /// The fault in words.
  package var description: String { "there is no to-do \(id)" }
}

extension Tasks {
  /// The reducer of the to-dos. A to-do is refused once no id is left, and an action on one that is not there.
  package static let reducer = Reducer<TasksAction, Tasks>.undoing("tasks") {
    action, tasks, _ in
    switch action {
    case .add(let title):
      let id = tasks.nextId
      try tasks.nextId +!= 1
      tasks.items.append(Task(id: id, title: title, done: false))
    case .complete(let id):
      guard tasks.items[id: id] != nil else { throw UnknownTask(id: id) }
      tasks.items[id: id]?.done = true
    case .remove(let id):
      guard tasks.items[id: id] != nil else { throw UnknownTask(id: id) }
      tasks.items[id: id] = nil
    }
  }
}
