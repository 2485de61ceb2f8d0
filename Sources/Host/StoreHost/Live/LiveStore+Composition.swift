import StoreCore

/// What the store runs: the units, reducers and interceptors of the application and of its plugins.
extension LiveStore {
  /// Has the store run the units that there are now.
  ///
  /// - Parameter reconciling: whether the tasks follow the state at once, and not with the action under way or the next one.
  package func recompose(reconciling: Bool = true) throws {
    try store.replaceMiddleware(
      Middleware(units: hostUnits.flatMap(\.middleware.units)), reconciling: reconciling)
    try store.replaceReducer(Self.reducer(application, plugins, recordedHead))
    try replaceInterceptors()
  }

  /// Has the store run the units that there are now, while an action is committed.
  package func recomposeInCommit() {
    do {
      // The action ends with the tasks following the state where there were units that want it to.
      try recompose(reconciling: !store.supervises)
    } catch {
      attendance.faults.note(error)
    }
  }
}
