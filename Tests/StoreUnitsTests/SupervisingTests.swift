import StoreCore
import StoreSchema
import StoreUnits
import Testing

private struct Hold: Identifiable, Equatable, Sendable {
  var id: Int
  var until = Duration.seconds(10)
  var note = 0
}

private struct Hall: Equatable, Sendable {
  var map: PersistentMap<Int, Hold> = [:]
  var list: PersistentList<Hold> = []
  var other = 0

  init(_ holds: some Sequence<Hold>) {
    map = PersistentMap(holds.map { ($0.id, $0) })
    list = PersistentList(holds)
  }
}

private enum HallAction: Equatable, Sendable {
  case put(Hold), drop(Int), other, fill([Hold]), due(Int)
}

private let hall = Reducer<HallAction, Hall>("hall") { action, hall in
  switch action {
  case .put(let hold):
    hall.map[hold.id] = hold
    if let index = hall.list.firstIndex(withID: hold.id) { hall.list[index] = hold } else { hall.list.append(hold) }
  case .drop(let id):
    hall.map[id] = nil
    if let index = hall.list.firstIndex(withID: id) { hall.list.remove(at: index) }
  case .other: hall.other += 1
  case .fill(let holds): hall = Hall(holds)
  case .due: break
  }
}

private typealias HallMiddleware = Middleware<HallAction, HallAction, Hall>

/// R33, by the entries of a map and the elements of a list.
@Suite struct SupervisingTests {
  /// The two ways, with an effect for each hold that a closure gives.
  private static func units(
    _ effect: @escaping @Sendable (Hold) -> Supervised<HallAction>?
  ) -> [HallMiddleware] {
    [.supervising("u", over: \.map) { effect($1) }, .supervising("u", over: \.list) { effect($0) }]
  }

  @Sendable
  private static func waiting(_ hold: Hold) -> Supervised<HallAction> {
    Supervised(hold.id) { context in while (try? await context.sleep(for: .seconds(60))) != nil {} }
  }

  private static func store(
    _ unit: HallMiddleware, _ holds: some Sequence<Hold> = [], clock: VirtualClock = VirtualClock()
  ) throws -> Store<HallAction, Hall> {
    try Store(initial: Hall(holds), reducer: hall, middleware: unit, clock: clock)
  }

  private func ids(_ store: Store<HallAction, Hall>) -> [String] { store.effects.map(\.name) }

  @Test func effectsStartAndStopWithTheirEntries() throws {
    for unit in Self.units(Self.waiting) {
      let store = try Self.store(unit, [Hold(id: 1), Hold(id: 2)])
      #expect(ids(store) == ["u/1", "u/2"])
      store.dispatch(.put(Hold(id: 3)))
      store.dispatch(.drop(1))
      #expect(ids(store) == ["u/2", "u/3"])
      store.dispatch(.put(Hold(id: 2, note: 7)))
      #expect(store.effects.map(\.startedBy) == [0, 1], "an entry that changes leaves its effect alone")
      store.dispatch(.fill([Hold(id: 3), Hold(id: 9)]))
      #expect(ids(store) == ["u/3", "u/9"])
      store.dispatch(.fill([]))
      #expect(ids(store) == [])
    }
  }

  @Test(arguments: [100, 10_000])
  func anActionCostsWhatItChangesHoweverManyEffectsThereAre(count: Int) throws {
    let asked = Lock(0)
    for unit in Self.units({ hold in
      asked.withLock { $0 += 1 }
      return Supervised(hold.id, at: hold.until) { $0.send(.due(hold.id)) }
    }) {
      func asks(_ work: () -> Void) -> Int {
        asked.withLock { $0 = 0 }
        work()
        return asked.withLock { $0 }
      }
      let store = try Self.store(unit)
      let holds = (1...count).map { Hold(id: $0) }
      #expect(asks { store.dispatch(.fill(holds)) } == count)
      #expect(store.effects.count == count)
      #expect(asks { store.dispatch(.other) } == 0)
      #expect(asks { store.dispatch(.put(Hold(id: count / 2, note: 1))) } == 1)
      #expect(asks { store.dispatch(.put(Hold(id: count / 2, until: .seconds(20)))) } == 1)
      #expect(asks { store.dispatch(.put(Hold(id: count + 1))) } == 1)
      #expect(asks { store.dispatch(.drop(1)) } == 0)
      #expect(asks { store.dispatch(.drop(count / 2)) } == 0)
      #expect(store.effects.count == count - 1)
    }
  }

