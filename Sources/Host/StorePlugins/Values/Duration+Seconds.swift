extension Duration {
  /// The duration in seconds.
  public var seconds: Double {
    let (seconds, attoseconds) = components
    guard abs(seconds) < 9_000_000_000 else { return Double(seconds) }
    // Whole nanoseconds first, so that 1.5 s is 1.5 and not its nearest sum of two parts.
    return Double(seconds * 1_000_000_000 + attoseconds / 1_000_000_000) / 1e9
  }
}
