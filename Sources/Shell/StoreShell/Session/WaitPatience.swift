/// Tells when a wait on a virtual clock is endless, as far as can be told: the clock has moved very often.
struct WaitPatience {
  /// So often the tasks that run are looked at.
  private static let pace = 1000
  /// So often the clock moves at most, whatever runs.
  private static let mostInAll = 1_000_000

  private var moves = 0
  private var sinceChange = 0
  private var running: [String] = []

  /// Takes note of a move of the clock.
  ///
  /// - Parameter running: the tasks that run; as long as others end or begin, the wait may come to its end.
  mutating func isOver(running tasks: () -> [String]) -> Bool {
    moves += 1
    sinceChange += 1
    if sinceChange.isMultiple(of: Self.pace) {
      let tasks = tasks()
      if tasks != running { (running, sinceChange) = (tasks, 0) }
    }
    return sinceChange > Session.mostMoves || moves > Self.mostInAll
  }
}
