/// A store's interceptors, the outermost first, and the action on its way through them. Actions are never nested (R1), so
/// that there is at most one.
@usableFromInline
final class InterceptorChain<Action: Sendable, State: Sendable> {
  /// The way of one action through the chain.
  struct Passage {
    let action: Action
    let context: ActionContext
    /// The composition that processes it: an action meets only one, whatever is replaced meanwhile.
    let composition: Composition<Action, State>
    var failure: (any Error)?
  }

  private(set) var attached: [AttachedInterceptor<Action, State>] = []
  private var entrance: (Action) -> Void = { _ in }
  var passage: Passage?
  /// The interceptor that makes its function at present.
  @usableFromInline var build: ChainBuild?
  /// The links that replace the present ones once the action on its way is done.
  var successors: [AttachedInterceptor<Action, State>]?

  @usableFromInline
  init() {}

  var isEmpty: Bool { attached.isEmpty }

  /// The links that the next action meets.
  var latest: [AttachedInterceptor<Action, State>] { successors ?? attached }

  /// Puts a chain together from links, the outermost first.
  ///
  /// - Parameters:
  ///   - enter: takes an action through one link.
  ///   - core: processes what passed all links.
  func link(
    _ links: [AttachedInterceptor<Action, State>],
    enter: @escaping (AttachedInterceptor<Action, State>, Action) -> Void, core: @escaping (Action) -> Void
  ) {
    attached = links
    entrance = links.reversed().reduce(core) { following, link in
      link.link(to: following)
      return { action in enter(link, action) }
    }
  }

  func run(_ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>) -> Passage? {
    passage = Passage(action: action, context: context, composition: composition)
    defer { passage = nil }
    entrance(action)
    return passage
  }
}

/// An interceptor that has been attached to a store: one link of its chain.
@usableFromInline
final class AttachedInterceptor<Action: Sendable, State: Sendable> {
  /// The progress with the action on its way.
  private enum Progress {
    case idle
    case entered
    case passed
  }

  let interceptor: Interceptor<Action, State>
  /// The effects that run on its behalf.
  let effects: UnitEffects
  private var body: (Action) -> Void = { _ in }
  private var following: (Action) -> Void = { _ in }
  private var progress = Progress.idle
  /// Leads a `next` to the link, which an interceptor may keep for longer.
  private let lease = Lease<AttachedInterceptor>()

  init(_ interceptor: Interceptor<Action, State>, _ effects: UnitEffects) {
    self.interceptor = interceptor
    self.effects = effects
    lease.begin(self)
  }

  deinit { lease.end() }

  /// Builds the interceptor's function.
  ///
  /// - Parameter misuse: is told of a `next` that is called out of turn.
  func build(
    _ attachment: Interceptor<Action, State>.Attachment, misuse: @escaping @Sendable (StoreError) -> Void
  ) {
    let name = interceptor.name
    body = interceptor.attach(attachment)({ [lease] action in
      guard let link = lease.object, link.progress == .entered else {
        return misuse(.nextOutOfTurn(interceptor: name))
      }
      link.progress = .passed
      link.following(action)
    })
  }

  /// Sets what `next` leads to.
  func link(to following: @escaping (Action) -> Void) { self.following = following }

  /// Takes an action through.
  ///
  /// - Returns: true if it was passed on.
  func enter(_ action: Action) -> Bool {
    progress = .entered
    body(action)
    defer { progress = .idle }
    return progress == .passed
  }
}

/// The time in which an interceptor makes its function, and in which it may neither dispatch nor call `next`.
@usableFromInline
final class ChainBuild: Sendable {
  private struct Progress {
    var isDone = false
    var misuse: StoreError?
  }

  private let interceptor: String
  private let progress = Lock(Progress())

  init(_ interceptor: String) { self.interceptor = interceptor }

  /// Gives the error for a dispatch that comes too early, and notes that it came.
  func refuseDispatch() -> StoreError? { refuse(.dispatchWhileBuilding(interceptor: interceptor)) }

  /// Gives the error for a `next` that comes too early, and notes that it came.
  func refuseNext() -> StoreError? { refuse(.nextOutOfTurn(interceptor: interceptor)) }

  private func refuse(_ error: StoreError) -> StoreError? {
    progress.withLock { progress in
      if progress.isDone { return nil }
      progress.misuse = progress.misuse ?? error
      return error
    }
  }

  /// Ends it.
  ///
  /// - Returns: the error of a refusal, if there was one.
  func finish() -> StoreError? {
    progress.withLock { progress in
      progress.isDone = true
      return progress.misuse
    }
  }
}

