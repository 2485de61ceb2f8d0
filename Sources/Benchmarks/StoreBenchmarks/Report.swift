/// Prints measurements: a table for people, or one JSON object a line.
enum Report {
  static let header = columns("row", "work", "value", "unit", "target", "limit", "ratio", "met")

  static func line(_ measurement: Measurement) -> String {
    let benchmark = measurement.benchmark
    return columns(
      benchmark.row, benchmark.work, decimal(measurement.value), benchmark.unit, decimal(benchmark.target),
      measurement.limit.map(decimal) ?? "-", measurement.limit.map { decimal(measurement.value / $0) } ?? "-",
      (measurement.isMet ? "yes" : "no") + (benchmark.limit.map { "  limit: \($0.name)" } ?? ""))
  }

  /// A JSON object: the row, its value and unit, the target, the limit and the number of runs.
  static func json(_ measurement: Measurement) -> String {
    let benchmark = measurement.benchmark
    let limit = measurement.limit.map(decimal) ?? "null"
    return "{\"row\":\"\(benchmark.row)\",\"value\":\(decimal(measurement.value)),\"unit\":\"\(benchmark.unit)\","
      + "\"target\":\(decimal(benchmark.target)),\"limit\":\(limit),\"runs\":\(measurement.runs)}"
  }

  private static func columns(
    _ row: String, _ work: String, _ value: String, _ unit: String, _ target: String, _ limit: String, _ ratio: String,
    _ met: String
  ) -> String {
    padded(row, 4) + padded(work, 52) + aligned(value, 11) + "  " + padded(unit, 5) + aligned(target, 9)
      + aligned(limit, 9) + aligned(ratio, 7) + "  " + met
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 1))
  }

  private static func aligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 1)) + text
  }

  /// A number with one digit behind the point, none where that digit is zero.
  static func decimal(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    let size = abs(tenths)
    return (tenths < 0 ? "-" : "") + (size % 10 == 0 ? "\(size / 10)" : "\(size / 10).\(size % 10)")
  }
}
