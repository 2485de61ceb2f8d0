import Dispatch
import StandardModules
import StoreCore
@testable import StoreHost
import Testing

import StoreShell

/// A store that its program and several sessions share (R34, R35).
@Suite struct SharedStoreTests {
  typealias Host = StoreHost<StandardAction, StandardState>

  static func host(onFault: (@Sendable (any Error) -> Void)? = nil) throws -> Host {
    try Host(
      Application(initial: StandardState(), reducer: StandardState.reducer), clock: VirtualClock(), program: "stsh",
      onFault: onFault)
  }

  static func shell(_ host: Host) throws -> Conversation { try Conversation(with: host) }

  // MARK: Sessions

  @Test func whatASessionHasIsItsOwn() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    one.say("let x = 5", "use tasks", "set output json")
    #expect(one.say("echo $x").output == "5\n")
    #expect(two.say("echo $x").errors.contains("unknown-variable"))
    #expect(two.say("show counter.value").output == "0\n")
    one.say("quit")
    #expect(one.session.hasQuit && !two.session.hasQuit)
  }

  @Test func whatASessionDispatchesAllSee() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    two.say("watch counter.value")
    one.say("dispatch counter.increment --quiet", "set emit always")
    #expect(two.say("show counter.value").output == "1\n")
    #expect(two.say("set emit").output.contains("always"))
    #expect(two.say("log").output.contains("counter.increment"))
  }

  /// What only its own Lua can look at a session looks at when it is attended to, and tells once.
  @Test func watchesInLuaFollowWhatOthersDo() throws {
    let host = try Self.host()
    let one = try Self.shell(host)
    one.say("watch $(state.counter.value * 2)", "watch tasks.items where not done")
    let isDone = DispatchSemaphore(value: 0)
    // A thread of its own: those of the pool may all be busy with other tests.
    DispatchQueue(label: "another").async {
      host.store.dispatch(.counter(.increment()))
      isDone.signal()
    }
    isDone.wait()
    #expect(one.say("echo a").errors == "[watch 1] $(state.counter.value * 2)  0 -> 2  (#1 counter.increment)\n")
    #expect(
      one.say("dispatch counter.increment --quiet", "echo b").errors
        == "[watch 1] $(state.counter.value * 2)  2 -> 4  (#2 counter.increment)\n")
    #expect(one.say("watch").output.contains("tasks.items where not done"))
  }

  /// A watch line belongs to the session that asked, and stands before its next answer.
  @Test func watchLinesGoToWhoAsked() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    one.say("watch counter.value")
    DispatchQueue.global().sync {
      host.store.dispatch(.counter(.increment()))
      host.store.dispatch(.counter(.increment()))
    }
    #expect(two.say("show counter.value").errors == "")
    let lines = one.say("show counter.value")
    #expect(
      lines.errors
        == "[watch 1] counter.value  0 -> 1  (#1 counter.increment)\n[watch 1] counter.value  1 -> 2  (#2 counter.increment)\n"
    )
    #expect(lines.output == "2\n")
  }

  @Test func onlyTheSessionThatGoesBackIsInThePast() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    one.say("dispatch counter.increment --quiet", "watch counter.value", "goto 0")
    #expect(two.say("dispatch counter.increment --quiet", "show counter.value").output == "2\n")
    host.store.dispatch(.counter(.increment()))
    let past = one.say("show counter.value")
    #expect(past.output == "0\n")
    #expect(past.errors.contains("2 -> 3"), "a watch is of the present")
    #expect(one.say("dispatch counter.increment").errors.contains("not-at-head"))
    #expect(one.say("goto head", "show counter.value").output == "at head (#3)\n3\n")
  }

  @Test func aSessionThatEndsLeavesTheStore() throws {
    let host = try Self.host()
    do {
      let one = try Self.shell(host)
      one.say("watch counter.value", "dispatch counter.increment --quiet")
      #expect(one.session.end() == 0)
    }
    #expect(host.live.clients.isEmpty)
    #expect(host.store.dispatch(.counter(.increment())).number == 2)
    #expect(host.store.state.counter.value == 2)
  }

  @Test func aVirtualClockMovesOnlyWhileAllWait() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    let isDone = Lock(false)
    let waiting = DispatchGroup()
    nonisolated(unsafe) let waiter = one
    DispatchQueue(label: "one").async(group: waiting) {
      waiter.say("wait 5s")
      isDone.withLock { $0 = true }
    }
    #expect(waiting.wait(timeout: .now() + .milliseconds(100)) == .timedOut)
    #expect(host.clock.now == .zero)
    two.say("wait 2s")
    #expect(host.clock.now == .seconds(2))
    #expect(!isDone.withLock { $0 })
    two.say("wait 3s")
    waiting.wait()
    #expect(host.clock.now == .seconds(5))
  }

  // MARK: The owner

  @Test func theHandleIsAStore() async throws {
    func use(_ store: some StoreProtocol<StandardAction, StandardState>) async -> [Int] {
      let seen = Lock<[Int]>([])
      let watching = store.watch("value", { $0.counter.value }) { change in seen.withLock { $0.append(change.new) } }
      store.dispatch(.counter(.increment(by: 2)))
      await store.dispatchAndWait(.counter(.increment()))
      let projection = store.projection(action: { (step: Int) in .counter(.increment(by: step)) }) { $0.counter.value }
      projection.dispatch(10)
      watching.cancel()
      var states = store.states().makeAsyncIterator()
      let first = await states.next()
      return seen.withLock { $0 } + [store.state.counter.value, first?.counter.value ?? 0]
    }
    #expect(await use(try Self.host().store) == [0, 2, 3, 13, 13, 13])
    #expect(
      await use(try Store(initial: StandardState(), reducer: StandardState.reducer)) == [0, 2, 3, 13, 13, 13])
  }

  @Test func theOwnersActionsAreLoggedWithTheirPlace() throws {
    let host = try Self.host()
    let shell = try Self.shell(host)
    host.store.dispatch(.counter(.increment()))
    let line = #line - 1
    #expect(shell.say("why #1").output.contains("<- StoreHostTests/SharedStoreTests.swift:\(line)"))
    #expect(shell.say("undo").errors.contains("nothing-to-undo"))
  }

  @Test func aClosedStoreRefuses() throws {
    let host = try Self.host()
    let shell = try Self.shell(host)
    try host.close()
    try host.close()
    guard case .stopped(.closed) = host.store.dispatch(.counter(.increment())).outcome else {
      Issue.record("a closed store took an action")
      return
    }
    let outcome = shell.say("dispatch counter.increment")
    #expect(outcome.errors.contains("the store was closed by the program that owns it"))
    #expect(shell.session.hasQuit)
  }
}
