import StoreCore
import Testing
import TraceSupport

/// R33, rows 74 to 77: what a unit states should be running.
@Suite struct SupervisionTests {
  typealias Room = Supervised<Act>

  /// A unit that supervises what a closure says of the state.
  static func rooms(
    _ name: String = "u", _ rooms: @escaping @Sendable (Int) -> [Room]
  ) -> CountMiddleware {
    .supervising(name) { rooms($0) }
  }

  /// A long-lived effect that notes what it is told.
  static func listener(_ id: String, _ notes: Notes<String>) -> Room {
    Room(id, inbox: Int.self) { _, inbox in
      notes.note("\(id) open")
      for await value in inbox { notes.note("\(id) \(value)") }
      notes.note("\(id) closed")
    }
  }

  @Test func newIdsStartMissingIdsStopSameIdsAreLeftAlone() throws {
    let u = SupervisionTests.rooms { count in
      (0..<max(count, 0)).map { id in
        Room(id) { context in while (try? await context.sleep(for: .seconds(60))) != nil {} }
      }
    }
    for (shape, middleware) in arrangements([u]) {
      let bench = try Bench(middleware, kinds: "E", initial: 1)
      #expect(bench.store.effects.map(\.name) == ["u/0"], "once it is attached")
      #expect(bench.store.effects.map(\.startedBy) == [0])
      #expect(bench.send(.set(3)) == ["E 1 u/1 start", "E 1 u/2 start"], "\(shape)")
      #expect(bench.send(.noop).isEmpty)
      #expect(bench.send(.set(1)) == ["E 1 u/1 cancel", "E 1 u/2 cancel"], "\(shape)")
      #expect(bench.send(.set(0)) == ["E 0 u/0 cancel"], "\(shape)")
      #expect(bench.send(.inc) == ["E 5 u/0 start"], "\(shape)")
      #expect(bench.store.effects.map(\.isSupervised) == [true])
      #expect(bench.store.effects.map(\.wakesIn) == [.seconds(60)])
    }
  }

  @Test func itsActionsAreCausedByWhatStartedItAndAreRootsOfTheirOwn() throws {
    let u = SupervisionTests.rooms { count in
      guard count > 0, count < 4 else { return [] }
      return [
        Room("tick") { context in
          while (try? await context.sleep(for: .seconds(1))) != nil { context.send(.inc) }
        }
      ]
    }
    let bench = try Bench(u)
    #expect(bench.send(.inc) == ["Q 1 inc", "E 1 u/tick start"])
    #expect(bench.advance(1) == ["Q 2 inc <1"])
    #expect(bench.advance(10) == ["Q 3 inc <1", "Q 4 inc <1", "E 1 u/tick cancel"])
    #expect(bench.store.state == 4, "it stops by leaving the state")
    #expect(bench.clock.nextDeadline == nil)
  }

  @Test func afterAFailureNothingIsStartedOrStopped() throws {
    let reducer = count.appending(
      .throwing("never", canFail: { _ in true }) { action, state, _ in
        if case .fail(let why) = action {
          state = 0
          throw Refused(description: why)
        }
      })
    let clock = VirtualClock()
    let u = SupervisionTests.rooms { $0 > 0 ? [Room("r") { try? await $0.sleep(for: .seconds(9)) }] : [] }
    let store = try Counting(initial: 1, reducer: reducer, middleware: u, clock: clock)
    store.dispatch(.fail("no"))
    #expect(store.effects.count == 1)
  }

  @Test func ofTwoWithOneIdTheLastWinsAndTypesTellIdsApart() throws {
    let notes = Notes<String>()
    let u = SupervisionTests.rooms { _ in
      [
        Room("a") { _ in notes.note("first") }, Room(1) { _ in notes.note("int") },
        Room("a") { _ in notes.note("last") },
        Room("1") { _ in notes.note("string") },
      ]
    }
    _ = try Bench(u)
    #expect(notes.all == ["last", "int", "string"])
  }

  @Test func oneThatHasEndedIsNotStartedAgainWhileItIsStated() throws {
    let notes = Notes<Int>()
    let u = SupervisionTests.rooms { $0 > 0 ? [Room("once") { _ in notes.note(1) }] : [] }
    let bench = try Bench(u, kinds: "E", initial: 1)
    bench.send(.inc)
    #expect(notes.all.count == 1)
    bench.send(.set(0))
    bench.send(.inc)
    #expect(notes.all.count == 2)
  }

  @Test func aResetKeyClosesAndReopens() throws {
    let u = SupervisionTests.rooms { count in
      [Room("r") { try? await $0.sleep(for: .seconds(100)) }.reset(on: count / 10)]
    }
    let bench = try Bench(u, kinds: "E")
    #expect(bench.send(.set(9)).isEmpty)
    #expect(bench.send(.set(10)) == ["E 0 u/r cancel", "E 2 u/r start"])
    #expect(bench.send(.set(19)).isEmpty)
  }

