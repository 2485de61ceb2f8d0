/// Keeps running what a unit states should be running (R33).
@usableFromInline
final class Supervision<Output>: @unchecked Sendable {
  // Safe: used only on the thread that owns the store, and in the store's `deinit`, when there is none; before that, by the
  // thread that makes the store.
  @exclusivity(unchecked) private var declarations: [@Sendable () -> [Supervised<Output>]] = []
  /// The unit's statement by its changes, where it makes no other.
  @exclusivity(unchecked) private var changing: SupervisedStatement<Output>?
  private let effects = StatedEffects()
  private let unit: UnitEffects
  private let handler: @Sendable (ActionContext) -> ActionHandler<Output>
  /// Makes the box with the handler that takes what the effects emit.
  @exclusivity(unchecked) private var output: StatedEffect.Output
  /// True if the next statement is to be a whole one.
  @exclusivity(unchecked) private var isPaused = false

  /// - Parameters:
  ///   - unit: the effects of the unit.
  ///   - handler: enqueues what effects emit that an action opened.
  @usableFromInline
  init(_ unit: UnitEffects, handler: @escaping @Sendable (ActionContext) -> ActionHandler<Output>) {
    self.unit = unit
    self.handler = handler
    output = { HandlerBox(handler($0)) }
  }

  /// True if the unit states nothing; looked at with each action.
  @exclusivity(unchecked) @usableFromInline private(set) var isEmpty = true

  /// Adds what the unit states.
  @usableFromInline
  @Sendable
  func add(_ declaration: @escaping @Sendable () -> [Supervised<Output>]) {
    if let changing { declarations.append(changing.whole()) }
    changing = nil
    output = { [handler] in HandlerBox(handler($0)) }
    declarations.append(declaration)
    isEmpty = false
  }

  /// Adds what the unit states by its changes.
  @usableFromInline
  @Sendable
  func add(changes: SupervisedStatement<Output>) {
    guard isEmpty else { return add(changes.whole()) }
    changing = changes
    output = { [handler, lead = changes.lead] in lead($0, handler($0)) }
    isEmpty = false
  }

  /// Starts and stops what the unit states anew; what it still states is left alone.
  @usableFromInline
  func reconcile(_ action: ActionContext) {
    // Not all of the statement, whose parts would be counted.
    if let declare = changing?.declare {
      let changes = declare(isPaused)
      if !changes.isEmpty { effects.take(changes, Opener(unit: unit, action: action, output: output)) }
    } else if !declarations.isEmpty {
      // No key path: in generic code each is made anew, by ten thousand instructions.
      let stated = declarations.flatMap { $0().map { $0.effect } }
      effects.follow(stated, Opener(unit: unit, action: action, output: output))
    }
    isPaused = false
  }

  /// Ends what runs, until the next statement.
  func pause() {
    isPaused = true
    effects.forgetAll()
    unit.cancel { $0.isSupervised }
  }

  /// Forgets everything; what runs is stopped by the unit.
  @usableFromInline
  func close() {
    declarations = []
    changing = nil
    isEmpty = true
    effects.forgetAll()
  }
}

/// The tools for opening effects because of an action.
private struct Opener {
  let unit: UnitEffects
  let action: ActionContext
  let output: StatedEffect.Output

  func open(_ effect: StatedEffect) -> EffectEntry? {
    EffectScope(unit, path: []).open(effect, action: action, output: output)
  }
}

/// The long-lived effects of a unit, as it stated them last. Apart from the type of what they emit, which their work alone
/// needs to know: so that all units share this code.
private final class StatedEffects: @unchecked Sendable {
  // Safe: used only on the thread that owns the store, and in the store's `deinit`, when there is none.
  @exclusivity(unchecked) private var declared: [EffectKey: Declared] = [:]
  /// The unit's last statement, if nothing of it can change without its ids changing; else nil.
  @exclusivity(unchecked) private var settled: [StatedEffect]?

  /// An effect that opens again once its reset key has settled.
  private final class Settling: @unchecked Sendable {
    // Safe: as above.
    /// The unit's last statement of it.
    var latest: StatedEffect

    init(_ effect: StatedEffect) { latest = effect }
  }

  /// Starts and stops what has changed.
  func take(_ changes: StatedChanges, _ opener: Opener) {
    if changes.isWhole { return follow(changes.first.map { [$0] + changes.others } ?? [], opener) }
    settled = nil
    for id in changes.gone {
      let key = EffectKey(path: [], token: id, isChannel: true)
      forget(key, opener.unit)
      opener.unit.cancel(key)
    }
    guard let first = changes.first else { return }
    keep(first, EffectKey(path: [], token: first.id, isChannel: true), opener)
    for effect in changes.others { keep(effect, EffectKey(path: [], token: effect.id, isChannel: true), opener) }
  }

