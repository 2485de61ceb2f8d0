extension Store {
  /// Has an action processed as one of a root, as if that root's drain were still on. Test stores keep back the output
  /// of units, and enqueue it later.
  ///
  /// - Parameter root: the number of the root; 0: the action is its own.
  package func dispatch(_ dispatched: DispatchedAction<Action>, root: Int) -> DispatchResult {
    guard root != 0, ownership.tryAcquire() else { return dispatch(dispatched) }
    if ownership.hasIncoming { acceptIncoming() }
    drainStart = root
    let number = append(dispatched.action, dispatched.source, root: root)
    let result = finish(nil, of: number)
    leave()
    return result
  }
}
