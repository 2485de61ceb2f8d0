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
}
