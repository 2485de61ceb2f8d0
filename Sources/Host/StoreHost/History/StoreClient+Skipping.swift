import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

extension StoreClient {
  /// The point after an action, had some actions not been there.
  ///
  /// - Parameter skipped: their numbers; those of later actions make no difference.
  package func point(_ number: Int, without skipped: [Int]) throws -> PastView {
    let skipped = skipped.filter { $0 <= number }.sorted()
    guard let first = skipped.first else {
      let shown = try recorded(number, at: theMoment)
      return PastView(number, shown.state, shown.plugins)
    }
    // What they caused stays, but for what keeps the gates that they moved.
    let standing = try undoLine(upTo: number).standing(from: first, takingCaused: false) { entry in
      skipped.contains(entry.number) || entry.keepsGate && entry.source.cause.map(skipped.contains) ?? false
    }
    let walk = try SkippingWalk(self, theMoment, from: standing.point + 1) { !standing.numbers.contains($0.number) }
    try walk.go(to: number)
    return walk.view(without: skipped)
  }

  /// The plugins that were loaded after an action, as the client runs them.
  func plugins(at number: Int) throws -> [HostedPlugin] {
    try recorded(number, at: theMoment).plugins
  }

  /// Looks at the history as it is now, whatever others add to it and memory lets go of meanwhile.
  package func atOneMoment<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = moment
    moment = theMoment
    defer { moment = outer }
    return try body()
  }

  /// The moment whose history is looked at.
  var theMoment: Moment { moment ?? Moment(of: self) }

  /// The oldest action whose state is kept, and the action that is shown: of one moment, for others act meanwhile.
  package var kept: (oldest: Int, shown: Int) {
    let moment = theMoment
    return (moment.oldest, past?.number ?? moment.head)
  }
}

extension LoggedEntry {
  /// True if it keeps where another action has moved a gate: it belongs to that one.
  var keepsGate: Bool { action == ShellAction.Types.moveGate.fullName }
}

extension StoreClient {
  /// What was there after an action.
  fileprivate func recorded(_ number: Int, at moment: Moment) throws -> HostedState {
    HostedState(state: try moment.state(at: number), plugins: try plugins(moment.points.versions(at: number)))
  }
}

/// A walk along the history without some of its actions: the reducers run the others again (R27), in Lua states of the client's own.
final class SkippingWalk {
  /// The number of the action that it has come to.
  private(set) var number: Int
  private let client: StoreClient
  private let moment: Moment
  private let first: Int
  private let isSkipped: (LoggedEntry) throws -> Bool
  private let check: (LoggedEntry, [Change]?) throws -> Void
  private var rerun: Rerun

  /// - Parameters:
  ///   - first: the first action that may be skipped.
  ///   - isSkipped: asked about every action in order; true for one that returned to a point, which is never in effect.
  ///   - check: asked about every action that is not, whether it is well that it makes these changes now, or none, where it fails.
  init(
    _ client: StoreClient, _ moment: Moment, from first: Int, isSkipped: @escaping (LoggedEntry) throws -> Bool,
    check: @escaping (LoggedEntry, [Change]?) throws -> Void = { _, _ in }
  ) throws {
    (self.client, self.moment, self.first, self.isSkipped, self.check) = (client, moment, first, isSkipped, check)
    number = first - 1
    rerun = Rerun(client.live.application, try client.recorded(first - 1, at: moment))
  }

  /// What it has come to.
  func view(without skipped: [Int]) -> PastView {
    PastView(number, without: skipped, rerun.current.state, rerun.current.plugins)
  }

  /// Goes on to an action of the moment.
  func go(to last: Int) throws {
    guard last > number else { return }
    try client.turn {
      try client.live.requireCode(of: moment.points.versions(at: first - 1), after: first - 1)
      for point in moment.points where number + 1..<last ~= point.number {
        try client.live.requireCode(of: point.versions, after: point.number)
      }
    }
    try client.visit((number + 1)...last, of: moment) { entry in
      try step(entry)
      return true
    }
  }

  /// Takes the next action, which may have come since the moment; such a one is none of the shell's own.
  func step(_ entry: LoggedEntry) throws {
    defer { number = entry.number }
    if try isSkipped(entry) {
      // Not there.
    } else if entry.action.hasPrefix("shell.") {
      if entry.isWhole {
        try rerun.repeatShellAction(
          entry, as: client.recorded(entry.number, at: moment), before: { try moment.state(at: entry.number - 1) })
      }
    } else {
      let before = rerun.current.state
      let isDone = rerun.reduce(entry)
      try check(entry, isDone ? HostState.changes(from: before, to: rerun.current.state) : nil)
    }
    let edited = moment.points.edited(at: entry)
    guard !edited.isEmpty else { return }
    let plugins = try client.recorded(entry.number, at: moment).plugins
    rerun.exchange(plugins.filter { edited.contains($0.plugin.module.name) })
  }
}

/// A state and the plugins that it belongs to.
private struct HostedState {
  /// The state of the moment.
  var state: HostState
  var plugins: [HostedPlugin]
}

/// Runs recorded actions anew, by the reducers only.
private struct Rerun {
  private(set) var current: HostedState
  private let application: HostedApplication
  private var reducer: Reducer<HostAction, HostState>
  private var types = ActionTable()

  init(_ application: HostedApplication, _ start: HostedState) {
    self.application = application
    reducer = application.reducers
    current = start
    compose()
  }

  private mutating func compose() {
    let plugins = current.plugins.map(\.plugin)
    reducer = HostedPlugin.reducers(of: plugins, as: current.state.shell, behind: application.reducers)
    types = application.actionsByName(beside: plugins)
    for hosted in current.plugins { hosted.plugin.rebind { [types] in types[$0] } }
  }