  /// Takes over the whole statement of the unit.
  func follow(_ stated: [StatedEffect], _ opener: Opener) {
    let isSettled = settled?.elementsEqual(stated) { $1.isConstant && $0.id == $1.id && $0.path == $1.path }
    guard isSettled != true else { return }
    settled = stated.allSatisfy(\.isConstant) ? stated : nil
    var wanted: [EffectKey: StatedEffect] = [:]
    var order: [EffectKey] = []
    for effect in stated {
      let key = EffectKey(path: effect.path, token: effect.id, isChannel: true)
      // Of two with one id the last wins.
      if wanted.updateValue(effect, forKey: key) == nil { order.append(key) }
    }
    for key in declared.keys where wanted[key] == nil { forget(key, opener.unit) }
    opener.unit.cancel { entry in entry.isSupervised && entry.key.map { wanted[$0] == nil } ?? false }
    for key in order {
      if let effect = wanted[key] { keep(effect, key, opener) }
    }
  }

  func forgetAll() {
    settled = nil
    for known in declared.values { known.stopSettling() }
    declared = [:]
  }

  private func forget(_ key: EffectKey, _ unit: UnitEffects) {
    guard let gone = declared.removeValue(forKey: key) else { return }
    gone.stopSettling()
    if gone.hasEnded { unit.tell(key, hasEnded: false) }
  }

  private func keep(_ effect: StatedEffect, _ key: EffectKey, _ opener: Opener) {
    let unit = opener.unit
    guard let known = declared[key] else {
      let new = Declared(resetKey: effect.resetKey, time: effect.time)
      declared[key] = new
      // An effect that an action opened is left alone, but from now on it closes when the unit no longer states it.
      if let entry = unit.channel(key) {
        entry.isSupervised = true
        new.entry = entry
      } else if unit.takeLeftEnded(key) {
        new.hasEnded = true
      } else {
        open(effect, key, new, opener)
      }
      return
    }
    let hasAnotherTime = known.time != effect.time
    known.time = effect.time
    if known.resetKey != effect.resetKey {
      known.resetKey = effect.resetKey
      known.stopSettling()
      unit.cancel(key)
      guard effect.settle > .zero else { return open(effect, key, known, opener) }
      let runtime = unit.runtime
      let settling = Settling(effect)
      known.settling = settling
      known.timer = runtime.clock.schedule(after: effect.settle) { [weak self, weak known] in
        runtime.enqueue(
          Job {
            guard let self, let known, known.settling === settling else { return }
            known.stopSettling()
            self.open(settling.latest, key, known, opener)
          })
      }
    } else if let settling = known.settling {
      (settling as? Settling)?.latest = effect
    } else if hasAnotherTime {
      // Most often it still waits for its time, and all that is known of it stays.
      if effect.time != nil, let entry = known.entry, entry.opening != nil, entry.wakesAt != nil {
        unit.restart(entry, number: opener.action.number, root: opener.action.root)
        unit.wait(entry, toOpen: effect, opener.action, opener.output)
      } else {
        unit.cancel(key)
        open(effect, key, known, opener)
      }
    } else if let channel = unit.channel(key)?.channel, let value = effect.broadcast, channel.lastBroadcast != value {
      channel.lastBroadcast = value
      if !channel.deliver(value.value, unit.runtime) { unit.droppedValue(value.value, key, "wrong type") }
    }
  }

  private func open(_ effect: StatedEffect, _ key: EffectKey, _ known: Declared, _ opener: Opener) {
    let unit = opener.unit
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
    let entry = opener.open(effect)
    entry?.isSupervised = true
    known.entry = entry
  }
}

/// The record of an id that a unit states.
private final class Declared: @unchecked Sendable {
  // Safe: used only on the thread that owns the store, and in the store's `deinit`, when there is none.
  @exclusivity(unchecked) var resetKey: EffectToken?
  @exclusivity(unchecked) var time: Duration?
  /// The effect that was opened last.
  @exclusivity(unchecked) var entry: EffectEntry?
  /// The timer that opens it again once its reset key has settled.
  @exclusivity(unchecked) var timer: ScheduledTimer?
  /// What opens it then; nil: nothing does.
  @exclusivity(unchecked) var settling: AnyObject?
  /// True once it was told that the effect has ended.
  @exclusivity(unchecked) var hasEnded = false

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

/// A long-lived effect apart from the type of what it emits. One object, so that handing it on costs no more than a reference.
@usableFromInline
class StatedEffect: @unchecked Sendable {
  // Safe: changed only by who made it, before anybody else has it: ``Supervised/change(_:)``.

