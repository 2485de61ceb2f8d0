import StoreCore
import StoreSchema
import StoreUnits
import Synchronization

/// Rows W: the store alone, one thread.
func storeBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      row: "W1", work: "one Int, one reducer", unit: "ns", target: 25,
      limit: Benchmark.Limit(name: "closure under a mutex", prepare: { mutexClosure }),
      prepare: {
        let store = try Store(initial: 0, reducer: counting)
        return { dispatching(.increment, to: store) }
      }),
    Benchmark(
      row: "W2", work: "W1 and one watcher that reads the state", unit: "ns", target: 50,
      limit: Benchmark.Limit(name: "two closures under a mutex, the states compared", prepare: { mutexWatched }),
      prepare: {
        let store = try Store(initial: 0, reducer: counting)
        let subscription = store.watch { sink($0.new) }
        return { withExtendedLifetime(subscription) { dispatching(.increment, to: store) } }
      }),
    Benchmark(
      row: "W3", work: "ten slices, ten lifted reducers, actions in turn", unit: "ns", target: 60,
      limit: Benchmark.Limit(name: "one switch", prepare: { oneSwitch }),
      prepare: {
        let store = try Store(initial: TenSlices(), reducer: TenSlices.reducer)
        return {
          let value = nanoseconds(each: 1_000_000) { store.dispatch(TenAction(slice: $0 % 10)) }
          sink(store.state)
          return value
        }
      }),
    Benchmark(
      row: "W4", work: "W1 and three pass-through middlewares", unit: "ns", target: 60,
      prepare: {
        let store = try Store(
          initial: 0, reducer: counting, middleware: .compose(passing("a"), passing("b"), passing("c")))
        return { dispatching(.increment, to: store) }
      }),
    Benchmark(
      row: "W5", work: "1,000 slices, each watched, one changes", unit: "ns", target: 1_000,
      limit: Benchmark.Limit(name: "10 slices, each watched", prepare: { try watchedSlices(10) }),
      prepare: { try watchedSlices(1_000) }),
    Benchmark(
      row: "W6", work: "a million Ints, one changes in place", unit: "ns", target: 60,
      limit: Benchmark.Limit(name: "one Int of a million, under a mutex", prepare: { mutexMillion }),
      prepare: {
        let store = try Store(initial: million, reducer: bumping)
        return { bumping(store) { $0 } }
      }),
    Benchmark(
      row: "W6L", work: "W6 through a lifted reducer", unit: "ns", target: 100,
      limit: Benchmark.Limit(name: "one Int of a million, under a mutex", prepare: { mutexMillion }),
      prepare: {
        let store = try Store(
          initial: Outer(),
          reducer: bumping.lift(action: { (action: OuterAction) in action.index }, state: \Outer.numbers))
        return { bumping(store) { OuterAction.bump($0) } }
      }),
    Benchmark(
      row: "W6S", work: "W6 on a persistent list, previous state held", unit: "ns", target: 2_000,
      prepare: {
        let store = try Store(
          initial: PersistentList(million), reducer: Reducer<Int, PersistentList<Int>> { $1[$0] &+= 1 },
          emission: .always)
        return {
          var previous = store.state
          let value = nanoseconds(each: 100_000) {
            previous = store.state
            store.dispatch(scattered($0))
          }
          sink(previous)
          return value
        }
      }),
    Benchmark(
      row: "W7", work: "a logger with a typed diff, 100 fields, text built", unit: "ns", target: 4_000,
      prepare: {
        let logger = Middleware<Int, Never, HundredFields>.logger { entry in
          var text = "\(entry.context.number) \(entry.action)"
          for change in entry.changes {
            if case .replace(let old, let new) = change.kind {
              text += " \(change.path): \(JSON.text(of: old)) -> \(JSON.text(of: new))"
            }
          }
          sink(text)
        }
        let store = try Store(
          initial: HundredFields(), reducer: Reducer<Int, HundredFields> { $1.field50 &+= $0 },
          middleware: logger.lift(input: { $0 }, to: Int.self, state: { $0 }))
        return {
          let value = nanoseconds(each: 20_000) { _ in store.dispatch(1) }
          sink(store.state)
          return value
        }
      }),
  ]
}

// MARK: Counting

private enum CounterAction: Sendable {
  case increment
  case decrement
}

private let counting = Reducer<CounterAction, Int>("counter") { action, count in
  switch action {
  case .increment: count &+= 1
  case .decrement: count &-= 1
  }
}

private func passing(_ name: String) -> Middleware<CounterAction, CounterAction, Int> {
  Middleware(name) { _, _, _ in .none }
}

