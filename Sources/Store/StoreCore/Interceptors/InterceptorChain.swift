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

  /// Takes an action through the chain.
  func run(_ action: Action, _ context: ActionContext, _ composition: Composition<Action, State>) -> Passage? {
    passage = Passage(action: action, context: context, composition: composition)
    defer { passage = nil }
    entrance(action)
    return passage
  }
}
