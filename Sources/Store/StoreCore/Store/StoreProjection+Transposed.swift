extension StoreProjection {
  /// A view of the value in an optional, where there is one; nil where there is none.
  ///
  /// When the value goes away, the view goes on showing the last one that was read or watched through it. So a late
  /// reader has something to show. Its watchers are not told that the value went: watch the optional for that. Actions
  /// pass as before. The idea is SwiftRex's `transpose`.
  public func transposed<Wrapped: Sendable>() -> StoreProjection<Action, Wrapped>? where State == Wrapped? {
    guard let now = state else { return nil }
    let shown = LastShown(now)
    return projection(state: { shown.value(after: $0) })
  }
}

extension StoreProtocol {
  /// A view of the value in an optional, where there is one: see ``StoreProjection/transposed()``.
  public func transposed<Wrapped: Sendable>() -> StoreProjection<Action, Wrapped>? where State == Wrapped? {
    projection(state: { $0 }).transposed()
  }
}

/// The last value of an optional that was there.
private final class LastShown<Value: Sendable>: Sendable {
  private let last: Lock<Value>

  init(_ value: Value) { last = Lock(value) }

  func value(after latest: Value?) -> Value {
    last.withLock { last in
      if let latest { last = latest }
      return last
    }
  }
}
