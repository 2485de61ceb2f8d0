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
      ActionRecord(
        action: action, context: passage.context, before: current, after: current, failure: nil,
        original: replaced(passage.action, by: action), droppedBy: name))
  }

  /// Processes what passed all interceptors.
  private func passThrough(_ action: Action) {
    guard let passage = chain.passage else { return }
    let failure = run(action, passage.context, passage.composition)
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