extension Store {
  /// Replaces the interceptors from the next action on, the outermost first (R5). An interceptor that stays, by
  /// identity, stays attached and keeps its content.
  ///
  /// - Throws: ``StoreError/duplicateUnit(name:)``, ``StoreError/dispatchWhileBuilding(interceptor:)``; the chain is then
  ///   as before, and nothing was recorded.
  public func replaceInterceptors(_ interceptors: [Interceptor<Action, State>]) throws(StoreError) {
    let result = exclusively { () -> Result<Void, StoreError> in
      do throws(StoreError) {
        let links = try attach(interceptors)
        if chain.passage == nil { link(links) } else { succeed(links) }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// The interceptors, the outermost first.
  public var interceptors: [Interceptor<Action, State>] { visit { chain.latest.map(\.interceptor) } }

  private func link(_ links: [AttachedInterceptor<Action, State>]) {
    for old in chain.attached where !links.contains(where: { $0 === old }) { old.effects.close() }
    chain.link(
      // Safe: the links call these while the store processes an action, and so is there.
      links, enter: { [unowned(unsafe) self] link, action in enter(link, action) },
      core: { [unowned(unsafe) self] action in passThrough(action) })
    recompose()
  }

  /// Has other links take over once the action on its way is done.
  private func succeed(_ links: [AttachedInterceptor<Action, State>]) {
    // The interceptors that were to take over, and now never will.
    for old in chain.latest where !(chain.attached + links).contains(where: { $0 === old }) { old.effects.close() }
    chain.successors = links
  }

  private func attach(
    _ interceptors: [Interceptor<Action, State>]
  ) throws(StoreError) -> [AttachedInterceptor<Action, State>] {
    var names = Set<String>()
    for interceptor in interceptors where !names.insert(interceptor.name).inserted {
      throw .duplicateUnit(name: interceptor.name)
    }
    let present = chain.latest
    var links: [AttachedInterceptor<Action, State>] = []
    var added: [AttachedInterceptor<Action, State>] = []
    for interceptor in interceptors {
      if let link = present.first(where: { $0.interceptor === interceptor }) {
        links.append(link)
        continue
      }
      let link = AttachedInterceptor(interceptor, UnitEffects(unit: interceptor.name, runtime: effectRuntime))
      links.append(link)
      added.append(link)
      do {
        try build(link)
      } catch {
        // The effects that they started while they were built go with them.
        for link in added { link.effects.close() }
        throw error
      }
    }
    return links
  }

  private func build(_ link: AttachedInterceptor<Action, State>) throws(StoreError) {
    let interceptor = link.interceptor
    let build = ChainBuild(interceptor.name)
    let outer = chain.build
    chain.build = build
    defer { chain.build = outer }
    let handler = ActionHandler<Action> { [owner] dispatched in
      if build.refuseDispatch() == nil { owner.withStore { _ = $0.dispatch(dispatched) } }
    }
    let reader = StateReader<State> { [owner] in owner.state }
    let attachment = Interceptor<Action, State>.Attachment(
      output: handler, state: reader, effects: EffectScope(link.effects),
      context: { [owner] in owner.isMine ? owner.withStore { $0.chain.passage?.context } ?? nil : nil },
      outputOfAction: { [owner] context in
        owner.withStore { $0.output(of: context.number, root: context.root) } ?? ActionHandler { _ in }
      },
      wait: { [owner] dispatched, root in
        guard let (store, keeper) = owner.held() else {
          return DispatchResult(number: nil, outcome: .stopped(.cancelled))
        }
        defer { withExtendedLifetime(keeper) {} }
        return await store.dispatchAndWait(dispatched, root: root)
      })
    link.build(attachment) { [owner] error in
      if build.refuseNext() == nil { owner.withStore { $0.noteMisuse(error) } }
    }
    if let misuse = build.finish() { throw misuse }
  }

  /// Takes one action through all interceptors, and through the phases if they let it.
  ///
  /// - Returns: the error that kept it from being committed, if there was one.
  @usableFromInline
  func intercept(
    _ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>
  ) -> (any Error)? {
    if trace.isOn { trace.taken(context.number) }
    let passage = chain.run(action, context, composition)
    if let links = chain.successors {
      chain.successors = nil
      link(links)
    }
    return passage?.failure
  }

  private func enter(_ link: AttachedInterceptor<Action, State>, _ action: Action) {
    let name = link.interceptor.name
    let number = processing
    if trace.isOn { trace.report(.before(number: number, unit: name, state: current)) }
    trace.begin(.intercept, number: number, unit: name)
    if !link.enter(action) { drop(action, by: name) }
    trace.end(.intercept, number: number, unit: name)
    if trace.isOn { trace.report(.after(number: number, unit: name, state: current)) }
  }

  private func drop(_ action: Action, by name: String) {
    guard let passage = chain.passage else { return }
    chain.passage?.failure = ActionDropped(interceptor: name)
    if trace.isOn { trace.report(.dropped(what: passage.context.number, reason: "taken by \(name)")) }
    passage.composition.recorder?(
      action, passage.context, current, current, .of(original: replaced(passage.action, by: action), droppedBy: name))
  }

  /// Processes what passed all interceptors.
  private func passThrough(_ action: Action) {
    guard let passage = chain.passage else { return }
    let part = passage.composition.kinds?.takeUnretainedValue().part(for: action)
    let failure = run(action, passage.context, part?.takeUnretainedValue() ?? passage.composition)
    if let failure { chain.passage?.failure = failure }
  }

  /// The action as it was dispatched, where the one that goes on is another.
  @usableFromInline
  func originalOfPassage(_ action: Action) -> Action? {
    guard let passage = chain.passage else { return nil }
    return replaced(passage.action, by: action)
  }

  private func replaced(_ original: Action, by action: Action) -> Action? {
    func isSame<Known: Equatable>(_ original: Known) -> Bool { original == action as? Known }
    guard let known = original as? any Equatable, !isSame(known) else { return nil }
    return original
  }

  /// A `next` out of turn is an error of the action on its way, if there is one, else of nobody who waits.
  private func noteMisuse(_ error: StoreError) {
    if ownership.isMine, chain.passage != nil {
      chain.passage?.failure = error
    } else {
      later(Job { [owner] in owner.withStore { $0.onLateError?(error) } })
    }
  }
}

/// An interceptor did not pass an action on.
@usableFromInline
struct ActionDropped: Error {
  @usableFromInline let interceptor: String
}
