import Platform
import StoreCore

/// The names that have acted at a store: none, one or several. The code of the owner counts as one.
package struct ActedNames {
  private var only: Name?
  /// True once a second name has acted.
  package private(set) var areSeveral = false
  // What comes from the same place again has the same name.
  private var latest: ActionSource.Origin?

  private enum Name: Equatable {
    case owner
    case author(ActionAuthor)
  }

  /// None.
  package init() {}

  /// Takes note of the name of an action; what a unit dispatched has none.
  package mutating func note(_ source: ActionSource) {
    if areSeveral || source.origin === latest { return }
    latest = source.origin
    if let author = source.author { add(.author(author)) } else if source.isOfOwner { add(.owner) }
  }

  /// Takes note of names that a file or a recording tells of.
  package mutating func note(_ authors: [ActionAuthor], withOwner: Bool) {
    for author in authors { add(.author(author)) }
    if withOwner { add(.owner) }
  }

  /// Takes note of the names that others are.
  mutating func note(_ others: ActedNames) {
    if let name = others.only { add(name) }
    if others.areSeveral { areSeveral = true }
  }

  private mutating func add(_ name: Name) {
    if only == nil { only = name } else if only != name { areSeveral = true }
  }
}

extension LiveStore {
  /// True if another conversation or code of the owner has been at the store behind an action: a sequence may not fall then.
  package func hadCompany(behind number: Int) -> Bool { turn { hasCompany || lastCompany > number } }

  /// True if several conversations are at the store, or may be.
  package var hasCompany: Bool { node != nil || clients.count { !$0.onlyServes } > 1 }

  /// Notes that conversations come or go: while there are several, all that happens has company.
  func noteCompany() {
    if hasCompany { lastCompany = history.head }
  }

  /// True if lists tell the time of day of actions: the store has a file that its user named, or a door, and time is real.
  package var showsTimesOfDay: Bool {
    guard wallTime != nil else { return false }
    if hasDoor.isSet { return true }
    return turn { journal.map { $0.plan.opening != .withFirstAction } ?? (history.older != nil) }
  }

  /// True if a middleware has that name, as its module and its own name stand together: `hold.expiry` or `hold/expiry`.
  package func isNameOfUnit(_ name: String) -> Bool {
    turn { hostUnits.contains { $0.name == name || $0.name.replacing(".", with: "/") == name } }
  }
}

/// The time of day by the system's clock.
package enum TimeOfDay {
  /// The milliseconds since 1970 (UTC), as of the last tick of the system, a few milliseconds ago at most.
  @Sendable
  package static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return time.tv_sec &* 1000 &+ time.tv_nsec / 1_000_000
  }
}
