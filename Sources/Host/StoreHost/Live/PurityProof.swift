import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

/// Runs a plugin's reducers in two fresh Lua states, which differ in the seed of their hashes and in how they collect
/// garbage, and compares what they make of each action; one of them has just reduced a copy. Hidden state, what middlewares
/// change behind a reducer's back, the order of keys and whatever else a reducer must not depend on shows as a difference: it
/// costs a store nothing, and finds what no look at a single call can.
package struct PurityProof {
  /// An action that a test had processed.
  package struct Recorded {
    package let call: ActionCall
    package let context: ActionContext
    package let before: HostState
    package let after: HostState
    package let failure: (any Error)?
    /// True if an interceptor took the action out before any reducer saw it.
    package let wasDropped: Bool

    init(
      _ action: HostAction, _ context: ActionContext, from before: HostState, to after: HostState,
      _ exception: ActionRecord<HostAction, HostState>.Exception?
    ) {
      call = action.call
      // The store may use its own again.
      self.context = ActionContext(
        number: context.number, source: context.source, time: context.time, root: context.number)
      self.before = before
      self.after = after
      failure = exception?.failure
      wasDropped = exception?.droppedBy != nil
    }
  }

  /// What two fresh Lua states made of an action.
  package enum Verdict {
    /// The same state.
    case same
    /// Both failed.
    case failed(any Error)
    /// What shows that they are not alike.
    case impure(PurityFault)
  }

  private let one: ReducerTwin
  private let other: ReducerTwin
  private let store: LiveStore
  private let name: String
  /// The modules over whose slices other plugins reduce too.
  private let shared: Set<String>

  /// Loads the plugin twice into the surroundings that it has in a store.
  package init(_ source: PluginSource, in store: LiveStore) throws {
    self.store = store
    name = source.manifest.name
    let surroundings = store.surroundings(of: name)
    let others = store.sources.map(\.manifest).filter { [name] in $0.name != name }
    shared = Set(
      others.map(\.permissions).joined().compactMap {
        if case .reduce(let module) = $0 { module } else { nil }
      })
    // Lua seeds its hashes from the addresses of a state, which differ while both are there.
    one = try ReducerTwin(source, in: surroundings, collectsOften: false)
    other = try ReducerTwin(source, in: surroundings, collectsOften: true)
  }

  /// Whether the plugin has a reducer for an action.
  package func concerns(_ type: ActionType) -> Bool { one.reduces(type) }

  /// Reduces an action that was recorded, from the state that it met there.
  ///
  /// - Parameter origin: what recorded it, as messages name it.
  /// - Returns: the first difference.
  package func difference(in recorded: Recorded, of origin: String = "test") -> PurityFault? {
    var state = recorded.before
    guard !recorded.wasDropped, state.shell.condition(of: name) == .on else { return nil }
    let verdict = reduce(recorded.call, recorded.context, &state)
    if case .impure(let fault) = verdict { return fault }
    guard recorded.failure == nil else { return nil }
    if case .failed(let error) = verdict {
      return PurityFault(
        recorded.call, "it failed in a fresh Lua state only", [], details: [HostError(describing: error).message])
    }
    for module in one.modules where !shared.contains(module) {
      guard let change = Self.change(in: module, from: recorded.after, to: state) else { continue }
      return PurityFault(
        recorded.call, "the \(origin) and a fresh Lua state differ at \(change.path)",
        [(origin, change.kind.from), ("fresh", change.kind.to)])
    }
    return nil
  }

  /// Reduces an action twice and goes on with what came out.
  package func reduce(_ call: ActionCall, _ context: ActionContext, _ state: inout HostState) -> Verdict {
    // Behind the other reducers, as in the store.
    var others = Rerun(store.application, state, store.plugins, running: .without(name))
    do {
      if case .failed(let error) = try others.reduce(call, context) { return .failed(error) }
    } catch {
      return .failed(error)
    }
    let start = others.state
    var (left, right, copy) = (start, start, start)
    let first = reduce(one, call, context, &left)
    _ = reduce(other, call, context, &copy)
    let second = reduce(other, call, context, &right)
    if let impure = [first, second].lazy.compactMap({ $0 as? PluginError }).first(where: { $0.code == .impure }) {
      return .impure(PurityFault(call, impure.message, []))
    }
    guard (first == nil) == (second == nil) else {
      return .impure(
        PurityFault(
          call, "it failed in one of two fresh Lua states only",
          [], details: [first, second].compactMap { $0.map { HostError(describing: $0).message } }))
    }
    if let first { return .failed(first) }
    for module in one.modules {
      if let change = Self.change(in: module, from: left, to: right) {
        return .impure(
          PurityFault(
            call, "two fresh Lua states differ at \(change.path)",
            [("one", change.kind.from), ("other", change.kind.to)]))
      }
    }
    state = left
    return .same
  }

  private func reduce(
    _ twin: ReducerTwin, _ call: ActionCall, _ context: ActionContext, _ state: inout HostState
  ) -> (any Error)? {
    do {
      try twin.reduce(call, context) { try state.modifySlice($0, $1) }
      return nil
    } catch {
      return error
    }
  }

  /// The first difference of a module's slices.
  private static func change(in module: String, from left: HostState, to right: HostState) -> Change? {
    var change: Change?
    _ = left.readSlice(module) { schema, left in
      _ = right.readSlice(module) { _, right in
        change = schema.changes(from: left, to: right, at: Path([.field(module)])).first
      }
    }
    return change
  }
}

/// What shows that a reducer depends on more than its draft and its action.
package struct PurityFault: Error {
  /// The action, as it is dispatched.
  package let action: String
  /// What is wrong.
  package let message: String
  /// What came out, and more on it.
  package let details: [String]
  /// Where the action comes from.
  package var origin = ""

  package init(_ call: ActionCall, _ message: String, _ sides: [(label: String, value: Value?)], details: [String] = [])
  {
    action = ActionText.text(call.type.fullName, arguments: call.record)
    self.message = message
    let width = sides.map(\.label.count).max() ?? 0
    self.details =
      sides.map { side in
        let label = side.label + String(repeating: " ", count: width - side.label.count)
        return "\(label)  \(side.value.map { InlineText.text(of: $0) } ?? "nothing")"
      } + details
  }
}
