import StoreHistory
import StoreSchema

extension StoreClient {
  /// What became of the value at a path when the state was brought to another type.
  package func migration(of path: Path) throws -> Migration {
    let moment = theMoment
    guard let entries = moment.older, entries.oldestEntry < moment.oldest, case .field(let module)? = path.steps.first
    else { return .none }
    var slice: PluginSlice?
    let state = try moment.state(at: moment.oldest)
    _ = state.readSlice(module) { slice = PluginSlice(name: module, schema: $0, value: $0.access.read($1)) }
    guard let slice else { return .none }
    guard let before = try entries.stateBeforeMigration() else { return .unknown }
    guard let old = before.slices.first(where: { $0.module == module }) else {
      return .changed([Change(Path([.field(module)]), .add(slice.value))])
    }
    let json = try JSON.value(of: old.state)
    let changes = TypeChange(from: PluginSlice(name: module, schema: .dynamic(.any), value: json), to: slice).changes
      .filter { $0.path.lies(along: path) }
    // Lists are told as a whole.
    guard changes.contains(where: { $0.path.steps.count < path.steps.count }) else {
      return changes.isEmpty ? .none : .changed(changes)
    }
    let steps = path.steps.dropFirst()
    switch (json.part(at: steps), try JSON.value(of: JSON.text(of: slice.value)).part(at: steps)) {
    case (nil, let new?): return .changed([Change(path, .add(new))])
    case (let old?, let new?) where old != new: return .changed([Change(path, .replace(from: old, to: new))])
    default: return .none
    }
  }
}

extension Value {
  /// What a path leads to in a value read from JSON; nil: nothing.
  fileprivate func part(at steps: ArraySlice<Path.Step>) -> Value? {
    withUnsafePointer(to: self) {
      try? Schema.dynamic(.any).read(steps, in: UnsafeRawPointer($0), from: Path()).value
    }
  }
}
