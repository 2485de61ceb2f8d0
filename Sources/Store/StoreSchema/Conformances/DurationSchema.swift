extension Duration: Schematic {
  /// `Double`, in seconds.
  public static let schema = Schema.scalar(
    Duration.self, .double, read: { .double($0 / .seconds(1)) }, isEqual: ==)

  /// The duration of so many seconds, to the nanosecond.
  public init(schemaValue value: Value) throws(SchemaError) {
    let seconds = try Double(schemaValue: value)
    let whole = seconds.rounded(.towardZero)
    guard let wholeSeconds = Int64(exactly: whole) else {
      throw SchemaError(Path(), .outOfRange(bounds: "a number of seconds", found: ScalarText.text(of: seconds)))
    }
    self = .seconds(wholeSeconds) + .nanoseconds(Int64(((seconds - whole) * 1e9).rounded()))
  }
}
