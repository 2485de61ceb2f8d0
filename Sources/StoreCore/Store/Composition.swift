/// What a store does with each action. A change of any of it makes a new composition, so that an action meets one and the
/// same from its first phase to its last.
@usableFromInline
final class Composition<Action: Sendable, State: Sendable> {
  /// Asks middlewares and collects their IO.
  @usableFromInline typealias Handle = (Action, ActionContext, inout [IO<Action>]) -> Void

  @usableFromInline let reducer: Reducer<Action, State>
  /// Asks all middlewares, in order; nil: there are none.
  @usableFromInline let handle: Handle?
  @usableFromInline let emission: EmissionPolicy<State>
  @usableFromInline let recorder: ((ActionRecord<Action, State>) -> Void)?
  @usableFromInline let watchers: [Unmanaged<Watcher<State>>]
  /// Whether somebody looks at commits: a recorder, a trace, watchers.
  @usableFromInline let isObserved: Bool
  // Safe to hold unmanaged above: kept here as long as the composition, which lives as long as it is used.
  private let keptWatchers: [Watcher<State>]

  init(
    reducer: Reducer<Action, State>, handle: Handle?, emission: EmissionPolicy<State>,
    recorder: ((ActionRecord<Action, State>) -> Void)?, watchers: [Watcher<State>], isTraced: Bool
  ) {
    self.reducer = reducer
    self.handle = handle
    self.emission = emission
    self.recorder = recorder
    self.watchers = watchers.map { Unmanaged.passUnretained($0) }
    keptWatchers = watchers
    isObserved = isTraced || recorder != nil || !watchers.isEmpty
  }

  /// The reducer's short way, while nobody but the reducer looks at actions and states.
  var plain: Reducer<Action, State>.Plain? { isObserved || handle != nil ? nil : reducer.plain }
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

  @usableFromInline
  func composition(isTraced: Bool) -> Composition<Action, State> {
    // Closures that call the next ones: what a closure captures needs no reference counting when it is called.
    var handle: Composition<Action, State>.Handle?
    for ask in attached.map(\.ask) {
      guard let earlier = handle else {
        handle = ask
        continue
      }
      handle = { action, context, pending in
        earlier(action, context, &pending)
        ask(action, context, &pending)
      }
    }
    return Composition(
      reducer: reducer, handle: handle, emission: emission, recorder: recorder, watchers: watchers,
      isTraced: isTraced)
  }
}

/// A unit that has been attached to a store.
@usableFromInline
struct AttachedUnit<Action: Sendable, State: Sendable> {
  @usableFromInline let unit: MiddlewareUnit<Action, Action, State>
  /// Asks the unit and collects its IO.
  @usableFromInline let ask: Composition<Action, State>.Handle

  @inlinable
  init(unit: MiddlewareUnit<Action, Action, State>, ask: @escaping Composition<Action, State>.Handle) {
    self.unit = unit
    self.ask = ask
  }
}
