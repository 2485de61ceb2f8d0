import StoreCore
import Synchronization

import OpenCombine

enum Act: Equatable, Sendable {
  case inc, noop
  case set(Int)
}

typealias Counting = Store<Act, Int>

let count = Reducer<Act, Int>("count") { action, count in
  switch action {
  case .inc: count += 1
  case .noop: break
  case .set(let value): count = value
  }
}

/// A place for what happens on whatever thread.
final class Notes<Note: Sendable>: Sendable {
  private let collected = Lock<[Note]>([])

  var all: [Note] { collected.withLock { $0 } }
  func note(_ note: Note) { collected.withLock { $0.append(note) } }
}

/// Lets a test drop a store from within one of its callbacks.
final class Holder: Sendable {
  private let held: Lock<Counting?>

  init(_ store: Counting) { held = Lock(store) }

  func drop() {
    let last = held.withLock { store in
      defer { store = nil }
      return store
    }
    withExtendedLifetime(last) {}
  }
}

/// A subscriber that does what a test says and asks for nothing by itself. It notes when it is called by two at a time.
final class Probe: Subscriber, @unchecked Sendable {
  // Safe: set up before it subscribes; from then on called by one at a time, which is what the tests assert.
  typealias Input = Int
  typealias Failure = Never

  let got = Notes<Int>()
  let ends = Notes<String>()
  private let isBusy = Atomic<Bool>(false)
  private(set) var subscription: (any CombineSubscription)?
  private let onSubscription: @Sendable (any CombineSubscription) -> Void
  private let onValue: @Sendable (Int, Probe) -> Subscribers.Demand

  init(
    onSubscription: @escaping @Sendable (any CombineSubscription) -> Void = { _ in },
    onValue: @escaping @Sendable (Int, Probe) -> Subscribers.Demand = { _, _ in .none }
  ) {
    self.onSubscription = onSubscription
    self.onValue = onValue
  }

  func receive(subscription: any CombineSubscription) {
    self.subscription = subscription
    onSubscription(subscription)
  }

  func receive(_ value: Int) -> Subscribers.Demand {
    alone {
      got.note(value)
      return onValue(value, self)
    }
  }

  func receive(completion: Subscribers.Completion<Never>) { alone { ends.note("finished") } }

  func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

  private func alone<Result>(_ body: () -> Result) -> Result {
    if isBusy.exchange(true, ordering: .sequentiallyConsistent) { ends.note("two at a time") }
    defer { isBusy.store(false, ordering: .sequentiallyConsistent) }
    return body()
  }
}
