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
    let context = EffectContext(dependencies: (), action: action, scope: scope, entry: entry, output: output)
    guard let time = supervised.time else {
      begin(supervised, context)
      return entry
    }
    unit.begin(entry, at: time) { self.begin(supervised, context) }
    return entry
  }

  /// Begins the work of a long-lived effect that is open.
  func begin<Output>(_ supervised: Supervised<Output>, _ context: EffectContext<Void, Output>) {
    let (opening, entry) = (supervised.make(), context.entry)
    if let channel = opening.channel {
      channel.pace = supervised.pace
      entry.channel = channel
      if let value = supervised.broadcast, let key = entry.key {
        channel.lastBroadcast = value
        if !channel.deliver(value.value) { unit.droppedValue(value.value, key, "wrong type") }
      }
    }
    opening.start(context)
  }

  /// Opens a long-lived effect anew that has not begun, at another time.
  func reopen<Output>(
    _ entry: EffectEntry, _ supervised: Supervised<Output>, at time: Duration, action: ActionContext,
    output: ActionHandler<Output>
  ) {
    unit.restart(entry, number: action.number, root: action.root)
    let scope = EffectScope(unit, path: entry.path)
    let context = EffectContext(dependencies: (), action: action, scope: scope, entry: entry, output: output)
    unit.begin(entry, at: time) { self.begin(supervised, context) }
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
