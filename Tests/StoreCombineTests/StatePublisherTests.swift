import Dispatch
import StoreCombine
import StoreCore
import Testing
import TraceSupport

import OpenCombine

/// Rows 14, 21, 87: states as publishers.
@Suite struct StatePublisherTests {
  @Test func theCurrentStateComesFirstAndThenEachChange() throws {
    let store = try Counting(initial: 3, reducer: count)
    let got = Notes<Int>()
    let whole = store.connection.publisher.sink { got.note($0) }
    let tens = Notes<String>()
    let part = store.projection(state: { $0 / 10 }).connection.publisher.map { "<\($0)>" }.sink { tens.note($0) }
    for action in [Act.inc, .noop, .set(12), .inc] { store.dispatch(action) }
    whole.cancel()
    store.dispatch(.set(50))
    withExtendedLifetime(part) {}
    #expect(got.all == [3, 4, 12, 13])
    #expect(tens.all == ["<0>", "<1>", "<5>"])
  }

  @Test func demandIsRespectedAndOnlyTheNewestStateIsKept() throws {
    let store = try Counting(initial: 0, reducer: count)
    let probe = Probe()
    store.connection.publisher.subscribe(probe)
    store.dispatch(.inc)
    #expect(probe.got.all == [])
    probe.request(.max(1))
    #expect(probe.got.all == [1], "the newest, not what was current first")
    for _ in 0..<3 { store.dispatch(.inc) }
    #expect(probe.got.all == [1])
    probe.request(.max(2))
    #expect(probe.got.all == [1, 4])
    store.dispatch(.inc)
    store.dispatch(.inc)
    #expect(probe.got.all == [1, 4, 5])
    probe.request(.unlimited)
    for _ in 0..<3 { store.dispatch(.inc) }
    #expect(probe.got.all == [1, 4, 5, 6, 7, 8, 9])
  }

  @Test func aSubscriberAsksForMoreWhileItIsTold() throws {
    let store = try Counting(initial: 0, reducer: count)
    let returning = Probe(onSubscription: { $0.request(.max(1)) }, onValue: { value, _ in value < 2 ? .max(1) : .none })
    let requesting = Probe(
      onSubscription: { $0.request(.max(1)) },
      onValue: { value, probe in
        if value < 2 { probe.request(.max(1)) }
        return .none
      })
    store.connection.publisher.subscribe(returning)
    store.connection.publisher.subscribe(requesting)
    for _ in 0..<5 { store.dispatch(.inc) }
    #expect(returning.got.all == [0, 1, 2])
    #expect(requesting.got.all == [0, 1, 2])
  }

  @Test func aSubscriberCancelsWhileItIsTold() throws {
    let store = try Counting(initial: 0, reducer: count)
    let trace = TraceLines("N")
    trace.listen(to: store)
    let later = Probe(
      onSubscription: { $0.request(.unlimited) },
      onValue: { value, probe in
        if value == 1 { probe.subscription?.cancel() }
        return .max(1)
      })
    let atOnce = Probe(
      onSubscription: { $0.request(.unlimited) },
      onValue: { _, probe in
        probe.subscription?.cancel()
        probe.subscription?.cancel()
        return .unlimited
      })
    let before = Probe(onSubscription: {
      $0.request(.unlimited)
      $0.cancel()
    })
    for probe in [later, atOnce, before] { store.connection.publisher.subscribe(probe) }
    #expect(trace.take() == ["N 0 connection 0", "N 0 connection 0"], "one never subscribed to the store")
    for _ in 0..<3 { store.dispatch(.inc) }
    #expect(later.got.all == [0, 1])
    #expect(atOnce.got.all == [0])
    #expect(before.got.all == [])
    #expect(trace.lines == ["N 1 connection 1"])
    before.request(.unlimited)
    later.request(.unlimited)
    #expect(later.got.all == [0, 1])
    #expect((later.ends.all + atOnce.ends.all + before.ends.all) == [], "who cancels is told nothing more")
  }

  @Test func aSubscriberDispatchesWhileItIsTold() throws {
    let store = try Counting(initial: 0, reducer: count)
    let connection = store.connection
    let order = Notes<String>()
    let sink = connection.publisher.sink { state in
      order.note("\(state)")
      if state < 3 { _ = connection.dispatch(DispatchedAction(.inc, source: .here())) }
      order.note("\(state).")
    }
    let other = connection.publisher.sink { order.note("b\($0)") }
    store.dispatch(.inc)
    withExtendedLifetime((sink, other)) {}
    #expect(order.all == ["0", "0.", "1", "1.", "2", "2.", "3", "3.", "b3", "4", "4.", "b4"])
  }

