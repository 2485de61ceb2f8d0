import ShellLanguage
import StoreCore
import StoreHost
import StoreSchema

/// The value that a watch looks at: of an expression, or at a path, none where the path leads nowhere just now. If a projection or an
/// expression fails, the value is the one from before.
final class WatchedPath: @unchecked Sendable {
  // Safe: used by the thread that holds the store's turn; one that nobody tells of changes by its session's own thread.
  private let session: Lease<Session>
  private let subject: Subject
  private let narrowing: Narrowing?
  private let report: (any Error, Int) -> Void
  private var last: Value
  let kept: KeptReading
  /// Where the path leads into the store's own: what it has together with all who watch there, the last reading too.
  private let place: WatchedPlace?
  /// The last choice of the condition; nil: it must be asked of all elements.
  private var keptNarrowing: KeptNarrowing?
  private var isFailing = false
  private var told: Value?
  /// The value that the store was given last.
  private var given: Value?
  /// The actions after which nobody looked, and of which nothing was told yet.
  private var folded = 0
  /// True while it is among those that the session is to look at.
  var isAwaited = false
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
  ///   - report: told why a projection or an expression fails, once until it works again, and after which action.
  init(
    session: Session, _ subject: Subject, _ narrowing: Narrowing? = nil, report: @escaping (any Error, Int) -> Void
  ) {
    self.session = session.lease
    self.subject = subject
    self.narrowing = narrowing
    self.report = report
    last = .none
    var isNamed = true
    if case .path(let path) = subject { isNamed = session.isNamed(path) }
    isNamedBySession = isNamed || narrowing != nil
    place = if case .path(let path) = subject, !isNamed { session.store.live.watchedPlace(at: path) } else { nil }
    kept = place?.reading ?? KeptReading()
  }

  /// The value after the last action, for whoever holds the turn; the one from before where the session is to look at it first.
  /// A watch is of the present, whatever the session looks at.
  var value: Value {
    guard let session = session.object else { return .none }
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
      return present(in: session)
    } else if let path {
      let live = session.store.live
      note(live.head) { try live.read(path, in: live.present, after: kept).value }
    }
    return last
  }

  /// The value now, for the session's own thread.
  var present: Value { session.object.map(present) ?? last }

  private func present(in session: Session) -> Value {
    note(session.store.live.head) { try session.store.viewing(nil) { try read(in: session) } }
    return last
  }

  /// Takes note of a value that was looked at.
  ///
  /// - Parameter number: the last action, where it cannot be looked at.
  private func note(_ number: @autoclosure () -> Int, _ look: () throws -> Value) {
    do {
      last = try look()
      isFailing = false
    } catch  where ShellError(describing: error).code == .unknownPath {
      last = .none
      isFailing = false
    } catch {
      if !isFailing { report(error, number()) }
      isFailing = true
    }
  }

  /// A change to a value, unless it was told already.
  func change(from old: Value, to new: Value, _ number: Int) -> WatchedChange? {
    let old = isNamedBySession ? told ?? old : old
    if isNamedBySession {
      guard old != new else { return nil }
      told = new
    }
    // Now: memory may have let go of the action by the time that the session looks.
    let action = session.object?.store.live.recentAction(number)
    var change = WatchedChange(old: old, new: new, number: number, action: action ?? "")
    swap(&change.folded, &folded)
    return change
  }

  /// Tells how the value has changed by an action, in the turn.
  ///
  /// - Parameter folded: the number of earlier actions after which nobody looked.
  func follow(_ number: Int, folded: Int, _ look: () throws -> Value) {
    let old = last
    self.folded += folded
    note(number, look)
    if let change = change(from: old, to: last, number) { tell?(change) }
  }

  /// The value as the session sees it, on its own thread.
  func read(in session: Session) throws -> Value {
    let path: Path
    switch subject {
    case .path(let given): path = given
    case .expression(let text, let chunk):
      return try session.lua().evaluate(text, chunk: chunk, isReadOnly: true).value
    }
    return try narrowed(session.read(path, after: kept), in: session).value
  }

  /// Keeps the value that the watch begins with.
  ///
  /// - Parameter reading: all that stands at the path, or the value of the expression.
  /// - Returns: what it looks at of that.
  func begin(with reading: Reading, in session: Session) throws -> Reading {
    let reading = try narrowed(reading, in: session)
    last = reading.value
    return reading
  }

  /// The elements that meet the condition.
  private func narrowed(_ reading: Reading, in session: Session) throws -> Reading {
    guard let narrowing else { return reading }
    // Nobody else holds what was kept while it is changed.
    var before = keptNarrowing
    keptNarrowing = nil
    if try before?.follow(reading) ?? false, let chosen = before?.chosen {
      keptNarrowing = before
      return Reading(value: chosen, schema: reading.schema)
    }
    let outcome = try narrowing.narrow(reading, of: path?.description ?? "", in: session)
    keptNarrowing = outcome.choice.flatMap {
      KeptNarrowing(of: reading.value, chosen: outcome.reading.value, $0)
    }
    return outcome.reading
  }
}
