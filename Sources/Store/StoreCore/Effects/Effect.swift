/// Work that an action starts after its commit: a description, which an ``EffectScope`` runs (R18). An effect is a list
/// of components, each with its own schedule; appending joins the lists.
///
/// The idea and most names come from SwiftRex's `Effect`, the schedule from its 1.x (rows 38 to 46, 70 and 71 of
/// <doc:Coverage>).
public struct Effect<Dependencies: Sendable, Output>: Sendable {
  let components: [Component]

  struct Component: Sendable {
    var schedule = EffectSchedule()
    let work: Work
  }

  enum Work: Sendable {
    /// Ends when it returns.
    case immediate(@Sendable (EffectContext<Dependencies, Output>) -> Void)
    /// Ends when it says so.
    case open(@Sendable (EffectContext<Dependencies, Output>) -> Void)
    /// Ends when it returns; begins at once or as a job of its own.
    case task(@Sendable (EffectContext<Dependencies, Output>) async -> Void, startsAtOnce: Bool = false)
    /// Ends when a step says so.
    case steps(@Sendable (EffectContext<Dependencies, Output>) -> any EffectSteps)
    /// Does something to other effects.
    case operation(EffectOperation<Output>)
  }

  init(components: [Component]) { self.components = components }

  init(_ work: Work) { components = [Component(work: work)] }

  // MARK: Composing

  /// Nothing at all.
  public static var none: Effect { Effect(components: []) }

  /// True if there is nothing to do.
  public var isNone: Bool { components.isEmpty }

  /// The components of this effect, then the components of another.
  public func appending(_ other: Effect) -> Effect { Effect(components: components + other.components) }

  /// The components of several effects.
  public static func compose(_ effects: Effect...) -> Effect { Effect(components: effects.flatMap(\.components)) }

  /// The same with every action that it emits mapped; schedules and sources stay (R13).
  public func map<Other>(_ transform: @escaping @Sendable (Output) -> Other) -> Effect<Dependencies, Other> {
    mapContext({ $0.mapped(transform) }, { $0.map(transform) })
  }

  /// The same where more is given than it needs.
  public func contramapDependencies<Other: Sendable>(
    _ transform: @escaping @Sendable (Other) -> Dependencies
  ) -> Effect<Other, Output> {
    mapContext({ $0.with(transform($0.dependencies)) }, { $0 })
  }

  private func mapContext<OtherDependencies, Other>(
    _ inner: @escaping @Sendable (EffectContext<OtherDependencies, Other>) -> EffectContext<Dependencies, Output>,
    _ operation: (EffectOperation<Output>) -> EffectOperation<Other>
  ) -> Effect<OtherDependencies, Other> {
    Effect<OtherDependencies, Other>(
      components: components.map { component in
        let work: Effect<OtherDependencies, Other>.Work =
          switch component.work {
          case .immediate(let body): .immediate { body(inner($0)) }
          case .open(let body): .open { body(inner($0)) }
          case .task(let body, let startsAtOnce): .task({ await body(inner($0)) }, startsAtOnce: startsAtOnce)
          case .steps(let begin): .steps { begin(inner($0)) }
          case .operation(let inside): .operation(operation(inside))
          }
        return Effect<OtherDependencies, Other>.Component(schedule: component.schedule, work: work)
      })
  }

  // MARK: Scheduling

  /// The same under a token: by it the effect can be cancelled, and a later one under it replaces it (R18).
  public func token(_ token: some Hashable & Sendable) -> Effect { arriving(.replacing, token) }

  /// The same after a wait; a negative one counts as none. The effect is registered, and can be cancelled, from the
  /// beginning.
  public func after(_ delay: Duration) -> Effect { scheduled { $0.delay = delay } }

  /// The same under a token, dropped while something runs under it.
  public func exclusive(_ token: some Hashable & Sendable) -> Effect { arriving(.exclusive, token) }

  /// The same under a token, once nothing more has arrived under it for a while: each arrival starts the wait again.
  public func debounce(_ token: some Hashable & Sendable, for quiet: Duration) -> Effect {
    arriving(.debounce(quiet), token)
  }

  /// The same under a token, at most once in a while: the first starts a window in which all others are dropped.
  public func throttle(_ token: some Hashable & Sendable, for window: Duration) -> Effect {
    arriving(.throttle(window), token)
  }

  private func arriving(_ arrival: EffectSchedule.Arrival, _ token: some Hashable & Sendable) -> Effect {
    let token = EffectToken(token)
    return scheduled {
      $0.token = token
      $0.arrival = arrival
    }
  }

  /// The same with the schedule of every component changed.
  public func scheduled(_ change: (inout EffectSchedule) -> Void) -> Effect {
    Effect(
      components: components.map { component in
        var component = component
        change(&component.schedule)
        return component
      })
  }
}

extension Effect where Dependencies == Void {
  /// The same where dependencies are given that it does not need.
  public func ignoringDependencies<Other: Sendable>(_ type: Other.Type = Other.self) -> Effect<Other, Output> {
    contramapDependencies { _ in }
  }
}
