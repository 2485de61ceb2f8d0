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
      inbox.take { _ in Issue.record("nothing is left out") }
      told.withLock { $0.append(1) }
    }
    inbox.bring { told.withLock { $0.append(2) } }
    inbox.take { _ in Issue.record("nothing is left out") }
    #expect(inbox.hasMessages)
    inbox.take { _ in }
    #expect(told.withLock { $0 } == [1, 2, 3])
    #expect(!inbox.hasMessages)
  }

  /// An idle session looks only where it is woken: a watch finds its new value while the session tells.
  @Test func whatComesWhileMessagesAreToldWakesTheSession() {
    let wakes = Mutex(0)
    let inbox = SessionInbox { wakes.withLock { $0 += 1 } }
    inbox.take { _ in }
    inbox.bring {}
    #expect(wakes.withLock { $0 } == 0)
    inbox.bring { inbox.bring {} }
    inbox.take { _ in }
    #expect(wakes.withLock { $0 } == 1)
  }

  /// Whatever is left out, the newest line of each watch is told, and how many are not stands where they would.
  @Test func theNewestOfEachWatchIsTold() {
    let told = Mutex<[Int]>([])
    let inbox = SessionInbox(wake: {})
    inbox.rest()
    for number in 1...700 {
      for watch in 1...2 { inbox.bring(by: number, of: watch) { told.withLock { $0.append(number) } } }
    }
    for _ in 0..<5 { inbox.bring { Issue.record("there was no room") } }
    inbox.take { leftOut in told.withLock { $0.append(-leftOut) } }
    #expect(told.withLock { $0 } == (1...499).flatMap { [$0, $0] } + [-405, 700, 700])
    // Then there is room again.
    inbox.bring(by: 701, of: 1) { told.withLock { $0.append(701) } }
    inbox.take { _ in Issue.record("nothing is left out") }
    #expect(told.withLock { $0.last } == 701)
  }

  /// A watch that comes when all is full already has a place for its newest.
  @Test func aWatchThatComesLateIsTold() {
    let told = Mutex<[Int]>([])
    let inbox = SessionInbox(wake: {})
    inbox.bring(1 << 20, by: 1, of: 1) { told.withLock { $0.append(1) } }
    for number in 2...9 { inbox.bring(by: number, of: 2) { told.withLock { $0.append(number) } } }
    inbox.take { leftOut in told.withLock { $0.append(-leftOut) } }
    #expect(told.withLock { $0 } == [1, -7, 9])
  }

  /// What a look brings is told among what others brought, in the order of the actions.
  @Test func whatALookBringsIsToldInOrder() {
    let told = Mutex<[String]>([])
    let inbox = SessionInbox(wake: {})
    inbox.take { _ in }
    @Sendable func bring(_ text: String, by number: Int?) {
      inbox.bring(by: number, of: 1) { told.withLock { $0.append(text) } }
    }
    bring("a1", by: 1)
    bring("note", by: nil)
    bring("a3", by: 3)
    inbox.lookSoon { for number in 1...4 { bring("b\(number)", by: number) } }
    inbox.take { _ in Issue.record("nothing is left out") }
    #expect(told.withLock { $0 } == ["a1", "note", "b1", "b2", "a3", "b3", "b4"])
    // Whoever asks for a look while one is taken gets another one.
    inbox.lookSoon {
      inbox.lookSoon { bring("again", by: 4) }
      bring("first", by: 4)
    }
    inbox.take { _ in }
    #expect(inbox.hasMessages && inbox.hasLook)
    inbox.take { _ in }
    #expect(!inbox.hasMessages && told.withLock { $0.suffix(2) } == ["first", "again"])
    // It is no idle session that brings them.
    inbox.lookSoon { for number in 5...3004 { bring("", by: number) } }
    inbox.take { _ in Issue.record("nothing is left out") }
    #expect(told.withLock { $0.count } == 3009)
  }
}
