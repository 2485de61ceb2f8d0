/// Moments as tables and logs write them: `2026-11-24`, `2026-11-24T10:07:22.5Z`, `24/Nov/2026:10:07:22 +0000`, `10:07`.
struct TimeText {
  private var rest: Substring.UTF8View

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// The seconds since 1970 that a text names, or since midnight where it has no day; nil: it names no moment.
  static func seconds(_ text: String) -> Double? {
    var reader = TimeText(rest: Substring(text).utf8)
    return reader.moment()
  }

  private mutating func moment() -> Double? {
    let isYear = rest.prefix { $0.isDigit }.count == 4
    guard let first = number(digits: isYear ? 4...4 : 1...2) else { return nil }
    if !isYear, skip(":") { return clock(hour: first) }
    let (year, month, day): (Int, Int, Int)
    if isYear {
      guard skip("-"), let named = number(digits: 2...2) else { return nil }
      (year, month) = (first, named)
      if rest.isEmpty {
        day = 1
      } else {
        guard skip("-"), let named = number(digits: 2...2) else { return nil }
        day = named
      }
    } else {
      guard skip("/"), let named = monthByName(), skip("/"), let last = number(digits: 4...4) else { return nil }
      (year, month, day) = (last, named, first)
    }
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    let midnight = Double(Self.days(year, month, day) * 86_400)
    if rest.isEmpty { return midnight }
    guard skip(isYear ? "T" : ":") || skip(" "), let hour = number(digits: 2...2) else { return nil }
    if rest.isEmpty { return (0...24).contains(hour) ? midnight + Double(hour * 3600) : nil }
    return skip(":") ? clock(hour: hour).map { midnight + $0 } : nil
  }

  /// The seconds since midnight behind the hour, and the zone.
  private mutating func clock(hour: Int) -> Double? {
    guard let minute = number(digits: 2...2), (0...24).contains(hour), minute < 60 else { return nil }
    var seconds = Double(hour * 3600 + minute * 60)
    if skip(":") {
      guard let second = number(digits: 2...2), second <= 60 else { return nil }
      seconds += Double(second)
      if skip(".") {
        let digits = rest.prefix { $0.isDigit }
        guard let fraction = Double("0.\(String(Substring(digits)))"), !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        seconds += fraction
      }
    }
    if rest.isEmpty || (skip("Z") && rest.isEmpty) { return seconds }
    _ = skip(" ")
    let isAhead = skip("+")
    guard isAhead || skip("-"), let hours = number(digits: 2...2) else { return nil }
    _ = skip(":")
    guard let minutes = number(digits: 2...2), rest.isEmpty else { return nil }
    let zone = Double(hours * 3600 + minutes * 60)
    return isAhead ? seconds - zone : seconds + zone
  }

  private mutating func number(digits count: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix(count.upperBound).prefix { $0.isDigit }
    guard count.contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    return Int(Substring(digits))
  }

  private mutating func monthByName() -> Int? {
    guard let name = String(rest.prefix(3)), let index = Self.months.firstIndex(of: name.lowercased()) else {
      return nil
    }
    rest = rest.dropFirst(3)
    return index + 1
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// The days from 1970 to a date. A year is counted from March on, so that the leap day is its last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