  @Test func aResetSettlesBeforeItReopens() throws {
    let u = SupervisionTests.rooms { count in
      guard count >= 0 else { return [] }
      return [Room("r") { try? await $0.sleep(for: .seconds(100)) }.reset(on: count, settle: .seconds(2))]
    }
    let bench = try Bench(u, kinds: "E")
    #expect(bench.store.effects.count == 1, "opening never waits")
    #expect(bench.send(.inc) == ["E 0 u/r cancel"], "the close is immediate")
    #expect(bench.advance(1.5).isEmpty)
    #expect(bench.send(.inc).isEmpty)
    #expect(bench.advance(1.5).isEmpty, "the key changed meanwhile")
    #expect(bench.send(.noop).isEmpty)
    #expect(bench.advance(0.5) == ["E 2 u/r start"])
    bench.send(.inc)
    #expect(bench.send(.set(-1)).isEmpty)
    #expect(bench.advance(10).isEmpty, "what is no longer stated does not reopen")
    #expect(bench.clock.nextDeadline == nil)
  }

  @Test func anInboxTakesWhatIsSentAndTheRestIsATracedDrop() throws {
    let notes = Notes<String>()
    let u = CountMiddleware(
      units: [
        MiddlewareUnit(name: "u") { attachment in
          attachment.supervise { attachment.state() > 0 ? [SupervisionTests.listener("r", notes)] : [] }
          return { action, context in
            IO { output in
              let effect: CountEffect =
                switch action {
                case .named("text"): .send("text", to: "r")
                case .named(let name): .send(name.count, to: "r")
                default: .none
                }
              attachment.effects.start(effect, dependencies: (), context: context, output: output)
            }
          }
        }
      ])
    let bench = try Bench(u, kinds: "X", initial: -10)
    #expect(bench.send(.named("abc")) == ["X 3 u/r: nothing open"])
    bench.send(.set(5))
    #expect(bench.send(.named("abc")).isEmpty)
    #expect(bench.send(.named("abc")).isEmpty, "never de-duplicated")
    #expect(bench.send(.named("text")) == ["X text u/r: wrong type"])
    bench.send(.set(0))
    #expect(notes.all == ["r open", "r 3", "r 3", "r closed"])
  }

  @Test func aStatedValueIsDeliveredOnOpenAndOnChange() throws {
    let notes = Notes<String>()
    let u = SupervisionTests.rooms { count in
      count == 0 ? [] : [SupervisionTests.listener("r", notes).delivering(count / 2)]
    }
    let bench = try Bench(u)
    for _ in 0..<5 { bench.send(.inc) }
    bench.send(.set(0))
    bench.send(.set(4))
    #expect(notes.all == ["r open", "r 0", "r 1", "r 2", "r closed", "r open", "r 2"])
  }

  @Test func aValueOfAnotherTypeThanTheInboxIsATracedDrop() throws {
    let notes = Notes<String>()
    let u = SupervisionTests.rooms { [SupervisionTests.listener("r", notes).delivering("n\($0)")] }
    let bench = try Bench(u, kinds: "X")
    #expect(bench.send(.inc) == ["X n1 u/r: wrong type"])
  }

  @Test(arguments: [
    (InboxPace.immediate, [1, 2, 3, 4, 5]), (.throttle(.seconds(2)), [1, 2, 4]), (.debounce(.seconds(2)), [1, 5]),
  ])
  func deliveryIsPaced(pace: InboxPace, expected: [Int]) throws {
    let notes = Notes<Int>()
    let u = SupervisionTests.rooms { count in
      [
        Room("r", inbox: Int.self) { _, inbox in for await value in inbox { notes.note(value) } }
          .delivering(count).paced(pace)
      ]
    }
    let bench = try Bench(u, initial: 1)
    // 2 and 3 at t=0 and t=1; 4 and 5 at t=2 and t=3.
    for value in 2...5 {
      bench.send(.set(value))
      bench.advance(1)
    }
    bench.advance(10)
    #expect(notes.all == expected)
  }

