import StoreCore
import StoreHistory
import StorePlugins
import StoreSchema

/// The state of a shared store after an action, from which a node starts that does not have the actions before (R47).
struct NodeSnapshot {
  let number: Int
  let time: Duration
  /// The time of day of that action, in milliseconds since 1970; nil: it has none.
  let wallTime: Int?
  /// The states of the modules, the shell's own among them, as JSON.
  let slices: [JournalSnapshot.Slice]

  var plugins: [ShellState.LoadedPlugin] { slices.loadedPlugins }

  static func bytes(of state: HostState, after number: Int, _ time: Duration, _ wallTime: Int?) -> [UInt8] {
    var out: [UInt8] = []
    let (seconds, attoseconds) = time.components
    PartList.append("\(number) \(seconds) \(attoseconds)\(wallTime.map { " \($0)" } ?? "")", to: &out)
    for slice in state.slices(isWhole: true) {
      PartList.append(slice.module, to: &out)
      PartList.append(to: &out, slice.write)
    }
    return out
  }

  /// Reads what ``bytes(of:after:_:_:)`` wrote; nil: it is something else.
  init?(_ bytes: [UInt8]) {
    var parts = PartList(bytes[...])
    let numbers = parts.text()?.split(separator: " ").map { Int($0) } ?? []
    guard 3...4 ~= numbers.count, let number = numbers[0], let seconds = numbers[1], let attoseconds = numbers[2] else {
      return nil
    }
    var slices: [JournalSnapshot.Slice] = []
    while !parts.isEmpty {
      guard let module = parts.text(), let state = parts.text() else { return nil }
      slices.append(JournalSnapshot.Slice(module: module, state: state))
    }
    self.number = number
    time = Duration(secondsComponent: Int64(seconds), attosecondsComponent: Int64(attoseconds))
    wallTime = numbers.dropFirst(3).first ?? nil
    self.slices = slices
  }
}

extension [JournalSnapshot.Slice] {
  /// The plugins that the shell's own slice tells of.
  var loadedPlugins: [ShellState.LoadedPlugin] {
    let shell = first { $0.module == HostState.shellSlice }
    return shell.flatMap { try? JSON.value(of: $0.state) }.map { ShellState(json: $0).plugins } ?? []
  }
}

extension LiveStore {
  /// Takes over the state of a snapshot, in the place of all that happened here. The actions before it are unknown here.
  ///
  /// - Parameter host: makes a plugin ready that does not run with this code; the others of the snapshot stay.
  /// - Throws: ``StateMisfit``, `PluginError`; the store is then as it was.
  func begin(at snapshot: NodeSnapshot, host: (ShellState.LoadedPlugin) throws -> HostedPlugin) throws {
    let next = try snapshot.plugins.map { plugin in
      try plugins.first { $0.plugin.source.digest == plugin.digest } ?? host(plugin)
    }
    let before = store.state
    let state = try HostState(snapshot.slices, app: application.initial) { type(of: $0, among: next) }
    for old in plugins where !next.contains(where: { $0.plugin === old.plugin }) {
      do throws(PluginError) {
        try old.plugin.unload(view: StateSnapshot(state: before, moduleNames: modules.map(\.name)))
      } catch {
        attendance.faults.note(error)
      }
    }
    plugins = next
    collectActions()
    try recompose(reconciling: false)
    rebindPlugins()
    noteAll(state)
    history = History(of: state, after: snapshot.number, endedBy: attendance.interruption)
    timeline = PluginTimeline([
      PluginTimeline.Point(snapshot.number, next.map { PluginVersion($0, loadedBy: snapshot.number) })
    ])
    (recordedHead.number, recordedHead.entry) = (snapshot.number, nil)
    // The names that acted before are unknown.
    lastCompany = snapshot.number
    try store.replay([], from: state, after: snapshot.number, reconciling: false)
    follow(nil, from: before, to: state)
    joinAnew(behind: snapshot.number)
  }
}
