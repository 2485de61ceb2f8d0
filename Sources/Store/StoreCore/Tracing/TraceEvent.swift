/// A step of the processing of an action, as a trace tells of it. States and actions are
/// those that the unit in question sees, untyped, since units see different types.
public enum TraceEvent {
  /// `Q`: an action was enqueued.
  case enqueued(number: Int, action: Any, cause: Int?)
  /// `B`: an interceptor is entered, with the state before.
  case before(number: Int, unit: String, state: Any)
  /// `A`: an interceptor is left, with the state of that moment.
  case after(number: Int, unit: String, state: Any)
  /// `H`: a middleware is asked, with the state before reducing.
  case handle(number: Int, unit: String, state: Any)
  /// `R`: a reducer ran.
  case reduce(number: Int, unit: String, before: Any, after: Any)
  /// `C`: the state changed.
  case committed(number: Int, before: Any, after: Any)
  /// `U`: the state is as before.
  case unchanged(number: Int)
  /// `F`: a reducer failed; the state is as before.
  case failed(number: Int, reason: any Error)
  /// `N`: a watcher was told; number 0: its initial value.
  case notified(number: Int, watcher: String, value: Any)
  /// `I`: an IO closure starts, with the state after the commit.
  case io(number: Int, unit: String, state: Any)
  /// `E`: an effect of a unit started, was cancelled or ended. The number names the action that started it; 0: a state
  /// did before any action.
  case effect(number: Int, unit: String, token: String?, step: EffectStep)
  /// `G`: a gate moved.
  case gate(unit: String, isOpen: Bool)
  /// `X`: an action or output was dropped before it was enqueued.
  case dropped(what: Any, reason: String)
  /// `D`: the action is done.
  case done(number: Int)
}

/// The steps in the life of an effect.
public enum EffectStep: String, Sendable {
  /// The effect is registered: it runs, or waits for its time.
  case start
  /// The effect was stopped before its end.
  case cancel
  /// The effect came to its end.
  case done
}