  @Test func actionsOpenAndCloseInTheSameRegistry() throws {
    let notes = Notes<String>()
    let u = CountMiddleware(
      units: [
        MiddlewareUnit(name: "u") { attachment in
          attachment.supervise { attachment.state() >= 100 ? [SupervisionTests.listener("r", notes)] : [] }
          return { action, context in
            IO { output in
              let effect: CountEffect =
                switch action {
                case .named("open"): .open(SupervisionTests.listener("r", notes).delivering(7))
                case .named("close"): .close("r")
                default: .none
                }
              attachment.effects.start(effect, dependencies: (), context: context, output: output)
            }
          }
        }
      ])
    let bench = try Bench(u, kinds: "E")
    #expect(bench.send(.named("open")) == ["E 1 u/r start"])
    #expect(bench.send(.inc).isEmpty, "the state says nothing of it, and leaves it alone")
    #expect(bench.send(.named("open")) == ["E 1 u/r cancel", "E 3 u/r start"])
    #expect(bench.send(.set(100)).isEmpty, "it is open already")
    #expect(bench.send(.set(0)) == ["E 3 u/r cancel"], "from then on the state decides")
    #expect(bench.send(.named("open")) == ["E 6 u/r start"])
    #expect(bench.send(.named("close")) == ["E 6 u/r cancel"])
    #expect(bench.send(.named("close")).isEmpty)
    #expect(notes.all.filter { $0.contains("7") }.count == 3)
  }

  /// D17: elsewhere an effect that opens something, scheduled afterwards, becomes a no-op.
  @Test func whatOpensLaterStillOpens() throws {
    let notes = Notes<String>()
    let u = CountMiddleware.effects("u") { action, _, _ in
      switch action {
      case .named("open"):
        .open(SupervisionTests.listener("r", notes).delivering(7)).token("opening").after(.seconds(2))
      case .named("cancel"): .cancel("opening")
      default: .none
      }
    }
    let bench = try Bench(u, kinds: "E")
    #expect(bench.send(.named("open")) == ["E 1 u/opening start"])
    #expect(bench.send(.named("cancel")) == ["E 1 u/opening cancel"])
    #expect(bench.advance(5).isEmpty)
    #expect(bench.send(.named("open")) == ["E 3 u/opening start"])
    #expect(Set(bench.advance(2)) == ["E 3 u/r start", "E 3 u/opening done"])
    #expect(bench.store.effects.map(\.name) == ["u/r"])
    #expect(notes.all == ["r open", "r 7"])
  }

  @Test func aConditionEmptiesTheSet() throws {
    let isOpen = Lock(true)
    let u = SupervisionTests.rooms { _ in [Room("r") { try? await $0.sleep(for: .seconds(100)) }] }
    let gated = CountMiddleware(
      units: u.units.map { unit in
        unit.mapAttachment { $0.supervising { isOpen.withLock { $0 } } }
      })
    let bench = try Bench(gated.liftedByIdentity(), kinds: "E")
    isOpen.withLock { $0 = false }
    #expect(bench.send(.noop) == ["E 0 u/r cancel"])
    isOpen.withLock { $0 = true }
    #expect(bench.send(.noop) == ["E 2 u/r start"])
  }

  @Test func replacedUnitsCloseBeforeTheirSuccessorsOpen() throws {
    func version(_ number: Int) -> CountMiddleware {
      SupervisionTests.rooms { _ in [Room("tick") { try? await $0.sleep(for: .seconds(number)) }] }
    }
    let stays = SupervisionTests.rooms("stays") { _ in [Room("s") { try? await $0.sleep(for: .seconds(100)) }] }
    let bench = try Bench(.compose(stays, version(1)), kinds: "E")
    bench.send(.noop)
    try bench.store.replaceMiddleware(.compose(stays, version(2)))
    #expect(bench.trace.take() == ["E 0 u/tick cancel", "E 0 u/tick start"])
    try bench.store.replaceMiddleware(.identity)
    #expect(bench.trace.take() == ["E 0 stays/s cancel", "E 0 u/tick cancel"])
    #expect(bench.clock.nextDeadline == nil)
  }

  @Test func aReplayStartsNothingButWhatItsLastStateCallsFor() throws {
    let u = SupervisionTests.rooms { count in
      count == 0 ? [] : [Room(count) { try? await $0.sleep(for: .seconds(100)) }]
    }
    let bench = try Bench(u, kinds: "E")
    let recorded = (1...3).map { number in
      ReplayedAction(
        Act.inc,
        context: ActionContext(
          number: number, source: ActionSource.here(), time: Duration.zero, root: number))
    }
    try bench.store.replay(recorded)
    #expect(bench.trace.take() == ["E 0 u/3 start"])
    try bench.store.replaceMiddleware(.identity)
    try bench.store.replaceMiddleware(u)
    #expect(bench.trace.take() == ["E 0 u/3 cancel", "E 0 u/3 start"])
  }

  @Test func elementsKeepTheirIdsApart() throws {
    let rows = SupervisionTests.rooms("rows") { count in
      (0..<count).map { row in
        Room("w") { try? await $0.sleep(for: .seconds(100)) }.element(row)
      }
    }
    let bench = try Bench(rows, kinds: "E", initial: 2)
    #expect(bench.store.effects.map(\.name) == ["rows[0]/w", "rows[1]/w"])
    #expect(bench.send(.dec) == ["E 0 rows[1]/w cancel"])
  }

