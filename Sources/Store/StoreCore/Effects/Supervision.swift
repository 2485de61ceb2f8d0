/// Keeps running what a unit states should be running (R33).
@usableFromInline
final class Supervision<Output>: @unchecked Sendable {
  // Safe: used only on the thread that owns the store, and in the store's `deinit`, when there is none; before that, by the
  // thread that makes the store.
  private var declarations: [@Sendable () -> [Supervised<Output>]] = []
  /// The unit's statement by its changes, where it makes no other.
  private var changing: SupervisedChange<Output>.Declaration?
  private var declared: [EffectKey: Declared] = [:]
  /// The unit's last statement, if nothing of it can change without its ids changing; else nil.
  private var settled: [Supervised<Output>]?

  /// An effect that opens again once its reset key has settled.
  private final class Settling: @unchecked Sendable {
    // Safe: as above.
    /// The unit's last statement of it.
    var latest: Supervised<Output>

    init(_ supervised: Supervised<Output>) { latest = supervised }
  }

  @usableFromInline
  init() {}

  /// True if the unit states nothing; looked at with each action.
  @usableFromInline private(set) var isEmpty = true

  /// Adds what the unit states.
  @usableFromInline
  @Sendable
  func add(_ declaration: @escaping @Sendable () -> [Supervised<Output>]) {
    if let changing { declarations.append(SupervisedChange.whole(changing)) }
    changing = nil
    declarations.append(declaration)
    isEmpty = false
  }

  /// Adds what the unit states by its changes.
  @usableFromInline
  @Sendable
  func add(changes: @escaping SupervisedChange<Output>.Declaration) {
    guard isEmpty else { return add(SupervisedChange.whole(changes)) }
    changing = changes
    isEmpty = false
  }

  /// Starts and stops what the unit states anew; what it still states is left alone.
  @usableFromInline
  func reconcile(_ unit: UnitEffects, _ action: ActionContext, _ output: ActionHandler<Output>) {
    switch changing?(false) {
    case nil: if !declarations.isEmpty { follow(declarations.flatMap { $0() }, unit, action, output) }
    case .all(let stated)?: follow(stated, unit, action, output)
    case .some(let started, let gone)?:
      if started.isEmpty, gone.isEmpty { return }
      settled = nil
      for id in gone {
        let key = EffectKey(path: [], token: id, isChannel: true)
        forget(key, unit)
        unit.cancel(key)
      }
      for supervised in started {
        keep(supervised, EffectKey(path: [], token: supervised.id, isChannel: true), unit, action, output)
      }
    }
  }

  /// Takes over the whole statement of the unit.
  private func follow(
    _ stated: [Supervised<Output>], _ unit: UnitEffects, _ action: ActionContext, _ output: ActionHandler<Output>
  ) {
    let isSettled = settled?.elementsEqual(stated) { $1.isConstant && $0.id == $1.id && $0.path == $1.path }
    guard isSettled != true else { return }
    settled = stated.allSatisfy(\.isConstant) ? stated : nil
    var wanted: [EffectKey: Supervised<Output>] = [:]
    var order: [EffectKey] = []
    for supervised in stated {
      let key = EffectKey(path: supervised.path, token: supervised.id, isChannel: true)
      // Of two with one id the last wins.
      if wanted.updateValue(supervised, forKey: key) == nil { order.append(key) }
    }
    for key in declared.keys where wanted[key] == nil { forget(key, unit) }
    unit.cancel { entry in entry.isSupervised && entry.key.map { wanted[$0] == nil } ?? false }
    for key in order {
      if let supervised = wanted[key] { keep(supervised, key, unit, action, output) }
    }
  }

  /// Forgets everything; what runs is stopped by the unit.
  @usableFromInline
  func close() {
    declarations = []
    changing = nil
    isEmpty = true
    settled = nil
    for known in declared.values { known.stopSettling() }
    declared = [:]
  }