  /// Runs an action of a module; one that fails, that nobody knows any more, or that an interceptor dropped, changes nothing.
  ///
  /// - Returns: whether it was applied.
  mutating func reduce(_ entry: LoggedEntry) -> Bool {
    guard entry.droppedBy == nil, !entry.wasInterrupted, !current.state.shell.leavesIdle(entry),
      let type = types[entry.action],
      let action = try? application.hostAction(entry.call(type))
    else { return false }
    let context = ActionContext(number: entry.number, source: entry.source, time: entry.time, root: entry.number)
    guard let state = try? reducer.replay([ReplayedAction(action, context: context)], from: current.state) else {
      return false
    }
    current.state = state
    return true
  }

  /// Has plugins that are there run other code from now on.
  mutating func exchange(_ edited: [HostedPlugin]) {
    for hosted in edited {
      let index = current.plugins.firstIndex { $0.plugin.module.name == hosted.plugin.module.name }
      if let index { current.plugins[index] = hosted }
    }
    compose()
  }

  /// Does again what an action did to the shell's own slice and to which plugins are there.
  ///
  /// - Parameters:
  ///   - recorded: what it led to when it was recorded.
  ///   - before: gives the state that it met then.
  mutating func repeatShellAction(
    _ entry: LoggedEntry, as recorded: HostedState, before: () throws -> HostState
  ) throws {
    if let change = try SubstateChange(entry, type: application.substateSchema) {
      // One that is there already was refused.
      return (try? change.reduce(&current.state)) ?? ()
    }
    if entry.action == ShellAction.Types.importState.fullName {
      let named = ImportedModules.named(by: entry)
      return try current.state.take(from: recorded.state) { named?.contains($0) ?? true }
    }
    guard case .string(let name)? = entry.arguments.values.first else { return }
    switch (entry.action, entry.arguments.values.last) {
    case (ShellAction.Types.setGate.fullName, .bool(let isOpen)?):
      try ShellAction.setGate(name: name, isOpen: isOpen).reduce(&current.state)
    case (ShellAction.Types.moveGate.fullName, .bool(let isOpen)?):
      try ShellAction.moveGate(name: name, isOpen: isOpen).reduce(&current.state)
    case (ShellAction.Types.setRule.fullName, let rule?):
      try ShellAction.setRule(name: name, GateRule(rule)).reduce(&current.state)
    case (ShellAction.Types.set.fullName, _):
      var shell = recorded.state.shell
      (shell.plugins, shell.gates) = (current.state.shell.plugins, current.state.shell.gates)
      current.state.shell = shell
    case (ShellAction.Types.reloadPlugin.fullName, _):
      let old = current
      bring(name, from: recorded)
      try handOver(name, from: old, before: before())
    default:
      let old = current.state.plugins.first { $0.name == name }
      bring(name, from: recorded)
      // A slice that keeps its type goes on as it was.
      if let old, let index = current.state.plugins.firstIndex(where: { $0.name == name && $0.hasType(of: old) }) {
        current.state.plugins[index] = old
      }
    }
    compose()
  }

  /// Has the version of a plugin that a reload brought take over the slice of the one before, unless the reload had the
  /// state start anew.
  ///
  /// - Parameters:
  ///   - old: what there was before the reload.
  ///   - before: the state that it met when it was recorded.
  private mutating func handOver(_ name: String, from old: HostedState, before: HostState) throws {
    guard let index = current.state.plugins.firstIndex(where: { $0.name == name }),
      let plugin = current.plugins.first(where: { $0.plugin.module.name == name })?.plugin,
      let version = old.state.shell.plugins.first(where: { $0.name == name })?.version
    else { return }
    func handed(_ state: HostState) throws(PluginError) -> Value? {
      try plugin.migration.state(from: state.plugins.first { $0.name == name }?.value, version: version)
    }
    // Only the outcome tells whether the state was reset.
    guard try handed(before) == current.state.plugins[index].value, let value = try handed(old.state) else { return }
    current.state.plugins[index].value = value
  }

  /// Has a plugin stand as it was recorded to: there or not, in which version, switched on or off.
  private mutating func bring(_ name: String, from recorded: HostedState) {
    let (old, new) = (current, recorded)
    current.plugins = merge(old.plugins, new.plugins) { $0.plugin.module.name == name }
    current.state.shell.plugins = merge(old.state.shell.plugins, new.state.shell.plugins) { $0.name == name }
    current.state.shell.gates = merge(old.state.shell.gates, new.state.shell.gates) { $0.plugin == name }
    current.state.plugins = merge(old.state.plugins, new.state.plugins) { $0.name == name }
  }

  /// The old elements, those of the plugin replaced by the new ones where they were.
  private func merge<Element>(_ old: [Element], _ new: [Element], _ isPlugins: (Element) -> Bool) -> [Element] {
    var merged = old.filter { !isPlugins($0) }
    merged.insert(contentsOf: new.filter(isPlugins), at: old.firstIndex(where: isPlugins) ?? merged.endIndex)
    return merged
  }
}

extension HostState {
  /// Has some modules stand as in another state: those that an import named stand as its file had them whatever was there
  /// before. A plugin of another type stays as it is.
  fileprivate mutating func take(from other: HostState, where isTaken: (String) -> Bool) throws {
    for slice in other.slices where isTaken(slice.name) {
      var isOfSameType = false
      _ = readSlice(slice.name) { schema, _ in isOfSameType = schema === slice.schema }
      if isOfSameType { try setSlice(slice.name, slice.value) }
    }
    for substate in other.substates where isTaken(substate.name) {
      if let index = substates.firstIndex(where: { $0.name == substate.name }) {
        substates[index] = substate
      } else {
        substates.append(substate)
      }
    }
  }
}
