import ShellLanguage
import StoreCore
import StorePlugins
import StoreSchema

/// The watches of a session, by id.
struct WatchList {
  private(set) var list: [Entry] = []
  private var nextId = 1

  struct Entry {
    let id: Int
    let path: Path
    let subscription: Subscription
  }

  /// The id that the next watch gets.
  var upcoming: Int { nextId }

  mutating func add(_ path: Path, _ subscription: Subscription) {
    list.append(Entry(id: nextId, path: path, subscription: subscription))
    nextId += 1
  }

  /// Ends a watch; false where there is none of that id.
  mutating func stop(_ id: Int) -> Bool {
    guard let index = list.firstIndex(where: { $0.id == id }) else { return false }
    list.remove(at: index).subscription.cancel()
    return true
  }

  mutating func stopAll() {
    for entry in list { entry.subscription.cancel() }
    list = []
  }
}

/// The value that a watch looks at: at a path, none where the path leads nowhere just now. If a projection or an
/// expression fails, the value is the one from before.
final class WatchedPath: @unchecked Sendable {
  // Safe: read by the thread that holds the store's turn.
  private weak var session: Session?
  private let path: Path
  private let report: (any Error) -> Void
  private var last = Value.none
  private var isFailing = false
  private let narrowing: Narrowing?
  /// True if only the session knows what it looks at: by a name of its own, or by its Lua.
  let isNamedBySession: Bool

  /// - Parameters:
  ///   - narrowing: which elements it looks at; nil: all.
  ///   - report: told why a projection or an expression fails, once until it works again.
  init(session: Session, path: Path, _ narrowing: Narrowing? = nil, report: @escaping (any Error) -> Void) {
    self.session = session
    self.path = path
    self.narrowing = narrowing
    self.report = report
    isNamedBySession = session.isNamed(path) || narrowing != nil
  }

  var value: Value {
    do {
      guard let session else { return .none }
      // The session's own names are for its own thread alone; a value under such a name is looked at with its next
      // action.
      let isOwn = session.inbox.isOwnThread
      if !isOwn, isNamedBySession { return last }
      // A watch is of the present, whatever the session looks at.
      let live = session.store.live
      last =
        try isOwn
        ? session.store.viewing(nil) { try read(in: session).value } : live.read(path, in: live.present).value
      isFailing = false
    } catch  where ShellError(describing: error).code == .unknownPath {
      last = .none
      isFailing = false
    } catch {
      if !isFailing { report(error) }
      isFailing = true
    }
    return last
  }

  private func read(in session: Session) throws -> Reading {
    let reading = try session.read(path)
    return try narrowing?.narrow(reading, of: path.description, in: session).reading ?? reading
  }
}
