import StoreCore
import StoreHost
import StoreSchema

/// The looks of a session at those of its watches that only its own thread can look at.
///
/// Others that act have the session look, up to thirty times a second, and go on meanwhile. The session tells of each of their
/// actions, in order, of all watches together. A watch that takes too long, or makes too much, is told of the last one alone, with
/// the number of those that were folded into it.
final class SessionLooks: @unchecked Sendable {
  // Safe: used by the thread that holds the store's turn.
  /// Leads to the session that owns them.
  var session = Lease<Session>()
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
    guard let session = session.object else { return }
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
      clock.schedule(at: next) { [weak self, live = session.store.live.lease] in
        live.object?.turn { self?.endRest() }
      }
    } else {
      isLooking = true
      session.inbox.lookSoon { [weak self] in self?.look() }
    }
  }

  private func endRest() {
    isResting = false
    if !isLooking, behind.count > 0, let session = session.object { lookSoon(session) }
  }

  /// Tells, on the session's own thread, what has changed since it looked last.
  private func look() {
    guard let session = session.object else { return }
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
