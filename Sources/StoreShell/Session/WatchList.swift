import StoreCore
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

/// What a watch looks at: the value at a path, none where the path leads nowhere just now.
final class WatchedPath: @unchecked Sendable {
  // Safe: read on the thread of its session, which is the one that processes actions.
  private weak var session: Session?
  private let path: Path

  init(session: Session, path: Path) {
    self.session = session
    self.path = path
  }

  var value: Value { (try? session?.read(path).value) ?? .none }
}