  @Test func anEffectBeginsAtItsTime() throws {
    for unit in Self.units({ hold in Supervised(hold.id, at: hold.until) { $0.send(.due(hold.id)) } }) {
      let due = Lock<[Int]>([])
      let noting = Reducer<HallAction, Hall>("noting") { action, _ in
        if case .due(let id) = action { due.withLock { $0.append(id) } }
      }
      let clock = VirtualClock()
      clock.advance(by: .seconds(5))
      let store = try Store(
        initial: Hall([
          Hold(id: 1, until: .seconds(9)), Hold(id: 2, until: .seconds(3)), Hold(id: 3, until: .seconds(1)),
        ]),
        reducer: .compose(hall, noting), middleware: unit, clock: clock)
      #expect(due.withLock { $0 } == [3, 2], "times that are past, the earliest first")
      store.dispatch(.put(Hold(id: 4, until: .seconds(8))))
      clock.advance(by: .seconds(3))
      #expect(due.withLock { $0 } == [3, 2, 4])
      store.dispatch(.put(Hold(id: 1, until: .seconds(20))))
      clock.advance(by: .seconds(5))
      #expect(due.withLock { $0 } == [3, 2, 4], "another time is waited for instead")
      store.dispatch(.put(Hold(id: 5, until: .seconds(19))))
      store.dispatch(.drop(5))
      clock.advance(by: .seconds(30))
      #expect(due.withLock { $0 } == [3, 2, 4, 1])
      store.dispatch(.put(Hold(id: 2, until: .seconds(50))))
      clock.advance(by: .seconds(30))
      #expect(due.withLock { $0 } == [3, 2, 4, 1, 2], "a new time is a new effect")
    }
  }

  @Test func aTimeMovesEitherWayWhileItIsWaitedFor() throws {
    for unit in Self.units({ hold in Supervised(hold.id, at: hold.until) { $0.send(.due(hold.id)) } }) {
      let due = Lock<[Int]>([])
      let noting = Reducer<HallAction, Hall>("noting") { action, _ in
        if case .due(let id) = action { due.withLock { $0.append(id) } }
      }
      let clock = VirtualClock()
      let store = try Store(
        initial: Hall([Hold(id: 1)]), reducer: .compose(hall, noting), middleware: unit, clock: clock)
      func moved(_ id: Int, to seconds: Int) -> [Duration?] {
        store.dispatch(.put(Hold(id: id, until: .seconds(seconds))))
        return store.effects.map(\.wakesIn)
      }
      #expect(store.effects.map(\.wakesIn) == [.seconds(10)])
      #expect(moved(1, to: 30) == [.seconds(30)])
      #expect(moved(1, to: 20) == [.seconds(20)], "earlier than it was postponed to")
      clock.advance(by: .seconds(12))
      #expect(due.withLock { $0 } == [], "the first time has passed, and is waited for no more")
      #expect(store.effects.map(\.wakesIn) == [.seconds(8)])
      #expect(moved(1, to: 15) == [.seconds(3)])
      clock.advance(by: .seconds(3))
      #expect(due.withLock { $0 } == [1])
      #expect(clock.nextDeadline == nil)

      #expect(moved(2, to: 20) == [.seconds(5)])
      #expect(moved(2, to: 40) == [.seconds(25)])
      store.dispatch(.drop(2))
      #expect(clock.nextDeadline == nil, "it goes while it is postponed")
      clock.advance(by: .seconds(30))
      #expect(due.withLock { $0 } == [1])

      #expect(moved(3, to: 60) == [.seconds(15)])
      #expect(moved(3, to: 80) == [.seconds(35)])
      #expect(moved(3, to: 44) == [], "a time that is past")
      #expect(due.withLock { $0 } == [1, 3])
      #expect(clock.nextDeadline == nil)
    }
  }

