import StoreCore
import StoreHost

struct WatchList {
  /// The most watches of a session: each takes memory and is asked after each action, and a client by a door may start them in a
  /// loop.
  static let most = 200

  private(set) var list: [Entry] = []
  private var nextId = 1

  struct Entry {
    let id: Int
    let name: String
    /// The statement that begins it.
    let statement: String
    let subscription: Subscription
    /// Writes what it sees.
    fileprivate let writer: WatchLineWriter
    /// Tells what waits for its pace.
    let flush: () -> Void
  }

  /// The id that the next watch gets.
  var upcoming: Int { nextId }

  mutating func add(
    _ name: String, _ subscription: Subscription, by statement: String, writer: WatchLineWriter,
    flush: @escaping () -> Void = {}
  ) {
    list.append(
      Entry(id: nextId, name: name, statement: statement, subscription: subscription, writer: writer, flush: flush))
    nextId += 1
  }

  /// Gives the next watch an id, where no watch has had a greater one.
  mutating func goOn(at id: Int) { nextId = max(nextId, id) }

  /// Ends a watch; false where there is none of that id.
  mutating func stop(_ id: Int) -> Bool {
    guard let index = list.firstIndex(where: { $0.id == id }) else { return false }
    let entry = list.remove(at: index)
    entry.flush()
    entry.writer.tellSum()
    entry.subscription.cancel()
    return true
  }

  /// Tells the sums of changes that came in a statement.
  func tellSums() { for entry in list { entry.writer.tellSum() } }

  /// Tells what waits for the paces of watches.
  func flush() { for entry in list { entry.flush() } }

  mutating func stopAll() {
    for entry in list {
      entry.flush()
      entry.subscription.cancel()
    }
    list = []
  }
}

/// So many lines of a watch may come in a time.
struct WatchPace {
  /// The time from one line to the next.
  let pause: Duration
  /// The text that says so.
  let text: String

  /// The pace of a text such as `2/s` or `10/min`; nil where it says none.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int(parts[0]), (1...1000).contains(count) else { return nil }
    self.text = text
    switch parts[1] {
    case "s": pause = .seconds(1) / count
    case "min": pause = .seconds(60) / count
    default: return nil
    }
  }
}

/// A watch whose lines come at a pace: the first at once, then the last of those that came meanwhile, with their number.
final class PacedWatch: @unchecked Sendable {
  // Safe: used by the thread that holds the store's turn.
  private let pace: WatchPace
  private let clock: any StoreClock
  // A timer may come when the store is about to go.
  private let live: Lease<LiveStore>
  private var next = Duration.zero
  private var waiting: WatchedChange?
  private var tell: (WatchedChange) -> Void = { _ in }

  init(_ pace: WatchPace, clock: any StoreClock, live: LiveStore) {
    (self.pace, self.clock, self.live) = (pace, clock, live.lease)
  }

  /// Has a change told of, now or with later ones.
  func take(_ change: WatchedChange, _ tell: @escaping (WatchedChange) -> Void) {
    if var earlier = waiting {
      earlier.absorb(change)
      waiting = earlier
      // A statement that takes long lets no timer come.
      if clock.now >= next { flush() }
      return
    }
    let now = clock.now
    guard now < next else {
      next = now + pace.pause
      return tell(change)
    }
    waiting = change
    self.tell = tell
    clock.schedule(at: next) { [weak self] in self?.flush() }
  }

  /// Tells of what waits.
  func flush() {
    live.object?.turn {
      guard let change = waiting else { return }
      waiting = nil
      next = clock.now + pace.pause
      tell(change)
    }
  }
}
