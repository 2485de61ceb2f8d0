import Foundation
import StoreCore
import Synchronization
import Testing
import TraceSupport

/// R17, D18, row 79: what might go wrong with middlewares that are lifted to elements.
@Suite struct MiddlewareElementHazardTests {
  /// Counts what is attached and not let go of.
  private final class Alive: Sendable {
    static func unit(_ count: Counter, _ most: Counter) -> RowMiddleware {
      RowMiddleware(
        units: [
          MiddlewareUnit(name: "u") { attachment in
            let alive = Alive(count)
            most.raise(to: count.value)
            // A unit that keeps all that it gets must not keep itself by that.
            attachment.supervise {
              _ = (attachment, alive); return []
            }
            return { [attachment] _, _ in IO { _ in _ = (attachment.state(), alive) } }
          }
        ])
    }

    private let count: Counter

    init(_ count: Counter) {
      self.count = count
      count.add(1)
    }

    deinit { count.add(-1) }
  }

  private final class Counter: Sendable {
    private let number = Atomic<Int>(0)
    var value: Int { number.load(ordering: .relaxed) }
    func add(_ other: Int) { number.wrappingAdd(other, ordering: .relaxed) }
    func raise(to other: Int) { number.store(max(other, value), ordering: .relaxed) }
  }

  @Test func whatIsAttachedForManyElementsInTurnIsLetGoOf() throws {
    let (count, most) = (Counter(), Counter())
    do {
      let bench = try ListBench(Alive.unit(count, most).onRows(), kinds: "", ids: [])
      for id in 0..<20_000 {
        bench.send(.add(id))
        bench.send(.row(id, .inc))
        if id >= 3 { bench.send(.remove(id - 3)) }
      }
      #expect(count.value == 3)
      #expect(most.value <= 4)
      bench.send(.all(.named("go")))
      #expect(count.value == 0)
      bench.send(.add(1))
      bench.send(.row(1, .inc))
      #expect(count.value == 1)
    }
    #expect(count.value == 0, "the store is gone")
  }

  @Test func whatUnitsThatSayNothingAreAskedAboutIsLetGoOfToo() throws {
    // Only the elements that were asked about are attached.
    let attached = Notes<Int>()
    let unit = RowMiddleware(
      units: [
        MiddlewareUnit(name: "u") { attachment in
          attached.note(attachment.state().id)
          return { _, _ in IO { _ in } }
        }
      ]
    ).onRows()
    let bench = try ListBench(unit, kinds: "", ids: Array(0..<1000))
    for _ in 0..<3 { bench.send(.row(500, .inc)) }
    #expect(attached.all == [0, 500], "and one, to learn whether it says what should be running")
    bench.send(.remove(500))
    bench.send(.add(500))
    bench.send(.row(500, .inc))
    #expect(attached.all == [0, 500, 500])
  }

  struct Group: Identifiable, Equatable, Sendable {
    let id: String
    var rows: [Row]
  }

  struct GroupAct: Sendable {
    let group: String
    let row: Int
    let act: Act
  }

  private static let groups = Reducer<GroupAct, [Group]>("groups") { action, groups in
    guard let group = groups.firstIndex(where: { $0.id == action.group }) else { return }
    if action.act == .named("drop") {
      groups.remove(at: group)
    } else if action.act == .named("go") {
      groups[group].rows.removeAll { $0.id == action.row }
    } else if let row = groups[group].rows.firstIndex(where: { $0.id == action.row }) {
      groups[group].rows[row].count += 1
    }
  }

  private func nested(_ unit: RowMiddleware) -> Middleware<GroupAct, GroupAct, [Group]> {
    let rows: Middleware<ElementAction<Int, Act>, ElementAction<Int, Act>, Group> = unit.lift(
      input: { $0 }, output: { ElementAction(id: $0, action: $1) }, element: .of(\Group.rows))
    return rows.lift(
      input: { ($0.group, ElementAction(id: $0.row, action: $0.act)) },
      output: { GroupAct(group: $0, row: $1.id, act: $1.action) }, element: .of(\[Group].self))
  }