  @exclusivity(unchecked) @usableFromInline final var id: EffectToken
  /// The elements, from the outside, where the unit is lifted to collections.
  @exclusivity(unchecked) final var path: [EffectToken] = []
  /// The time of the store's clock at which it begins; nil: as soon as it is opened. Another time has it begin anew.
  @exclusivity(unchecked) final var time: Duration?
  /// A change of it closes the effect and opens it again.
  @exclusivity(unchecked) final var resetKey: EffectToken?
  /// The time for which the reset key must stay the same before the effect is opened again.
  @exclusivity(unchecked) final var settle: Duration = .zero
  /// The value put into the inbox when the effect is opened, and whenever it differs from the one before.
  @exclusivity(unchecked) final var broadcast: EffectToken?
  /// The pace at which values reach the inbox.
  @exclusivity(unchecked) final var pace = InboxPace.immediate

  /// Makes the box with the handler that takes what effects emit that an action opened.
  typealias Output = @Sendable (ActionContext) -> AnyObject

  /// The parts of the context that the work gets.
  struct Start {
    /// The effect as it is stated.
    let effect: StatedEffect
    let action: ActionContext
    let scope: EffectScope
    let entry: EffectEntry
    /// The box with the handler that takes what the effect emits.
    var output: AnyObject

    /// Has an inbox take values for the work.
    func open(_ channel: OpenChannel) {
      channel.pace = effect.pace
      entry.channel = channel
      guard let value = effect.broadcast, let key = entry.key else { return }
      channel.lastBroadcast = value
      if !channel.deliver(value.value) { scope.unit.droppedValue(value.value, key, "wrong type") }
    }
  }

  @usableFromInline
  init(_ id: EffectToken, time: Duration? = nil) {
    self.id = id
    self.time = time
  }

  /// True if nothing about it can change but that it is stated.
  final var isConstant: Bool { resetKey == nil && broadcast == nil && time == nil }

  func begin(_ start: Start) {}
}

/// A long-lived effect whose work is a closure.
@usableFromInline
final class OwnEffect<Output>: StatedEffect, @unchecked Sendable {
  // Safe: as above.
  private let work: Work

  /// The ways in which it works.
  @usableFromInline
  enum Work: Sendable {
    case task(@Sendable (EffectContext<Void, Output>) async -> Void)
    case steps(@Sendable (EffectContext<Void, Output>) -> any EffectSteps)
    /// Makes the inbox, and has the work take from it.
    case inbox(@Sendable () -> (OpenChannel, @Sendable (EffectContext<Void, Output>) async -> Void))
  }

  @usableFromInline
  init(_ id: EffectToken, time: Duration? = nil, _ work: Work) {
    self.work = work
    super.init(id, time: time)
  }

  override func begin(_ start: Start) {
    let context = EffectContext<Void, Output>(
      dependencies: (), action: start.action, scope: start.scope, entry: start.entry,
      output: HandlerBox<Output>.handler(in: start.output))
    switch work {
    case .task(let body): context.run(body)
    case .steps(let begin): context.run(steps: begin)
    case .inbox(let make):
      let (channel, body) = make()
      start.open(channel)
      context.run(body)
    }
  }
}

/// Another one with other facts, or with what it emits led elsewhere.
private final class DerivedEffect: StatedEffect, @unchecked Sendable {
  // Safe: as above.
  private let base: StatedEffect
  private let lead: (@Sendable (ActionContext, AnyObject) -> AnyObject)?

  init(_ base: StatedEffect, lead: (@Sendable (ActionContext, AnyObject) -> AnyObject)? = nil) {
    self.base = base
    self.lead = lead
    super.init(base.id, time: base.time)
    path = base.path
    resetKey = base.resetKey
    settle = base.settle
    broadcast = base.broadcast
    pace = base.pace
  }

  override func begin(_ start: Start) {
    var led = start
    if let lead { led.output = lead(start.action, start.output) }
    base.begin(led)
  }
}

/// A handler that goes by way of code that does not know its type.
private final class HandlerBox<Output>: Sendable {
  let handler: ActionHandler<Output>

  init(_ handler: ActionHandler<Output>) { self.handler = handler }

  /// The handler in a box. An effect, the changes that name it and each lift of either agree on the type: their
  /// initializers and maps are typed.
  static func handler(in box: AnyObject) -> ActionHandler<Output> {
    unsafeDowncast(box, to: HandlerBox<Output>.self).handler
  }
}

/// A long-lived effect that should be running, as a function of the state says (R33).
///
/// The idea comes from the supervised channels of SwiftRex 1.x (rows 74 to 77 of <doc:Coverage>).
public struct Supervised<Output>: Sendable {
  @usableFromInline var effect: StatedEffect

