extension Duration: Schematic {
  /// Seconds as a `Double`. A duration that no `Double` tells from its neighbours is written as text: the digits of its
  /// seconds, all 18 behind the point that it may have.
  public static let schema = Schema.scalar(
    Duration.self, .double, name: "Duration",
    read: { duration in
      let text = duration.decimalSeconds
      if let number = Double(text), Duration(secondsShown: number) == duration { return .double(number) }
      return .string(text)
    }, isEqual: ==)

  /// The duration of so many seconds: a number by the digits that show it, or a text of digits, to the attosecond. A text
  /// may have a unit instead: `500ms`, `2s`, `-1.5s`, `5min`, `1h` or `2d`.
  public init(schemaValue value: Value) throws(SchemaError) {
    let duration: Duration?
    switch value {
    case .int(let seconds): duration = .seconds(seconds)
    case .double(let seconds): duration = Duration(secondsShown: seconds)
    case .decimal(let number): duration = Duration(decimalSeconds: number.description)
    case .string(let text):
      let size =
        text.hasPrefix("-") ? Duration(literal: String(text.dropFirst())).map { .zero - $0 } : Duration(literal: text)
      duration = Duration(decimalSeconds: text) ?? size
    default: duration = nil
    }
    guard let duration else {
      let expected = "a number of seconds or a duration such as 500ms"
      guard case .double(let seconds) = value else { throw SchemaError(expected: expected, found: value) }
      throw SchemaError(Path(), .outOfRange(bounds: expected, found: ScalarText.text(of: seconds)))
    }
    self = duration
  }
}

extension Duration {
  private static let attosecondsPerSecond: Int128 = 1_000_000_000_000_000_000

  /// The seconds in decimal digits, with as many behind the point as it takes.
  fileprivate var decimalSeconds: String {
    let (seconds, rest) = attoseconds.magnitude.quotientAndRemainder(dividingBy: Self.attosecondsPerSecond.magnitude)
    var text = attoseconds < 0 ? "-\(seconds)" : "\(seconds)"
    guard rest > 0 else { return text }
    let digits = "\(rest)"
    text += "." + String(repeating: "0", count: 18 - digits.utf8.count) + digits
    while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
    return text
  }

  /// The duration of a text of decimal seconds; nil where it is none, or one of more than 18 digits after the point.
  package init?(decimalSeconds text: String) {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    var whole: Int128 = 0
    // What is behind the point, and the attoseconds that its last digit counts.
    var (fraction, scale): (Int64, Int64) = (0, 1_000_000_000_000_000_000)
    var (isBehindPoint, hasDigits) = (false, false)
    for byte in text.utf8.dropFirst(isNegative ? 1 : 0) {
      if byte == UInt8(ascii: "."), hasDigits, !isBehindPoint {
        (isBehindPoint, hasDigits) = (true, false)
        continue
      }
      guard (0x30...0x39).contains(byte) else { return nil }
      hasDigits = true
      if isBehindPoint {
        guard scale > 1 else { return nil }
        scale /= 10
        fraction = fraction * 10 + Int64(byte - 0x30)
      } else {
        let (tens, overflows) = whole.multipliedReportingOverflow(by: 10)
        whole = tens &+ Int128(byte - 0x30)
        guard !overflows, whole >= tens else { return nil }
      }
    }
    // With its sign from here on: there is one negative duration more than there are positive ones.
    let sign: Int128 = isNegative ? -1 : 1
    let (seconds, overflows) = (sign * whole).multipliedReportingOverflow(by: Self.attosecondsPerSecond)
    let (attoseconds, isTooLong) = seconds.addingReportingOverflow(sign * Int128(fraction * scale))
    guard hasDigits, !overflows, !isTooLong else { return nil }
    self.init(attoseconds: attoseconds)
  }

  /// The duration that a number stands for: of nanoseconds where those are shown by it, else of the digits that show it.
  private init?(secondsShown seconds: Double) {
    let whole = seconds.rounded(.towardZero)
    guard let wholeSeconds = Int64(exactly: whole) else { return nil }
    self = .seconds(wholeSeconds) + .nanoseconds(Int64(((seconds - whole) * 1e9).rounded()))
    if Double(decimalSeconds) == seconds || self / .seconds(1) == seconds { return }
    self =
      Duration(decimalSeconds: seconds.description)
      ?? .seconds(wholeSeconds) + Duration(attoseconds: Int128(((seconds - whole) * 1e18).rounded()))
  }
}

extension Duration {
  /// The duration that a text with a unit says: `500ms`, `2s`, `1.5s`, `5min`, `1h` or `2d`: digits, at most one point, a unit. Nil for
  /// another text, and for more nanoseconds than an Int holds, which are 292 years.
  package init?(literal text: String) {
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
    case "d": duration = amount * 86_400
    default: return nil
    }
    guard duration <= .nanoseconds(Int64.max) else { return nil }
    self = duration
  }
}
