extension EffectScope {
  /// Opens a long-lived effect; one that is open under its id is closed.
  @discardableResult
  func open<Output>(
    _ supervised: Supervised<Output>, action: ActionContext, output: ActionHandler<Output>
  ) -> EffectEntry? {
    let scope = EffectScope(unit, path: path + supervised.path)
    var schedule = EffectSchedule()
    schedule.token = supervised.id
    guard
      let entry = unit.register(
        schedule, path: scope.path, isChannel: true, number: action.number, root: action.root,
        generation: unit.nextGeneration())
    else { return nil }
    let opening = supervised.make()
    if let channel = opening.channel {
      channel.pace = supervised.pace
      entry.channel = channel
      if let value = supervised.broadcast, let key = entry.key {
        channel.lastBroadcast = value
        if !channel.deliver(value.value) { unit.droppedValue(value.value, key, "wrong type") }
      }
    }
    opening.start(
      EffectContext(dependencies: (), action: action, scope: scope, entry: entry, output: output))
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
