import StoreCore

/// Keeps what the units of a store emit, in order, from whatever thread, in place of the store's queue.
final class EmissionCollector<Action: Sendable>: Sendable {
  private struct Contents {
    var waiting: [Emission<Action>] = []
    var errors: [any Error] = []
    var isBuilt = false
    var isClosed = false
  }

  private let contents = Lock(Contents())

  /// The emissions that wait, the oldest first.
  var waiting: [Emission<Action>] { contents.withLock { $0.waiting } }

  /// Takes the oldest.
  func takeFirst() -> Emission<Action>? {
    contents.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  /// True once the store is made.
  var isBuilt: Bool { contents.withLock { $0.isBuilt } }

  /// Notes that the store is made.
  func finishBuilding() { contents.withLock { $0.isBuilt = true } }

  /// Notes an error that reached nobody who dispatched.
  func note(_ error: any Error) { contents.withLock { $0.errors.append(error) } }

  /// Takes those errors.
  func takeErrors() -> [any Error] {
    contents.withLock { contents in
      defer { contents.errors = [] }
      return contents.errors
    }
  }

  /// Notes what was emitted since the last call counts for (R30); 0: for itself.
  func settle(root: Int) {
    contents.withLock { contents in
      for index in contents.waiting.indices where contents.waiting[index].root == nil {
        contents.waiting[index].root = root
      }
    }
  }

  /// Keeps an action.
  ///
  /// - Parameters:
  ///   - unit: the unit that emits it.
  ///   - cause: the number of the action that causes it, where its source does not name one.
  ///   - onDone: is called once the action is done, or will not be processed any more.
  func collect(
    _ dispatched: DispatchedAction<Action>, from unit: String, cause: Int?,
    onDone: (@Sendable (DispatchResult) -> Void)? = nil
  ) {
    var source = dispatched.source
    if source.cause == nil { source.cause = cause }
    let emission = Emission(
      dispatched: DispatchedAction(dispatched.action, source: source), unit: unit, onDone: onDone)
    let isKept = contents.withLock { contents in
      if !contents.isClosed { contents.waiting.append(emission) }
      return !contents.isClosed
    }
    if !isKept { onDone?(.cancelled) }
  }

  /// Keeps nothing any more; who waits for an action is told that it will not be processed.
  func close() {
    let left = contents.withLock { contents in
      defer { contents.waiting = [] }
      contents.isClosed = true
      return contents.waiting
    }
    for emission in left { emission.onDone?(.cancelled) }
  }
}