  private func forget(_ key: EffectKey, _ unit: UnitEffects) {
    guard let gone = declared.removeValue(forKey: key) else { return }
    gone.stopSettling()
    if gone.hasEnded { unit.tell(key, hasEnded: false) }
  }

  private func keep(
    _ supervised: Supervised<Output>, _ key: EffectKey, _ unit: UnitEffects, _ action: ActionContext,
    _ output: ActionHandler<Output>
  ) {
    guard let known = declared[key] else {
      let new = Declared(resetKey: supervised.resetKey, time: supervised.time)
      declared[key] = new
      // An effect that an action opened is left alone, but from now on it closes when the unit no longer states it.
      if let entry = unit.channel(key) {
        entry.isSupervised = true
        new.entry = entry
      } else if unit.takeLeftEnded(key) {
        new.hasEnded = true
      } else {
        open(supervised, key, new, unit, action, output)
      }
      return
    }
    let hasAnotherTime = known.time != supervised.time
    known.time = supervised.time
    if known.resetKey != supervised.resetKey {
      known.resetKey = supervised.resetKey
      known.stopSettling()
      unit.cancel(key)
      guard supervised.settle > .zero else { return open(supervised, key, known, unit, action, output) }
      let runtime = unit.runtime
      let settling = Settling(supervised)
      known.settling = settling
      known.timer = runtime.clock.schedule(after: supervised.settle) { [weak self, weak known] in
        runtime.enqueue(
          Job {
            guard let self, let known, known.settling === settling else { return }
            known.stopSettling()
            self.open(settling.latest, key, known, unit, action, output)
          })
      }
    } else if let settling = known.settling {
      (settling as? Settling)?.latest = supervised
    } else if hasAnotherTime {
      // Most often it still waits for its time, and all that is known of it stays.
      if let time = supervised.time, let entry = known.entry, entry.begin != nil, entry.wakesAt != nil {
        EffectScope(unit, path: []).reopen(entry, supervised, at: time, action: action, output: output)
      } else {
        unit.cancel(key)
        open(supervised, key, known, unit, action, output)
      }
    } else if let channel = unit.channel(key)?.channel, let value = supervised.broadcast, channel.lastBroadcast != value
    {
      channel.lastBroadcast = value
      if !channel.deliver(value.value, unit.runtime) { unit.droppedValue(value.value, key, "wrong type") }
    }
  }

  private func open(
    _ supervised: Supervised<Output>, _ key: EffectKey, _ known: Declared, _ unit: UnitEffects,
    _ action: ActionContext, _ output: ActionHandler<Output>
  ) {
    if known.hasEnded {
      known.hasEnded = false
      unit.tell(key, hasEnded: false)
    }
    if unit.onEnd == nil {
      unit.onEnd = { [weak self, unowned unit] key in
        guard let known = self?.declared[key], unit.channel(key) == nil, !known.hasEnded else { return }
        known.hasEnded = true
        unit.tell(key, hasEnded: true)
      }
    }
    let entry = EffectScope(unit, path: []).open(supervised, action: action, output: output)
    entry?.isSupervised = true
    known.entry = entry
  }
}

/// The record of an id that a unit states.
private final class Declared: @unchecked Sendable {
  // Safe: used only on the thread that owns the store, and in the store's `deinit`, when there is none.
  var resetKey: EffectToken?
  var time: Duration?
  /// The effect that was opened last.
  var entry: EffectEntry?
  /// The timer that opens it again once its reset key has settled.
  var timer: ScheduledTimer?
  /// What opens it then; nil: nothing does.
  var settling: AnyObject?
  /// True once it was told that the effect has ended.
  var hasEnded = false

  init(resetKey: EffectToken?, time: Duration?) {
    self.resetKey = resetKey
    self.time = time
  }

  /// Has it not open again by itself.
  func stopSettling() {
    timer?.cancel()
    timer = nil
    settling = nil
  }
}
