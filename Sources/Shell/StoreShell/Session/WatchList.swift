import ShellLanguage
import StoreCore
import StoreHost
import StorePlugins
import StoreSchema

/// The watches of a session, by id.
struct WatchList {
  private(set) var list: [Entry] = []
  private var nextId = 1

  struct Entry {
    let id: Int
    /// The path or the expression.
    let name: String
    let subscription: Subscription
    /// Tells what waits for its pace.
    let flush: () -> Void
  }

  /// The id that the next watch gets.
  var upcoming: Int { nextId }

  mutating func add(_ name: String, _ subscription: Subscription, flush: @escaping () -> Void = {}) {
    list.append(Entry(id: nextId, name: name, subscription: subscription, flush: flush))
    nextId += 1
  }

  /// Ends a watch; false where there is none of that id.
  mutating func stop(_ id: Int) -> Bool {
    guard let index = list.firstIndex(where: { $0.id == id }) else { return false }
    let entry = list.remove(at: index)
    entry.flush()
    entry.subscription.cancel()
    return true
  }

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

/// The value that a watch looks at: of an expression, or at a path, none where the path leads nowhere just now. If a projection or an
/// expression fails, the value is the one from before.
final class WatchedPath: @unchecked Sendable {
  // Safe: read by the thread that holds the store's turn.
  private weak var session: Session?
  private let subject: Subject
  private let report: (any Error) -> Void
  private var last = Value.none
  private var isFailing = false
  private let narrowing: Narrowing?
  /// The value that was told last.
  private var told: Value?
  /// The actions since the session looked.
  private var behind = Behind()
  /// True while the session is to look.
  private var isLooking = false
  /// True until a look's rest is over, after which the session is to look.
  private var isResting = false
  /// The clock by which it rests; nil: time stands while others act.
  private let clock: (any StoreClock)?
  /// The time of its next look, as long as others act: thirty looks a second, each at all that they did, let the store go on.
  private var next = Duration.zero
  private static let pause = Duration.milliseconds(33)
  private static let manyLooks = 32
  /// Tells of a change that others made.
  var tell: ((WatchedChange) -> Void)?
  /// What is looked at.
  enum Subject {
    case path(Path)
    case expression(String, chunk: String)
  }

  /// The path; nil: an expression is looked at.
  var path: Path? { if case .path(let path) = subject { path } else { nil } }

  /// True if only the session knows what it looks at: by a name of its own, or by its Lua.
  let isNamedBySession: Bool

  /// - Parameters:
  ///   - narrowing: which elements it looks at; nil: all.
  ///   - report: told why a projection or an expression fails, once until it works again.
  init(session: Session, _ subject: Subject, _ narrowing: Narrowing? = nil, report: @escaping (any Error) -> Void) {
    self.session = session
    self.subject = subject
    self.narrowing = narrowing
    self.report = report
    clock = session.clock.passesByItself ? session.clock.clock : nil
    switch subject {
    case .path(let path): isNamedBySession = session.isNamed(path) || narrowing != nil
    case .expression: isNamedBySession = true
    }
  }

  /// The value after the last action. A watch is of the present, whatever the session looks at.
  var value: Value {
    guard let session else { return .none }
    // The session's own names are for its own thread alone: there a value under such a name is looked at soon, behind the actions
    // that it was not looked at after yet.
    let isOwn = session.inbox.isOwnThread
    if isNamedBySession, !isOwn || behind.count > 0 {
      lookLater(session, isOwn: isOwn)
    } else if isOwn {
      note { try session.store.viewing(nil) { try read(in: session).value } }
    } else if let path {
      let live = session.store.live
      note { try live.read(path, in: live.present).value }
    }
    return last
  }

  /// Takes note of a value that was looked at.
  private func note(_ look: () throws -> Value) {
    do {
      last = try look()
      isFailing = false
    } catch  where ShellError(describing: error).code == .unknownPath {
      last = .none
      isFailing = false
    } catch {
      if !isFailing { report(error) }
      isFailing = true
    }
  }

  /// A change to a value, unless it was told already.
  func change(from old: Value, to new: Value, _ number: Int) -> WatchedChange? {
    let old = isNamedBySession ? told ?? old : old
    guard !isNamedBySession || old != new else { return nil }
    told = new
    // Now: memory may have let go of the action by the time that the session looks.
    let action = session?.store.live.recent(number)?.action
    return WatchedChange(old: old, new: new, number: number, action: action ?? "")
  }

