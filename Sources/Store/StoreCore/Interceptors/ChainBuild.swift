/// The time in which an interceptor makes its function, and in which it may neither dispatch nor call `next`.
@usableFromInline
final class ChainBuild: Sendable {
  private struct Progress {
    var isDone = false
    var misuse: StoreError?
  }

  private let interceptor: String
  private let progress = Lock(Progress())

  init(_ interceptor: String) { self.interceptor = interceptor }

  /// Gives the error for a dispatch that comes too early, and notes that it came.
  func refuseDispatch() -> StoreError? { refuse(.dispatchWhileBuilding(interceptor: interceptor)) }

  /// Gives the error for a `next` that comes too early, and notes that it came.
  func refuseNext() -> StoreError? { refuse(.nextOutOfTurn(interceptor: interceptor)) }

  private func refuse(_ error: StoreError) -> StoreError? {
    progress.withLock { progress in
      if progress.isDone { return nil }
      progress.misuse = progress.misuse ?? error
      return error
    }
  }

  /// Ends it.
  ///
  /// - Returns: the error of a refusal, if there was one.
  func finish() -> StoreError? {
    progress.withLock { progress in
      progress.isDone = true
      return progress.misuse
    }
  }
}
