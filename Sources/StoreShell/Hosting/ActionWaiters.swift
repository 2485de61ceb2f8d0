import StoreCore
import StorePlugins
import Synchronization

/// Tasks that wait for an action.
final class ActionWaiters: Sendable {
  private let waiting = Mutex<[ActionWaiter]>([])
  private let count = Atomic<Int>(0)

  /// Waits for the next action of a type.
  ///
  /// - Returns: the action; nil: the time was over before, or the task was cancelled.
  func wait(for type: ActionType, timeout: Duration?, _ clock: any StoreClock) async -> ActionCall? {
    let waiter = ActionWaiter(type)
    waiting.withLock { $0.append(waiter) }
    count.add(1, ordering: .relaxed)
    defer {
      waiting.withLock { $0.removeAll { $0 === waiter } }
      count.subtract(1, ordering: .relaxed)
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard waiter.lieDown(continuation) else { return continuation.resume(returning: nil) }
        if let timeout { waiter.keep(clock.schedule(after: timeout) { waiter.rise(nil) }) }
      }
    } onCancel: {
      waiter.rise(nil)
    }
  }

  /// Wakes those that wait for an action.
  func tell(_ call: ActionCall) {
    guard count.load(ordering: .relaxed) > 0 else { return }
    // By name: the plugin that declares the action may have been reloaded meanwhile.
    for waiter in waiting.withLock({ $0 }) where waiter.type.fullName == call.type.fullName { waiter.rise(call) }
  }
}

/// A task that waits for an action, for the end of its time or for its cancellation, whichever comes first.
private final class ActionWaiter: Sendable {
  private struct State {
    var continuation: CheckedContinuation<ActionCall?, Never>?
    var timer: ScheduledTimer?
    var isUp = false
  }

  let type: ActionType
  private let state = Mutex(State())

  init(_ type: ActionType) { self.type = type }

  /// - Returns: false: it was woken before it lay down.
  func lieDown(_ continuation: CheckedContinuation<ActionCall?, Never>) -> Bool {
    state.withLock { state in
      guard !state.isUp else { return false }
      state.continuation = continuation
      return true
    }
  }

  func keep(_ timer: ScheduledTimer) {
    let isUp = state.withLock { state in
      if !state.isUp { state.timer = timer }
      return state.isUp
    }
    if isUp { timer.cancel() }
  }

  func rise(_ call: ActionCall?) {
    let (continuation, timer) = state.withLock { state in
      defer { state = State(continuation: nil, timer: nil, isUp: true) }
      return (state.continuation, state.timer)
    }
    timer?.cancel()
    continuation?.resume(returning: call)
  }
}
