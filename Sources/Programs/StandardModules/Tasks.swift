import StoreCore
import StoreSchema

// @Schema, by scripts/expand.
/// The module `tasks`: a list of things to do.
public struct Tasks: Hashable, Sendable {
  // @Sequence
  /// The id that the next to-do gets.
  public var nextId = 1
  /// The to-dos in the order in which they were added.
  public var items: PersistentList<Task> = []

  /// No to-dos.
  public init() {}

  // @Schema, by scripts/expand.
  /// Something to do.
  public struct Task: Hashable, Sendable {
    /// Tells the to-do from all others, also from removed ones.
    public var id: Int
    /// What is to be done.
    public var title: String
    /// Whether it is done.
    public var done: Bool

    /// Makes a to-do.
    public init(id: Int, title: String, done: Bool) {
      self.id = id
      self.title = title
      self.done = done
    }
  }

  /// The to-dos that are not done.
  public var open: [Task] { items.filter { !$0.done } }

  /// The number of done to-dos and of all to-dos, in words.
  public var summary: String { "\(items.count { $0.done }) of \(items.count) done" }
}

// @Schema, by scripts/expand.
/// The actions on to-dos.
public enum TasksAction: Hashable, Sendable {
  /// Adds a to-do at the end.
  case add(title: String)
  /// Marks a to-do as done; an unknown id is refused.
  case complete(id: Int)
  /// Takes a to-do off the list; an unknown id is refused.
  case remove(id: Int)
}

/// There is no to-do of an id.
public struct UnknownTask: Error, Hashable, CustomStringConvertible {
  /// The id.
  public let id: Int
  /// The fault in words.
  public var description: String { "there is no to-do \(id)" }
}

extension Tasks {
  /// The reducer of the to-dos. A to-do is refused once no id is left, and an action on one that is not there.
  public static let reducer = Reducer<TasksAction, Tasks>.undoing("tasks") {
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
