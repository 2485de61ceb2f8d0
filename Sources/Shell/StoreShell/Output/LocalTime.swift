import Platform

/// Moments as the clock of whoever reads shows them.
struct LocalTime {
  /// The clock of a reader elsewhere; nil: it is this process's clock.
  private let reader: ReaderClock?

  static let own = LocalTime(nil)

  init(_ reader: ReaderClock?) { self.reader = reader }

  /// The text of a moment: `2026-11-26 18:50`.
  ///
  /// - Parameter seconds: seconds since 1970.
  func text(of seconds: Int) -> String { "\(date(of: seconds * 1000)) \(clock(of: seconds * 1000).prefix(5))" }

  /// The day of a moment: `2026-11-26`.
  ///
  /// - Parameter milliseconds: milliseconds since 1970.
  func date(of milliseconds: Int) -> String {
    let parts = parts(of: milliseconds)
    return "\(Int(parts.tm_year) + 1900)-\(Self.two(parts.tm_mon + 1))-\(Self.two(parts.tm_mday))"
  }

  /// The time of day of a moment: `18:50:07`.
  func clock(of milliseconds: Int) -> String {
    let parts = parts(of: milliseconds)
    return "\(Self.two(parts.tm_hour)):\(Self.two(parts.tm_min)):\(Self.two(parts.tm_sec))"
  }

  /// The day and the minute of a moment: `14:03` of today, `Thursday 14:03` of the last six days, else with the date.
  func day(of milliseconds: Int, now: Int) -> String {
    let clock = clock(of: milliseconds).prefix(5)
    if date(of: milliseconds) == date(of: now) { return String(clock) }
    guard (0..<6 * 86_400_000).contains(now - milliseconds) else { return "\(date(of: milliseconds)) \(clock)" }
    let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    return "\(names[Int(parts(of: milliseconds).tm_wday) % 7]) \(clock)"
  }

  /// The moment of a text: `18:50` or `18:50:07` of today, `2026-11-26`, or both with a space or `T` between, and `Z` behind for
  /// UTC.
  ///
  /// - Returns: milliseconds since 1970; nil: the text says no moment.
  func moment(_ text: String, now: Int) -> Int? {
    var text = text[...]
    let isUTC = text.hasSuffix("Z")
    if isUTC { text = text.dropLast() }
    let zone = isUTC ? LocalTime(ReaderClock(offset: 0)) : self
    var parts = zone.parts(of: now)
    let words = text.split(separator: text.contains("T") ? "T" : " ", omittingEmptySubsequences: false)
    guard (1...2).contains(words.count) else { return nil }
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (0, 0, 0)
    if words.count == 2 || !text.contains(":") {
      guard let date = Self.numbers(words[0], by: "-"), date.count == 3, 1970...9999 ~= date[0], 1...12 ~= date[1],
        1...31 ~= date[2]
      else { return nil }
      (parts.tm_year, parts.tm_mon, parts.tm_mday) = (date[0] - 1900, date[1] - 1, date[2])
    }
    if words.count == 2 || text.contains(":") {
      guard let clock = Self.numbers(words[words.count - 1], by: ":"), 2...3 ~= clock.count, 0...23 ~= clock[0],
        clock.dropFirst().allSatisfy({ 0...59 ~= $0 })
      else { return nil }
      (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock[0], clock[1], clock.count > 2 ? clock[2] : 0)
    }
    parts.tm_isdst = -1
    let day = parts.tm_mday
    let seconds = zone.reader.map { $0.moment(of: timegm(&parts)) } ?? mktime(&parts)
    // The system takes the 30th of February for a day of March.
    return parts.tm_mday == day ? seconds * 1000 : nil
  }

  private func parts(of milliseconds: Int) -> tm {
    var (time, parts) = (milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0), tm())
    if let reader { time += reader.offset(at: time) }
    if reader == nil { localtime_r(&time, &parts) } else { gmtime_r(&time, &parts) }
    return parts
  }

  private static func numbers(_ text: Substring, by separator: Character) -> [Int32]? {
    let numbers = text.split(separator: separator, omittingEmptySubsequences: false).map { part in
      part.allSatisfy { $0.isASCII && $0.isNumber } ? Int32(part) : nil
    }
    return numbers.contains(nil) ? nil : numbers.compactMap(\.self)
  }

  private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// The clock of a reader of a store elsewhere: how far it is ahead of UTC, and when summer began.
package struct ReaderClock: Sendable {
  /// An offset, and the moment from which it holds: both in seconds, since 1970 and ahead of UTC.
  package struct Step: Hashable, Sendable {
    package let from: Int
    package let offset: Int

    package init(from: Int, offset: Int) { (self.from, self.offset) = (from, offset) }
  }

  /// The offsets in the order of their moments, at least one; the first holds before its moment, too.
  package let steps: [Step]

  package init(steps: [Step]) { self.steps = steps }

  /// A clock that never changes.
  package init(offset: Int) { steps = [Step(from: 0, offset: offset)] }

  /// The clock of this process, from ten years ago to two years ahead.
  package static func own(now: Int = time(nil)) -> ReaderClock {
    func offset(at moment: Int) -> Int {
      var (moment, parts) = (moment, tm())
      localtime_r(&moment, &parts)
      return parts.tm_gmtoff
    }
    let (year, month) = (31_557_600, 2_592_000)
    var last = Step(from: now - 10 * year, offset: offset(at: now - 10 * year))
    var steps = [last]
    for next in stride(from: last.from + month, through: now + 2 * year, by: month) {
      var (before, behind) = (next - month, next)
      guard offset(at: behind) != last.offset else { continue }
      while behind - before > 1 {
        let middle = (before + behind) / 2
        if offset(at: middle) == last.offset { before = middle } else { behind = middle }
      }
      last = Step(from: behind, offset: offset(at: next))
      steps.append(last)
    }
    return ReaderClock(steps: steps)
  }

  /// The offset at a moment, in seconds since 1970.
  func offset(at moment: Int) -> Int { (steps.last { $0.from <= moment } ?? steps[0]).offset }

  /// The moment at which the clock shows what a clock in UTC shows at another.
  func moment(of shown: Int) -> Int { shown - offset(at: shown - offset(at: shown)) }
}
