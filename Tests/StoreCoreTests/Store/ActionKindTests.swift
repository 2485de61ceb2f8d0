import StoreCore
import Testing

/// A store that tells kinds of actions apart asks the parts that take a kind, and no others.
@Suite struct ActionKindTests {
  private final class Kind: Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }
  }

  private static let (inc, dec, other) = (Kind(0), Kind(1), Kind(2))

  @Sendable private static func kind(of action: Act) -> ActionKind {
    switch action {
    case .inc: ActionKind(inc)
    case .dec: ActionKind(dec)
    default: ActionKind(other)
    }
  }

  private static func reducer(_ name: String, adding number: Int, _ takes: @escaping @Sendable (Act) -> Bool)
    -> CountReducer
  {
    CountReducer(name) { if takes($0) { $1 += number } }.taking(kinds: takes)
  }

  private let notes = Notes<String>()

  private func middleware(_ name: String, _ takes: @escaping @Sendable (Act) -> Bool) -> CountMiddleware {
    let noting = unit(name) { [notes] action, _, _ in notes.note("\(name) \(action)") }
    return CountMiddleware(
      units: noting.units.map { unit in
        unit.taking(kinds: { [notes] action in
          notes.note("\(name)?")
          return takes(action)
        })
      })
  }

  private func store(_ interceptors: [CountInterceptor] = []) throws -> Counting {
    let (isInc, isDec): (@Sendable (Act) -> Bool, @Sendable (Act) -> Bool) = ({ $0 == .inc }, { $0 == .dec })
    let store = try Counting(
      initial: 0,
      reducer: .compose(
        Self.reducer("one", adding: 1, isInc), Self.reducer("ten", adding: 10, isDec),
        CountReducer("all") { $1 += 100 }),
      middleware: .compose(
        middleware("a", isInc), unit("m") { [notes] _, _, _ in notes.note("m") }, middleware("b", isDec)),
      interceptors: interceptors)
    store.setKinds(Self.kind)
    return store
  }

  @Test func eachPartIsAskedAboutItsKinds() throws {
    let store = try store()
    store.dispatch(.inc)
    #expect(store.state == 101)
    #expect(notes.all == ["a?", "b?", "m", "a inc"])
    store.dispatch(.dec)
    #expect(store.state == 211)
    #expect(notes.all.dropFirst(4) == ["a?", "b?", "b dec", "m"])
    store.dispatch(.noop)
    store.dispatch(.set(5))
    // What they take is asked once a kind.
    #expect(notes.all.dropFirst(8) == ["a?", "b?", "m", "m"])
    store.dispatch(.inc)
    #expect(store.state == 512)
    #expect(notes.all.dropFirst(12) == ["m", "a inc"])
  }

  @Test func whatAnInterceptorPassesOnGoesToThePartsOfItsKind() throws {
    let store = try store([CountInterceptor("turn") { action, _, _, next in next(action == .inc ? .dec : action) }])
    store.dispatch(.inc)
    #expect(store.state == 110)
    #expect(notes.all == ["a?", "b?", "b dec", "m"])
  }

  @Test func theyAreAskedAnewWhereTheyMayTakeOthers() throws {
    let takes = Lock(false)
    let late = CountReducer("late") { if takes.withLock({ $0 }) { $1 += 1 } }
    let store = try Counting(initial: 0, reducer: late.taking(kinds: { _ in takes.withLock { $0 } }))
    store.setKinds(Self.kind)
    // Somebody who looks, or the store takes the short way, which asks all parts.
    let watch = store.watch { _ in }
    store.dispatch(.inc)
    takes.withLock { $0 = true }
    store.dispatch(.inc)
    #expect(store.state == 0)
    store.findKindsAnew()
    store.dispatch(.inc)
    #expect(store.state == 1)
    withExtendedLifetime(watch) {}
  }

  /// Also where the objects of kinds come and go, and a new one stands where an earlier one did.
  @Test func noKindPassesForAnother() {
    let table = KindTable<Kind, Kind>({ ActionKind($0) }) { Kind($0.number) }
    for number in 0..<5000 {
      let kind = Kind(number)
      #expect(table.part(for: kind).takeUnretainedValue().number == number)
      #expect(table.part(for: kind).takeUnretainedValue().number == number)
    }
  }
}
