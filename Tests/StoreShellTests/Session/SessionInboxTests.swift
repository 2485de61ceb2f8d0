import Synchronization
import Testing

@testable import StoreShell

@Suite struct SessionInboxTests {
  /// A message is told by writing, before which the session looks again.
  @Test func whatComesWhileMessagesAreToldIsToldBehindThem() {
    let told = Mutex<[Int]>([])
    let inbox = SessionInbox(wake: {})
    inbox.bring {
      inbox.bring { told.withLock { $0.append(3) } }
      #expect(inbox.take() == 0)
      told.withLock { $0.append(1) }
    }
    inbox.bring { told.withLock { $0.append(2) } }
    #expect(inbox.take() == 0)
    #expect(inbox.hasMessages)
    _ = inbox.take()
    #expect(told.withLock { $0 } == [1, 2, 3])
    #expect(!inbox.hasMessages)
  }

  /// An idle session looks only where it is woken: a watch finds its new value while the session tells.
  @Test func whatComesWhileMessagesAreToldWakesTheSession() {
    let wakes = Mutex(0)
    let inbox = SessionInbox { wakes.withLock { $0 += 1 } }
    _ = inbox.take()
    inbox.bring {}
    #expect(wakes.withLock { $0 } == 0)
    inbox.bring { inbox.bring {} }
    _ = inbox.take()
    #expect(wakes.withLock { $0 } == 1)
  }
}
