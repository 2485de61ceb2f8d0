import StoreModules
import StoreSchema

/// What a function of the state gave last, for as long as no slice has changed that it read.
final class StateCache<Result> {
  /// How often the function ran.
  private(set) var runs = 0
  /// How often what it gave before was given again.
  private(set) var hits = 0
  /// The modules that it read last, in order.
  private(set) var reads: [String] = []
  private var value: Result?
  private var versions: [Int] = []

  /// What the function would give, where that is known.
  func value(in view: any StateView) -> Result? {
    guard let value else { return nil }
    for position in reads.indices where view.version(of: reads[position]) != versions[position] { return nil }
    hits += 1
    return value
  }

  /// Counts a run.
  func noteRun() {
    runs += 1
    forget()
  }

  /// Forgets what the function gave.
  func forget() { value = nil }

  /// Keeps what the function gave, where it can be told when that is over.
  func keep(_ value: Result, reading modules: [String], in view: any StateView) {
    reads = modules
    versions = modules.compactMap { view.version(of: $0) }
    // One that reads nothing costs nothing.
    self.value = versions.count == modules.count && !modules.isEmpty ? value : nil
  }
}
