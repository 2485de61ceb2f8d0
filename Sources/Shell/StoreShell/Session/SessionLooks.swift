import ShellLanguage
import StoreCore
import StoreHost
import StoreSchema

/// The value that a watch looks at: of an expression, or at a path, none where the path leads nowhere just now. If a projection or an
/// expression fails, the value is the one from before.
final class WatchedPath: @unchecked Sendable {
  // Safe: used by the thread that holds the store's turn; one that nobody tells of changes by its session's own thread.
  private weak var session: Session?
  private let subject: Subject
  private let narrowing: Narrowing?
  private let report: (any Error, Int) -> Void
  private var last: Value
  private var isFailing = false
  /// The value that was told last.
  private var told: Value?
  /// The value that the store was given last.
  private var given: Value?
  /// The actions after which nobody looked, and of which nothing was told yet.
  private var folded = 0
  /// True while it is among those that the session is to look at.
  fileprivate var isAwaited = false
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
  ///   - value: the value as it is now.
  ///   - report: told why a projection or an expression fails, once until it works again, and after which action.
  init(
    session: Session, _ subject: Subject, _ narrowing: Narrowing? = nil, value: Value = .none,
    report: @escaping (any Error, Int) -> Void
  ) {
    self.session = session
    self.subject = subject
    self.narrowing = narrowing
    self.report = report
    last = value
    switch subject {
    case .path(let path): isNamedBySession = session.isNamed(path) || narrowing != nil
    case .expression: isNamedBySession = true
    }
  }

  /// The value after the last action, for whoever holds the turn; the one from before where the session is to look at it first.
  /// A watch is of the present, whatever the session looks at.
  var value: Value {
    guard let session else { return .none }
    // The session's own names are for its own thread alone: there a value under such a name is looked at soon, behind the actions
    // that it was not looked at after yet.
    let isOwn = session.inbox.isOwnThread
    if isNamedBySession {
      if isOwn, !session.looks.isBehind {
        let (old, number) = (last, session.store.live.head)
        note(number) { try session.store.viewing(nil) { try read(in: session) } }
        // The store compares with the value that it was given last, which others have changed since.
        if last == given, let change = change(from: old, to: last, number) { tell?(change) }
      } else {
        session.looks.note(self, isOwn: isOwn)
      }
      given = last
    } else if isOwn {
      return present
    } else if let path {
      let live = session.store.live
      note(live.head) { try live.read(path, in: live.present).value }
    }
    return last
  }

  /// The value now, for the session's own thread.
  var present: Value {
    if let session { note(session.store.live.head) { try session.store.viewing(nil) { try read(in: session) } } }
    return last
  }

  /// Takes note of a value that was looked at.
  private func note(_ number: Int, _ look: () throws -> Value) {
    do {
      last = try look()
      isFailing = false
    } catch  where ShellError(describing: error).code == .unknownPath {
      last = .none
      isFailing = false
    } catch {
      if !isFailing { report(error, number) }
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
    var change = WatchedChange(old: old, new: new, number: number, action: action ?? "")
    swap(&change.folded, &folded)
    return change
  }

  /// Tells how the value has changed by an action, in the turn.
  ///
  /// - Parameter folded: the number of earlier actions after which nobody looked.
  fileprivate func follow(_ number: Int, folded: Int, _ look: () throws -> Value) {
    let old = last
    self.folded += folded
    note(number, look)
    if let change = change(from: old, to: last, number) { tell?(change) }
  }

  /// The value as the session sees it, on its own thread.
  fileprivate func read(in session: Session) throws -> Value {
    let path: Path
    switch subject {
    case .path(let given): path = given
    case .expression(let text, let chunk):
      return try session.lua().evaluate(text, chunk: chunk, isReadOnly: true).value
    }
    let reading = try session.read(path)
    return (try narrowing?.narrow(reading, of: path.description, in: session).reading ?? reading).value
  }
}

/// The looks of a session at those of its watches that only its own thread can look at. Others that act have it look, up to thirty
/// times a second, so that they go on meanwhile; it tells of each of their actions, of all watches in the order of the actions.
/// What would take too long, or too much, is folded into the last of them.
final class SessionLooks: @unchecked Sendable {
  // Safe: used by the thread that holds the store's turn.
  /// The session that owns them.
  weak var session: Session?
  /// The actions after which the session has not looked.
  private var behind = Behind()
  /// The watches that it is to look at.
  private var awaited: [Look] = []
  /// True from when the session is to look until it has.
  private var isLooking = false
  /// True until a rest is over, after which the session is to look.
  private var isResting = false
  /// The time of its next look, as long as others act.
  private var next = Duration.zero
  /// The clock by which it rests; nil: time stands while others act.
  private let clock: (any StoreClock)?
  /// The time that all watches may take in a look; who has used up their share of it looks only at the end.
  private let patience: Duration
  private static let pause = Duration.milliseconds(33)
  /// The number of values that are told of in one turn.
  private static let portion = 32

