/// The effects of one unit that is attached to a store.
@usableFromInline
final class UnitEffects: @unchecked Sendable {
  // Safe: everything that changes is used only on the thread that owns the store, and in the store's `deinit`, when there is
  // none.
  let unit: String
  @usableFromInline let runtime: EffectRuntime
  private var entries: [Int: EffectEntry] = [:]
  private var byKey: [EffectKey: [EffectEntry]] = [:]
  /// The times at which throttled tokens may start something again.
  private var windows: [EffectKey: (end: Duration, generation: Int)] = [:]
  private var windowLimit = 16
  private var lastOrder = 0
  private var lastGeneration = 0
  private var isClosed = false
  /// Told of a long-lived effect that came to its end by itself, once what it emitted was processed.
  var onEnd: ((EffectKey) -> Void)?

  @usableFromInline
  init(unit: String, runtime: EffectRuntime) {
    self.unit = unit
    self.runtime = runtime
  }

  /// The effects that run, in the order in which they started.
  var running: [EffectEntry] { entries.values.sorted { $0.start.order < $1.start.order } }

  /// Tells the effects of one call from the effects of others.
  func nextGeneration() -> Int {
    lastGeneration += 1
    return lastGeneration
  }

  /// Registers an effect, before anything of it runs.
  ///
  /// - Returns: nil where it is not to start: something under its token is in its way, or the unit is gone.
  func register(
    _ schedule: EffectSchedule, path: [EffectToken], isChannel: Bool = false, number: Int, root: Int, generation: Int
  ) -> EffectEntry? {
    guard !isClosed else { return nil }
    let now = runtime.clock.now
    let key = schedule.token.map { EffectKey(path: path, token: $0, isChannel: isChannel) }
    if let key {
      let earlier = (byKey[key] ?? []).filter { $0.start.generation != generation }
      switch schedule.arrival {
      case .exclusive:
        if !earlier.isEmpty { return refuse(key, "runs already") }
      case .throttle(let window):
        if let open = windows[key], open.end > now, open.generation != generation { return refuse(key, "throttled") }
        open(max(window, .zero), key, now, generation)
      case .replacing, .debounce: break
      }
      earlier.forEach(cancel)
      // A cancellation handler may have started another one; it came before this one all the same.
      byKey[key]?.filter { $0.start.generation != generation }.forEach(cancel)
    }
    let entry = EffectEntry(key: key, path: path, start(number, root, now, generation))
    entries[entry.id] = entry
    if let key { byKey[key, default: []].append(entry) }
    report(entry, .start)
    return entry
  }

  /// Starts an effect anew that has not begun: as if it were cancelled and another one registered, but that what is known of
  /// it stays in its place.
  func restart(_ entry: EffectEntry, number: Int, root: Int) {
    report(entry, .cancel)
    entry.restart(start(number, root, runtime.clock.now, nextGeneration()))
    report(entry, .start)
  }

  private func start(_ number: Int, _ root: Int, _ now: Duration, _ generation: Int) -> EffectEntry.Start {
    lastOrder += 1
    return EffectEntry.Start(order: lastOrder, number: number, root: root, time: now, generation: generation)
  }

  /// Has the work of a long-lived effect begin at its time. Of times that are past the earliest comes first.
  func wait(
    _ entry: EffectEntry, toOpen effect: StatedEffect, _ action: ActionContext, _ output: @escaping StatedEffect.Output
  ) {
    entry.opening = EffectEntry.Opening(effect: effect, source: action.source, time: action.time, output: output)
    let time = effect.time ?? .zero
    if entry.postpone(to: time) { return }
    entry.stopWaiting()
    guard time > runtime.clock.now else { return runtime.overdue.add(entry, of: self, since: time) }
    entry.wait(until: time, self)
  }

  /// Begins the work of a long-lived effect that is open.
  func begin(_ effect: StatedEffect, _ entry: EffectEntry, _ action: ActionContext, _ output: StatedEffect.Output) {
    effect.begin(
      StatedEffect.Start(
        effect: effect, action: action, scope: EffectScope(self, path: entry.path), entry: entry,
        output: output(action)))
  }

  /// Stops an effect; it never enqueues again.
  func cancel(_ entry: EffectEntry) { close(entry, .cancel) }

  /// Notes that an effect came to its end.
  func finish(_ entry: EffectEntry) {
    let hasEnded = entry.isSupervised && !entry.isOver
    close(entry, .done)
    guard hasEnded, let key = entry.key, onEnd != nil else { return }
    // What it emitted is in the queue before.
    runtime.enqueue(Job { [self] in onEnd?(key) })
  }

  /// Stops what runs under a key.
  ///
  /// - Returns: true if there was anything.
  @discardableResult
  func cancel(_ key: EffectKey) -> Bool {
    let found = byKey[key] ?? []
    found.forEach(cancel)
    return !found.isEmpty
  }

  /// Stops those for which a condition holds.
  ///
  /// - Returns: true if there was any.
  @discardableResult
  func cancel(where condition: (EffectEntry) -> Bool) -> Bool {
    let found = running.filter(condition)
    found.forEach(cancel)
    return !found.isEmpty
  }

