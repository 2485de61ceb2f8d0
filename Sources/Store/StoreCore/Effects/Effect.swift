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

extension Effect where Output: Sendable {
  /// Emits an action.
  public static func just(
    _ action: Output, info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> Effect {
    Effect(.immediate { $0.send(action, info: info, file: file, function: function, line: line) })
  }

  /// Emits actions in order.
  public static func sequence(
    _ actions: [Output], info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> Effect {
    Effect(
      .immediate { context in
        for action in actions { context.send(action, info: info, file: file, function: function, line: line) }
      })
  }

  /// Emits actions in order.
  public static func sequence(
    _ actions: Output..., info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> Effect {
    sequence(actions, info: info, file: file, function: function, line: line)
  }
}

extension Effect {
  /// Emits the action that a closure makes when the effect runs.
  public static func just(
    info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line,
    _ action: @escaping @Sendable (EffectContext<Dependencies, Output>) -> Output
  ) -> Effect {
    Effect(.immediate { $0.send(action($0), info: info, file: file, function: function, line: line) })
  }

  /// Does something and emits nothing.
  public static func fireAndForget(
    _ body: @escaping @Sendable (EffectContext<Dependencies, Output>) -> Void
  ) -> Effect {
    Effect(.immediate(body))
  }

  /// Emits one action at some later time, for interfaces with callbacks.
  ///
  /// - Parameter body: hands the promise to whoever will fulfil it. A promise that nobody keeps any more has ended.
  public static func promise(
    _ body: @escaping @Sendable (EffectContext<Dependencies, Output>, EffectPromise<Output>) -> Void
  ) -> Effect {
    Effect(.open { context in body(context, EffectPromise(context)) })
  }

  /// Runs an asynchronous closure on the thread that owns the store, between two actions; it ends when the closure
  /// does. A loop that never waits, neither for the clock nor for anything outside, holds the store. A dispatch returns
  /// only once everything that can run has run.
  public static func run(
    _ body: @escaping @Sendable (EffectContext<Dependencies, Output>) async -> Void
  ) -> Effect {
    Effect(.task(body))
  }

  /// Runs an asynchronous closure as ``run(_:)`` does, but begins at once: up to where it first waits, it is part of what
  /// starts it.
  public static func runAtOnce(
    _ body: @escaping @Sendable (EffectContext<Dependencies, Output>) async -> Void
  ) -> Effect {
    Effect(.task(body, startsAtOnce: true))
  }

  /// Runs an asynchronous closure that may throw.
  ///
  /// - Parameter failure: the action that stands for an error; none is needed where the effect was cancelled.
  public static func run(
    _ body: @escaping @Sendable (EffectContext<Dependencies, Output>) async throws -> Void,
    failure: @escaping @Sendable (any Error) -> Output?, file: String = #fileID, function: String = #function,
    line: Int = #line
  ) -> Effect {
    Effect(
      .task { context in
        do {
          try await body(context)
        } catch {
          guard !context.isCancelled, let action = failure(error) else { return }
          context.send(action, file: file, function: function, line: line)
        }
      })
  }

  /// Emits an action for every element of an asynchronous sequence that cannot fail.
  public static func stream<Elements: AsyncSequence & SendableMetatype>(
    _ elements: @escaping @Sendable (EffectContext<Dependencies, Output>) async -> Elements, file: String = #fileID,
    function: String = #function, line: Int = #line,
    action: @escaping @Sendable (Elements.Element) -> Output?
  ) -> Effect where Elements.Failure == Never, Elements.AsyncIterator: SendableMetatype {
    Effect(
      .task { context in
        for await element in await elements(context) {
          if context.isCancelled { return }
          if let action = action(element) { context.send(action, file: file, function: function, line: line) }
        }
      })
  }

  /// Emits an action for every element of an asynchronous sequence, and one for the error that ends it.
  public static func stream<Elements: AsyncSequence & SendableMetatype>(
    _ elements: @escaping @Sendable (EffectContext<Dependencies, Output>) async throws -> Elements,
    file: String = #fileID, function: String = #function, line: Int = #line,
    action: @escaping @Sendable (Elements.Element) -> Output?, failure: @escaping @Sendable (any Error) -> Output?
  ) -> Effect where Elements.AsyncIterator: SendableMetatype {
    run(
      { context in
        for try await element in try await elements(context) {
          if context.isCancelled { return }
          if let action = action(element) { context.send(action, file: file, function: function, line: line) }
        }
      }, failure: failure, file: file, function: function, line: line)
  }

  /// Cancels what runs under a token; nothing happens where nothing does.
  public static func cancel(_ token: some Hashable & Sendable) -> Effect {
    Effect(.operation(.cancel(EffectToken(token))))
  }

  /// Opens a long-lived effect, as one that the unit's state calls for is opened; one that is open under its id is closed.
  public static func open(_ supervised: Supervised<Output>) -> Effect { Effect(.operation(.open(supervised))) }

  /// Closes a long-lived effect.
  public static func close(_ id: some Hashable & Sendable) -> Effect {
    Effect(.operation(.close(EffectToken(id))))
  }

  /// Puts a value into the inbox of a long-lived effect of the unit. If no effect is open under that id, or its inbox
  /// takes values of another type, the value is dropped and traces say so (`X`).
  public static func send(_ value: some Sendable, to id: some Hashable & Sendable) -> Effect {
    Effect(.operation(.send(EffectToken(id), value)))
  }
}

/// An operation of a component on other effects.
enum EffectOperation<Output>: Sendable {
  case cancel(EffectToken)
  case open(Supervised<Output>)
  case close(EffectToken)
  case send(EffectToken, any Sendable)

  func map<Other>(_ transform: @escaping @Sendable (Output) -> Other) -> EffectOperation<Other> {
    switch self {
    case .cancel(let token): .cancel(token)
    case .open(let supervised): .open(supervised.map(transform))
    case .close(let id): .close(id)
    case .send(let id, let value): .send(id, value)
    }
  }
}
