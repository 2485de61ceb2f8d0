import ShellLanguage
import StoreCore
import StoreSchema
import StoreShell
import Synchronization

/// The interruption of what a conversation runs, from any thread.
final class DoorInterruption: Sendable {
  /// The end of all that runs and would run.
  let stop = RunStop(polled: false)
  private let isWanted = Atomic<Bool>(false)
  private let state = Lock(State())

  private struct State {
    var handlers: [@Sendable () -> Void] = []
    var reason: ShellError?
  }

  /// True if what runs is to stop.
  var isRequested: Bool { isWanted.load(ordering: .relaxed) || stop.isStopped }

  /// Stops what runs, until that is taken.
  ///
  /// - Parameter reason: the error that it ends with; nil: the usual one.
  func request(_ reason: ShellError?) {
    let handlers = state.withLock { state in
      state.reason = reason
      return state.handlers
    }
    isWanted.store(true, ordering: .relaxed)
    for stop in handlers { stop() }
  }

  /// Takes a request.
  ///
  /// - Returns: true if there was one.
  func take() -> Bool { isWanted.exchange(false, ordering: .relaxed) || stop.isStopped }

  /// The error that what runs, or is about to, is to end with; nil: it goes on.
  var requested: ShellError? { isWanted.load(ordering: .relaxed) ? reason : nil }

  /// The error that what was stopped last ends with; nil: the usual one.
  var reason: ShellError? { state.withLock { $0.reason } }

  /// Sets the functions that stop the Lua that may be running.
  func set(_ handlers: [@Sendable () -> Void]) { state.withLock { $0.handlers = handlers } }
}

extension TestResult {
  /// The result of a step that an interruption ended, with the reason for that.
  func ended(by reason: ShellError) -> TestResult {
    guard case .failed(ErrorCode.interrupted.rawValue, _, _) = outcome else { return self }
    return TestResult(
      name: name, group: group, seconds: seconds,
      outcome: .failed(code: reason.code.rawValue, message: reason.message, details: reason.details))
  }
}