private func dispatching(_ action: CounterAction, to store: Store<CounterAction, Int>) -> Double {
  let value = nanoseconds(each: 2_000_000) { _ in store.dispatch(action) }
  sink(store.state)
  return value
}

private func mutexClosure() -> Double {
  let count = Mutex(0)
  let body = opaque({ (action: CounterAction, count: inout Int) in count &+= action == .increment ? 1 : -1 })
  let value = nanoseconds(each: 2_000_000) { _ in count.withLock { body(.increment, &$0) } }
  sink(count.withLock { $0 })
  return value
}

private func mutexWatched() -> Double {
  let count = Mutex(0)
  let body = opaque({ (action: CounterAction, count: inout Int) in count &+= action == .increment ? 1 : -1 })
  let watcher = opaque({ (count: Int) in sink(count) })
  let value = nanoseconds(each: 2_000_000) { _ in
    count.withLock { count in
      let before = count
      body(.increment, &count)
      if before != count { watcher(count) }
    }
  }
  sink(count.withLock { $0 })
  return value
}

// MARK: Ten slices

private struct TenAction: Sendable {
  let slice: Int
}

private struct TenSlices: Hashable, Sendable {
  var (a, b, c, d, e) = (0, 0, 0, 0, 0)
  var (f, g, h, i, j) = (0, 0, 0, 0, 0)

  static let reducer: Reducer<TenAction, TenSlices> = {
    let paths: [WritableKeyPath<TenSlices, Int> & Sendable] = [\.a, \.b, \.c, \.d, \.e, \.f, \.g, \.h, \.i, \.j]
    return paths.enumerated().reduce(.identity) { reducer, element in
      let (index, path) = element
      let slice = Reducer<Void, Int>("slice\(index)") { _, count in count &+= 1 }
      return reducer.appending(slice.lift(action: { $0.slice == index ? () : nil }, state: path))
    }
  }()
}

private func oneSwitch() -> Double {
  let state = Mutex(TenSlices())
  let body = opaque({ (action: TenAction, state: inout TenSlices) in
    switch action.slice {
    case 0: state.a &+= 1
    case 1: state.b &+= 1
    case 2: state.c &+= 1
    case 3: state.d &+= 1
    case 4: state.e &+= 1
    case 5: state.f &+= 1
    case 6: state.g &+= 1
    case 7: state.h &+= 1
    case 8: state.i &+= 1
    default: state.j &+= 1
    }
  })
  let value = nanoseconds(each: 1_000_000) { index in
    state.withLock { body(TenAction(slice: index % 10), &$0) }
  }
  sink(state.withLock { $0 })
  return value
}

// MARK: A million Ints

private let million = Array(repeating: 0, count: 1_000_000)

private struct Outer: Hashable, Sendable {
  var title = "outer"
  var numbers = million
}

private enum OuterAction: Sendable {
  case bump(Int)
  case rename(String)

  var index: Int? {
    guard case .bump(let index) = self else { return nil }
    return index
  }
}

private let bumping = Reducer<Int, [Int]>("bump") { $1[$0] &+= 1 }

private func scattered(_ index: Int) -> Int { (index &* 7_919) % 1_000_000 }

private func bumping<Action, State: Equatable>(
  _ store: Store<Action, State>, _ action: (Int) -> Action
) -> Double {
  let value = nanoseconds(each: 1_000_000) { store.dispatch(action(scattered($0))) }
  store.withState { sink($0) }
  return value
}

private func mutexMillion() -> Double {
  let numbers = Mutex(million)
  let body = opaque({ (index: Int, numbers: inout [Int]) in numbers[index] &+= 1 })
  let value = nanoseconds(each: 1_000_000) { index in numbers.withLock { body(scattered(index), &$0) } }
  numbers.withLock { sink($0) }
  return value
}

// MARK: Watched slices

private func watchedSlices(_ count: Int) throws -> Benchmark.Sample {
  let store = try Store(
    initial: PersistentList(repeatElement(0, count: count)), reducer: Reducer<Int, PersistentList<Int>> { $1[$0] &+= 1 }
  )
  let slices = store.watchParts(
    differing: { before, now in
      let same = PersistentList.commonEnds(before, now) { $0.pointee == $1.pointee }
      return same.prefix..<(now.count - same.suffix)
    },
    part: { state, index in state[index] })
  let subscriptions = (0..<count).map { index in
    slices.watch(index, "slice\(index)") { sink($0.new) }
  }
  return {
    let value = nanoseconds(each: 100_000) { store.dispatch(($0 &* 7) % count) }
    withExtendedLifetime(subscriptions) { sink(store.state) }
    return value
  }
}
