/// The inbox of a long-lived effect that is open.
final class OpenChannel: @unchecked Sendable {
  // Safe: used only on the thread that owns the store, and in the store's `deinit`, when there is none.
  private let accepts: (any Sendable) -> Bool
  private let put: (any Sendable) -> Void
  private let finish: () -> Void
  var pace = InboxPace.immediate
  /// The value that it was last told because the state says so.
  var lastBroadcast: EffectToken?
  private var windowEnd: Duration?
  private var timer: ScheduledTimer?

  init<Value: Sendable>(_ continuation: AsyncStream<Value>.Continuation) {
    accepts = { $0 is Value }
    put = { value in
      if let value = value as? Value { continuation.yield(value) }
    }
    finish = { continuation.finish() }
  }

  /// Puts a value into the inbox without waiting.
  ///
  /// - Returns: false: the inbox takes values of another type.
  func deliver(_ value: any Sendable) -> Bool {
    guard accepts(value) else { return false }
    put(value)
    return true
  }

  /// Puts a value into the inbox at its pace.
  ///
  /// - Returns: false: the inbox takes values of another type.
  func deliver(_ value: any Sendable, _ runtime: EffectRuntime) -> Bool {
    guard accepts(value) else { return false }
    let clock = runtime.clock
    switch pace {
    case .immediate: put(value)
    case .throttle(let window):
      let now = clock.now
      guard windowEnd.map({ $0 <= now }) ?? true else { return true }
      windowEnd = now + max(window, .zero)
      put(value)
    case .debounce(let quiet):
      timer?.cancel()
      timer = clock.schedule(after: quiet) { [self] in runtime.enqueue(Job { [self] in put(value) }) }
    }
    return true
  }

  func close() {
    timer?.cancel()
    timer = nil
    finish()
  }
}
