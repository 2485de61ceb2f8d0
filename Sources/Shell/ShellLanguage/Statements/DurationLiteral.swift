/// Durations as the command language writes them.
public enum DurationLiteral {
  /// The expected text, in words, where ``parse(_:)`` refuses one.
  public static func expected(insteadOf text: String) -> String {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let isTooLong = !digits.isEmpty && parse("1" + text.dropFirst(digits.count)) != nil && Double(digits) ?? 0 > 1e6
    return isTooLong ? "a duration of at most 292 years" : "a duration such as 500ms, 2s or 5min"
  }

  /// Reads `500ms`, `2s`, `1.5s`, `5min` or `1h`: digits, at most one point, a unit. Nil where the text is none of
  /// these, or a time of more nanoseconds than an Int holds, which are 292 years.
  public static func parse(_ text: String) -> Duration? {
    let bytes = Array(text.utf8)
    var position = 0
    var whole: Int64 = 0
    var nanoseconds: Int64 = 0
    var scale: Int64 = 1_000_000_000
    var hasPoint = false
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "."), !hasPoint, position > 0 {
        hasPoint = true
      } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
        let digit = Int64(byte - UInt8(ascii: "0"))
        if hasPoint {
          guard scale > 1 else { return nil }
          scale /= 10
          nanoseconds += digit * scale
        } else {
          guard whole < 1_000_000_000_000 else { return nil }
          whole = whole * 10 + digit
        }
      } else {
        break
      }
      position += 1
    }
    guard position > 0, bytes[position - 1] != UInt8(ascii: ".") else { return nil }
    let amount = Duration(secondsComponent: whole, attosecondsComponent: nanoseconds * 1_000_000_000)
    let duration: Duration
    switch String(decoding: bytes[position...], as: UTF8.self) {
    case "ms": duration = amount / 1000
    case "s": duration = amount
    case "min": duration = amount * 60
    case "h": duration = amount * 3600
    default: return nil
    }
    return duration <= .nanoseconds(Int64.max) ? duration : nil
  }
}
