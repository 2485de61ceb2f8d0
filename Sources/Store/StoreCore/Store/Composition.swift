/// What a store does with each action. A change of any of it makes a new composition, so that an action meets one and the
/// same from its first phase to its last.
@usableFromInline
final class Composition<Action: Sendable, State: Sendable> {
  /// Asks middlewares and collects their IO.
  @usableFromInline typealias Handle = (Action, ActionContext, inout [IO<Action>]) -> Void

  @usableFromInline let reduce: Reducer<Action, State>.Traced
  /// Which actions the reducers may fail on and leave half done; nil: none.
  @usableFromInline let canFail: (@Sendable (Action) -> Bool)?
  /// Reduces the short way, where `hasPlain`.
  @usableFromInline let reducePlainly: Reducer<Action, State>.Plain
  @usableFromInline let hasPlain: Bool
  /// Asks all middlewares, in order.
  @usableFromInline let handle: Handle
  /// Whether there are any. (Not an optional `handle`: a closure in an optional is called by way of a thunk that copies the
  /// context.)
  @usableFromInline let hasMiddleware: Bool
  /// Whether a unit states what effects should run.
  @usableFromInline let supervises: Bool
  /// Whether watchers are told; nil: always.
  @usableFromInline let emits: (@Sendable (State, State) -> Bool)?
  @usableFromInline let recorder: ((ActionRecord<Action, State>) -> Void)?
  /// Those who are told; none where the emission policy is `never`.
  @usableFromInline let watchers: [Unmanaged<Watcher<State>>]
  /// Whether actions pass interceptors.
  @usableFromInline let isIntercepted: Bool
  /// Whether somebody looks at commits: a recorder, a trace, watchers.
  @usableFromInline let isObserved: Bool
  // Safe to hold unmanaged above: kept here as long as the composition, which lives as long as it is used.
  private let keptWatchers: [Watcher<State>]

  init(
    reducer: Reducer<Action, State>, attached: [AttachedUnit<Action, State>], emission: EmissionPolicy<State>,
    recorder: ((ActionRecord<Action, State>) -> Void)?, watchers: [Watcher<State>], trace: TracePoint,
    isIntercepted: Bool
  ) {
    reduce = reducer.traced
    canFail = reducer.isUndoing ? nil : reducer.canFail
    reducePlainly = reducer.plain ?? { _, _ in }
    hasPlain = reducer.plain != nil
    let handle = Composition.chain(attached)
    // Not `??`, which would call either by way of a thunk. What is intercepted is taken up by the interceptors.
    if trace.isMeasuring, !isIntercepted {
      self.handle = Composition.taking(trace, then: handle)
    } else {
      self.handle = handle
    }
    hasMiddleware = !attached.isEmpty || trace.isMeasuring
    supervises = attached.contains(where: \.supervises)
    self.recorder = recorder
    self.isIntercepted = isIntercepted
    switch emission.decide {
    case .when(let predicate): emits = predicate
    // A part that differs makes the states differ, so nobody would be told of equal ones anyway.
    case .whenDifferent(let predicate): emits = watchers.allSatisfy(\.comparesParts) ? nil : predicate
    case .always, .never: emits = nil
    }
    if case .never = emission.decide {
      keptWatchers = []
    } else {
      keptWatchers = watchers
    }
    self.watchers = keptWatchers.map { Unmanaged.passUnretained($0) }
    isObserved = trace.isOn || recorder != nil || !keptWatchers.isEmpty
  }

  // Closures that call the next ones: what a closure captures needs no reference counting when it is called.
  private static func chain(_ attached: [AttachedUnit<Action, State>]) -> Handle {
    guard var handle = attached.first?.ask else { return { _, _, _ in } }
    for unit in attached.dropFirst() {
      let (earlier, ask) = (handle, unit.ask)
      handle = { action, context, pending in
        earlier(action, context, &pending)
        ask(action, context, &pending)
      }
    }
    return handle
  }

  /// Whether nobody but the reducer looks at actions and states, so that its short way will do.
  var isPlain: Bool { hasPlain && !isObserved && !hasMiddleware && !isIntercepted }
}

/// What a composition is made of.
@usableFromInline
struct CompositionParts<Action: Sendable, State: Sendable> {
  @usableFromInline var reducer: Reducer<Action, State>
  @usableFromInline var emission: EmissionPolicy<State>
  @usableFromInline var attached: [AttachedUnit<Action, State>] = []
  var recorder: ((ActionRecord<Action, State>) -> Void)?
  var watchers: [Watcher<State>] = []

  @usableFromInline
  init(reducer: Reducer<Action, State>, emission: EmissionPolicy<State>) {
    self.reducer = reducer
    self.emission = emission
  }

  @usableFromInline var supervises: Bool { attached.contains(where: \.supervises) }

  @usableFromInline
  func composition(trace: TracePoint, isIntercepted: Bool) -> Composition<Action, State> {
    let parts = trace.isMeasuring ? measured(by: trace) : self
    return Composition(
      reducer: parts.reducer, attached: parts.attached, emission: parts.emission, recorder: parts.recorder,
      watchers: parts.watchers, trace: trace, isIntercepted: isIntercepted)
  }
}

/// A unit that has been attached to a store.
@usableFromInline
struct AttachedUnit<Action: Sendable, State: Sendable> {
  @usableFromInline let unit: MiddlewareUnit<Action, Action, State>
  /// What runs on its behalf.
  @usableFromInline let effects: UnitEffects
  /// What it states should run.
  @usableFromInline let supervision: Supervision<Action>
  /// Asks the unit and collects its IO.
  @usableFromInline let ask: Composition<Action, State>.Handle

  var supervises: Bool { !supervision.isEmpty }

  /// Stops its effects; the unit leaves the store, or the store goes.
  @usableFromInline
  func close() {
    supervision.close()
    effects.close()
  }

  @inlinable
  init(
    unit: MiddlewareUnit<Action, Action, State>, effects: UnitEffects, supervision: Supervision<Action>,
    ask: @escaping Composition<Action, State>.Handle
  ) {
    self.unit = unit
    self.effects = effects
    self.supervision = supervision
    self.ask = ask
  }
}
