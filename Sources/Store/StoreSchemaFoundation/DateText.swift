import FoundationEssentials

/// Moments by ISO 8601, without locales and without loss.
enum DateText {
  private static let secondsPerDay = 86_400

  /// The bound of the seconds that ``date(_:)`` reads as a year of at most nine digits.
  private static let bound = 3e16

  /// The text of a moment. One beyond all years, or closer to a second than digits tell, is `@` and the seconds since the beginning of
  /// 2001.
  static func text(of date: Date) -> String {
    let interval = date.timeIntervalSinceReferenceDate
    let text = abs(interval) < bound ? calendarText(of: interval) : nil
    return text ?? "@\(interval)"
  }

  /// The text of a moment by the calendar; nil where that is another one's.
  private static func calendarText(of interval: Double) -> String? {
    let seconds = Int(interval.rounded(.down))
    guard let fraction = fraction(of: interval, after: seconds) else { return nil }
    let days = seconds.flooredQuotient(by: secondsPerDay)
    let day = CivilDay(daysSinceReferenceDate: days)
    let time = seconds - days * secondsPerDay
    return "\(day.text)T\(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60))"
      + fraction + "Z"
  }

  /// The fewest digits after the point that tell the moment from all others; nil: none do.
  private static func fraction(of interval: Double, after seconds: Int) -> String? {
    let fraction = interval - Double(seconds)
    if fraction == 0 { return "" }
    var scale = 1.0
    for count in 1...17 {
      scale *= 10
      let digits = Int((fraction * scale).rounded())
      guard Double(digits) < scale else { continue }
      let text = ".\(padded(digits, to: count))"
      if let shown = Double("0\(text)"), Double(seconds) + shown == interval { return text }
    }
    return nil
  }

  /// The moment of a text, nil where it is none.
  static func date(_ text: String) -> Date? {
    if text.first == "@" { return Double(text.dropFirst()).map { Date(timeIntervalSinceReferenceDate: $0) } }
    let pattern = /([-+]?\d{4,9})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(?:[Zz]|([-+])(\d\d):?(\d\d))?)?/
    guard let match = text.wholeMatch(of: pattern)?.output,
      let year = Int(match.1), let month = Int(match.2), let dayOfMonth = Int(match.3),
      let day = CivilDay(year: year, month: month, day: dayOfMonth)
    else { return nil }
    func number(_ digits: Substring?) -> Int { digits.flatMap { Int($0) } ?? 0 }
    let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
    let (zoneHour, zoneMinute) = (number(match.9), number(match.10))
    guard hour < 24, minute < 60, second < 60, zoneHour < 24, zoneMinute < 60 else { return nil }
    let offset = (zoneHour * 60 + zoneMinute) * (match.8 == "-" ? -60 : 60)
    let seconds = day.daysSinceReferenceDate * secondsPerDay + (hour * 60 + minute) * 60 + second - offset
    let fraction = match.7.flatMap { Double("0\($0)") } ?? 0
    return Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction)
  }

  fileprivate static func padded(_ number: Int, to count: Int = 2) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

/// A day of the Gregorian calendar, also before there was one.
private struct CivilDay {
  let year: Int
  let month: Int
  let day: Int

  init?(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
    guard (1...12).contains(month), day >= 1 else { return nil }
    // A day that there is not is another one after the way there and back.
    let back = CivilDay(daysSinceReferenceDate: daysSinceReferenceDate)
    guard back.month == month, back.day == day else { return nil }
  }

  // Both ways count in years from March and in eras of 400 years, as Howard Hinnant's `days_from_civil` does.

  private static let daysPerEra = 146_097
  /// The days from the first of March of year 0 to the reference date, the first of January 2001.
  private static let daysToReferenceDate = 730_791

  init(daysSinceReferenceDate: Int) {
    let days = daysSinceReferenceDate + CivilDay.daysToReferenceDate
    let era = days.flooredQuotient(by: CivilDay.daysPerEra)
    let dayOfEra = days - era * CivilDay.daysPerEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  var daysSinceReferenceDate: Int {
    let yearFromMarch = month <= 2 ? year - 1 : year
    let era = yearFromMarch.flooredQuotient(by: 400)
    let yearOfEra = yearFromMarch - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * CivilDay.daysPerEra + dayOfEra - CivilDay.daysToReferenceDate
  }

  var text: String {
    let digits = DateText.padded(abs(year), to: 4)
    let sign = year < 0 ? "-" : year > 9999 ? "+" : ""
    return "\(sign)\(digits)-\(DateText.padded(month))-\(DateText.padded(day))"
  }
}

extension Int {
  fileprivate func flooredQuotient(by divisor: Int) -> Int {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
