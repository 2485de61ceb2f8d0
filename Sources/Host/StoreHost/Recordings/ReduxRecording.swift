import StoreCore
import StoreHistory
import StoreSchema

/// Files of the Redux DevTools, as states.
///
/// Two kinds are about. The lifted state holds a state for each action, and which of them was shown; `export` writes it. What
/// the browser extension exports holds a state and the actions that came after it, each as JSON within a text: reducers run
/// them here, and nothing else does.
extension LiveStore {
  /// The state that a file stands for, and the modules that it names or its actions change; nil: it is none of the Redux
  /// DevTools.
  ///
  /// - Parameter members: what the file holds.
  /// - Throws: ``HostError`` with the first place that does not fit.
  package func reduxState(_ members: PersistentMap<MapKey, Value>, from file: String) throws -> (
    state: HostState, modules: Set<String>
  )? {
    if case .list(let states)? = members[.string("computedStates")] {
      return try liftedState(members, states, file)
    }
    guard let payload = members[.string("payload")], application.modules.allSatisfy({ $0.name != "payload" }) else {
      return nil
    }
    guard case .list(let actions) = try unpacked(payload, "payload", file) else {
      throw misfit(file, "payload", "must be a list of actions, got \(payload.described)")
    }
    var state = store.withState { $0 }
    var names: Set<String> = []
    if let start = members[.string("preloadedState")], start != .none {
      names = try take(try unpacked(start, "preloadedState", file), into: &state, "preloadedState", file)
    }
    let last = try run(actions, from: state, file)
    return (last, names.union(State.changes(from: state, to: last).compactMap(\.module)))
  }

  private func liftedState(
    _ members: PersistentMap<MapKey, Value>, _ states: PersistentList<Value>, _ file: String
  ) throws -> (state: HostState, modules: Set<String>) {
    var index = states.count - 1
    if case .int(let shown)? = members[.string("currentStateIndex")] { index = shown }
    guard states.indices.contains(index), case .map(let computed) = states[index],
      let json = computed[.string("state")]
    else { throw misfit(file, "computedStates", "has no state of the number \(index), which is the current one") }
    var state = store.withState { $0 }
    if case .map(let slices) = json {
      func names(_ member: String) -> [String] {
        guard case .list(let names)? = members[.string(member)] else { return [] }
        return names.compactMap(\.text)
      }
      try requirePlugins(names("plugins"), of: slices, file)
      state.addSubstates(names("substates"), in: slices, type: application.substateSchema)
    }
    let names = try take(json, into: &state, "computedStates[\(index + 1)].state", file)
    return (state, names)
  }

  /// - Returns: the modules that the JSON names.
  private func take(
    _ json: Value, into state: inout HostState, _ place: String, _ file: String
  ) throws -> Set<String> {
    do throws(SchemaError) {
      try state.setSlices(fromJSON: json, isPartial: true)
      guard case .map(let members) = json else { return [] }
      return members.names
    } catch {
      throw misfit(file, place, error.message)
    }
  }

  /// Runs actions through the reducers.
  private func run(_ actions: PersistentList<Value>, from start: HostState, _ file: String) throws -> HostState {
    var rerun = Rerun(application, start, plugins, running: .all)
    defer { rebindPlugins() }
    let types = entryTypes { [plugins] in plugins }
    let reader = EntryReader(types)
    for (index, action) in actions.enumerated() {
      let place = "payload[\(index + 1)]"
      guard case .map(let members) = action, case .string(let name)? = members[.string("type")] else {
        throw misfit(file, place, "must be an action with a type, got \(action.described)")
      }
      // The tools' own, such as `@@INIT`.
      if name.hasPrefix("@@") { continue }
      guard types.action(name) != nil else { throw misfit(file, place, "unknown action '\(name)'") }
      let arguments: Record
      do throws(EntryError) {
        let given = members[.string("payload")] ?? .map([:])
        arguments = try reader.arguments(of: JSON.text(of: given == Value.none ? .map([:]) : given), action: name)
      } catch {
        throw misfit(file, "\(place).payload", error.message)
      }
      let entry = LoggedEntry(
        number: index + 1, time: .zero, source: .here(), action: name, arguments: arguments, isQuiet: false,
        changes: [], failure: nil)
      if let reason = rerun.reduce(entry).reason(of: entry) { throw misfit(file, place, "\(name) failed: \(reason)") }
    }
    return rerun.state
  }

  /// What a text holds as JSON; anything else is what it is.
  private func unpacked(_ value: Value, _ place: String, _ file: String) throws -> Value {
    guard case .string(let text) = value else { return value }
    do throws(JSONError) {
      return try JSON.value(of: text)
    } catch {
      throw misfit(file, place, "\(error.message) (column \(error.offset + 1) of its text)")
    }
  }

  private func misfit(_ file: String, _ place: String, _ message: String) -> HostError {
    HostError(misfitOf: file, "\(place): \(message)")
  }
}