  init(_ clock: SessionClock, patience: Duration) {
    self.clock = clock.passesByItself ? clock.clock : nil
    self.patience = patience
  }

  /// A watch, and how far the session is with it.
  private struct Look {
    weak var watched: WatchedPath?
    /// The place, among the actions that are behind, of the first that it was not looked at after.
    var next: Int
    var time = Duration.zero
    var bytes = 0
  }

  /// A value that was looked at.
  private struct Seen {
    let watched: WatchedPath
    let number: Int
    let folded: Int
    let outcome: Result<Value, any Error>
  }

  /// True if there are actions after which the session has not looked yet.
  var isBehind: Bool { behind.count > 0 || isLooking }

  /// Takes note, in the turn, that a watch is to be looked at after the last action.
  ///
  /// - Parameter isOwn: true after an action of the session, which waits for no rest.
  func note(_ watched: WatchedPath, isOwn: Bool) {
    guard let session else { return }
    behind.append(session.store.live.head)
    if !watched.isAwaited {
      watched.isAwaited = true
      awaited.append(Look(watched: watched, next: behind.count - 1))
    }
    if !isLooking { lookSoon(session, isOwn: isOwn) }
  }

  private func lookSoon(_ session: Session, isOwn: Bool = false) {
    if !isOwn, let clock, clock.now < next {
      guard !isResting else { return }
      isResting = true
      clock.schedule(at: next) { [weak self, weak live = session.store.live] in
        live?.turn { self?.endRest() }
      }
    } else {
      isLooking = true
      session.inbox.lookSoon { [weak self] in self?.look() }
    }
  }

  private func endRest() {
    isResting = false
    if !isLooking, behind.count > 0, let session { lookSoon(session) }
  }

  /// Tells, on the session's own thread, what has changed since it looked last.
  private func look() {
    guard let session else { return }
    let live = session.store.live
    let start = ContinuousClock.now
    var (actions, looks) = live.turn { take() }
    var seen: [Seen] = []
    func follow() {
      for one in seen { one.watched.follow(one.number, folded: one.folded) { try one.outcome.get() } }
      seen = []
    }
    let share = (time: patience / max(looks.count, 1), bytes: SessionInbox.byteLimit / max(looks.count, 1))
    do {
      var places = actions.places[...]
      try session.store.viewingEach(actions.numbers) { number in
        let place = places.removeFirst()
        for index in looks.indices where looks[index].next <= place {
          guard let watched = looks[index].watched else { continue }
          guard places.isEmpty || (looks[index].time < share.time && looks[index].bytes < share.bytes) else { continue }
          let before = ContinuousClock.now
          let outcome = Result { try watched.read(in: session) }
          looks[index].time += .now - before
          if case .success(let value) = outcome { looks[index].bytes += 2 * value.roughSize }
          seen.append(Seen(watched: watched, number: number, folded: place - looks[index].next, outcome: outcome))
          looks[index].next = place + 1
        }
        if seen.count >= Self.portion { live.turn { follow() } }
      }
      live.turn {
        follow()
        end(session, after: .now - start)
      }
    } catch {
      // Memory has let go of the others: all that happened up to now is told together.
      live.turn {
        follow()
        let (later, others) = take()
        let begun = looks.map(\.watched)
        for var other in others where !begun.contains(where: { $0 === other.watched }) {
          other.next += actions.count
          looks.append(other)
        }
        for look in looks {
          let folded = actions.count + later.count - look.next - 1
          guard folded >= 0, let watched = look.watched else { continue }
          watched.follow(live.head, folded: folded) {
            try session.store.viewing(nil) { try watched.read(in: session) }
          }
        }
        end(session, after: .now - start)
      }
    }
  }

  private func take() -> (Behind, [Look]) {
    defer { (behind, awaited) = (Behind(), []) }
    for look in awaited { look.watched?.isAwaited = false }
    return (behind, awaited)
  }

  /// - Parameter time: the time that the look took; the session rests for as long.
  private func end(_ session: Session, after time: Duration) {
    isLooking = false
    if let clock { next = clock.now + max(Self.pause, time) }
    if behind.count > 0 { lookSoon(session) }
  }
}

/// The actions after which watches are still to be looked at.
private struct Behind {
  /// Their numbers, oldest first; of more than may be looked at the last alone.
  private(set) var numbers: [Int] = []
  private(set) var count = 0
  /// As many as an idle session may be told of.
  private static let most = SessionInbox.limit

  /// The places of the numbers among all of them.
  var places: Range<Int> { count - numbers.count..<count }

  /// Adds an action, unless it is the last one.
  mutating func append(_ number: Int) {
    guard number != numbers.last else { return }
    count += 1
    if count > Self.most { numbers.removeAll(keepingCapacity: true) }
    numbers.append(number)
  }
}
