/// The functions that a store runs on each action. Any change makes a new composition, so that an action meets the same
/// composition from its first phase to its last.
@usableFromInline
package final class Composition<Action: Sendable, State: Sendable> {
  /// Gets what an ``ActionRecord`` has, in parts: one that is made of each action would count all that it holds.
  @usableFromInline package typealias Recorder = (
    Action, ActionContext, _ before: State, _ after: State, ActionRecord<Action, State>.Exception?
  ) -> Void
  /// Asks middlewares and collects their IO.
  @usableFromInline typealias Handle = (Action, ActionContext, inout [IO<Action>]) -> Void

  @usableFromInline let reduce: Reducer<Action, State>.Traced
  /// True for an action that the reducers may fail on and leave half done; nil: none.
  @usableFromInline let canFail: (@Sendable (Action) -> Bool)?
  /// Reduces the short way, where `hasPlain`.
  @usableFromInline let reducePlainly: Reducer<Action, State>.Plain
  @usableFromInline let hasPlain: Bool
  /// True if a reducer writes in place what the store's ``FormerStates`` can tell as it was.
  @usableFromInline let writesInPlace: Bool
  /// Asks all middlewares, in order.
  @usableFromInline let handle: Handle
  /// True if any middleware looks at actions. (Not an optional `handle`: a closure in an optional is called by way of a thunk
  /// that copies the context.)
  @usableFromInline let hasMiddleware: Bool
  /// True if a unit states effects that should run.
  @usableFromInline let supervises: Bool
  /// True if watchers are told of a change; nil: always.
  @usableFromInline let emits: (@Sendable (State, State) -> Bool)?
  /// Refuses what the reducers made of a state.
  @usableFromInline let check: CompositionParts<Action, State>.Check?
  @usableFromInline let recorder: Recorder?
  /// The watchers that are told; none under the emission policy `never`.
  @usableFromInline let watchers: [Unmanaged<Watcher<State>>]
  /// True if actions pass interceptors.
  @usableFromInline let isIntercepted: Bool
  /// True if somebody looks at commits: a recorder, a trace, watchers.
  @usableFromInline let isObserved: Bool
  /// The compositions for actions of one kind each, without the parts that take none of them; nil: kinds are not told apart.
  @usableFromInline let kinds: Unmanaged<KindTable<Action, Composition>>?
  // Safe to hold unmanaged above: kept here as long as the composition, which lives as long as it is used.
  private let keptWatchers: [Watcher<State>]
  private let keptKinds: KindTable<Action, Composition>?

  /// - Parameter action: what takes no action of the kind of this one is left out; nil: nothing is.
  init(
    _ parts: CompositionParts<Action, State>, trace: TracePoint, isIntercepted: Bool, forKindOf action: Action? = nil
  ) {
    let reducer = action.map(parts.reducer.narrowed(to:)) ?? parts.reducer
    reduce = reducer.traced
    canFail = reducer.isUndoing ? nil : reducer.canFail
    reducePlainly = reducer.plain ?? { _, _ in }
    hasPlain = reducer.plain != nil
    writesInPlace = reducer.writesInPlace
    var asked: [AttachedUnit<Action, State>] = []
    for attached in parts.attached where attached.unit.looksAtActions {
      if action.flatMap({ attached.unit.takesKind?($0) }) ?? true { asked.append(attached) }
    }
    let handle = Composition.chain(asked)
    // Not `??`, which would call either by way of a thunk. Intercepted actions are taken up by the interceptors.
    if trace.isMeasuring, !isIntercepted {
      self.handle = Composition.taking(trace, then: handle)
    } else {
      self.handle = handle
    }
    hasMiddleware = !asked.isEmpty || trace.isMeasuring
    supervises = parts.supervises
    check = parts.check
    recorder = parts.recorder
    self.isIntercepted = isIntercepted
    switch parts.emission.decide {
    case .when(let predicate): emits = predicate
    // A part that differs makes the states differ, so nobody would be told of equal ones anyway.
    case .whenDifferent(let predicate): emits = parts.watchers.allSatisfy(\.comparesParts) ? nil : predicate
    case .always, .never: emits = nil
    }
    if case .never = parts.emission.decide {
      keptWatchers = []
    } else {
      keptWatchers = parts.watchers
    }
    watchers = keptWatchers.map { Unmanaged.passUnretained($0) }
    isObserved = trace.isOn || check != nil || recorder != nil || !keptWatchers.isEmpty
    keptKinds =
      action != nil
      ? nil
      : parts.kind.map { kind in
        KindTable(kind) { Composition(parts, trace: trace, isIntercepted: isIntercepted, forKindOf: $0) }
      }
    kinds = keptKinds.map { Unmanaged.passUnretained($0) }
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

  /// True if nobody but the reducer looks at actions and states, so that its short way will do.
  var isPlain: Bool { hasPlain && !isObserved && !hasMiddleware && !supervises && !isIntercepted }
}

@usableFromInline
struct CompositionParts<Action: Sendable, State: Sendable> {
  @usableFromInline var reducer: Reducer<Action, State>
  @usableFromInline var emission: EmissionPolicy<State>
  @usableFromInline var attached: [AttachedUnit<Action, State>] = [] {
    didSet {
      supervising = []
      for unit in attached where !unit.supervision.isEmpty { supervising.append(unit.supervision) }
    }
  }
  /// What the units state should be running, of those that state something.
  @usableFromInline private(set) var supervising: [Supervision<Action>] = []
  /// Throws where what the reducers made of a state cannot stand.
  @usableFromInline typealias Check = (Action, _ before: State, _ after: State) throws -> Void
  var check: Check?
  var recorder: Composition<Action, State>.Recorder?
  var watchers: [Watcher<State>] = []
  /// Tells kinds of actions apart; nil: all parts are asked about each action.
  var kind: (@Sendable (Action) -> ActionKind)?

  @usableFromInline
  init(reducer: Reducer<Action, State>, emission: EmissionPolicy<State>) {
    self.reducer = reducer
    self.emission = emission
  }

  @usableFromInline var supervises: Bool { !supervising.isEmpty }

  @usableFromInline
  func composition(trace: TracePoint, isIntercepted: Bool) -> Composition<Action, State> {
    let parts = trace.isMeasuring ? measured(by: trace) : self
    return Composition(parts, trace: trace, isIntercepted: isIntercepted)
  }
}

@usableFromInline
struct AttachedUnit<Action: Sendable, State: Sendable> {
  @usableFromInline let unit: MiddlewareUnit<Action, Action, State>
  @usableFromInline let effects: UnitEffects
  /// The effects that it states should run.
  @usableFromInline let supervision: Supervision<Action>
  /// Asks the unit and collects its IO.
  @usableFromInline let ask: Composition<Action, State>.Handle

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

extension Store {
  /// Has an action processed as one of a root, as if that root's drain were still on. Test stores keep back the output
  /// of units, and enqueue it later.
  ///
  /// - Parameter root: the number of the root; 0: the action is its own.
  package func dispatch(_ dispatched: DispatchedAction<Action>, root: Int) -> DispatchResult {
    guard root != 0, ownership.tryAcquire() else { return dispatch(dispatched) }
    if ownership.hasIncoming { acceptIncoming() }
    drainStart = root
    let number = append(dispatched.action, dispatched.source, root: root)
    let result = finish(nil, of: number)
    leave()
    return result
  }
}
