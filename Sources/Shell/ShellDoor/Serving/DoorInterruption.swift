import CEvents
import Platform
import ShellLanguage
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import Synchronization

/// The interruption of what a conversation runs, from any thread.
final class DoorInterruption: Sendable {
  let stop = RunStop(polled: false)
  private let isWanted = Atomic<Bool>(false)
  private let hasLeft = Atomic<Bool>(false)
  private let state = Lock(State())

  private struct State {
    var handlers: [@Sendable () -> Void] = []
    /// Has a wait look whether it is to end.
    var wake: (@Sendable () -> Void)?
    var reason: ShellError?
    /// Readable while a wait is to end; -1: no wait has needed it.
    var descriptor: Int32 = -1
  }

  deinit { state.withLock { state in if state.descriptor >= 0 { close(state.descriptor) } } }

  /// Readable while what runs is to stop; -1: the system has no descriptor left.
  var descriptor: Int32 {
    state.withLock { state in
      if state.descriptor < 0 { state.descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
      if isOver { eventfd_write(state.descriptor, 1) }
      return state.descriptor
    }
  }

  /// True if a wait is to end.
  var isOver: Bool { isRequested || hasLeft.load(ordering: .relaxed) }

  /// True if what runs is to stop.
  var isRequested: Bool { isWanted.load(ordering: .relaxed) || stop.isStopped }

  /// Has waits end: the client has closed, and nobody hears how they end.
  func leave() {
    hasLeft.store(true, ordering: .relaxed)
    wake()
  }

  func end(_ reason: RunStop.Reason) {
    stop.stop(reason)
    wake()
  }

  private func wake() {
    let wake = state.withLock { state in
      if state.descriptor >= 0 { eventfd_write(state.descriptor, 1) }
      return state.wake
    }
    wake?()
  }

  /// True if the client has closed, as far as the loop has heard.
  var hasClientLeft: Bool { hasLeft.load(ordering: .relaxed) }

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
    wake()
  }

  /// Takes a request.
  ///
  /// - Returns: true if there was one.
  func take() -> Bool {
    let wasWanted = isWanted.exchange(false, ordering: .relaxed)
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      var count: eventfd_t = 0
      eventfd_read(state.descriptor, &count)
      // Another one may have come meanwhile.
      if isOver { eventfd_write(state.descriptor, 1) }
    }
    return wasWanted || stop.isStopped
  }

  /// The error that what runs, or is about to, is to end with; nil: it goes on.
  var requested: ShellError? { isWanted.load(ordering: .relaxed) ? reason : nil }

  /// The error that what was stopped last ends with; nil: the usual one.
  var reason: ShellError? { state.withLock { $0.reason } }

  /// Sets the function that has a wait look whether it is to end.
  func set(wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

  /// Sets the functions that stop the Lua that may be running.
  func set(_ handlers: [@Sendable () -> Void]) { state.withLock { $0.handlers = handlers } }
}

extension Conversation {
  /// The error that an interrupted statement ends with; nil: the usual one. All of its text ends with it, whatever the reason,
  /// as by Ctrl-C: no `try` excuses it, and nothing goes on.
  var ending: ShellError? {
    guard var reason = interruption.reason else { return nil }
    session?.options.keepsGoing = false
    reason.status = HostError.interrupted.status
    return reason
  }

  /// Tells the error of a text that was interrupted before it began, at its first statement.
  ///
  /// - Parameter line: the line of the statement that the text goes on with; nil: it begins with one.
  /// - Returns: the same for a report.
  func refuse(_ given: GivenText, goingOnFrom line: Int?, with error: ShellError) -> TestResult {
    let lines = given.text.split(omittingEmptySubsequences: false) { $0.isNewline }
    let first = lines.firstIndex { $0.contains { !$0.isWhitespace } && !$0.hasPrefix("#") } ?? 0
    // All statements of one -c have its number.
    let number = line ?? given.line + (given.file == "-c" ? 0 : first)
    let statement = Statement(unread: String(lines[first]), line: number)
    if given.isJSON {
      take(line: JSONReport.failure(error, in: statement, file: given.file ?? "door"), isEvent: false)
    } else {
      var renderer = ErrorRenderer(file: given.file, marks: given.usesStyles ? marks : .none)
      renderer.isUTF8 = given.isUTF8
      take(renderer.text(of: error, in: statement), .standardError)
    }
    return TestResult(
      name: "\(given.file ?? "door"):\(number): \(statement.text)", seconds: 0,
      outcome: .failed(code: error.code.rawValue, message: error.message, details: error.details))
  }
}

extension TestResult {
  /// The result of a step that an interruption ended, with the reason for that.
  func ended(by reason: ShellError) -> TestResult {
    guard case .failed(ErrorCode.interrupted.rawValue, _, _) = outcome else { return self }
    var result = TestResult(
      name: name, group: group, seconds: seconds,
      outcome: .failed(code: reason.code.rawValue, message: reason.message, details: reason.details))
    result.output = output
    return result
  }
}
