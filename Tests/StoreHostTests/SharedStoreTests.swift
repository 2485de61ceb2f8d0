import Dispatch
import StandardModules
import StoreCore
@testable import StoreHost
import StoreSchema
import Testing

import StoreShell

/// A store that its program and several sessions share (R34, R35).
@Suite struct SharedStoreTests {
  typealias Host = StoreHost<StandardAction, StandardState>

  private static func host(onFault: (@Sendable (any Error) -> Void)? = nil) throws -> Host {
    try Host(
      Application(initial: StandardState(), reducer: StandardState.reducer), clock: VirtualClock(), program: "stsh",
      onFault: onFault)
  }

  private static func shell(_ host: Host) throws -> Conversation { try Conversation(with: host) }

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

  // MARK: Going back, among others

  @Test func undoTakesBackOnesOwn() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    one.say("dispatch tasks.add milk --quiet")
    two.say("dispatch counter.increment --quiet", "dispatch counter.increment --quiet")
    let line = "#4 shell.restore without=[1]  (takes back #1 tasks.add; 2 later actions by others stay)\n"
    #expect(one.say("undo").output.hasPrefix(line))
    #expect(host.store.state.counter.value == 2)
    #expect(host.store.state.tasks.items.isEmpty)
    #expect(two.say("undo").output.hasPrefix("#5 shell.restore"))
    #expect(host.store.state.counter.value == 1)
  }

  /// A statement among what others did is one step; its many actions are counted for a person, and data names them all.
  @Test func aLongStatementAmongOthersIsOneStep() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    one.say("lua for i = 1, 3 do dispatch('counter.setStep', { to = i }) end")
    two.say("dispatch tasks.add milk --quiet", "dispatch tasks.add bread --quiet")
    #expect(
      one.say("undo").output.hasPrefix(
        "#6 shell.restore without=[1, 2, 3]  (takes back lua: 3 actions of #1-#3; 2 later actions by others stay)\n"))
    one.say("lua for i = 1, 500 do dispatch('counter.setStep', { to = i + 1 }) end")
    two.say("dispatch tasks.add butter --quiet")
    let restore = "#508 shell.restore without=[7, 8, 9, 10, 11, 12, 13, 14, 15, 16, and 490 more]  "
    let undo = one.say("undo")
    #expect(
      undo.output.hasPrefix(
        restore + "(takes back lua: 500 actions of #7-#506; 1 later action by others stays)\n"), "\(undo)")
    #expect(host.store.state.counter.step == 1)
    #expect(one.say("why counter.step").output.hasPrefix(restore))
    #expect(one.say("log 1").output.contains(", and 490 more]"))
    #expect(one.say("log 1 --json").output.contains("15, 16, 17, 18"))
  }

  @Test func whatWouldChangeWhatOthersDidIsRefused() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    one.say("dispatch tasks.add milk --quiet")
    two.say("dispatch tasks.add bread --quiet")
    let errors = one.say("undo").errors
    #expect(
      errors.contains(
        #"error[undo-conflict]: others have acted since, and #2 tasks.add title="bread" would make other changes without it"#
      ))
    #expect(errors.contains("hint: `undo --any` takes back the last action whoever dispatched it"))
    #expect(host.store.state.tasks.items.count == 2)
    #expect(one.say("undo --any").output.contains("takes back #2 tasks.add"))
  }

  /// Each undo goes further back among one's own; redo brings the last one back, and undo takes it again.
  @Test func undoGoesOnAmongOthers() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    one.say("dispatch tasks.add milk --quiet")
    two.say("dispatch counter.increment --quiet")
    one.say("dispatch counter.setStep 5 --quiet")
    two.say("dispatch counter.increment by=1 --quiet")
    func state() -> [Int] {
      let state = host.store.state
      return [state.counter.value, state.counter.step, state.tasks.items.count]
    }
    #expect(one.say("undo").output.hasPrefix("#5 shell.restore without=[3]  (takes back #3 counter.setStep; 1 later"))
    #expect(state() == [2, 1, 1])
    let second = one.say("undo")
    #expect(
      second.output.hasPrefix("#6 shell.restore without=[1]  (takes back #1 tasks.add; 2 later"), "\(second)")
    #expect(state() == [2, 1, 0])
    #expect(one.say("undo").errors.contains("nothing-to-undo"))
    two.say("dispatch counter.increment by=1 --quiet")
    let redo = one.say("redo")
    #expect(
      redo.output.hasPrefix(
        "#8 shell.restore without=[6]  (takes back #6 shell.restore; 1 later action stays)"),
      "\(redo)")
    #expect(state() == [3, 1, 1])
    #expect(one.say("redo").output.hasPrefix("#9 shell.restore without=[5]"))
    #expect(state() == [3, 5, 1])
    #expect(one.say("redo").errors.contains("nothing-to-redo"))
    #expect(one.say("undo").output.contains("takes back #3 counter.setStep; 2 later"))
    #expect(state() == [3, 1, 1])
    #expect(two.say("undo 2").output.hasPrefix("#11 shell.restore without=[4, 7]"))
    #expect(state() == [1, 1, 1])
  }

  /// What others did since a plain undo stays where it is redone.
  @Test func redoLeavesWhatOthersDidSince() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    one.say("dispatch tasks.add milk --quiet", "undo --quiet")
    two.say("dispatch counter.increment --quiet")
    let redo = one.say("redo")
    #expect(
      redo.output.hasPrefix(
        "#4 shell.restore without=[2]  (takes back #2 shell.restore; 1 later action stays)"),
      "\(redo)")
    #expect(host.store.state.tasks.items.count == 1)
    #expect(host.store.state.counter.value == 1)
    #expect(one.say("undo").output.contains("takes back #1 tasks.add; 1 later action by others stays"))
    // What others would not have found so.
    one.say("redo --quiet")
    two.say("dispatch tasks.add bread --quiet")
    #expect(one.say("undo").errors.contains("undo-conflict"))
    #expect(host.store.state.tasks.items.count == 2)
  }

  /// What others have taken back stays so, whatever the positions of elements.
  @Test func whatWasTakenBackStaysSo() throws {
    func titles(_ host: Host) -> [String] { host.store.state.tasks.items.map { "\($0.id) \($0.title) \($0.done)" } }
    do {
      let host = try Self.host()
      let (one, two) = (try Self.shell(host), try Self.shell(host))
      one.say("dispatch tasks.add one --quiet", "dispatch tasks.add two --quiet")
      two.say("dispatch tasks.add three --quiet")
      one.say("dispatch tasks.remove 1 --quiet")
      two.say("undo --quiet")
      one.say("undo --quiet")
      #expect(titles(host) == ["1 one false", "2 two false"])
    }
    do {
      let host = try Self.host()
      let (one, two) = (try Self.shell(host), try Self.shell(host))
      one.say("dispatch tasks.add one --quiet", "dispatch tasks.add two --quiet")
      two.say("dispatch tasks.complete 2 --quiet")
      one.say("dispatch tasks.remove 1 --quiet")
      two.say("undo --quiet")
      one.say("undo --quiet")
      #expect(titles(host) == ["1 one false", "2 two false"])
    }
    do {
      let host = try Self.host()
      let (one, two) = (try Self.shell(host), try Self.shell(host))
      one.say("dispatch tasks.add one --quiet", "dispatch tasks.add two --quiet")
      two.say("dispatch counter.increment --quiet")
      one.say("lua dispatch('counter.setStep', { to = 5 }) dispatch('tasks.remove', { id = 1 })")
      two.say("undo #5 --quiet")
      one.say("undo --quiet")
      #expect(titles(host) == ["1 one false", "2 two false"])
      #expect(host.store.state.counter.step == 1)
    }
    do {
      let host = try Self.host()
      let (one, two) = (try Self.shell(host), try Self.shell(host))
      one.say("dispatch tasks.add one --quiet", "dispatch tasks.add two --quiet")
      two.say("dispatch tasks.remove 1 --quiet")
      one.say("undo --quiet")
      two.say("undo --quiet")
      #expect(titles(host) == ["1 one false"])
    }
  }

  /// An action that went alone stays away, and is not taken back once more.
  @Test func aLaterUndoBringsNothingBack() throws {
    let host = try Self.host()
    let one = try Self.shell(host)
    one.say("dispatch counter.increment --quiet", "dispatch tasks.add one --quiet", "undo #1 --quiet")
    let undo = one.say("undo")
    #expect(undo.output.contains("takes back #2 tasks.add"), "\(undo)")
    #expect(host.store.state.counter.value == 0 && host.store.state.tasks.items.isEmpty)
    let redo = one.say("redo")
    #expect(redo.output.contains("takes back #4 shell.restore") && !redo.output.contains("by others"), "\(redo)")
    #expect(host.store.state.counter.value == 0 && host.store.state.tasks.items.count == 1)
    #expect(one.say("undo #0").errors.contains("#0 is the beginning"))
    let second = try Self.host()
    let (three, four) = (try Self.shell(second), try Self.shell(second))
    three.say("dispatch tasks.add one --quiet", "dispatch counter.increment --quiet")
    four.say("undo #2 --quiet")
    #expect(three.say("undo").output.contains("takes back #1 tasks.add"))
    #expect(three.say("undo").errors.contains("nothing-to-undo"))
  }

  /// What is gone stands in nobody's way, and neither does the position of an element.
  @Test func onlyWhatWouldBeOtherwiseIsInTheWay() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    let three = try Self.shell(host)
    one.say("dispatch counter.setStep to=6 --quiet")
    two.say("dispatch counter.setStep to=9 --quiet")
    three.say("dispatch tasks.add x --quiet")
    two.say("undo --quiet")
    #expect(host.store.state.counter.step == 6)
    #expect(one.say("undo").output.contains("counter.step  6 -> 1"))
    let second = try Self.host()
    let (four, five) = (try Self.shell(second), try Self.shell(second))
    four.say("dispatch tasks.add one --quiet", "dispatch tasks.add two --quiet", "dispatch tasks.remove 1 --quiet")
    five.say("dispatch tasks.complete 2 --quiet")
    #expect(four.say("undo").output.contains("takes back #3 tasks.remove"))
    #expect(second.store.state.tasks.items.map(\.done) == [false, true])
  }

  /// An undo that another one went back behind is gone.
  @Test func anUndoThatIsGoneIsNotRedone() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    one.say("dispatch tasks.add one --quiet")
    two.say("dispatch tasks.add two --quiet", "dispatch counter.increment by=9 --quiet")
    one.say("undo --any --quiet")
    two.say("undo --any --quiet")
    let redo = one.say("redo")
    #expect(redo.errors.contains("a later undo went back to a point before it"), "\(redo)")
  }

  @Test func anActionGoesAlone() throws {
    let host = try Self.host()
    let (one, two) = (try Self.shell(host), try Self.shell(host))
    one.say("dispatch counter.increment --quiet", "dispatch tasks.add milk --quiet", "dispatch tasks.add bread --quiet")
    #expect(
      two.say("undo #1").output.contains(
        "#4 shell.restore without=[1]  (takes back #1 counter.increment; 2 later actions stay)"))
    #expect(host.store.state.counter.value == 0)
    #expect(two.say("undo #1").errors.contains("error[nothing-to-undo]: #1 counter.increment was taken back by #4"))
    let conflict = two.say("undo #2").errors
    #expect(
      conflict.contains("it cannot be undone alone: #3 tasks.add title=\"bread\" would make other changes without it"))
    #expect(conflict.contains("hint: `undo --to 1` takes back all that happened since"), "\(conflict)")
    #expect(two.say("undo #4").output.contains("takes back #4 shell.restore"))
    #expect(host.store.state.counter.value == 1)
    #expect(two.say("undo #1").output.contains("takes back #1 counter.increment"))
    #expect(two.say("undo --to 1 --quiet", "undo #3").errors.contains("was taken back by #7"))
    #expect(two.say("undo #9").errors.contains("there is no #9"))
    #expect(two.say("undo #0").errors.contains("error["))
    #expect(two.say("undo #1 --any").errors.contains("--any and #N cannot be combined"))
  }

  @Test func withoutOthersUndoIsAsEver() throws {
    let host = try Self.host()
    let one = try Self.shell(host)
    one.say("dispatch counter.increment --quiet", "dispatch counter.increment --quiet")
    #expect(one.say("undo").output.hasPrefix("#3 shell.restore to=1"))
    #expect(one.say("redo").output.hasPrefix("#4 shell.restore to=2"))
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
