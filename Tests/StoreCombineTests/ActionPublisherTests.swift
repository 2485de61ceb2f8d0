import StoreCombine
import StoreCore
import Testing

import OpenCombine

/// Row 21: publishers of actions.
@Suite struct ActionPublisherTests {
  static func recording(_ initial: Int = 0, _ middleware: Middleware<Act, Act, Int> = .identity) throws -> (
    Counting, Notes<(Act, ActionSource)>
  ) {
    let store = try Counting(initial: initial, reducer: count, middleware: middleware)
    let records = Notes<(Act, ActionSource)>()
    store.setRecorder { records.note(($0.action, $0.context.source)) }
    return (store, records)
  }

  @Test func whatIsPublishedIsDispatchedFromTheLineThatConnects() throws {
    let (store, records) = try Self.recording()
    let subject = PassthroughSubject<Int, Never>()
    let line = #line + 1
    var feed: AnyCancellable? = subject.map { Act.set($0) }.dispatch(to: store.connection, info: "feed")
    subject.send(4)
    subject.send(7)
    #expect(store.state == 7)
    let source = ActionSource(file: #fileID, function: #function, line: line, info: "feed", kind: .effect)
    #expect(records.all.map(\.1) == [source, source])
    withExtendedLifetime(feed) {}
    feed = nil
    subject.send(9)
    #expect(store.state == 7)
  }

  @Test func actionsThatBearASourceKeepIt() throws {
    let (store, records) = try Self.recording()
    let source = ActionSource(file: "wire", function: "read", line: 9, info: "i", kind: .remote)
    let view = store.projection(action: { (n: Int) in n > 0 ? Act.set(n) : nil })
    let feed = [5, -1, 6].publisher.map { DispatchedAction($0, source: source) }.dispatch(to: view.connection)
    withExtendedLifetime(feed) {}
    #expect(records.all.map(\.0) == [.set(5), .set(6)])
    #expect(records.all.map(\.1) == [source, source])
  }

  @Test func whatIsPublishedWhileTheStoreIsBusyWaitsItsTurn() throws {
    let (store, records) = try Self.recording()
    let subject = PassthroughSubject<Act, Never>()
    let feed = subject.dispatch(to: store.connection)
    let watch = store.connection.publisher.filter { $0 == 1 }.sink { _ in
      subject.send(.set(10))
      subject.send(.inc)
    }
    store.dispatch(.inc)
    withExtendedLifetime((feed, watch)) {}
    #expect(records.all.map(\.0) == [.inc, .set(10), .inc])
    #expect(records.all.map(\.1.cause) == [nil, 1, 1])
    #expect(store.state == 11)
  }

  @Test func aPublisherIsCancelledOnceItsStoreIsGone() throws {
    var store: Counting? = try Counting(initial: 0, reducer: count)
    let subject = PassthroughSubject<Act, Never>()
    let ends = Notes<String>()
    let feed = subject.handleEvents(receiveCancel: { ends.note("cancelled") })
      .dispatch(to: try #require(store?.connection))
    subject.send(.inc)
    #expect(store?.state == 1)
    store = nil
    subject.send(.inc)
    #expect(ends.all == ["cancelled"])
    withExtendedLifetime(feed) {}
  }

  @Test func storesAreChainedByOperators() throws {
    let front = try Counting(initial: 1, reducer: count)
    let (back, records) = try Self.recording()
    let feed = front.connection.publisher.map { $0 / 2 }.removeDuplicates().map { Act.set($0) }
      .dispatch(to: back.connection)
    for _ in 0..<4 { front.dispatch(.inc) }
    withExtendedLifetime(feed) {}
    #expect(records.all.map(\.0) == [.set(0), .set(1), .set(2)])
  }

  @Test func aMiddlewareDispatchesWhatAPublisherPublishes() throws {
    // Safe: this test is the only one that uses it, on one thread.
    nonisolated(unsafe) let later = PassthroughSubject<Act, Never>()
    let typed = ActionSource(file: "f", function: "g", line: 1, kind: .plugin)
    let line = Lock(0)
    let middleware = Middleware<Act, Act, Int>("m") { action, _, state in
      guard action == .inc else { return .none }
      line.withLock { $0 = #line + 1 }
      return .publisher([state(), state() + 40].publisher.map { Act.set($0) })
        .appending(.publisher(later))
        .appending(.publisher(Just(DispatchedAction(.noop, source: typed))))
    }
    let (store, records) = try Self.recording(2, middleware)
    store.dispatch(.inc)
    #expect(records.all.map(\.0) == [.inc, .set(2), .set(42), .noop])
    #expect(records.all.dropFirst().map(\.1.cause) == [1, 1, 1])
    #expect(records.all[1].1.line == line.withLock { $0 } && records.all[1].1.kind == .effect)
    #expect(records.all[3].1.file == "f" && records.all[3].1.kind == .plugin)
    later.send(.set(8))
    later.send(completion: .finished)
    #expect(store.state == 8)
    #expect(records.all.last?.1.cause == 1, "long after the action that started it")
  }

  @Test func valuesOfAPublisherAreAnAsyncSequenceOfActions() async throws {
    let (store, records) = try Self.recording()
    await store.connection.dispatch(each: [Act.inc, .set(5), .inc].publisher.values)
    #expect(store.state == 6)
    #expect(records.all.map(\.1.kind) == [.effect, .effect, .effect])
  }

  @Test func aPublisherAsAnEffectEndsWithItsTokenItsPublisherAndItsStore() throws {
    // Safe: this test is the only one that uses it, and the effect runs on the thread that owns the store, which is this.
    nonisolated(unsafe) let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let starts = Lock(0)
    let ends = Notes<String>()
    let line = Lock(0)
    let feeding = Middleware<Act, Act, Int>.effects("feed") { action, _, _ -> Effect<Void, Act> in
      line.withLock { $0 = #line + 2 }
      if action == .noop { return .cancel("feed") }
      let effect = Effect<Void, Act>.publisher { _ in
        let start = starts.withLock { starts in
          defer { starts += 1 }
          return starts
        }
        return subjects[start].handleEvents(
          receiveCompletion: { _ in ends.note("finished") }, receiveCancel: { ends.note("cancelled") }
        ).map { Act.set($0) }
      }
      return action == .inc ? effect.token("feed") : .none
    }
    var (store, records): (Counting?, Notes<(Act, ActionSource)>) = try Self.recording(0, feeding)
    store?.dispatch(.inc)
    for value in [10, 11] { subjects[0].send(value) }
    #expect(records.all.map(\.0) == [.inc, .set(10), .set(11)])
    #expect(records.all.last?.1.line == line.withLock { $0 })
    #expect(records.all.last?.1.cause == 1)
    store?.dispatch(.noop)
    subjects[0].send(12)
    #expect(store?.state == 11)
    #expect(ends.all == ["cancelled"])

    store?.dispatch(.inc)
    subjects[1].send(20)
    subjects[1].send(completion: .finished)
    #expect(store?.state == 20)
    #expect(store?.effects.isEmpty == true)
    #expect(ends.all == ["cancelled", "finished"])

    store?.dispatch(.inc)
    weak let gone = store
    store = nil
    #expect(gone == nil)
    #expect(ends.all == ["cancelled", "finished", "cancelled"])
  }
}