  @Test func elementsOfElementsHaveTokensOfTheirOwn() throws {
    let clock = VirtualClock()
    let initial = ["a", "b"].map { Group(id: $0, rows: [Row(id: 1), Row(id: 2)]) }
    let store = try Store(
      initial: initial, reducer: Self.groups, middleware: nested(.compose(delayed, ticks("t"))),
      clock: clock)
    let trace = TraceLines("E")
    trace.listen(to: store)
    for (group, row) in [("a", 1), ("b", 1), ("b", 2)] { store.dispatch(GroupAct(group: group, row: row, act: .inc)) }
    #expect(
      store.effects.map(\.name)
        == ["u[a][1]/w", "u[b][1]/w", "u[b][2]/w", "t[a][1]/tick", "t[b][1]/tick", "t[b][2]/tick"])
    #expect(store.effects.first?.path == [EffectToken("a"), EffectToken(1)])
    _ = trace.take()
    store.dispatch(GroupAct(group: "b", row: 1, act: .named("go")))
    #expect(trace.take() == ["E 2 u[b][1]/w cancel", "E 2 t[b][1]/tick cancel"])
    store.dispatch(GroupAct(group: "b", row: 0, act: .named("drop")))
    #expect(trace.take() == ["E 3 u[b][2]/w cancel", "E 3 t[b][2]/tick cancel"])
    clock.advance(by: .seconds(1))
    #expect(store.state == [Group(id: "a", rows: [Row(id: 1, count: 3), Row(id: 2)])])
  }

  @Test func twoStoresMayShareOneMiddleware() throws {
    let middleware = RowMiddleware.compose(delayed).onRows()
    let (first, second) = (try ListBench(middleware, kinds: "E"), try ListBench(middleware, kinds: "E"))
    #expect(first.send(.row(1, .inc)) == ["E 1 u[1]/w start"])
    #expect(second.send(.row(1, .inc)) == ["E 1 u[1]/w start"])
    #expect(second.send(.remove(1)) == ["E 1 u[1]/w cancel"])
    #expect(first.effects == ["u[1]/w"])
    first.advance(1)
    #expect(first.store.state[0].count == 7)
  }

  @Test func anEffectThatReadsOnGetsTheLiveElementThenTheLastValue() throws {
    let seen = Notes<Int>()
    let readers = Notes<StateReader<Row>>()
    let unit = RowMiddleware.effects("u") { action, _, row in
      guard action == .inc else { return .none }
      readers.note(row)
      return .run { context in
        while (try? await context.sleep(for: .seconds(1))) != nil { seen.note(row().count) }
        seen.note(-row().count)
      }
    }
    let bench = try ListBench(unit.onRows(), kinds: "")
    bench.send(.row(2, .inc))
    bench.advance(1)
    bench.send(.row(2, .set(10)))
    bench.send(.reverse)
    bench.advance(1)
    bench.send(.row(2, .noop))
    bench.send(.remove(2))
    bench.send(.noop)
    #expect(seen.all == [1, 10, -10])
    #expect(readers.all.map { $0().count } == [10])
  }

  @Test func otherThreadsMayReadAnElementThatComesAndGoes() throws {
    let readers = Notes<StateReader<Row>>()
    let unit = RowMiddleware("u") { _, _, row in
      readers.note(row)
      return IO { _ in }
    }
    let bench = try ListBench(unit.onRows(), kinds: "")
    bench.send(.row(2, .noop))
    let reader = try #require(readers.all.first)
    let isDone = Atomic<Bool>(false)
    let reading = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while !isDone.load(ordering: .relaxed) { if reader().id != 2 { readers.note(reader) } }
      reading.signal()
    }
    for value in 0..<2_000 {
      bench.send(.row(2, .set(value)))
      bench.send(.remove(2))
      bench.send(.add(2))
    }
    isDone.store(true, ordering: .relaxed)
    reading.wait()
    bench.store.awaitQueue()
    #expect(readers.all.count == 2_001, "one an action, and none for another element")
  }

  @Test func aFailureMakesNobodyGo() throws {
    let reducer = list.appending(
      .throwing("refusing", canFail: { $0 == .noop }) { action, rows, _ in
        guard action == .noop else { return }
        rows = []
        throw Refused(description: "no")
      })
    let clock = VirtualClock()
    let store = try Store(
      initial: [Row(id: 1)], reducer: reducer, middleware: delayed.onRows(), clock: clock)
    store.dispatch(.row(1, .inc))
    store.dispatch(.noop)
    #expect(store.effects.map(\.name) == ["u[1]/w"])
    clock.advance(by: .seconds(1))
    #expect(store.state == [Row(id: 1, count: 7)])
  }

  @Test func unitsThatLeaveTheStoreTakeTheEffectsOfAllElementsAlong() throws {
    let rows = ListMiddleware.compose(delayed.onRows())
    let bench = try ListBench(rows, kinds: "E")
    bench.send(.row(1, .inc))
    try bench.store.replaceMiddleware(rows)
    #expect(bench.effects == ["u[1]/w"], "one that stays keeps them")
    try bench.store.replaceMiddleware(.identity)
    #expect(bench.effects == [])
  }

  @Test func replayedStatesEndEffectsOfElementsThatAreNotInThem() throws {
    let bench = try ListBench(delayed.onRows(), kinds: "E")
    bench.send(.row(1, .inc))
    bench.send(.row(2, .inc))
    try bench.store.replay([ReplayedAction<ListAct>](), from: [Row(id: 2)])
    #expect(bench.effects == ["u[2]/w"])
  }

  /// Random programs against a model: which rows there are, and when the last effect of each will emit.
  @Test(arguments: 0..<60)
  func randomPrograms(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let bench = try ListBench(delayed.onRows(), kinds: "", ids: [])
    var counts: [(id: Int, count: Int)] = []
    var due: [Int: Int] = [:]
    var now = 0
    for _ in 0..<80 {
      let id = Int.random(in: 0..<6, using: &generator)
      let place = counts.firstIndex { $0.id == id }
      switch Int.random(in: 0..<6, using: &generator) {
      case 0 where place == nil:
        bench.send(.add(id))
        counts.append((id, 0))
      case 1:
        bench.send(.remove(id))
        if let place { counts.remove(at: place) }
        due[id] = nil
      case 2:
        bench.send(.reverse)
        counts.reverse()
      case 3:
        bench.advance(1)
        now += 1
        for (id, time) in due where time <= now {
          if let place = counts.firstIndex(where: { $0.id == id }) { counts[place].count = 7 }
          due[id] = nil
        }
      default:
        bench.send(.row(id, .inc))
        if let place {
          counts[place].count += 1
          due[id] = now + 1
        }
      }
      #expect(bench.store.state.map(\.description) == counts.map { "\($0.id):\($0.count)" })
      #expect(Set(bench.effects) == Set(due.keys.map { "u[\($0)]/w" }))
    }
  }
}
