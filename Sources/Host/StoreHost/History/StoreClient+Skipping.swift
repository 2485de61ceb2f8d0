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
  private let check: ((LoggedEntry, [Change]?) throws -> Void)?
  private var rerun: Rerun

  /// - Parameters:
  ///   - first: the first action that may be skipped.
  ///   - isSkipped: asked about every action in order; true for one that returned to a point, which is never in effect.
  ///   - check: asked about every action that is not, whether it is well that it makes these changes now, or none, where it fails.
  init(
    _ client: StoreClient, _ moment: Moment, from first: Int, isSkipped: @escaping (LoggedEntry) throws -> Bool,
    check: ((LoggedEntry, [Change]?) throws -> Void)? = nil
  ) throws {
    (self.client, self.moment, self.first, self.isSkipped, self.check) = (client, moment, first, isSkipped, check)
    number = first - 1
    let start = try client.recorded(first - 1, at: moment)
    rerun = Rerun(client.live.application, start.state, start.plugins)
  }

  /// What it has come to.
  func view(without skipped: [Int]) -> PastView {
    PastView(number, without: skipped, rerun.state, rerun.plugins)
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
    } else if entry.isOfShell {
      _ = try rerun.run(entry, MomentAttachments(client: client, moment: moment))
    } else {
      let outcome = rerun.reduce(entry)
      if let check {
        if case .applied = outcome { try check(entry, rerun.changes()) } else { try check(entry, nil) }
      }
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
  let state: HostState
  let plugins: [HostedPlugin]
}

/// The parts of the history's actions that are no arguments, from the states that are recorded.
private struct MomentAttachments: RerunAttachments {
  let client: StoreClient
  let moment: Moment

  func arrival(by entry: LoggedEntry, in rerun: Rerun) throws -> Rerun.Arrival? {
    let recorded = try client.recorded(entry.number, at: moment)
    guard case .string(let name)? = entry.arguments.values.first,
      let hosted = recorded.plugins.first(where: { $0.plugin.module.name == name }),
      let loaded = recorded.state.shell.plugins.first(where: { $0.name == name })
    else { return nil }
    let slice = recorded.state.plugins.first { $0.name == name }
    var arrival = Rerun.Arrival(hosted: hosted, loaded: loaded, slice: slice)
    if entry.action == ShellAction.Types.reloadPlugin.fullName {
      let before = try client.recorded(entry.number - 1, at: moment)
      let old = before.plugins.first { $0.plugin.module.name == name }?.plugin
      let running = before.state.plugins.first { $0.name == name }?.value
      // Only the outcome tells whether the state was reset.
      arrival.isReset =
        try hosted.plugin.migration.state(from: running, version: old?.source.manifest.version ?? "") != slice?.value
    }
    return arrival
  }

  func point(after entry: LoggedEntry, in rerun: Rerun) throws -> (state: HostState, plugins: [HostedPlugin])? {
    guard entry.action == ShellAction.Types.importState.fullName else { return nil }
    let named = ImportedModules.named(by: entry)
    var state = rerun.state
    try state.take(from: moment.state(at: entry.number)) { named?.contains($0) ?? true }
    return (state, rerun.plugins)
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
