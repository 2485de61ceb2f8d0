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

/// A long-lived effect that should be running, as a function of the state says (R33).
///
/// The idea comes from the supervised channels of SwiftRex 1.x (rows 74 to 77 of <doc:Coverage>).
public struct Supervised<Output>: Sendable {
  /// The id that tells it from the unit's others.
  public var id: EffectToken
  /// The elements, from the outside, where the unit is lifted to collections.
  var path: [EffectToken] = []
  /// The time of the store's clock at which it begins; nil: as soon as it is opened. Another time has it begin anew.
  var time: Duration?
  /// A change of it closes the effect and opens it again.
  var resetKey: EffectToken?
  /// The time for which the reset key must stay the same before the effect is opened again.
  var settle: Duration = .zero
  /// The value put into the inbox when the effect is opened, and whenever it differs from the one before.
  var broadcast: EffectToken?
  /// The pace at which values reach the inbox.
  var pace = InboxPace.immediate
  let make: @Sendable () -> Opening

  /// True if nothing about it can change but that it is stated.
  var isConstant: Bool { resetKey == nil && broadcast == nil && time == nil }

  /// The start of the work, and the inbox that takes values for it.
  struct Opening {
    let channel: OpenChannel?
    let start: (EffectContext<Void, Output>) -> Void
  }

  init(id: EffectToken, make: @escaping @Sendable () -> Opening) {
    self.id = id
    self.make = make
  }

  /// An effect without an inbox.
  ///
  /// - Parameters:
  ///   - id: the id that tells it from the unit's others, by type and value.
  ///   - work: runs on the thread that owns the store, between two actions. Work that returns has ended, and is not
  ///     started again before its id was missing once or its reset key changed.
  public init(
    _ id: some Hashable & Sendable, work: @escaping @Sendable (EffectContext<Void, Output>) async -> Void
  ) {
    self.init(id: EffectToken(id)) { Opening(channel: nil) { $0.run(work) } }
  }

  /// An effect without an inbox that runs in steps.
  ///
  /// - Parameters:
  ///   - id: the id that tells it from the unit's others, by type and value.
  ///   - steps: makes the work, before the first step.
  public init(
    _ id: some Hashable & Sendable, steps: @escaping @Sendable (EffectContext<Void, Output>) -> any EffectSteps
  ) {
    self.init(id: EffectToken(id)) { Opening(channel: nil) { $0.run(steps: steps) } }
  }

  /// An effect that begins at a time of the store's clock. Until then it takes a few hundred bytes. Of times that are past the
  /// earliest comes first. Another time has the effect begin anew:
  /// `Supervised(hold.id, at: hold.until) { $0.send(.expire(id: hold.id)) }`.
  ///
  /// - Parameters:
  ///   - id: the id that tells it from the unit's others, by type and value.
  ///   - time: the time at which the work begins; see ``EffectWait/until(_:)``.
  ///   - work: runs on the thread that owns the store, between two actions.
  public init(
    _ id: some Hashable & Sendable, at time: Duration,
    work: @escaping @Sendable (EffectContext<Void, Output>) async -> Void
  ) {
    self.init(id: EffectToken(id)) { Opening(channel: nil) { $0.run(work) } }
    self.time = time
  }

  /// An effect with an inbox.
  ///
  /// - Parameters:
  ///   - id: the id that tells it from the unit's others, by type and value.
  ///   - inbox: the type of the values that it takes.
  ///   - work: gets the values in the order in which they are sent; none is lost while it works.
  public init<Value: Sendable>(
    _ id: some Hashable & Sendable, inbox: Value.Type,
    work: @escaping @Sendable (EffectContext<Void, Output>, AsyncStream<Value>) async -> Void
  ) {
    self.init(id: EffectToken(id)) {
      let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
      return Opening(channel: OpenChannel(continuation)) { $0.run { await work($0, stream) } }
    }
  }

  /// The same, closed and opened again when a key changes.
  ///
  /// - Parameter settle: opened again only once the key has not changed for that long; the close is immediate.
  public func reset(on key: some Hashable & Sendable, settle: Duration = .zero) -> Supervised {
    var copy = self
    copy.resetKey = EffectToken(key)
    copy.settle = max(settle, .zero)
    return copy
  }

  /// The same, told a value when it is opened and whenever the value is another one than before. Opening never waits.
  public func delivering(_ value: some Hashable & Sendable) -> Supervised {
    var copy = self
    copy.broadcast = EffectToken(value)
    return copy
  }