  /// The id that tells it from the unit's others.
  public var id: EffectToken {
    get { effect.id }
    set { change { $0.id = newValue } }
  }

  @usableFromInline
  init(_ effect: StatedEffect) { self.effect = effect }

  /// Changes a fact about it, which no copy notices.
  @usableFromInline
  mutating func change(_ change: (StatedEffect) -> Void) {
    if !isKnownUniquelyReferenced(&effect) { effect = DerivedEffect(effect) }
    change(effect)
  }

  /// The box for a handler of what it emits.
  @usableFromInline
  static func box(_ handler: ActionHandler<Output>) -> AnyObject { HandlerBox(handler) }

  /// An effect without an inbox.
  ///
  /// - Parameters:
  ///   - id: the id that tells it from the unit's others, by type and value.
  ///   - work: runs on the thread that owns the store, between two actions. Work that returns has ended, and is not
  ///     started again before its id was missing once or its reset key changed.
  @inlinable
  public init(
    _ id: some Hashable & Sendable, work: @escaping @Sendable (EffectContext<Void, Output>) async -> Void
  ) {
    self.init(OwnEffect(EffectToken(id), .task(work)))
  }

  /// An effect without an inbox that runs in steps.
  ///
  /// - Parameters:
  ///   - id: the id that tells it from the unit's others, by type and value.
  ///   - steps: makes the work, before the first step.
  @inlinable
  public init(
    _ id: some Hashable & Sendable, steps: @escaping @Sendable (EffectContext<Void, Output>) -> any EffectSteps
  ) {
    self.init(OwnEffect(EffectToken(id), .steps(steps)))
  }

  /// An effect that begins at a time of the store's clock. Until then it takes a few hundred bytes. Of times that are past the
  /// earliest comes first. Another time has the effect begin anew:
  /// `Supervised(hold.id, at: hold.until) { $0.send(.expire(id: hold.id)) }`.
  ///
  /// - Parameters:
  ///   - id: the id that tells it from the unit's others, by type and value.
  ///   - time: the time at which the work begins; see ``EffectWait/until(_:)``.
  ///   - work: runs on the thread that owns the store, between two actions.
  @inlinable
  public init(
    _ id: some Hashable & Sendable, at time: Duration,
    work: @escaping @Sendable (EffectContext<Void, Output>) async -> Void
  ) {
    self.init(OwnEffect(EffectToken(id), time: time, .task(work)))
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
    let inbox: OwnEffect<Output>.Work = .inbox {
      let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
      return (OpenChannel(continuation), { await work($0, stream) })
    }
    self.init(OwnEffect(EffectToken(id), inbox))
  }

  /// The same, closed and opened again when a key changes.
  ///
  /// - Parameter settle: opened again only once the key has not changed for that long; the close is immediate.
  public consuming func reset(on key: some Hashable & Sendable, settle: Duration = .zero) -> Supervised {
    change {
      $0.resetKey = EffectToken(key)
      $0.settle = max(settle, .zero)
    }
    return self
  }

  /// The same, told a value when it is opened and whenever the value is another one than before. Opening never waits.
  public consuming func delivering(_ value: some Hashable & Sendable) -> Supervised {
    change { $0.broadcast = EffectToken(value) }
    return self
  }

  /// The same with values that reach its inbox at a pace.
  public consuming func paced(_ pace: InboxPace) -> Supervised {
    change { $0.pace = pace }
    return self
  }

