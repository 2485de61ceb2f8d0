import StoreCore

extension Reducer {
  /// This reducer over a slice that remembers its past: actions that change it make steps, which can be taken back.
  ///
  /// Reducers that share a history are composed first. Lift the result to where the slice is. The idea and the set of
  /// actions are redux-undo's; that all that one outside dispatch caused is one step is ours.
  ///
  /// - Parameters:
  ///   - undo: the operation of an action on the history, or nil. An action that does something is kept from this
  ///     reducer.
  ///   - name: the name in traces of the part that undoes.
  ///   - limit: the number of steps kept.
  ///   - grouping: the rule by which actions make one step together.
  ///   - isStep: which changes, of an action and the states before and after, make a step. Others are kept in the present
  ///     and leave past and future alone: loading a document, or moving a cursor.
  public func undoable(
    undo: @escaping @Sendable (Action) -> UndoAction?, name: String = "undo", limit: Int = 100,
    grouping: UndoGrouping<Action> = .cause,
    where isStep: @escaping @Sendable (Action, State, State) -> Bool = { _, _, _ in true }
  ) -> Reducer<Action, Undoable<State>> where State: Equatable & SendableMetatype {
    lift(state: \Undoable<State>.present)
      .undoable(at: \.self, undo: undo, name: name, limit: limit, grouping: grouping, where: isStep)
  }

  /// This reducer with the slice at a key path remembering its past, whichever of the reducer's parts change it; see
  /// ``undoable(undo:name:limit:grouping:where:)``.
  ///
  /// - Parameter path: the slice. The rest of the state is not taken back.
  public func undoable<Slice: Equatable & SendableMetatype>(
    at path: WritableKeyPath<State, Undoable<Slice>> & Sendable,
    undo: @escaping @Sendable (Action) -> UndoAction?, name: String = "undo", limit: Int = 100,
    grouping: UndoGrouping<Action> = .cause,
    where isStep: @escaping @Sendable (Action, Slice, Slice) -> Bool = { _, _, _ in true }
  ) -> Reducer {
    let recording = wrapped { action, state, context, reduce in
      guard undo(action) == nil else { return }
      let before = state[keyPath: path].present
      try reduce(&state)
      let after = state[keyPath: path].present
      guard before != after, isStep(action, before, after) else { return }
      let group = grouping.group(of: action, context)
      state[keyPath: path].record(before, group, limit: limit) { $0 == $1 }
    }
    let undoing = Reducer<UndoAction, Undoable<Slice>>(name) { action, history in history.apply(action) }
    return recording.appending(undoing.lift(action: undo, state: path))
  }
}
