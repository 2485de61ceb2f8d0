import StoreModules
import StoreSchema

/// The last result of a function of the state, kept as long as no slice that it read has changed.
final class StateCache<Result> {
  /// The number of runs of the function.
  private(set) var runs = 0
  /// The number of times that the former result was given again.
  private(set) var hits = 0
  /// The modules that it read last, in order.
  private(set) var reads: [String] = []
  private var value: Result?
  private var versions: [Int] = []

  /// The result that the function would give, where known.
  func value(in view: any StateView) -> Result? { isKnown(in: view) ? value : nil }

  /// True if it is known; that it is asked counts as a use.
  func isKnown(in view: any StateView) -> Bool {
    guard value != nil else { return false }
    for position in reads.indices where view.version(of: reads[position]) != versions[position] { return false }
    hits += 1
    return true
  }

  /// Counts a run.
  func noteRun() {
    runs += 1
    forget()
  }

  /// Counts the uses of the same function elsewhere, which are counted there no longer.
  func takeUses(from other: StateCache) {
    runs += other.runs
    hits += other.hits
    if value == nil, !other.reads.isEmpty { reads = other.reads }
    (other.runs, other.hits) = (0, 0)
  }

  /// Forgets what the function gave.
  func forget() { value = nil }

  /// Keeps what the function gave, where it can be told when that is over.
  func keep(_ value: Result, reading modules: [String], in view: any StateView) {
    reads = modules
    versions = modules.compactMap { view.version(of: $0) }
    // A function that reads nothing costs nothing.
    self.value = versions.count == modules.count && !modules.isEmpty ? value : nil
  }
}
