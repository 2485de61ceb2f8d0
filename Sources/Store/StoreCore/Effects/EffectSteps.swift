/// The work of an effect that runs in steps, each until it waits. While it waits, nothing of it is there but this
/// object. A thousand of these then take as much as a thousand sleeping tasks do.
///
/// The store calls it on the thread that owns the store, between two actions.
public protocol EffectSteps: AnyObject {
  /// Goes on until it waits or ends. Each call is a job of its own, behind what is queued.
  func step() -> EffectWait

  /// Comes to an end where it waits: the effect was cancelled. Called once at most, behind what is queued, and neither before
  /// the first step nor after the last.
  func cancel()
}

extension EffectSteps {
  /// Nothing to tidy up.
  public func cancel() {}
}

/// The event that an effect that runs in steps waits for.
public enum EffectWait: Hashable, Sendable {
  /// To go on after a while; a negative one counts as none.
  case sleep(Duration)
  /// For a time of the store's clock. Times that are past are due at once, in their order.
  case until(Duration)
  /// To go on once ``EffectContext/resume()`` says so or, at the latest, after a while; nil: however long that takes.
  case resumption(within: Duration? = nil)
  /// The same with a time of the store's clock as the latest. One that is past is due when the clock next looks, before
  /// whatever became due later.
  case resumptionBy(Duration)
  /// For nothing: the effect has ended.
  case finished
}

extension Effect {
  /// Runs in steps, each of them a job on the thread that owns the store, between two actions. Like ``run(_:)``, but
  /// for a machine of states rather than a closure, and without a Swift task.
  ///
  /// - Parameter begin: makes the work, before the first step.
  public static func steps(
    _ begin: @escaping @Sendable (EffectContext<Dependencies, Output>) -> any EffectSteps
  ) -> Effect {
    Effect(.steps(begin))
  }
}

extension EffectContext {
  /// Has an effect that runs in steps go on if it waits for this, or comes to wait for it in the present step. Else
  /// nothing happens. May be called from any thread.
  public func resume() { perform { scope.unit.resume(entry) } }
}
