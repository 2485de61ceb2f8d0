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
