extension Store {
  /// Tells a watcher of the state now and after every commit that the emission policy lets through (R10, R11).
  ///
  /// - Parameters:
  ///   - name: the name in traces.
  ///   - onChange: runs on the thread that processes actions, after the commit and before IO. The watcher may dispatch:
  ///     the action is enqueued.
  /// - Returns: the subscription; the watcher is told as long as it is kept.
  @inlinable
  public func watch(
    _ name: String = "watcher", _ onChange: @escaping @Sendable (Notification<State>) -> Void
  ) -> Subscription {
    let trace = trace
    return register(
      name,
      tell: { before, now, context in
        trace.report(.notified(number: context.number, watcher: name, value: now))
        onChange(Notification(old: before, new: now, context: context))
      },
      first: { state in
        trace.report(.notified(number: 0, watcher: name, value: state))
        onChange(Notification(old: nil, new: state, context: nil))
      })
  }

  /// Tells a watcher of a part of the state, now and after every commit that changed it (R26).
  @inlinable
  public func watch<Part: Equatable & Sendable>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription {
    watch(name, part, isDifferent: { $0 != $1 }, onChange)
  }

  /// Tells a watcher of a part of the state, now and after every commit after which it counts as different; `nil`: always.
  @inlinable
  public func watch<Part>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part, isDifferent: (@Sendable (Part, Part) -> Bool)?,
    _ onChange: @escaping @Sendable (Notification<Part>) -> Void
  ) -> Subscription {
    let trace = trace
    let last = LastPart<Part>()
    return register(
      name,
      tell: { _, now, context in
        let new = part(now)
        if let old = last.part, let isDifferent, !isDifferent(old, new) { return }
        let old = last.part
        last.part = new
        trace.report(.notified(number: context.number, watcher: name, value: new))
        onChange(Notification(old: old, new: new, context: context))
      },
      first: { state in
        let new = part(state)
        last.part = new
        trace.report(.notified(number: 0, watcher: name, value: new))
        onChange(Notification(old: nil, new: new, context: nil))
      })
  }

  /// Tells a listener of every commit that the emission policy lets through, at its place among the watchers (R11). Whom a commit
  /// concerns, and what traces hear of that, the listener says.
  package func listen(_ tell: @escaping (ActionContext) -> Void) -> Subscription {
    register("listener", comparesParts: true, tell: { _, _, context in tell(context) }, first: { _ in })
  }

  /// Adds a watcher behind the others and has it told of the state now.
  @usableFromInline
  func register(
    _ name: String, comparesParts: Bool = false, tell: @escaping (State, State, ActionContext) -> Void,
    first: (State) -> Void
  ) -> Subscription {
    let watcher = Watcher(name: name, comparesParts: comparesParts, tell: tell)
    visit {
      parts.watchers.append(watcher)
      recompose()
      first(current)
    }
    // The store alone keeps the watcher, so that what its closure holds goes when the store does.
    return Subscription { [owner, weak watcher] in
      guard let watcher, watcher.isActive else { return }
      watcher.deactivate()
      owner.withStore { store in
        store.visitLater(
          Job { [owner] in
            owner.withStore { store in
              store.parts.watchers.removeAll { !$0.isActive }
              store.recompose()
            }
          })
      }
    }
  }
}

/// The part that a watcher was last told of.
@usableFromInline
final class LastPart<Part> {
  @usableFromInline var part: Part?

  @inlinable
  init() {}
}