  @Test func liftingMapsWhatItEmits() throws {
    let inner = Middleware<Act, String, Int>.supervising("u") { _ in
      [Supervised("r") { $0.send("hello") }]
    }
    struct Root: Equatable, Sendable { var count = 0 }
    let store = try Store<Act, Root>(
      initial: Root(), reducer: Reducer { if case .named(let name) = $0 { $1.count += name.count } },
      middleware: inner.lift(input: { $0 }, output: { .named($0) }, state: { $0.count }))
    #expect(store.state.count == 5)
    #expect(store.effects.isEmpty)
  }

  @Test func aStoreThatGoesClosesWhatItsStateOpened() throws {
    let clock = VirtualClock()
    let notes = Notes<String>()
    weak var released: Counting?
    do {
      let u = CountMiddleware.compose(
        SupervisionTests.rooms { _ in [Room("r") { try? await $0.sleep(for: .seconds(1)) }] },
        SupervisionTests.rooms("v") { [SupervisionTests.listener("l", notes).delivering($0)] },
        SupervisionTests.rooms("w") { [Room("s") { _ in }.reset(on: $0, settle: .seconds(5))] })
      let store = try Counting(initial: 0, reducer: count, middleware: u, clock: clock)
      released = store
      store.dispatch(.inc)
      #expect(clock.nextDeadline == .seconds(1))
    }
    #expect(released == nil)
    #expect(clock.nextDeadline == nil)
    clock.run()
  }

  @Test func aCopyThatIsChangedLeavesTheOther() throws {
    let notes = Notes<String>()
    let u = SupervisionTests.rooms { count in
      let one = SupervisionTests.listener("one", notes)
      var two = one
      two.id = EffectToken("two")
      return [one, two.delivering(count), one.element(7), two.reset(on: count).element(8)]
    }
    let bench = try Bench(u, kinds: "E", initial: 1)
    #expect(bench.store.effects.map(\.name) == ["u/one", "u/two", "u[7]/one", "u[8]/two"])
    #expect(bench.send(.inc) == ["E 0 u[8]/two cancel", "E 1 u[8]/two start"])
    #expect(notes.all.filter { $0.hasSuffix("1") || $0.hasSuffix("2") } == ["one 1", "one 2"])
  }

  @Test func aResetThatSettlesOpensWithWhatIsStatedByThen() throws {
    let notes = Notes<String>()
    let u = SupervisionTests.rooms { count in
      [SupervisionTests.listener("r", notes).reset(on: count / 10, settle: .seconds(1)).delivering(count)]
    }
    let bench = try Bench(u, kinds: "E")
    bench.send(.set(10))
    bench.send(.set(12))
    bench.advance(2)
    #expect(notes.all.filter { $0.hasPrefix("r 1") } == ["r 12"])
  }

  /// Effects that have ended and are still stated, told once what they emitted was processed; a store that is left and made
  /// again leaves them ended.
  @Test func whatHasEndedStaysSoInAStoreThatIsMadeAgain() throws {
    let u = SupervisionTests.rooms { count in
      guard count > 0, count < 9 else { return [] }
      return [
        Room(1) { $0.send(.inc) }, Room("1") { _ in }, Room("on") { try? await $0.sleep(for: .seconds(60)) },
      ]
    }
    func bench(_ told: Notes<String>) throws -> Bench {
      let bench = try Bench(u)
      bench.store.setEndListener { [unowned store = bench.store] effect, hasEnded in
        told.note("\(effect.place)/\(effect.id) \(hasEnded) at \(store.state)")
      }
      return bench
    }
    let told = Notes<String>()
    let first = try bench(told)
    first.send(.inc)
    #expect(Set(told.all) == ["u/1 (Int) true at 2", "u/1 (String) true at 2"])
    first.send(.set(10))
    #expect(Set(told.all.dropFirst(2)) == ["u/1 (Int) false at 10", "u/1 (String) false at 10"])
    let again = Notes<String>()
    let second = try bench(again)
    second.store.leaveEnded([EndedEffect(unit: "u", id: 1), EndedEffect(unit: "u", id: "gone")])
    #expect(second.send(.inc) == ["Q 1 inc", "E 1 u/1 start", "E 1 u/on start", "E 1 u/1 done"])
    second.store.forgetLeftEnded()
    #expect(again.all == ["u/1 (String) true at 1", "u/gone (String) false at 1"])
    // Once it was missing it starts like any other.
    second.send(.set(0))
    #expect(second.send(.inc).contains("Q 4 inc <3"))
  }
}
