extension Duration: Schematic {
  /// `Double`, in seconds. A duration that no `Double` tells from its neighbours is written as text: the digits of its
  /// seconds, all 18 behind the point that it may have.
  public static let schema = Schema.scalar(
    Duration.self, .double,
    read: { duration in
      let text = duration.decimalSeconds
      if let number = Double(text), Duration(secondsShown: number) == duration { return .double(number) }
      return .string(text)
    }, isEqual: ==)

  /// The duration of so many seconds: a number by the digits that show it, or a text of digits, to the attosecond.
  public init(schemaValue value: Value) throws(SchemaError) {
    let duration: Duration?
    switch value {
    case .int(let seconds): duration = .seconds(seconds)
    case .double(let seconds): duration = Duration(secondsShown: seconds)
    case .decimal(let number): duration = Duration(decimalSeconds: number.description)
    case .string(let text): duration = Duration(decimalSeconds: text)
    default: duration = nil
    }
    guard let duration else {
      let expected = "a number of seconds"
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
