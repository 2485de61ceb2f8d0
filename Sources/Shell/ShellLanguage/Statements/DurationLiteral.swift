/// Durations as the command language writes them.
public enum DurationLiteral {
  /// The expected text, in words, where ``parse(_:)`` refuses one.
  public static func expected(insteadOf text: String) -> String {
    if parse(text) != nil { return "a duration above 0" }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let isTooLong =
      parse("1" + text.dropFirst(digits.count)).map { $0 / .seconds(1) * (Double(digits) ?? 0) > 9.2e9 } ?? false
    if isTooLong { return "a duration of at most 292 years" }
    let unit = text.dropFirst(digits.count).lowercased()
    guard !digits.isEmpty, let meant = unit.isEmpty ? "s" : Self.unit(meantBy: unit), parse(digits + meant) != nil
    else {
      return "a duration such as 500ms, 2s or 5min"
    }
    return "a duration such as \(digits)\(meant)"
  }

  /// The unit that a word is probably meant as; nil: it is like none.
  package static func unit(meantBy word: String) -> String? {
    switch word {
    case "m", "min", "mins", "minute", "minutes": "min"
    case "ms", "msec", "millis", "milliseconds": "ms"
    case "s", "sec", "secs", "second", "seconds": "s"
    case "h", "hr", "hrs", "hour", "hours": "h"
    case "d", "day", "days": "d"
    default: nil
    }
  }

  /// Reads `500ms`, `2s`, `1.5s`, `5min`, `1h` or `2d`: digits, at most one point, a unit. Nil where the text is none of
  /// these, or a time of more nanoseconds than an Int holds, which are 292 years.
  public static func parse(_ text: String) -> Duration? { Duration(literal: text) }
}