  /// The same with values that reach its inbox at a pace.
  public func paced(_ pace: InboxPace) -> Supervised {
    var copy = self
    copy.pace = pace
    return copy
  }

  /// The same as that of one element of a collection: its id is private to the element (R17).
  public func element(_ id: some Hashable & Sendable) -> Supervised {
    var copy = self
    copy.path = [EffectToken(id)] + path
    return copy
  }

  /// The same with every action that it emits mapped; sources stay (R13).
  public func map<Other>(_ transform: @escaping @Sendable (Output) -> Other) -> Supervised<Other> {
    mapOutput { _, output in output.contramap(transform) }
  }

  /// The same with what it emits led elsewhere.
  ///
  /// - Parameter transform: gets the action that opened it, and the handler that it would have.
  public func mapOutput<Other>(
    _ transform: @escaping @Sendable (ActionContext, ActionHandler<Other>) -> ActionHandler<Output>
  ) -> Supervised<Other> {
    let make = make
    var copy = Supervised<Other>(id: id) {
      let opening = make()
      return Supervised<Other>.Opening(channel: opening.channel) { context in
        opening.start(context.with(output: transform(context.action, context.output)))
      }
    }
    copy.path = path
    copy.time = time
    copy.resetKey = resetKey
    copy.settle = settle
    copy.broadcast = broadcast
    copy.pace = pace
    return copy
  }
}

/// The pace at which values reach the inbox of a long-lived effect.
public enum InboxPace: Hashable, Sendable {
  /// Each at once.
  case immediate
  /// The first at once, then none until a while has passed: those that come meanwhile are dropped.
  case throttle(Duration)
  /// Only the last, once none has come for a while.
  case debounce(Duration)
}

/// The long-lived effects that a unit states, by what has changed about them since it was last asked (R33): of many that go on
/// as they are, nobody has to look at any.
public enum SupervisedChange<Output>: Sendable {
  /// All of them; those that are not named stop.
  case all([Supervised<Output>])
  /// Those that start, and the ids of those that stop, which come first: an id in both starts anew.
  case some(started: [Supervised<Output>], gone: [EffectToken])

  /// Says what has changed since it was last asked, or all where that is asked for, as for the first time.
  public typealias Declaration = @Sendable (_ isWhole: Bool) -> SupervisedChange

  /// The same with every action that they emit mapped.
  @inlinable
  public func map<Other>(_ transform: @escaping @Sendable (Output) -> Other) -> SupervisedChange<Other> {
    switch self {
    case .all(let stated): .all(stated.map { $0.map(transform) })
    case .some(let started, let gone): .some(started: started.map { $0.map(transform) }, gone: gone)
    }
  }

  /// The whole statement, for those who do not take it by its changes.
  public static func whole(_ change: @escaping Declaration) -> @Sendable () -> [Supervised<Output>] {
    let kept = KeptStatement<Output>()
    return { kept.taking(change(false)) }
  }

  /// A statement that holds while a condition does: nothing is stated meanwhile, and all when it holds again.
  @usableFromInline
  static func declared(
    _ change: @escaping Declaration, while condition: @escaping @Sendable () -> Bool
  ) -> Declaration {
    let last = LastCondition()
    return { isWhole in
      guard condition() else {
        last.held = false
        return .all([])
      }
      defer { last.held = true }
      return change(isWhole || !last.held)
    }
  }
}

/// Whether a condition held when a unit was asked last.
private final class LastCondition: @unchecked Sendable {
  // Safe: used by the thread that owns the store, which asks a unit for its statement.
  var held = false
}

/// A statement that is made by its changes, as a whole.
private final class KeptStatement<Output>: @unchecked Sendable {
  // Safe: used by the thread that owns the store, which asks a unit for its statement.
  private var stated: [EffectToken: (order: Int, effect: Supervised<Output>)] = [:]
  private var last = 0

  func taking(_ change: SupervisedChange<Output>) -> [Supervised<Output>] {
    switch change {
    case .all(let all):
      stated = [:]
      all.forEach(add)
    case .some(let started, let gone):
      for id in gone { stated[id] = nil }
      started.forEach(add)
    }
    return stated.values.sorted { $0.order < $1.order }.map(\.effect)
  }

  private func add(_ effect: Supervised<Output>) {
    last += 1
    stated[effect.id] = (last, effect)
  }
}
