import Synchronization

/// Keeps a watcher told until it is cancelled or released.
public final class Subscription: Sendable {
  private let onCancel: @Sendable () -> Void

  /// A subscription that ends by a closure, which must bear being called twice.
  public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

  /// Ends it; the watcher is not told again.
  public func cancel() { onCancel() }

  deinit { onCancel() }
}

/// Somebody who is told of commits, in the order of registration (R11).
@usableFromInline
final class Watcher<State>: @unchecked Sendable {
  // Safe: `tell` is called only by the thread that owns the store; the flag may fall on any thread.
  @usableFromInline let active = Atomic<Bool>(true)
  /// The name in spans.
  let name: String
  /// True if it is told nothing of states that are equal.
  let comparesParts: Bool
  @usableFromInline let tell: (_ before: State, _ now: State, ActionContext) -> Void

  init(name: String, comparesParts: Bool = false, tell: @escaping (State, State, ActionContext) -> Void) {
    self.name = name
    self.comparesParts = comparesParts
    self.tell = tell
  }

  /// Tells the watcher, unless it was cancelled.
  @inlinable
  @inline(never)
  func notify(_ before: State, _ now: State, _ context: ActionContext) {
    if isActive { tell(before, now, context) }
  }

  @inlinable
  var isActive: Bool { active.load(ordering: .relaxed) }

  func deactivate() { active.store(false, ordering: .relaxed) }
}

/// A notification of a watcher.
public struct Notification<Part> {
  /// The part before; nil when this is the first notification.
  public let old: Part?
  /// The part now.
  public let new: Part
  /// The action that was committed; nil when this is the first notification.
  public let context: ActionContext?

  @inlinable
  init(old: Part?, new: Part, context: ActionContext?) {
    self.old = old
    self.new = new
    self.context = context
  }
}

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
      // In a store that was closed there is nothing to tell of later.
      if !isClosed {
        parts.watchers.append(watcher)
        recompose()
      }
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

extension Store {
  /// Tells a watcher of the state together with the action that led to it. Both come from one commit, so that they
  /// cannot slip against each other. Otherwise as ``watch(_:_:)``.
  ///
  /// A projection has no such watcher: actions are mapped into a store and not out of it.
  ///
  /// - Parameters:
  ///   - name: the name in traces.
  ///   - onChange: gets the action that was committed; nil where no action led to the state: in the first notification, and
  ///     in that of a replay.
  public func watchWithAction(
    _ name: String = "watcher", _ onChange: @escaping @Sendable (Notification<State>, Action?) -> Void
  ) -> Subscription {
    let committed = noteCommittedActions()
    return watch(name) { onChange($0, $0.context.flatMap { _ in committed.action }) }
  }

  /// Tells a watcher of a part of the state, now and after every commit that changed it, together with the action that
  /// changed it.
  ///
  /// - Parameters:
  ///   - name: the name in traces.
  ///   - part: the watched value.
  ///   - onChange: gets the action that was committed; nil where no action led to the state: in the first notification, and
  ///     in that of a replay.
  public func watchWithAction<Part: Equatable & Sendable>(
    _ name: String, _ part: @escaping @Sendable (State) -> Part,
    _ onChange: @escaping @Sendable (Notification<Part>, Action?) -> Void
  ) -> Subscription {
    let committed = noteCommittedActions()
    return watch(name, part) { onChange($0, $0.context.flatMap { _ in committed.action }) }
  }

  /// Tells a watcher without a name of its own: `store.watchWithAction(\.count) { … }`.
  public func watchWithAction<Part: Equatable & Sendable>(
    _ part: @escaping @Sendable (State) -> Part, _ onChange: @escaping @Sendable (Notification<Part>, Action?) -> Void
  ) -> Subscription {
    watchWithAction("watcher", part, onChange)
  }

  private func noteCommittedActions() -> CommittedAction<Action> {
    visit {
      if let committed { return committed }
      let committed = CommittedAction<Action>()
      self.committed = committed
      return committed
    }
  }
}

/// The action of the commit that watchers are told of at this moment.
@usableFromInline
final class CommittedAction<Action>: @unchecked Sendable {
  // Safe: read and written only by the thread that owns the store, around the notifications of a commit and in them.
  @exclusivity(unchecked) @usableFromInline var action: Action?
}
