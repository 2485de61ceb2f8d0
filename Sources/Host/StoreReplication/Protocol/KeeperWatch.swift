/// The count of ticks by which a node knows whether the keeper is alive, and a keeper whether it may go on.
///
/// A keeper says at each tick that it is alive, and hears its own words by way of the log's server. Its lease starts when it sent
/// the words, not when it heard them. It ends after four ticks, two thirds of the time to live; others take over after six. So the
/// tasks of two keepers overlap only if the clocks of two machines run at speeds that differ by half. (Leases are those of Gray and
/// Cheriton, 1989.) The log decides in any case: it refuses what a keeper of an earlier term appends.
struct KeeperWatch: Hashable, Sendable {
  /// A keeper ends its tasks when so many ticks pass unconfirmed.
  static let lease: UInt64 = 4
  /// Another node takes over after more silence than this. The first tick may come right after the last words.
  static let patience: UInt64 = 6

  /// The number of this node's tick, by which it names its words as keeper.
  private(set) var beat: UInt64 = 0
  /// The last beat at which the log's server was reached for certain.
  private var confirmed: UInt64 = 0
  /// The ticks since the keeper was heard.
  private var silence: UInt64 = 0
  /// True while this node runs the tasks.
  private(set) var runsTasks = false

  /// True when the keeper has been silent for too long.
  var isOverdue: Bool { silence > KeeperWatch.patience }

  /// A keeper was heard, or there is reason to count its silence anew.
  mutating func hear() { silence = 0 }

  /// This node became the keeper.
  mutating func begin() {
    (confirmed, silence) = (beat, 0)
    runsTasks = true
  }

  /// This node runs the tasks no longer.
  mutating func end() { runsTasks = false }

  /// Ticks of a node that is not the keeper.
  mutating func waitFor(_ ticks: UInt64) { silence = min(silence + ticks, KeeperWatch.patience + 1) }

  /// Ticks of the keeper. False when its lease is over.
  mutating func keep(_ ticks: UInt64) -> Bool {
    beat += ticks
    return beat - confirmed < KeeperWatch.lease
  }

  /// The server was reached at a beat. True when the keeper may take up its tasks again.
  mutating func confirm(_ heard: UInt64) -> Bool {
    confirmed = max(confirmed, min(heard, beat))
    guard !runsTasks, beat - confirmed < KeeperWatch.lease else { return false }
    runsTasks = true
    return true
  }
}
