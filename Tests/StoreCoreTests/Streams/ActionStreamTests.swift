import StoreCore
import Testing

/// Actions from asynchronous sequences.
@Suite struct ActionStreamTests {
  @Test func actionsOfASequenceAreDispatchedUntilItEnds() async throws {
    let store = try Counting(initial: 0, reducer: count)
    let sources = Notes<ActionSource>()
    store.setRecorder { sources.note($0.context.source) }
    let actions = AsyncStream<Act> { stream in
      for action in [Act.inc, .set(5), .inc] { stream.yield(action) }
      stream.finish()
    }
    let line = #line + 1
    await store.connection.dispatch(each: actions, info: "feed")
    #expect(store.state == 6)
    let expected = ActionSource(file: #fileID, function: #function, line: line, info: "feed", kind: .effect)
    #expect(sources.all == [expected, expected, expected])
  }

  @Test func actionsThatBearASourceKeepIt() async throws {
    let store = try Counting(initial: 0, reducer: count)
    let sources = Notes<ActionSource>()
    store.setRecorder { sources.note($0.context.source) }
    let source = ActionSource(file: "wire", function: "read", line: 9, info: "i", kind: .remote)
    let (actions, feed) = AsyncStream.makeStream(of: DispatchedAction<Act>.self)
    feed.yield(DispatchedAction(.inc, source: source))
    feed.finish()
    await store.connection.dispatch(each: actions)
    #expect(sources.all == [source])
  }

  @Test func anErrorOfTheSequenceIsTheCallers() async throws {
    let store = try Counting(initial: 0, reducer: count)
    let actions = AsyncThrowingStream<Act, any Error> { stream in
      stream.yield(.inc)
      stream.finish(throwing: Refused(description: "no more"))
    }
    await #expect(throws: Refused(description: "no more")) { try await store.connection.dispatch(each: actions) }
    #expect(store.state == 1)
  }

  @Test func aCancelledTaskDispatchesNothingMore() async throws {
    let store = try Counting(initial: 0, reducer: count)
    let connection = store.connection
    let (actions, feed) = AsyncStream.makeStream(of: Act.self)
    let (seen, saw) = AsyncStream.makeStream(of: Int.self)
    let watch = connection.subscribe({ saw.yield($0) }, {})
    let task = Task { await connection.dispatch(each: actions) }
    feed.yield(.inc)
    for await state in seen where state == 1 { break }
    task.cancel()
    feed.yield(.inc)
    await task.value
    withExtendedLifetime(watch) {}
    #expect(store.state == 1)
  }

  @Test func anActionForAStoreThatIsGoneEndsIt() async throws {
    var store: Counting? = try Counting(initial: 0, reducer: count)
    let connection = try #require(store?.connection)
    let (actions, feed) = AsyncStream.makeStream(of: Act.self)
    store = nil
    feed.yield(.inc)
    // The sequence has not ended; that this returns is the assertion.
    await connection.dispatch(each: actions)
    withExtendedLifetime(feed) {}
    #expect(!connection.isOpen())
  }

  @Test func twoStoresFeedEachOtherUntilOneGoes() async throws {
    let front = StoreConnectionTests.Holder(try Counting(initial: 0, reducer: count))
    let back = try Counting(initial: 0, reducer: count)
    let watch = back.watch { notification in
      if notification.new < 4 { front.dispatch(.inc) } else { front.drop() }
    }
    let states = try #require(front.connection).states(buffering: .unbounded)
    await back.connection.dispatch(each: states.map { .set($0) })
    withExtendedLifetime(watch) {}
    #expect(back.state == 4)
    #expect(front.isEmpty)
  }
}
