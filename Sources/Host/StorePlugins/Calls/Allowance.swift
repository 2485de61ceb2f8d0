/// So many of something a second, on the clock of a store.
struct Allowance {
  /// The number allowed per second.
  let limit: Int
  private var second = Duration.zero
  private var used = 0

  init(limit: Int) { self.limit = limit }

  /// Takes a time for the one at which what was used so far was used.
  mutating func begin(at time: Duration) { second = time }

  /// The number left in the second that contains a time.
  mutating func left(at time: Duration) -> Int {
    if time >= second + .seconds(1) || time < second { (second, used) = (time, 0) }
    return limit - used
  }

  /// Uses one, where one is left.
  ///
  /// - Returns: true if one was left.
  mutating func take(at time: Duration) -> Bool {
    guard left(at: time) > 0 else { return false }
    used += 1
    return true
  }
}
