/// The tools that an effect has while it runs. The state is read by a ``StateReader`` that the effect's closure
/// captures: it gives the state of the moment of each read (R8).
public struct EffectContext<Dependencies: Sendable, Output>: Sendable {
  /// The dependencies given to the unit when it was built (row 45 of <doc:Coverage>).
  public let dependencies: Dependencies
  /// The action that started the effect.
  public let action: ActionContext
  @usableFromInline let scope: EffectScope
  @usableFromInline let entry: EffectEntry
  @usableFromInline let output: ActionHandler<Output>

  /// Enqueues an action, unless the effect was cancelled or has ended (R18, R19). May be called from any thread.
  @inlinable
  public func send(
    _ action: Output, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) {
    send(
      DispatchedAction(
        action, source: ActionSource(file: file, function: function, line: line, info: info, kind: .effect)))
  }

  /// Enqueues an action with a source of its own, unless the effect was cancelled or has ended.
  @inlinable
  public func send(_ dispatched: DispatchedAction<Output>) {
    // At once where that is possible: a job takes memory, and holds a copy of all this.
    guard isNext else { return bring { if !entry.isOver { output.dispatch(dispatched) } } }
    if !entry.isOver { output.dispatch(dispatched) }
  }

  /// The clock that effects wait by.
  public var clock: any StoreClock { scope.clock }

  /// True if the effect was cancelled or has ended: its output is dropped.
  @inlinable public var isCancelled: Bool { entry.isOver }

  /// Cancels what runs under a token of the same unit, and of the same element in a collection.
  public func cancel(_ token: some Hashable & Sendable) { scope.cancel(token) }

  /// Waits on the store's clock; a negative wait counts as none. Listings show until when.
  ///
  /// - Throws: where the effect is cancelled.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    let deadline = clock.now + duration
    perform { if !entry.isOver { entry.wakesAt = deadline } }
    try await clock.sleep(until: deadline)
    perform { if entry.wakesAt == deadline { entry.wakesAt = nil } }
  }

  /// Does some work in the global pool rather than on the store's thread: for work that takes long or blocks.
  public func concurrently<Result: Sendable>(
    _ work: @Sendable () async throws -> Result
  ) async rethrows -> Result {
    try await withTaskExecutorPreference(globalConcurrentExecutor) { try await work() }
  }

  /// True if this thread owns the store, and nothing waits there that the effect did on other threads before.
  @usableFromInline var isNext: Bool { scope.unit.runtime.isReady() && entry.brought.load(ordering: .acquiring) == 0 }

  /// Does something of the effect on the store's thread, behind what it did before on whatever thread.
  func perform(_ body: @escaping () -> Void) { isNext ? body() : bring(body) }

  @usableFromInline
  func bring(_ body: @escaping () -> Void) {
    entry.brought.wrappingAdd(1, ordering: .relaxed)
    scope.unit.runtime.bring(
      Job { [entry] in
        entry.brought.wrappingSubtract(1, ordering: .releasing)
        body()
      })
  }

  func finish() { perform { scope.unit.finish(entry) } }

  /// The same for actions of another type, which are turned into this one's.
  package func mapped<Other>(_ transform: @escaping @Sendable (Other) -> Output) -> EffectContext<Dependencies, Other> {
    with(output: output.contramap(transform))
  }

  func with<Other>(output: ActionHandler<Other>) -> EffectContext<Dependencies, Other> {
    EffectContext<Dependencies, Other>(
      dependencies: dependencies, action: action, scope: scope, entry: entry, output: output)
  }

  func with<Other: Sendable>(_ dependencies: Other) -> EffectContext<Other, Output> {
    EffectContext<Other, Output>(
      dependencies: dependencies, action: action, scope: scope, entry: entry, output: output)
  }
}
