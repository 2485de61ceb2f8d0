/// What is known of the action being processed, beside the action itself.
public struct ActionContext: Sendable {
  /// The action's sequence number in its store, from 1, in the order of enqueueing.
  public let number: Int
  /// Where the action comes from.
  public let source: ActionSource
  /// The time on the store's clock when the action was taken up; zero in a store without a clock.
  public let time: Duration
  /// The action's own cause and all that it caused share this number: the action that was dispatched from outside.
  public let root: Int

  /// What a store knew of an action, for one that is replayed or reduced outside a store.
  @inlinable
  public init(number: Int, source: ActionSource, time: Duration, root: Int) {
    self.number = number
    self.source = source
    self.time = time
    self.root = root
  }
}
