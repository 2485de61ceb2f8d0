/// Starts the components of one effect on behalf of an action.
struct EffectStarter<Dependencies: Sendable, Output>: Sendable {
  let scope: EffectScope
  let dependencies: Dependencies
  let action: ActionContext
  let output: ActionHandler<Output>
  /// The call that starts them.
  let generation: Int

  private var unit: UnitEffects { scope.unit }

  func start(_ component: Effect<Dependencies, Output>.Component) {
    let schedule = component.schedule
    if case .operation(let operation) = component.work, schedule.token == nil, schedule.wait == .zero {
      return perform(operation)
    }
    guard
      let entry = unit.register(
        schedule, path: scope.path, number: action.number, root: action.root, generation: generation)
    else { return }
    let context = EffectContext(
      dependencies: dependencies, action: action, scope: scope, entry: entry, output: output)
    guard schedule.wait > .zero else { return launch(component.work, context) }
    entry.wait(schedule.wait, unit) { launch(component.work, context) }
  }

  private func launch(
    _ work: Effect<Dependencies, Output>.Work, _ context: EffectContext<Dependencies, Output>
  ) {
    switch work {
    case .immediate(let body):
      body(context)
      context.finish()
    case .open(let body): body(context)
    case .task(let body, let startsAtOnce): context.run(body, startsAtOnce: startsAtOnce)
    case .steps(let begin): context.run(steps: begin)
    case .operation(let operation):
      perform(operation)
      context.finish()
    }
  }

  private func perform(_ operation: EffectOperation<Output>) {
    switch operation {
    case .cancel(let token): scope.cancel(token)
    case .open(let supervised): scope.open(supervised.effect, action: action) { [output] _ in Supervised.box(output) }
    case .close(let id): scope.close(id)
    case .send(let id, let value): scope.send(value, to: id)
    }
  }
}

extension EffectContext {
  /// Runs a closure as a task of the store's thread, to the end of the effect.
  func run(_ body: @escaping @Sendable (EffectContext) async -> Void, startsAtOnce: Bool = false) {
    let executor = scope.unit.runtime.executor
    entry.task = Task(executorPreference: startsAtOnce ? executor.startingAtOnce() : executor) {
      // Cancelled before its first step: nothing of it runs.
      guard !entry.isOver else { return }
      await body(self)
      finish()
    }
  }

  /// Runs work in steps, the first of them soon.
  func run(steps begin: @escaping @Sendable (EffectContext) -> any EffectSteps) {
    scope.unit.run(entry) { begin(self) }
  }
}

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
  /// True if this thread owns the store, so that a job that only enqueues may run at once. See `Store.isReady`.
  @usableFromInline let isReady: @Sendable () -> Bool
  /// Runs a job that only enqueues or looks after effects: see `Store.perform`. Does nothing once the store is gone.
  @usableFromInline let perform: @Sendable (Job) -> Void
  /// Leaves such a job for the thread that owns the store, behind all that was brought. Does nothing once the store is gone.
  @usableFromInline let bring: @Sendable (Job) -> Void
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
    bring = { job in owner.withStore { $0.bring(emission: job) } }
    enqueue = { job in owner.withStore { $0.enqueue(job) } }
    executor = StoreExecutor { job in owner.withStore { $0.enqueue(job) } != nil }
  }
}

/// Emits one action on behalf of an effect, and ends it. May be used from any thread.
public final class EffectPromise<Output>: Sendable {
  private let deliver: @Sendable (DispatchedAction<Output>) -> Void
  private let end: @Sendable () -> Void

  init<Dependencies>(_ context: EffectContext<Dependencies, Output>) {
    deliver = { dispatched in
      context.perform {
        guard !context.entry.isOver else { return }
        context.output.dispatch(dispatched)
        context.scope.unit.finish(context.entry)
      }
    }
    end = { context.finish() }
  }

  deinit { end() }

  /// Enqueues the action, unless the effect was cancelled or the promise was fulfilled before.
  public func fulfil(
    _ action: Output, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) {
    deliver(
      DispatchedAction(
        action, source: ActionSource(file: file, function: function, line: line, info: info, kind: .effect)))
  }
}

/// The start of an effect, and its meaning for others under its token.
public struct EffectSchedule: Sendable {
  /// The name under which it can be cancelled and replaced; private to the unit and the element.
  public var token: EffectToken?
  /// The wait before it starts to work; a negative wait counts as none.
  public var delay: Duration = .zero
  /// The treatment of an older effect under the same token.
  public var arrival = Arrival.replacing

  /// The treatment of an older effect under a new effect's token. Effects without a token have nothing to do with each
  /// other.
  public enum Arrival: Sendable {
    /// The old one is cancelled.
    case replacing
    /// The new one is dropped while the old one runs.
    case exclusive
    /// The old one is cancelled, and the new one waits: a wait starts again with each arrival.
    case debounce(Duration)
    /// The first one starts a window in which all others are dropped.
    case throttle(Duration)
  }

  /// At once, without a token.
  public init() {}

  /// The whole wait.
  var wait: Duration {
    guard case .debounce(let quiet) = arrival else { return max(delay, .zero) }
    return max(delay, .zero) + max(quiet, .zero)
  }
}
