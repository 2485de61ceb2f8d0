import Platform
import ShellLanguage
import StoreCore
import StoreHost
import Synchronization

/// Ends a run from outside, from any thread: the command that runs is cancelled, no other is started.
public final class RunStop: Sendable {
  /// Why a run ends early.
  public enum Reason: Hashable, Sendable {
    /// A signal of that number: the status is 128 more.
    case signal(Int32)
    /// The time that it was given is over: the status is 5.
    case timeOver(Duration)
    /// Nobody is there to answer any more, for a reason in words: the status is 6.
    case closed(String)
  }

  private struct State {
    var reason: Reason?
    var isInsistent = false
    var interrupts: [@Sendable () -> Void] = []
    var wake: @Sendable () -> Void = {}
    var awaitSignals: @Sendable () -> Void = {}
  }

  private let state = Lock(State())
  private let isSet = Atomic<Bool>(false)
  private let ends: Pipe?

  /// Nothing ends the run yet.
  public init() { ends = Pipe() }

  /// The same for a run that nobody polls for.
  package init(polled: Bool) { ends = polled ? Pipe() : nil }

  deinit { ends?.close() }

  /// Ends the run; a second reason only says that it is high time.
  public func stop(_ reason: Reason) {
    let interrupts = state.withLock { state in
      state.isInsistent = state.reason != nil
      if state.reason == nil { state.reason = reason }
      return state.interrupts + [state.wake]
    }
    isSet.store(true, ordering: .releasing)
    _ = write(ends?.write ?? -1, [1], 1)
    for interrupt in interrupts { interrupt() }
  }

  /// True if the run is to end.
  package var isStopped: Bool { isSet.load(ordering: .acquiring) }

  /// Sets the function that waits until the run has heard of each signal that has come. A signal may have ended a call of the system.
  package func setAwaitSignals(_ wait: @escaping @Sendable () -> Void) { state.withLock { $0.awaitSignals = wait } }

  /// Waits until the run has heard of each signal that has come.
  func awaitSignals() { state.withLock { $0.awaitSignals }() }

  /// True if it was to end before, and is told again.
  package var isInsistent: Bool { state.withLock { $0.isInsistent } }

  /// Readable once the run is to end.
  public var descriptor: Int32 { ends?.read ?? -1 }

  /// Sets the function that ends the wait for a line.
  package func setWake(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

  /// Sets the functions that stop the Lua that may be running.
  func setInterrupts(_ interrupts: [@Sendable () -> Void]) { state.withLock { $0.interrupts = interrupts } }

  private static func name(ofSignal number: Int32) -> String {
    switch number {
    case SIGINT: "SIGINT (Ctrl-C)"
    case SIGTERM: "SIGTERM"
    case SIGHUP: "SIGHUP"
    case SIGQUIT: "SIGQUIT"
    default: "signal \(number)"
    }
  }

  /// The error that a command ends with that was cancelled; nil: the run goes on.
  package var error: ShellError? {
    guard isStopped, let reason = state.withLock({ $0.reason }) else { return nil }
    switch reason {
    case .signal(let number):
      return ShellError(
        code: .interrupted, message: "stopped by \(RunStop.name(ofSignal: number))",
        status: 128 + number)
    case .timeOver(let time):
      return ShellError(
        code: .timedOut, message: "the run did not end within \(EffectListing.limit(time))", status: 5)
    case .closed(let reason): return ShellError(code: .connectionLost, message: reason, status: 6)
    }
  }
}