  @Test func workThatBeginsLaterKnowsTheActionThatOpenedItLast() throws {
    let seen = Lock<[ActionContext]>([])
    for unit in Self.units({ hold in
      Supervised(hold.id, at: hold.until) { context in seen.withLock { $0.append(context.action) } }
    }) {
      seen.withLock { $0 = [] }
      let clock = VirtualClock()
      let store = try Self.store(unit, clock: clock)
      store.dispatch(.put(Hold(id: 1)), info: "first")
      clock.advance(by: .seconds(2))
      store.dispatch(.put(Hold(id: 1, until: .seconds(20))), info: "second")
      store.dispatch(.put(Hold(id: 1, until: .seconds(20), note: 1)), info: "third")
      #expect(store.effects.map(\.startedBy) == [2])
      clock.advance(by: .seconds(20))
      let action = try #require(seen.withLock { $0 }.first)
      #expect(seen.withLock { $0.count } == 1)
      #expect((action.number, action.root, action.source.info) == (2, 2, "second"))
      #expect(action.time == .seconds(2))
    }
  }

  @Test func workThatBeganAtItsTimeEndsWithItsEntry() throws {
    let unit = HallMiddleware.supervising("u", over: \.list) { hold in
      Supervised(hold.id, at: hold.until) { context in
        while (try? await context.sleep(for: .seconds(1))) != nil { context.send(.other) }
      }
    }
    let clock = VirtualClock()
    let store = try Self.store(unit, [Hold(id: 1, until: .seconds(2))], clock: clock)
    clock.advance(by: .seconds(4))
    #expect(store.state.other == 2)
    store.dispatch(.drop(1))
    clock.advance(by: .seconds(9))
    #expect(store.state.other == 2)
    #expect(store.effects.isEmpty)
  }

  /// By changes there runs what runs where the whole set is stated.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func itAgreesWithTheWholeStatement(seed: UInt64) throws {
    @Sendable func effect(_ hold: Hold) -> Supervised<HallAction>? {
      hold.note == 0 ? nil : Self.waiting(hold).reset(on: hold.until)
    }
    let whole = HallMiddleware.supervising("u") { $0.list.compactMap(effect) }
    for unit in Self.units(effect) {
      var random = SeededGenerator(seed: seed)
      let isOpen = Lock(true)
      let stores = try [unit, whole].map { unit in
        try Self.store(
          Middleware(
            units: unit.units.map { unit in
              unit.mapAttachment { $0.supervising(while: { isOpen.withLock { $0 } }) }
            }), (0..<200).map { Hold(id: $0) })
      }
      for _ in 0..<300 {
        let action: HallAction
        let id = Int.random(in: -5..<205, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
          action = .fill(
            (0..<Int.random(in: 0..<300, using: &random)).shuffled(using: &random).map { Hold(id: $0, note: $0 % 2) })
        case 1, 2: action = .drop(id)
        case 3:
          isOpen.withLock { $0.toggle() }
          action = .other
        default:
          action = .put(
            Hold(
              id: id, until: .seconds(Int.random(in: 0..<3, using: &random)),
              note: Int.random(in: 0..<3, using: &random)))
        }
        for store in stores { store.dispatch(action) }
        let running = stores.map { store in Set(store.effects.map { "\($0.name) \($0.startedBy)" }) }
        #expect(running[0] == running[1])
      }
    }
  }

  @Test func aGateAndALiftLeaveItByChanges() throws {
    let asked = Lock(0)
    let unit = HallMiddleware.supervising("u", over: \.list) { hold in
      asked.withLock { $0 += 1 }
      return Self.waiting(hold)
    }
    let gate = Gate()
    let lifted: Middleware<HallAction, HallAction, (Hall, Int)> = unit.gated(by: gate, whileState: { $0.other < 2 })
      .lift(input: { $0 }, output: { $0 }, state: { $0.0 })
    let store = try Store(
      initial: (Hall((0..<50).map { Hold(id: $0) }), 0), reducer: hall.lift(state: \.0), middleware: lifted,
      emission: .always, clock: VirtualClock())
    #expect(asked.withLock { $0 } == 50)
    store.dispatch(.put(Hold(id: 7, note: 1)))
    #expect(asked.withLock { $0 } == 51)
    store.dispatch(.other)
    store.dispatch(.other)
    #expect(store.effects.isEmpty)
    store.dispatch(.put(Hold(id: 7, note: 2)))
    #expect(asked.withLock { $0 } == 51, "nothing is asked while the gate is shut")
  }
}
