/// A store's interceptors, the outermost first, and the action on its way through them. Actions are never nested (R1), so
/// that there is at most one.
@usableFromInline
final class InterceptorChain<Action: Sendable, State: Sendable> {
  /// What becomes of one action.
  struct Passage {
    let action: Action
    let context: ActionContext
    var failure: (any Error)?
    /// What reached the reducers, if anything did.
    var reached: Action?
  }

  private(set) var attached: [AttachedInterceptor<Action, State>] = []
  private var entrance: (Action) -> Void = { _ in }
  var passage: Passage?

  @usableFromInline
  init() {}

  var isEmpty: Bool { attached.isEmpty }

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

  /// Takes an action through the chain.
  func run(_ action: Action, _ context: ActionContext) -> Passage? {
    passage = Passage(action: action, context: context)
    defer { passage = nil }
    entrance(action)
    return passage
  }
}