  /// - Parameter isOwn: true after an action of the session, which waits for no rest.
  private func lookLater(_ session: Session, isOwn: Bool) {
    behind.append(session.store.live.head)
    guard !isLooking else { return }
    guard !isOwn, let clock, next > .zero, clock.now < next else { return look(session) }
    guard !isResting else { return }
    isResting = true
    clock.schedule(at: next) { [weak self, weak live = session.store.live] in
      live?.turn { self?.endRest() }
    }
  }

  private func endRest() {
    isResting = false
    if !isLooking, behind.count > 0, let session { look(session) }
  }

  /// Has the session look.
  private func look(_ session: Session) { isLooking = session.inbox.bring { [weak self] in self?.catchUp() } }

  /// Tells, on the session's own thread, what has changed since, action by action; of too many actions together.
  private func catchUp() {
    guard let session else { return }
    let live = session.store.live
    var numbers = live.turn {
      isLooking = false
      if let clock { next = clock.now + Self.pause }
      guard behind.count == 1 || behind.isFolded else { return behind.take()[...] }
      followPresent(session)
      return []
    }
    guard !numbers.isEmpty else { return }
    // A few together, so that the turn is not asked for after each of them.
    var looks: [(number: Int, outcome: Result<Value, any Error>)] = []
    func followLooks() {
      for look in looks { follow(look.number) { try look.outcome.get() } }
      looks = []
    }
    do {
      try session.store.viewingEach(Array(numbers)) { number in
        numbers.removeFirst()
        looks.append((number, Result { try read(in: session).value }))
        if looks.count == Self.manyLooks { live.turn { followLooks() } }
      }
      live.turn { followLooks() }
    } catch {
      live.turn {
        followLooks()
        // Memory has let go of the others.
        behind.prepend(numbers.count)
        followPresent(session)
      }
    }
  }

  /// Tells how the value has changed by all actions up to now, in the turn.
  private func followPresent(_ session: Session) {
    let folded = max(behind.count - 1, 0)
    behind = Behind()
    follow(session.store.live.head, folded: folded) { try session.store.viewing(nil) { try read(in: session).value } }
  }

  private func follow(_ number: Int, folded: Int = 0, _ look: () throws -> Value) {
    let old = last
    note(look)
    guard var change = change(from: old, to: last, number) else { return }
    change.folded = folded
    tell?(change)
  }

  private func read(in session: Session) throws -> Reading {
    let path: Path
    switch subject {
    case .path(let given): path = given
    case .expression(let text, let chunk): return try session.lua().evaluate(text, chunk: chunk, isReadOnly: true)
    }
    let reading = try session.read(path)
    return try narrowing?.narrow(reading, of: path.description, in: session).reading ?? reading
  }
}

/// The actions after which a value is still to be looked at.
private struct Behind {
  /// Their numbers, oldest first; of more than may be looked at the last alone.
  private var numbers: [Int] = []
  private(set) var count = 0
  /// As many as an idle session may be told of.
  private static let most = SessionInbox.limit

  /// True if there are too many to be looked at one by one.
  var isFolded: Bool { count > numbers.count }

  mutating func append(_ number: Int) {
    count += 1
    if count > Self.most { numbers.removeAll(keepingCapacity: true) }
    numbers.append(number)
  }

  /// Counts some before them that cannot be looked at any more.
  mutating func prepend(_ more: Int) { count += more }

  mutating func take() -> [Int] {
    defer { self = Behind() }
    return numbers
  }
}

/// So many lines of a watch may come in a time.
struct WatchPace {
  /// The time from one line to the next.
  let pause: Duration

  /// The pace of a text such as `2/s` or `10/min`; nil where it says none.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int(parts[0]), (1...1000).contains(count) else { return nil }
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
  // Weak: a timer may come when the store is about to go.
  private weak var live: LiveStore?
  private var next = Duration.zero
  private var waiting: WatchedChange?
  private var tell: (WatchedChange) -> Void = { _ in }

  init(_ pace: WatchPace, clock: any StoreClock, live: LiveStore) {
    (self.pace, self.clock, self.live) = (pace, clock, live)
  }

  /// Has a change told of, now or with later ones.
  func take(_ change: WatchedChange, _ tell: @escaping (WatchedChange) -> Void) {
    if let earlier = waiting {
      var change = change
      (change.old, change.count) = (earlier.old, earlier.count + 1)
      change.folded += earlier.folded
      waiting = change
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
    live?.turn {
      guard let change = waiting else { return }
      waiting = nil
      next = clock.now + pace.pause
      tell(change)
    }
  }
}
