import StoreCore
import TraceSupport
import Testing

/// States as asynchronous sequences.
@Suite struct StateStreamTests {
  @Test func theNewestStateIsKeptByDefault() async throws {
    let store = try Counting(initial: 0, reducer: count)
    var states = store.connection.states().makeAsyncIterator()
    #expect(await states.next() == 0)
    for _ in 0..<5 { store.dispatch(.inc) }
    #expect(await states.next() == 5)
    store.dispatch(.noop)
    store.dispatch(.dec)
    #expect(await states.next() == 4)
  }

  @Test func theBufferingIsTheConsumersChoice() async throws {
    var store: Counting? = try Counting(initial: 0, reducer: count)
    let connection = try #require(store?.connection)
    let cases: [(StateStream<Int>.Buffering, [Int])] = [
      (.unbounded, [0, 1, 2, 3]), (.newest(2), [2, 3]), (.oldest(2), [0, 1]),
    ]
    var iterators = cases.map { connection.states(buffering: $0.0).makeAsyncIterator() }
    for _ in 0..<3 { store?.dispatch(.inc) }
    store = nil
    for (index, (buffering, expected)) in cases.enumerated() {
      var got: [Int] = []
      while let state = await iterators[index].next() { got.append(state) }
      #expect(got == expected, "\(buffering)")
    }
  }

  @Test func aStreamEndsWhenTheStoreGoesAndDoesNotKeepIt() async throws {
    var store: Counting? = try Counting(initial: 7, reducer: count)
    weak let gone = store
    let stream = try #require(store?.connection.states())
    var waiting = stream.makeAsyncIterator()
    #expect(await waiting.next() == 7)
    store = nil
    #expect(gone == nil)
    #expect(await waiting.next() == nil)
    #expect(await waiting.next() == nil)
    var late = stream.makeAsyncIterator()
    #expect(await late.next() == nil)
  }

  @Test func aConsumerThatStopsUnsubscribes() async throws {
    let store = try Counting(initial: 0, reducer: count)
    let trace = TraceLines("N")
    trace.listen(to: store)
    let stream = store.connection.states(buffering: .unbounded)
    store.dispatch(.inc)
    #expect(trace.take() == [], "nobody iterates yet")
    for await state in stream {
      if state == 3 { break }
      store.dispatch(.inc)
    }
    #expect(trace.take() == ["N 0 connection 1", "N 2 connection 2", "N 3 connection 3"])
    store.dispatch(.inc)
    #expect(trace.take() == [])
  }

  @Test func aCancelledTaskUnsubscribes() async throws {
    let store = try Counting(initial: 0, reducer: count)
    let trace = TraceLines("N")
    trace.listen(to: store)
    let stream = store.connection.states()
    let task = Task {
      var last: Int?
      for await state in stream { last = state }
      return last
    }
    task.cancel()
    _ = await task.value
    _ = trace.take()
    store.dispatch(.inc)
    #expect(trace.lines == [])
  }

  @Test func eachIterationIsASubscriptionOfItsOwn() async throws {
    let store = try Counting(initial: 0, reducer: count)
    let stream = store.projection(state: { $0 / 2 }).connection.states(buffering: .unbounded)
    var first = stream.makeAsyncIterator()
    #expect(await first.next() == 0)
    store.dispatch(.set(2))
    var second = stream.makeAsyncIterator()
    store.dispatch(.set(3))
    store.dispatch(.set(4))
    #expect(await second.next() == 1)
    #expect(await second.next() == 2)
    #expect(await first.next() == 1)
    #expect(await first.next() == 2)
  }

  @Test func noStateIsLostBetweenThreads() async throws {
    var store: Counting? = try Counting(initial: 0, reducer: count)
    let stream = try #require(store?.connection.states(buffering: .unbounded))
    var states = stream.makeAsyncIterator()
    await withTaskGroup(of: Void.self) { [store] group in
      for _ in 0..<3 {
        group.addTask { for _ in 0..<200 { store?.dispatch(.inc) } }
      }
    }
    store = nil
    var got: [Int] = []
    while let state = await states.next() { got.append(state) }
    #expect(got == Array(0...600))
  }
}
