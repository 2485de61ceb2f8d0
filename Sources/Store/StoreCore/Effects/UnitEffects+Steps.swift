/// Effects that run in steps.
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
    if let begin = entry.begin.take() { return begin() }
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
