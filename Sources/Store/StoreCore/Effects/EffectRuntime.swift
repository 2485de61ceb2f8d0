/// The parts that all effects of one store share: its clock, its thread, its trace.
@usableFromInline
final class EffectRuntime: Sendable {
  @usableFromInline let clock: any StoreClock
  @usableFromInline let trace: TracePoint
  /// The long-lived effects that have ended and are still stated.
  @usableFromInline let ended = EndedEffects()
  /// The effects that wait for times that are past.
  @usableFromInline let overdue = OverdueEffects()
  /// Runs tasks as jobs of the store's queue.
  @usableFromInline let executor: StoreExecutor
  /// True if this thread owns the store, so that a job that only enqueues may run at once. Jobs that other threads
  /// brought before are then in the queue. See `Store.isReady`.
  @usableFromInline let isReady: @Sendable () -> Bool
  /// Runs a job that only enqueues or looks after effects: see `Store.perform`. Does nothing once the store is gone.
  @usableFromInline let perform: @Sendable (Job) -> Void
  /// Runs a job between two actions: see `Store.enqueue`. Does nothing once the store is gone.
  @usableFromInline let enqueue: @Sendable (Job) -> Void

  @inlinable
  init<Action: Sendable, State: Sendable>(
    _ owner: OwnerReference<Action, State>, clock: (any StoreClock)?, trace: TracePoint
  ) {
    self.clock = clock ?? RealClock()
    self.trace = trace
    isReady = { owner.isMine && owner.withStore { $0.isReady() } ?? false }
    perform = { job in owner.withStore { $0.perform(job) } }
    enqueue = { job in owner.withStore { $0.enqueue(job) } }
    executor = StoreExecutor { job in owner.withStore { $0.enqueue(job) } != nil }
  }
}