  /// The same as that of one element of a collection: its id is private to the element (R17).
  public consuming func element(_ id: some Hashable & Sendable) -> Supervised {
    change { $0.path.insert(EffectToken(id), at: 0) }
    return self
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
    Supervised<Other>(
      DerivedEffect(effect) { action, box in HandlerBox(transform(action, HandlerBox<Other>.handler(in: box))) })
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

/// The changes of the long-lived effects that a unit states since it was last asked (R33): of many that go on as they are, none
/// is looked at.
public struct SupervisedChanges<Output>: Sendable {
  @usableFromInline var stated: StatedChanges

  /// Takes what has changed.
  ///
  /// - Parameters:
  ///   - isWhole: true if those that do not start stop.
  ///   - started: the effects that start, or go on with another time, key or value.
  ///   - gone: the ids of those that stop, which come first: an id in both starts anew.
  @inlinable
  public init(isWhole: Bool = false, started: [Supervised<Output>] = [], gone: [EffectToken] = []) {
    stated = StatedChanges(isWhole: isWhole, gone: gone)
    for effect in started { stated.add(effect.effect) }
  }

  /// The whole statement: what is not in it stops.
  public static func all(_ effects: [Supervised<Output>]) -> SupervisedChanges {
    SupervisedChanges(isWhole: true, started: effects)
  }

  /// Adds an effect under an id; nil: the effect of that id stops.
  @inlinable
  public mutating func add(_ id: EffectToken, _ effect: Supervised<Output>?) {
    guard var effect else { return stated.gone.append(id) }
    if effect.effect.id != id { effect.change { $0.id = id } }
    stated.add(effect.effect)
  }
}

/// The same apart from the type of what the effects emit.
@usableFromInline
struct StatedChanges: Sendable {
  /// True if those that did not start stop.
  @usableFromInline let isWhole: Bool
  /// The first that started, which most often is the only one, and the others.
  @usableFromInline var (first, others): (StatedEffect?, [StatedEffect]) = (nil, [])
  @usableFromInline var gone: [EffectToken]

  @usableFromInline
  init(isWhole: Bool, gone: [EffectToken] = []) {
    self.isWhole = isWhole
    self.gone = gone
  }

  /// True if nothing has changed.
  var isEmpty: Bool { first == nil && gone.isEmpty && !isWhole }

  @usableFromInline
  mutating func add(_ started: StatedEffect) {
    if first == nil { first = started } else { others.append(started) }
  }
}

/// A unit's function that says what has changed about its long-lived effects. It is lifted once, with its unit, and not what
/// it says after each action.
public struct SupervisedStatement<Output>: Sendable {
  fileprivate let declare: @Sendable (_ isWhole: Bool) -> StatedChanges
  /// The handler that the effects know, in its box.
  fileprivate let lead: @Sendable (ActionContext, ActionHandler<Output>) -> AnyObject

  /// Takes the function.
  ///
  /// - Parameter declare: says what has changed since it was last asked, or all if that is asked for, as for the first time.
  @inlinable
  public init(_ declare: @escaping @Sendable (_ isWhole: Bool) -> SupervisedChanges<Output>) {
    self.init({ Supervised<Output>.box($1) }) { declare($0).stated }
  }

  @usableFromInline
  init(
    _ lead: @escaping @Sendable (ActionContext, ActionHandler<Output>) -> AnyObject,
    declare: @escaping @Sendable (Bool) -> StatedChanges
  ) {
    self.declare = declare
    self.lead = lead
  }

  /// The same with every action that the effects emit mapped.
  public func map<Other>(_ transform: @escaping @Sendable (Output) -> Other) -> SupervisedStatement<Other> {
    let lead = lead
    return SupervisedStatement<Other>({ action, output in lead(action, output.contramap(transform)) }, declare: declare)
  }

  /// The whole statement, for those who do not take it by its changes.
  public func whole() -> @Sendable () -> [Supervised<Output>] {
    let (declare, lead, kept) = (declare, lead, KeptStatement())
    return {
      kept.taking(declare(false)).map { effect in
        Supervised(DerivedEffect(effect) { action, box in lead(action, HandlerBox<Output>.handler(in: box)) })
      }
    }
  }

  /// The same while a condition holds: nothing is stated meanwhile, and all when it holds again.
  @usableFromInline
  func held(while condition: @escaping @Sendable () -> Bool) -> SupervisedStatement {
    let (declare, last) = (declare, LastCondition())
    return SupervisedStatement(lead) { isWhole in
      guard condition() else {
        last.held = false
        return StatedChanges(isWhole: true)
      }
      defer { last.held = true }
      return declare(isWhole || !last.held)
    }
  }
}

/// Whether a condition held when a unit was asked last.
private final class LastCondition: @unchecked Sendable {
  // Safe: used by the thread that owns the store, which asks a unit for its statement.
  @exclusivity(unchecked) var held = false
}

/// A statement that is made by its changes, as a whole.
private final class KeptStatement: @unchecked Sendable {
  // Safe: used by the thread that owns the store, which asks a unit for its statement.
  private var stated: [EffectToken: (order: Int, effect: StatedEffect)] = [:]
  private var last = 0

  func taking(_ changes: StatedChanges) -> [StatedEffect] {
    if changes.isWhole { stated = [:] }
    for id in changes.gone { stated[id] = nil }
    for effect in [changes.first].compactMap(\.self) + changes.others {
      last += 1
      stated[effect.id] = (last, effect)
    }
    return stated.values.sorted { $0.order < $1.order }.map(\.effect)
  }
}
