import StoreCore
import StoreModules
import StoreSchema
import Synchronization

/// Those who watch values of a live store, in the order in which they came (R11). Of a thousand who watch a part of the state each,
/// an action costs those whom it concerns.
package final class ValueWatchers: @unchecked Sendable {
  // Safe: touched only by the thread that holds the store's turn.
  /// The modules in parts of which somebody watches. Few, so that a look at each name takes less than a hash.
  @exclusivity(unchecked) private var modules: [(name: String, node: Node)] = []
  /// Those that may be told something, whatever an action changed.
  @exclusivity(unchecked) private var everywhere: [ValueWatcher] = []
  /// Those of a part that an action may have changed, since they were last told.
  @exclusivity(unchecked) private var concerned: [ValueWatcher] = []
  private var added = 0
  /// True if watchers are told after every action, changed or not (R10).
  var isAlways = false
  /// The last action of which they were not told, since the store was about to close; nil: none.
  var untold: Int?
  /// Has all of them told after a commit; nil: there are none.
  private var listening: Subscription?
  private var count = 0

  /// A place in the state where somebody watches, or within which somebody does.
  private final class Node {
    @exclusivity(unchecked) var watchers: [ValueWatcher] = []
    @exclusivity(unchecked) var children: [Key: Node] = [:]

    var isEmpty: Bool { watchers.isEmpty && children.isEmpty }
    var all: [ValueWatcher] { watchers + children.values.flatMap(\.all) }
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

  // MARK: Coming and going

  /// - Parameters:
  ///   - path: the part that decides on its value; nil: all of the state does.
  ///   - isValue: true if that is its value.
  ///   - listen: has all of them told after commits.
  func add(_ watcher: ValueWatcher, of path: Path?, isValue: Bool, _ listen: () -> Subscription) {
    added += 1
    watcher.place = added
    count += 1
    if listening == nil { listening = listen() }
    guard let path, case .field(let module)? = path.steps.first else { return everywhere.append(watcher) }
    if !modules.contains(where: { $0.name == module }) { modules.append((module, Node())) }
    guard var node = modules.first(where: { $0.name == module })?.node else { return }
    let keys = Self.keys(of: path)
    watcher.isAtItsPlace = isValue && keys.count == path.steps.count - 1
    for key in keys {
      let child = node.children[key] ?? Node()
      node.children[key] = child
      node = child
    }
    node.watchers.append(watcher)
  }

  /// Takes one away that is there.
  func remove(_ watcher: ValueWatcher, of path: Path?) {
    count -= 1
    everywhere.removeAll { $0 === watcher }
    if let path, let index = modules.firstIndex(where: { path.steps.first == .field($0.name) }) {
      Self.remove(watcher, Self.keys(of: path)[...], from: modules[index].node)
      if modules[index].node.isEmpty { modules.remove(at: index) }
    }
    if count == 0 { listening = nil }
  }

  private static func remove(_ watcher: ValueWatcher, _ keys: ArraySlice<Key>, from node: Node) {
    guard let key = keys.first else { return node.watchers.removeAll { $0 === watcher } }
    guard let child = node.children[key] else { return }
    remove(watcher, keys.dropFirst(), from: child)
    if child.isEmpty { node.children[key] = nil }
  }

  /// The steps behind the module up to the first that depends on the state: whatever changes behind them may concern the path.
  private static func keys(of path: Path) -> [Key] {
    var keys: [Key] = []
    for step in path.steps.dropFirst() {
      guard let key = Key(step) else { break }
      keys.append(key)
    }
    return keys
  }

  // MARK: Changes

  /// True if somebody watches a part of a module.
  var areOfParts: Bool { !modules.isEmpty }

  /// Takes note of what an action changed.
  func note(_ changes: [Change]) {
    guard !modules.isEmpty else { return }
    // From where they lie: a copy would count all that a change refers to.
    changes.withUnsafeBufferPointer { changes in
      guard let first = changes.baseAddress else { return }
      for change in first..<(first + changes.count) {
        guard case .field(let name)? = change.pointee.path.steps.first else { return noteAll() }
        for index in modules.indices where modules[index].name == name { note(change, in: modules[index].node) }
      }
    }
  }

  private func note(_ change: UnsafePointer<Change>, in module: Node) {
    var node = module
    for index in change.pointee.path.steps.indices.dropFirst() {
      note(node.watchers)
      if node.children.isEmpty { return }
      guard let key = Key(change.pointee.path.steps[index]) else { return note(node.all) }
      guard let child = node.children[key] else { return }
      node = child
    }
    switch change.pointee.kind {
    case .replace(_, let value): note(node.watchers, now: value)
    default: note(node.watchers)
    }
    for child in node.children.values { note(child.all) }
  }

  /// Takes note that anything may have changed.
  func noteAll() { for module in modules { note(module.node.all) } }

  /// - Parameter value: what is at the place of the watchers now; nil: they read it.
  private func note(_ watchers: [ValueWatcher], now value: Value? = nil) {
    for watcher in watchers {
      watcher.known = watcher.isAtItsPlace ? value : nil
      guard !watcher.isConcerned else { continue }
      watcher.isConcerned = true
      concerned.append(watcher)
    }
  }

  /// Those that are to look at their values after a commit, in the order in which they came.
  func takeConcerned() -> [ValueWatcher] {
    if isAlways { noteAll() }
    if concerned.isEmpty { return everywhere }
    var watchers: [ValueWatcher] = []
    swap(&watchers, &concerned)
    for watcher in watchers { watcher.isConcerned = false }
    if watchers.count == 1, everywhere.isEmpty { return watchers }
    return (watchers + everywhere).sorted { $0.place < $1.place }
  }
}

/// What all have together who watch one path. It is there as long as one of them keeps it.
package final class WatchedPlace: Sendable {
  /// The last reading there. No weak reference leads to it, since that would make each count of references to it slow.
  package let reading = KeptReading()
}

/// The places where somebody watches.
struct WatchedPlaces {
  private var places: [Path: Weak] = [:]
  /// So many are kept before it is looked which of them are over.
  private var most = 64

  private struct Weak {
    weak var place: WatchedPlace?
  }

  mutating func place(at path: Path) -> WatchedPlace {
    if let place = places[path]?.place { return place }
    if places.count >= most {
      places = places.filter { $0.value.place != nil }
      most = 2 * max(places.count, 32)
    }
    let place = WatchedPlace()
    places[path] = Weak(place: place)
    return place
  }
}

/// Somebody who watches a value of a live store.
final class ValueWatcher: @unchecked Sendable {
  // Safe: touched only by the thread that holds the store's turn, but for what is atomic.
  /// False once it was cancelled, on whichever thread.
  let isActive = Atomic<Bool>(true)
  var place = 0
  var isConcerned = false
  /// True if all of its path leads to where it stands among the watchers.
  var isAtItsPlace = false
  /// Its value, where an action has told it.
  var known: Value?
  private var last: Value
  private let name: String
  private let read: @Sendable () -> Value
  private let onChange: @Sendable (_ old: Value?, _ new: Value, _ number: Int?) -> Void

  init(
    _ name: String, _ read: @escaping @Sendable () -> Value,
    _ onChange: @escaping @Sendable (_ old: Value?, _ new: Value, _ number: Int?) -> Void
  ) {
    self.name = name
    self.read = read
    self.onChange = onChange
    last = read()
  }

  /// Tells it of its value as it is now.
  func begin(_ report: (() -> TraceEvent) -> Void) { tell(nil, nil, report) }

  /// Tells it of its value after an action, where that is another one.
  ///
  /// - Parameter isAlways: true if it is told in any case.
  func look(after number: Int, isAlways: Bool, _ report: (() -> TraceEvent) -> Void) {
    guard isActive.load(ordering: .relaxed) else { return }
    let new = known.take() ?? read()
    guard isAlways || last != new else { return }
    var old = new
    swap(&old, &last)
    tell(old, number, report)
  }

  private func tell(_ old: Value?, _ number: Int?, _ report: (() -> TraceEvent) -> Void) {
    report { .notified(number: number ?? 0, watcher: name, value: last) }
    onChange(old, last, number)
  }
}

extension LiveStore {
  /// Takes note that any part of the state may be another one.
  func noteAll(_ state: State) {
    publish(state)
    comparing.versions.noteAll()
    comparing.watchers.isAlways = state.shell.emission == "always"
    comparing.watchers.noteAll()
  }

  /// What all have together who watch a path.
  package func watchedPlace(at path: Path) -> WatchedPlace { turnAnywhere { comparing.places.place(at: path) } }

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
      let watchers = comparing.watchers
      watchers.isAlways = store.withState { $0.shell.emission == "always" }
      let watcher = ValueWatcher(name, read, onChange)
      let place = path.flatMap { isOfState($0) ? $0 : slice(ofProjection: $0) }
      watchers.add(watcher, of: place, isValue: place == path) {
        // Safe: as the recorder's.
        store.listen { [host = Unmanaged.passUnretained(self)] context in
          host._withUnsafeGuaranteedRef { $0.tellWatchers(of: context) }
        }
      }
      watcher.begin(trace)
      return Subscription { [lease] in
        guard watcher.isActive.exchange(false, ordering: .relaxed) else { return }
        lease.object?.turn { watchers.remove(watcher, of: place) }
      }
    }
  }

  private func tellWatchers(of context: ActionContext) {
    guard !attendance.isEnding.isSet else { return comparing.watchers.untold = context.number }
    tellWatchers(after: context.number)
  }

  /// Tells watchers of the last of the actions that a store took while it was being closed.
  func tellWatchersAtTheEnd() {
    guard let number = comparing.watchers.untold else { return }
    comparing.watchers.untold = nil
    tellWatchers(after: number)
  }

  private func tellWatchers(after number: Int) {
    let watchers = comparing.watchers
    for watcher in watchers.takeConcerned() {
      watcher.look(after: number, isAlways: watchers.isAlways, trace)
    }
  }

  /// The slice that alone decides on what stands at a path; nil: it leads to no projection of one.
  private func slice(ofProjection path: Path) -> Path? {
    let own = projection(at: path)
    return own.flatMap { $0.isOfSlice ? Path([path.steps[0]]) : nil }
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
