import StoreHistory
import StoreSchema

extension Divergence {
  /// How many differing places an error lists.
  private static let shownPlaces = 5

  /// Compares an action with its recording; nil where they are the same.
  ///
  /// - Parameters:
  ///   - now: the action as it went now.
  ///   - hashes: the slices that it changed or brought, or that are as the recording says, each with its hash.
  ///   - arrived: the slices of plugins that it brought: their hashes tell all of what became of them.
  ///   - entry: gives the entry of a number, for causes.
  init?(
    _ recorded: RecordedEntry, _ now: LoggedEntry, _ hashes: [(module: String, hash: UInt64)], apart arrived: [String],
    entry: (Int) -> LoggedEntry?
  ) {
    let lines = Self.lines(recorded.entry, now, apart: arrived) ?? Self.lines(recorded.hashes, hashes)
    guard let lines else { return nil }
    self.init(of: recorded.entry, lines, entry: entry)
  }

  /// Where an action went otherwise, one line for each side; nil where it did not.
  ///
  /// - Parameter modules: the modules whose changes are not compared.
  private static func lines(
    _ recorded: LoggedEntry, _ now: LoggedEntry, apart modules: [String]
  ) -> [String]? {
    if recorded.failure != now.failure {
      return [recorded, now].map(\.failure).map { $0.map { "failed: \($0)" } ?? "applied" }.pair
    }
    let (before, after) = (recorded.changes.outside(modules), now.changes.outside(modules))
    guard before != after else { return nil }
    var lines: [String] = []
    var places = 0
    func add(_ old: Change?, _ new: Change?) {
      places += 1
      guard places <= shownPlaces, let path = (old ?? new)?.path else { return }
      lines += [old, new].map { $0.map { $0.text } ?? "\(path)  unchanged" }.pair
    }
    var later = after
    for change in before {
      let index = later.firstIndex { $0.path == change.path }
      let match = index.map { later.remove(at: $0) }
      if match != change { add(change, match) }
    }
    for change in later { add(nil, change) }
    if places > shownPlaces { lines.append("and \(places - shownPlaces) more") }
    return lines
  }

  /// Where a slice arrived as another, or the line is not what was written; nil where neither is so.
  private static func lines(_ recorded: [String: UInt64], _ now: [(module: String, hash: UInt64)]) -> [String]? {
    // A recording that was made by hand may have no hashes.
    guard !recorded.isEmpty else { return nil }
    let now = Dictionary(now, uniquingKeysWith: { first, _ in first })
    guard recorded != now else { return nil }
    let names = Set(recorded.keys).union(now.keys).filter { recorded[$0] != now[$0] }
    return names.sorted().flatMap { name in
      [recorded[name], now[name]].map { hash in
        "\(name)  \(hash.map { "has the hash \(StableHash.text(of: $0))" } ?? "is as before")"
      }.pair
    }
  }
}

extension [String] {
  /// What was and what is, named so.
  fileprivate var pair: [String] { zip(["recorded  ", "now       "], self).map { $0 + $1 } }
}

extension [Change] {
  /// Those of other modules.
  fileprivate func outside(_ modules: [String]) -> [Change] {
    modules.isEmpty ? self : filter { change in change.module.map { !modules.contains($0) } ?? true }
  }
}
