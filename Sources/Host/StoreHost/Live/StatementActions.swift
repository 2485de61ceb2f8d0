import StoreCore
import StoreHistory

/// The actions that a client's statement asks for. From outside they belong together; from within, those of each of the statements that
/// it runs in turn do.
struct StatementActions {
  /// The first action of the outermost statement that runs; nil: it asked for none yet, or none runs.
  private(set) var first: Int?
  private var isRunning = false
  /// The first action of each statement within it but the first one's, which is the whole's: most statements have no other.
  private var later: [Int] = []
  /// True if the next action is the first of another part.
  private var beginsPart = false
  /// True while all statements are parts of one, a run.
  private(set) var isRun = false
  /// True behind the end of a run, until the statement `atomic end` is over.
  private var hasLeftRun = false

  /// Begins a run with the statements behind the one that runs.
  mutating func beginRun() {
    self = StatementActions()
    (isRunning, isRun) = (true, true)
  }

  /// Ends the run.
  mutating func endRun() {
    (isRun, hasLeftRun) = (false, true)
    (first, later) = (nil, [])
  }

  /// Forgets the actions so far: they stand in a history that is gone.
  mutating func forget() { (first, later) = (nil, []) }

  /// Begins a statement.
  ///
  /// - Returns: the number of parts that were there; nil: no statement runs that this one could be a part of.
  mutating func begin() -> Int? {
    beginsPart = true
    guard !isRunning else { return first == nil ? 0 : later.count + 1 }
    isRunning = true
    return nil
  }

  /// Ends the statement that began when there were so many parts.
  mutating func end(_ outer: Int?) {
    if hasLeftRun {
      self = StatementActions()
    } else if isRun {
      later = []
      beginsPart = true
    } else if let outer {
      later.removeSubrange(min(outer, later.count)...)
      beginsPart = true
    } else {
      (first, isRunning, beginsPart) = (nil, false, false)
      if !later.isEmpty { later = [] }
    }
  }

  /// Takes note of an action that the statement asked for.
  mutating func note(_ number: Int) {
    guard isRunning else { return }
    if first == nil {
      first = number
    } else if beginsPart {
      later.append(number)
    }
    beginsPart = false
  }

  /// Tells the first action of the statement that asked for an action behind it.
  var tell: (LoggedEntry) -> Int? {
    guard let first else { return { $0.source.statement } }
    let parts = [first] + later
    return { entry in
      guard entry.number >= first else { return entry.source.statement }
      var (low, high) = (0, parts.count)
      while low < high {
        let middle = (low + high) / 2
        if parts[middle] <= entry.number { low = middle + 1 } else { high = middle }
      }
      return parts[low - 1] == entry.number ? nil : parts[low - 1]
    }
  }
}

/// The stage of a run of statements that a client has begun and not left.
package enum StatementRunState {
  /// It goes on.
  case open
  /// Its actions were taken back. The client dispatches nothing until it leaves the run.
  case cancelled
  /// The connection on which it began is lost. The client dispatches nothing until it leaves the run.
  case lost
}

extension ActionSource {
  /// Stands for ``statement`` in the source of the first action of a run of statements until that is recorded.
  static var firstOfRun: Int { .max }
}