  /// Stops those for which a condition holds; long-lived ones count as ended while the unit goes on stating them.
  ///
  /// - Returns: true if there was any.
  func end(where condition: (EffectEntry) -> Bool) -> Bool {
    let found = running.filter(condition)
    for entry in found {
      let ended = entry.isSupervised ? entry.key : nil
      cancel(entry)
      if let ended { onEnd?(ended) }
    }
    return !found.isEmpty
  }

  /// Has throttled tokens start something again, for the elements for which a condition holds.
  func closeWindows(where isGone: ([EffectToken]) -> Bool) {
    if !windows.isEmpty { windows = windows.filter { !isGone($0.key.path) } }
  }

  /// Stops them all; nothing starts any more.
  @usableFromInline
  func close() {
    isClosed = true
    cancel { _ in true }
  }

  /// The effect that is open under the id of a long-lived one.
  func channel(_ key: EffectKey) -> EffectEntry? { byKey[key]?.last }

  /// Tells the trace about a drop.
  func dropped(_ what: String, _ reason: String) {
    runtime.trace.report(.dropped(what: what, reason: reason))
  }

  /// The unit and, in a collection, the element, as traces and listings show them.
  func place(_ path: [EffectToken]) -> String { unit + path.map { "[\($0)]" }.joined() }

  private func close(_ entry: EffectEntry, _ step: EffectStep) {
    // Only its own entry goes: what runs under the same token by now is another one.
    guard entries.removeValue(forKey: entry.id) != nil else { return }
    if let key = entry.key, var others = byKey[key] {
      others.removeAll { $0 === entry }
      byKey[key] = others.isEmpty ? nil : others
    }
    report(entry, step)
    let steps = entry.steps
    entry.end()
    // After the mark, so that nothing of it comes behind.
    if let steps { cancel(steps) }
  }

  private func refuse(_ key: EffectKey, _ reason: String) -> EffectEntry? {
    dropped("\(place(key.path))/\(key.token)", reason)
    return nil
  }

  private func open(_ window: Duration, _ key: EffectKey, _ now: Duration, _ generation: Int) {
    if windows.count >= windowLimit {
      windows = windows.filter { $0.value.end > now }
      windowLimit = max(16, 2 * windows.count)
    }
    windows[key] = (now + window, generation)
  }

  private func report(_ entry: EffectEntry, _ step: EffectStep) {
    let trace = runtime.trace
    guard trace.isOn else { return }
    let (place, token) = (place(entry.path), entry.key.map { "\($0.token)" })
    let number = entry.start.number
    trace.report(.effect(number: number, unit: place, token: token, step: step))
    let unit = "\(place)/\(token ?? "-")"
    switch step {
    case .start: trace.begin(.effect, number: number, unit: unit)
    case .cancel, .done: trace.end(.effect, number: number, unit: unit)
    }
  }
}

extension UnitEffects {
  /// Runs the first step soon, as a job of its own.
  ///
  /// - Parameter begin: makes the work; not called where the effect is cancelled before.
  func run(_ entry: EffectEntry, steps begin: @escaping () -> any EffectSteps) {
    runtime.enqueue(
      Job { [self] in
        guard !entry.isOver else { return }
        entry.steps = begin()
        advance(entry)
      })
  }

  /// Ends the wait of an effect for a resumption, the next one where a step runs at this moment.
  func resume(_ entry: EffectEntry) {
    switch entry.resumption {
    case .ignored, .early: return
    case .noticed: entry.resumption = .early
    case .awaited:
      entry.stopWaiting()
      enqueue(entry)
    }
  }

  /// Has work that was cancelled come to its end, even if the store is gone: it may hold what holds it.
  func cancel(_ steps: any EffectSteps) { runtime.executor.run(Job { steps.cancel() }) }

  private func enqueue(_ entry: EffectEntry) {
    runtime.enqueue(Job { [self] in advance(entry) })
  }

  /// Has an effect begin whose time has come, or runs a step; one that was cancelled has none.
  func advance(_ entry: EffectEntry) {
    if let opening = entry.opening.take() {
      let action = ActionContext(
        number: entry.start.number, source: opening.source, time: opening.time, root: entry.start.root)
      return begin(opening.effect, entry, action, opening.output)
    }
    guard let steps = entry.steps else { return }
    entry.resumption = .noticed
    let wait = steps.step()
    let isResumed = entry.resumption == .early
    entry.resumption = .ignored
    // The effect may have cancelled itself.
    guard !entry.isOver else { return }
    switch wait {
    case .sleep(let duration):
      guard duration > .zero else { return enqueue(entry) }
      entry.wait(duration, self)
    case .until(let time):
      guard time > runtime.clock.now else { return runtime.overdue.add(entry, of: self, since: time) }
      entry.wait(until: time, self)
    case .resumption(let limit):
      guard !isResumed else { return enqueue(entry) }
      if let limit { entry.wait(limit, self) }
      entry.resumption = .awaited
    case .resumptionBy(let time):
      guard !isResumed else { return enqueue(entry) }
      entry.wait(until: time, self)
      entry.resumption = .awaited
    case .finished:
      entry.steps = nil
      finish(entry)
    }
  }
}

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
