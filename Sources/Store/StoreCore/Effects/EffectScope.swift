/// The effects of a unit, or of one element where the unit is lifted to a collection. May be kept and used from any
/// thread. Requests are met at once on the thread that owns the store, else as soon as that thread looks.
public struct EffectScope: Sendable {
  @usableFromInline let unit: UnitEffects
  let path: [EffectToken]

  @usableFromInline
  init(_ unit: UnitEffects) { self.init(unit, path: []) }

  init(_ unit: UnitEffects, path: [EffectToken]) {
    self.unit = unit
    self.path = path
  }

  /// The clock that the effects wait by: the store's, or a real one where it has none.
  public var clock: any StoreClock { unit.runtime.clock }

  /// The effects of one element: tokens there are private to it (R17).
  ///
  /// - Parameter id: the element's id, index or key.
  public func element(_ id: some Hashable & Sendable) -> EffectScope {
    EffectScope(unit, path: path + [EffectToken(id)])
  }

  /// Starts the components of an effect, in order: each is registered before any of it runs.
  ///
  /// - Parameters:
  ///   - context: of the action that starts it.
  ///   - output: enqueues what it emits; the handler of the IO that starts it.
  public func start<Dependencies: Sendable, Output>(
    _ effect: Effect<Dependencies, Output>, dependencies: Dependencies, context: ActionContext,
    output: ActionHandler<Output>
  ) {
    guard !effect.components.isEmpty else { return }
    unit.runtime.perform(
      Job {
        let starter = EffectStarter(
          scope: self, dependencies: dependencies, action: context, output: output, generation: unit.nextGeneration())
        for component in effect.components { starter.start(component) }
      })
  }

  /// Starts the components of an effect that depends on nothing.
  public func start<Output>(_ effect: Effect<Void, Output>, context: ActionContext, output: ActionHandler<Output>) {
    start(effect, dependencies: (), context: context, output: output)
  }

  /// Cancels what runs under a token.
  public func cancel(_ token: some Hashable & Sendable) {
    let key = EffectKey(path: path, token: EffectToken(token), isChannel: false)
    unit.runtime.perform(Job { unit.cancel(key) })
  }

  /// Cancels all effects of the unit or, in a collection, of the element and what is in it, as for what gates a unit.
  /// The effects of elements that go are cancelled by the lift.
  public func cancelAll() {
    unit.runtime.perform(Job { unit.cancel { $0.path.starts(with: path) } })
  }

  /// Ends the effects of elements that are gone; one that comes again under the same id starts afresh.
  @usableFromInline
  func end(elements gone: Set<EffectToken>) {
    end { $0.count > path.count && $0.starts(with: path) && gone.contains($0[path.count]) }
  }

  /// Ends all effects of the unit or, in a collection, of the element: what they belong to is gone.
  @usableFromInline
  func end() {
    end { $0.starts(with: path) }
  }

  private func end(_ isGone: @escaping @Sendable ([EffectToken]) -> Bool) {
    unit.runtime.perform(
      Job {
        unit.cancel { isGone($0.path) }
        unit.closeWindows(where: isGone)
      })
  }
}

extension EffectScope {
  /// Opens a long-lived effect; one that is open under its id is closed.
  @discardableResult
  func open(_ effect: StatedEffect, action: ActionContext, output: @escaping StatedEffect.Output) -> EffectEntry? {
    var schedule = EffectSchedule()
    schedule.token = effect.id
    guard
      let entry = unit.register(
        schedule, path: path + effect.path, isChannel: true, number: action.number, root: action.root,
        generation: unit.nextGeneration())
    else { return nil }
    if effect.time == nil {
      unit.begin(effect, entry, action, output)
    } else {
      unit.wait(entry, toOpen: effect, action, output)
    }
    return entry
  }

  func close(_ id: EffectToken) {
    let key = EffectKey(path: path, token: id, isChannel: true)
    unit.runtime.perform(Job { unit.cancel(key) })
  }

  func send(_ value: any Sendable, to id: EffectToken) {
    let key = EffectKey(path: path, token: id, isChannel: true)
    unit.runtime.perform(
      Job {
        guard let channel = unit.channel(key)?.channel else {
          return unit.droppedValue(value, key, "nothing open")
        }
        if !channel.deliver(value, unit.runtime) { unit.droppedValue(value, key, "wrong type") }
      })
  }
}

extension UnitEffects {
  /// Tells the trace about a value that no inbox takes.
  func droppedValue(_ value: any Sendable, _ key: EffectKey, _ reason: String) {
    dropped("\(value)", "\(place(key.path))/\(key.token): \(reason)")
  }
}

/// The inbox of a long-lived effect that is open.
@usableFromInline
final class OpenChannel: @unchecked Sendable {
  // Safe: used only on the thread that owns the store, and in the store's `deinit`, when there is none.
  private let accepts: (any Sendable) -> Bool
  private let put: (any Sendable) -> Void
  private let finish: () -> Void
  var pace = InboxPace.immediate
  /// The value that it was last told because the state says so.
  var lastBroadcast: EffectToken?
  private var windowEnd: Duration?
  private var timer: ScheduledTimer?

  init<Value: Sendable>(_ continuation: AsyncStream<Value>.Continuation) {
    accepts = { $0 is Value }
    put = { value in
      if let value = value as? Value { continuation.yield(value) }
    }
    finish = { continuation.finish() }
  }

  /// Puts a value into the inbox without waiting.
  ///
  /// - Returns: false: the inbox takes values of another type.
  func deliver(_ value: any Sendable) -> Bool {
    guard accepts(value) else { return false }
    put(value)
    return true
  }

  /// Puts a value into the inbox at its pace.
  ///
  /// - Returns: false: the inbox takes values of another type.
  func deliver(_ value: any Sendable, _ runtime: EffectRuntime) -> Bool {
    guard accepts(value) else { return false }
    let clock = runtime.clock
    switch pace {
    case .immediate: put(value)
    case .throttle(let window):
      let now = clock.now
      guard windowEnd.map({ $0 <= now }) ?? true else { return true }
      windowEnd = now + max(window, .zero)
      put(value)
    case .debounce(let quiet):
      timer?.cancel()
      timer = clock.schedule(after: quiet) { [self] in runtime.enqueue(Job { [self] in put(value) }) }
    }
    return true
  }

  func close() {
    timer?.cancel()
    timer = nil
    finish()
  }
}
