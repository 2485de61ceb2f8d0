/// Misuse that a store refuses; the store stays usable.
public enum StoreError: Error, Hashable, Sendable {
  /// Two units have one name.
  case duplicateUnit(name: String)
  /// One outside dispatch caused more actions than the store allows (R30).
  ///
  /// - next: the text of the next action, which was dropped with the rest of the queue.
  /// - source: where that action comes from.
  /// - chain: the numbers of the causes, the nearest first, at most ten of them.
  case runaway(limit: Int, next: String, source: ActionSource, chain: [Int])

  /// One sentence: what happened and what to look at.
  public var message: String {
    switch self {
    case .duplicateUnit(let name): return "two units are named '\(name)'; names must be unique in a store"
    case .runaway(let limit, let next, let source, let chain):
      let causes = chain.map { "#\($0)" }.joined(separator: " <- ")
      return "more than \(limit) actions caused by one dispatch; stopped before \(next) "
        + "from \(source.file):\(source.line), caused by \(causes); the rest of the queue was dropped"
    }
  }
}