  /// A state that was there already is told on the thread that asks, which does not own the store then.
  @Test(arguments: [false, true])
  func whatChangesWhileASubscriberIsToldComesAfter(isOnAnotherThread: Bool) throws {
    let store = try Counting(initial: 0, reducer: count)
    let probe = Probe(onValue: { value, _ in
      guard value < 3 else { return .none }
      let done = DispatchSemaphore(value: 0)
      let change: @Sendable () -> Void = {
        store.dispatch(.inc)
        store.dispatch(.inc)
        done.signal()
      }
      if isOnAnotherThread { DispatchQueue.global().async(execute: change) } else { change() }
      done.wait()
      return .none
    })
    store.connection.publisher.subscribe(probe)
    probe.request(.unlimited)
    #expect(probe.got.all == [0, 1, 2, 3, 4, 5, 6])
    #expect(probe.ends.all == [], "never two at a time")
  }

  @Test func itFinishesOnceWhenTheStoreGoes() throws {
    var store: Counting? = try Counting(initial: 0, reducer: count)
    weak let gone = store
    let publisher = try #require(store?.connection.publisher)
    let asking = Probe(onSubscription: { $0.request(.unlimited) })
    let waiting = Probe()
    let cancelled = Probe(onSubscription: { $0.request(.unlimited) })
    for probe in [asking, waiting, cancelled] { publisher.subscribe(probe) }
    cancelled.subscription?.cancel()
    store = nil
    #expect(gone == nil)
    #expect(asking.ends.all == ["finished"])
    #expect(waiting.ends.all == ["finished"], "the end needs no demand")
    #expect(cancelled.ends.all == [])
    asking.request(.max(1))
    asking.subscription?.cancel()
    #expect(asking.got.all == [0] && asking.ends.all == ["finished"])
    let late = Probe(onSubscription: { $0.request(.unlimited) })
    publisher.subscribe(late)
    #expect(late.got.all == [] && late.ends.all == ["finished"])
  }

  @Test func aSubscriberDropsTheStoreWhileItIsTold() throws {
    let store = Lock<Counting?>(try Counting(initial: 0, reducer: count))
    let publisher = try #require(store.withLock { $0?.connection.publisher })
    let connection = try #require(store.withLock { $0?.connection })
    let holder = Holder(try #require(store.withLock { $0 }))
    store.withLock { $0 = nil }
    let probe = Probe(
      onSubscription: { $0.request(.unlimited) },
      onValue: { value, _ in
        if value == 1 { holder.drop() }
        return .none
      })
    publisher.subscribe(probe)
    _ = connection.dispatch(DispatchedAction(.inc, source: .here()))
    #expect(probe.got.all == [0, 1])
    #expect(probe.ends.all == ["finished"])
  }

  @Test func subscribersAreLetGo() throws {
    var store: Counting? = try Counting(initial: 0, reducer: count)
    var cancelled: Probe? = Probe(onSubscription: { $0.request(.unlimited) })
    var finished: Probe? = Probe(onSubscription: { $0.request(.unlimited) })
    weak let (first, second) = (cancelled, finished)
    store?.connection.publisher.subscribe(try #require(cancelled))
    store?.connection.publisher.subscribe(try #require(finished))
    cancelled?.subscription?.cancel()
    cancelled = nil
    finished = nil
    #expect(first == nil)
    #expect(second != nil, "the subscription keeps it")
    store = nil
    #expect(second == nil)
  }

  @Test func threadsDispatchAndEveryStateComesOnceInOrder() async throws {
    let store = try Counting(initial: 0, reducer: count)
    let probe = Probe(onSubscription: { $0.request(.unlimited) })
    store.connection.publisher.subscribe(probe)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask { for _ in 0..<300 { store.dispatch(.inc) } }
      }
    }
    store.awaitQueue()
    #expect(store.state == 900)
    #expect(probe.got.all == Array(0...900))
    #expect(probe.ends.all == [])
  }

  @Test func threadsAskWhileOthersDispatch() async throws {
    let store = try Counting(initial: 0, reducer: count)
    let probe = Probe()
    store.connection.publisher.subscribe(probe)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask { for _ in 0..<300 { store.dispatch(.inc) } }
      }
      group.addTask { for _ in 0..<200 { probe.request(.max(1)) } }
    }
    store.awaitQueue()
    #expect(store.state == 600)
    #expect(probe.got.all.count <= 200)
    probe.request(.unlimited)
    #expect(zip(probe.got.all, probe.got.all.dropFirst()).allSatisfy { $0 < $1 }, "in order, none twice")
    #expect(probe.got.all.last == 600)
    #expect(probe.ends.all == [], "never two at a time")
  }

  @Test func threadsCancelWhileOthersDispatch() async throws {
    let store = try Counting(initial: 0, reducer: count)
    let probes = (0..<50).map { _ in Probe(onSubscription: { $0.request(.unlimited) }) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for _ in 0..<500 { store.dispatch(.inc) } }
      group.addTask {
        for probe in probes {
          store.connection.publisher.subscribe(probe)
          probe.subscription?.cancel()
        }
      }
    }
    store.awaitQueue()
    let before = probes.map(\.got.all.count)
    store.dispatch(.inc)
    #expect(probes.map(\.got.all.count) == before)
    #expect(probes.allSatisfy { $0.ends.all == [] })
  }
}
