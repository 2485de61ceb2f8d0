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
