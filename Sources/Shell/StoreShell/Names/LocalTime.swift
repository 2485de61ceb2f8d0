import Platform

/// A moment as the user's clock shows it.
enum LocalTime {
  /// The text of a moment: `2026-11-26 18:50`.
  ///
  /// - Parameter seconds: seconds since 1970.
  static func text(of seconds: Int) -> String {
    var time = time_t(seconds)
    var parts = tm()
    localtime_r(&time, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    return "\(date) \(two(parts.tm_hour)):\(two(parts.tm_min))"
  }
}
