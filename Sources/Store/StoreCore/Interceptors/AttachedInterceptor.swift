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
