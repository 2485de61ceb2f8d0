import StoreCore
import Synchronization
import Testing

@testable import GatedMiddlewareSamples

@Suite struct GatedMiddlewareTests {
  private func run(
    _ actions: [AppAction],
    in middleware: (@escaping @Sendable () -> Void) -> Middleware<AppAction, AppAction, AppState>
  ) throws -> (handled: Int, received: [AppAction]) {
    let handled = Counter()
    let store = try Store(
      initial: AppState(), reducer: enabling, middleware: middleware { handled.count.add(1, ordering: .relaxed) })
    let received = Mutex<[AppAction]>([])
    let watching = store.watchWithAction("received") { _, _ in }
    store.setRecorder { record in received.withLock { $0.append(record.action) } }
    for action in actions { store.dispatch(action) }
    withExtendedLifetime(watching) {}
    return (handled.count.load(ordering: .relaxed), received.withLock { $0 })
  }

  private final class Counter: Sendable { let count = Atomic(0) }

  @Test func byActionControlIsAlwaysHandled() throws {
    let actions: [AppAction] = [
      .somethingElse, .toggleSampleMiddleware(false), .somethingElse, .toggleSampleMiddleware(true),
    ]
    let (handled, received) = try run(actions, in: gatedByAction)
    #expect(handled == 4)
    #expect(received == [actions[0], .oneMore] + actions[1...])
  }

  @Test func byStateNothingIsHandledWhileShut() throws {
    let actions: [AppAction] = [
      .somethingElse, .toggleSampleMiddleware(false), .somethingElse, .toggleSampleMiddleware(true),
    ]
    let (handled, received) = try run(actions, in: gatedByState)
    #expect(handled == 3)
    #expect(received == [actions[0], .oneMore] + actions[1...])
  }
}
