extension Reducer {
  /// Makes this reducer one of a larger state: it sees only its slice, and only the actions that the map accepts (R14).
  ///
  /// - Parameters:
  ///   - action: the local action in a global one, or nil: the reducer is skipped.
  ///   - state: the slice, changed in place.
  @inlinable
  public func lift<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Reducer<GlobalAction, GlobalState> {
    // A stored property lies at a fixed offset, and a pointer to it is several times quicker than a key path.
    if let offset = MemoryLayout<GlobalState>.offset(of: state) {
      return lift(action: action) { global, body in
        try withUnsafeMutablePointer(to: &global) { global in
          let slice = (UnsafeMutableRawPointer(global) + offset).assumingMemoryBound(to: State.self)
          try body(&slice.pointee)
        }
      }
    }
    return lift(action: action) { global, body in try body(&global[keyPath: state]) }
  }

  /// Makes this reducer one of a larger state, the slice read and written by closures.
  @inlinable
  public func lift<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    get: @escaping @Sendable (GlobalState) -> State,
    set: @escaping @Sendable (inout GlobalState, State) -> Void
  ) -> Reducer<GlobalAction, GlobalState> {
    lift(action: action) { global, body in
      var slice = get(global)
      try body(&slice)
      set(&global, slice)
    }
  }

  /// Makes this reducer one of a larger state, reached by a closure that hands out the slice for change in place.
  @inlinable
  public func lift<GlobalAction, GlobalState>(
    action: @escaping @Sendable (GlobalAction) -> Action?,
    modify: @escaping @Sendable (inout GlobalState, (inout State) throws -> Void) throws -> Void
  ) -> Reducer<GlobalAction, GlobalState> {
    Reducer<GlobalAction, GlobalState>(
      parts: parts.map { part in
        Reducer<GlobalAction, GlobalState>.Part(
          name: part.name,
          canFail: { global in action(global).map(part.canFail) ?? false },
          run: { global, state, context in
            guard let local = action(global) else { return }
            try modify(&state) { slice in try part.run(local, &slice, context) }
          })
      })
  }

  /// Makes this reducer one of a larger state with the same actions.
  @inlinable
  public func lift<GlobalState>(
    state: WritableKeyPath<GlobalState, State> & Sendable
  ) -> Reducer<Action, GlobalState> {
    lift(action: { $0 }, state: state)
  }
}
