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
struct Watcher<State> {
  @usableFromInline let id: Int
  @usableFromInline let tell: (State, ActionContext) -> Void

  @usableFromInline
  init(id: Int, tell: @escaping (State, ActionContext) -> Void) {
    self.id = id
    self.tell = tell
  }
}

/// One notification of a watcher.
public struct Notification<Part> {
  /// The part before; nil when this is the first notification.
  public let old: Part?
  /// The part now.
  public let new: Part
  /// The action that was committed; nil when this is the first notification.
  public let context: ActionContext?
}
