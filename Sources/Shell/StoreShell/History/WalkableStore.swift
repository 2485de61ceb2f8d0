import StoreCore
import StoreHistory
import StorePlugins
import StoreSchema

/// A store that knows what happened to it, shows earlier points, and returns to them.
protocol WalkableStore: AnyObject {
  /// The number of the last action; 0: there was none.
  var head: Int { get }
  /// The oldest number whose state can be shown; 0: the initial state.
  var oldest: Int { get }
  /// The number before which nothing is the user's own, and so nothing to be undone.
  var firstPoint: Int { get set }
  /// The number before the oldest entry that can be read: where the state had another type once, entries go back further than
  /// states.
  var oldestEntry: Int { get }
  /// Whether actions before the oldest one cannot be read because a file is damaged.
  var isBeginningUnreadable: Bool { get }
  /// How much of the history memory holds.
  var historyLimits: HistoryLimits { get }
  /// What is shown instead of the present; nil: the present.
  var viewed: ViewedPoint? { get }

  /// The entry of a number, however old; nil where there is none.
  func entry(_ number: Int) throws -> LoggedEntry?
  /// Hands out entries in order, as far as they are kept, until the body returns false.
  func visit(_ numbers: ClosedRange<Int>, _ body: (LoggedEntry) throws -> Bool) throws
  /// Whether an action brought the whole state of a plugin or a substate, or took it away, which no change tells.
  func bringsOrTakes(_ module: String, _ entry: LoggedEntry) throws -> Bool
  /// What became of the value at a path when the state was brought to another type.
  func migration(of path: Path) throws -> Migration
  /// What differs between the states after two actions, without those that are skipped; 0: the initial state.
  func changes(from old: Int, to new: Int) throws -> [Change]

  /// Has everything read the state after an action, without those that are skipped, while a closure runs.
  func viewing<Result>(_ number: Int, _ body: () throws -> Result) throws -> Result
  /// Shows the state after an action from now on, read-only (R27), with some actions left out.
  func look(at number: Int, without skipped: [Int]) throws
  /// Shows the present again, and goes on.
  func lookAtPresent()
  /// Throws the error for what may not be done while the past is shown.
  func requirePresent() throws

  /// The plugins that were loaded after an action and do not run now: they come back with it.
  func returningPlugins(to number: Int) -> [PluginSource]
  /// Makes an earlier point the present, by a recorded action, and shows it.
  ///
  /// - Throws: where what is shown is nothing that happened.
  func restore(to number: Int, source: ActionSource) throws -> DispatchReport
  /// What undo and redo find in the log.
  var undoLine: UndoLine { get }
  /// Changes how much of the history memory holds, by a recorded action.
  func setHistoryLimits(_ limits: HistoryLimits, source: ActionSource) -> DispatchReport
  /// The first of some actions after which a condition on the state holds, and whether it holds before them already.
  ///
  /// - Parameter holds: asks the condition of what can be read at the moment.
  func bisect(_ numbers: ClosedRange<Int>, holds: () throws -> Bool) throws -> BisectionAnswer
}

/// What became of a value when the state was brought to another type.
enum Migration {
  /// Nothing, or the state always had the type that it has.
  case none
  /// It came or changed.
  case changed([Change])
  /// The state before that can no longer be read.
  case unknown
}

extension WalkableStore {
  /// Why states go back no further than they do.
  var reasonOfBeginning: String {
    if oldestEntry < oldest { return "the state had another type then" }
    return isBeginningUnreadable ? "the file is damaged there" : "they are no longer kept"
  }

  /// What to do about a point that states do not go back to.
  var hintAtBeginning: String {
    if oldestEntry < oldest { return "the state had another type then; log and why still tell of it" }
    return isBeginningUnreadable
      ? "what else of the file can be read is said where it is opened" : "set journal.limit says how much is kept"
  }

  /// The error for a point before the oldest one that there is.
  func beforeBeginning(_ number: Int, oldest: Int) -> HistoryError {
    isBeginningUnreadable ? .unreadable(number, oldest: oldest) : .notKept(number, oldest: oldest)
  }
}

extension HistoryLimits {
  /// The limits as `set` shows and takes them: `10000, 32MiB`.
  var text: String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)]
    let unit = units.first { bytes > 0 && bytes % (1 << $0.1) == 0 }
    return "\(entries), \(unit.map { "\(bytes >> $0.1)\($0.0)" } ?? "\(bytes)B")"
  }

  /// Takes over what a text says: a number of actions, a size in memory, or both; nil where it is neither.
  func changed(by text: String) -> HistoryLimits? {
    var limits = self
    for part in text.split(separator: ",") {
      let part = part.filter { $0 != " " }
      let units = [("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)]
      if let number = Int(part), number > 0 {
        limits.entries = number
      } else if let unit = units.first(where: { part.hasSuffix($0.0) }), let size = Int(part.dropLast(unit.0.count)),
        size > 0, size <= Int.max >> unit.1
      {
        limits.bytes = size << unit.1
      } else {
        return nil
      }
    }
    return limits
  }
}
