import StoreHistory
import StoreSchema

/// The states that recorded actions led to, one after the other: taken back from the present by what the log says of each
/// action, then walked forward again.
package struct RecordedStates {
  /// The actions, oldest first.
  package private(set) var entries: [LoggedEntry]
  /// The state before the first of them.
  package private(set) var start: HostState

  /// Goes back from the present.
  ///
  /// - Parameters:
  ///   - entries: the last actions, oldest first. Where going back meets a change of one of the modules that does not fit any
  ///     more, the actions up to there are left out; another module that cannot follow, such as a plugin that came or went
  ///     meanwhile, leaves the states.
  ///   - modules: the modules that must not be missing.
  package init(
    _ entries: some BidirectionalCollection<LoggedEntry>, upTo present: HostState, keeping modules: Set<String>
  ) {
    var (kept, state): ([LoggedEntry], HostState) = ([], present)
    for entry in entries.reversed() {
      var earlier = state
      guard earlier.take(entry.changes, .backward, keeping: modules) else { break }
      state = earlier
      kept.append(entry)
    }
    (self.entries, start) = (kept.reversed(), state)
  }

  /// Walks forward.
  ///
  /// - Parameter body: gets each action and the state before it; returns false to stop.
  package func walk(_ body: (LoggedEntry, HostState) throws -> Bool) rethrows {
    var state = start
    for entry in entries {
      guard try body(entry, state) else { return }
      _ = state.take(entry.changes, .forward, keeping: [])
    }
  }
}

extension HostState {
  /// Applies changes module by module; a module that they do not fit leaves the state.
  ///
  /// - Returns: false where that would be one of those to be kept, or one of the application.
  fileprivate mutating func take(_ changes: [Change], _ direction: Change.Direction, keeping modules: Set<String>)
    -> Bool
  {
    var rest = changes[...]
    while let name = rest.first?.path.steps.first {
      let part = rest.prefix { $0.path.steps.first == name }
      rest = rest[part.endIndex...]
      guard case .field(let module) = name else { return false }
      do {
        try modifySlice(module) { schema, slice in try schema.apply(part, direction, to: slice, depth: 1) }
      } catch {
        guard !modules.contains(module), app.record.index(of: module) == nil else { return false }
        plugins.removeAll { $0.name == module }
        substates.removeAll { $0.name == module }
      }
    }
    return true
  }
}
