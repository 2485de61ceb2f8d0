import StoreCore
import StoreModules
import StoreSchema

/// Tells those who watch parts of the state whether an action may have changed theirs, so that of a thousand of them those look
/// whom it concerns.
package final class PathMarks: @unchecked Sendable {
  // Safe: touched only by the thread that holds the store's turn.
  private let root = Node()
  /// True if watchers are told after every action, changed or not (R10).
  var isAlways = false

  /// Set once the part may be another one.
  final class Mark: @unchecked Sendable {
    // Safe: as the marks.
    var isSet = true
  }

  /// A place in the state where somebody watches, or within which somebody does.
  private final class Node {
    var marks: [Mark] = []
    var children: [Key: Node] = [:]
  }

  /// A step that is the same in every state: a field, or an element by its id.
  private enum Key: Hashable {
    case field(String)
    case id(String)

    /// Nil: what the step leads to depends on the state.
    init?(_ step: Path.Step) {
      switch step {
      case .field(let name), .key(.string(let name)): self = .field(name)
      case .match("id", .int(let number)): self = .id("\(number)")
      case .match("id", .string(let text)): self = .id(text)
      default: return nil
      }
    }
  }

  /// A mark of a path, for as long as nobody removes it.
  func add(_ path: Path) -> Mark {
    var node = root
    for key in Self.keys(of: path) {
      let child = node.children[key] ?? Node()
      node.children[key] = child
      node = child
    }
    let mark = Mark()
    node.marks.append(mark)
    return mark
  }

  func remove(_ mark: Mark, of path: Path) { Self.remove(mark, Self.keys(of: path)[...], from: root) }

  private static func remove(_ mark: Mark, _ keys: ArraySlice<Key>, from node: Node) {
    guard let key = keys.first else { return node.marks.removeAll { $0 === mark } }
    guard let child = node.children[key] else { return }
    remove(mark, keys.dropFirst(), from: child)
    if child.marks.isEmpty, child.children.isEmpty { node.children[key] = nil }
  }

  /// The steps up to the first that depends on the state: whatever changes behind them may concern the path.
  private static func keys(of path: Path) -> [Key] {
    var keys: [Key] = []
    for step in path.steps {
      guard let key = Key(step) else { break }
      keys.append(key)
    }
    return keys
  }

  /// Takes note of what an action changed.
  func note(_ changes: [Change]) {
    guard !root.children.isEmpty else { return }
    for index in changes.indices { note(changes[index].path) }
  }

  private func note(_ path: Path) {
    var node = root
    for step in path.steps {
      for mark in node.marks { mark.isSet = true }
      guard let key = Key(step) else { return Self.setAll(node) }
      guard let child = node.children[key] else { return }
      node = child
    }
    Self.setAll(node)
  }

  /// Takes note that anything may have changed.
  func noteAll() { Self.setAll(root) }

  private static func setAll(_ node: Node) {
    for mark in node.marks { mark.isSet = true }
    for child in node.children.values { setAll(child) }
  }
}

extension LiveStore {
  /// Takes note that any part of the state may be another one.
  func noteAll(_ state: State) {
    comparing.versions.noteAll()
    comparing.marks.isAlways = state.shell.emission == "always"
    comparing.marks.noteAll()
  }

  /// Tells a watcher of a value: now, and after every commit that changed it.
  ///
  /// - Parameters:
  ///   - path: the part of the state that the value is read from alone; nil: it may depend on all of it.
  ///   - read: the value at the moment of the call.
  package func watch(
    _ name: String, at path: Path?, _ read: @escaping @Sendable () -> Value,
    _ onChange: @escaping @Sendable (_ old: Value?, _ new: Value, _ number: Int?) -> Void
  ) -> Subscription {
    turn {
      let marks = comparing.marks
      marks.isAlways = store.withState { $0.shell.emission == "always" }
      guard let path, isOfState(path) else {
        // R10: under the policy `always` a watcher is told after every action, changed or not.
        return store.watch(name, { _ in read() }, isDifferent: { $0 != $1 || marks.isAlways }) {
          onChange($0.old, $0.new, $0.context?.number)
        }
      }
      let mark = marks.add(path)
      let watching = store.watch(
        name, { _ in mark.isSet || marks.isAlways ? read() : nil },
        isDifferent: { (old: Value?, new: Value?) in
          guard new != nil else { return false }
          mark.isSet = false
          return old != new || marks.isAlways
        },
        { change in
          if let new = change.new { onChange(change.old ?? nil, new, change.context?.number) }
        })
      return Subscription { [weak self] in
        watching.cancel()
        self?.turn { marks.remove(mark, of: path) }
      }
    }
  }

  /// Returns true if a path leads to a part of a module's state, and to no projection.
  private func isOfState(_ path: Path) -> Bool {
    guard case .field(let name) = path.steps.first, let module = modules.first(where: { $0.name == name }) else {
      return false
    }
    guard path.steps.count > 1 else { return module.schema != nil }
    guard case .field(let field) = path.steps[1] else { return false }
    return module.fields.contains { $0.name == field } && !module.projections.contains { $0.name == field }
  }
}
