/// The line on a terminal that says how far an `ingest` is.
struct IngestProgress {
  private let console: Console
  private let size: Int?
  private let start = ContinuousClock.now
  private var shown: ContinuousClock.Instant

  /// - Parameter size: the bytes of the file, where it has an end.
  init(_ console: Console, size: Int?) {
    self.console = console
    self.size = size
    shown = start
  }

  /// Shows how far it is, ten times a second at most.
  mutating func show(records: Int, bytes: Int) {
    let now = ContinuousClock.now
    guard now - shown >= .milliseconds(100) else { return }
    shown = now
    console.showProgress(IngestProgress.text(records: records, bytes: bytes, size: size, time: now - start))
  }

  /// The line: records, their rate, and where the end is known the share that is done and the time that is left.
  static func text(records: Int, bytes: Int, size: Int?, time: Duration) -> String {
    let rate = Int(Double(records) / max(time.seconds, 0.001))
    var text = "\(records) records, \(rate) a second"
    if let size, size > 0, bytes > 0 {
      let share = min(1, Double(bytes) / Double(size))
      let left = Int((time.seconds * (1 - share) / share).rounded(.up))
      text += ", \(Int(share * 100)) %, \(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
    }
    return text
  }
}
