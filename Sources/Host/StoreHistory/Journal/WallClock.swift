/// The clock on the wall beside a clock that nobody sets. The time of a store goes on by the wall while its file is closed, so the
/// file has to follow when the wall is set while it is open.
package struct WallClock: Sendable {
  /// The time by the clock on the wall, since 1970.
  private let wallTime: @Sendable () -> Duration
  /// When the time of the store began, by the clock that counts from the start of the machine; nil: it does not tell.
  let beganInBoot: Duration?
  private var last: (wallTime: Duration, moment: ContinuousClock.Instant)

  /// - Parameters:
  ///   - start: the time on the wall at a moment from which on it is followed.
  ///   - began: when the time of the store began, by the clock that counts from the start of the machine; nil: it does not tell.
  ///   - wallTime: the time by the clock on the wall, since 1970.
  package init(
    since start: (wallTime: Duration, moment: ContinuousClock.Instant), beganInBoot began: Duration?,
    wallTime: @escaping @Sendable () -> Duration
  ) {
    (last, beganInBoot, self.wallTime) = (start, began, wallTime)
  }

  /// A difference between two clocks in days. Beyond a century the clock is merely wrong, and may be read no further.
  package static func days(_ difference: Duration) -> String {
    let days = (abs(difference.components.seconds) + 43_200) / 86_400
    return days > 36_525 ? "more than 100 years" : "\(days) \(days == 1 ? "day" : "days")"
  }

  /// Looks whether the clock on the wall was set since it was last asked.
  ///
  /// - Returns: by how much; nil: it was not set.
  mutating func leap() -> Duration? {
    // While the machine sleeps, both go on.
    let (wallTime, moment) = (wallTime(), ContinuousClock.now)
    let leap = wallTime - last.wallTime - last.moment.duration(to: moment)
    last = (wallTime, moment)
    return leap > .seconds(1) || leap < .seconds(-1) ? leap : nil
  }
}
