/// A row of measurements: the value measured and the value it is held against.
struct Benchmark {
  /// The row's name: `W1`.
  let row: String
  let work: String
  /// The unit of the values: `ns`, `MB/s`.
  let unit: String
  /// The value to reach.
  let target: Double
  var better = Direction.lower
  /// The work that nobody can be faster than, measured in the same run.
  var limit: Limit?
  /// True where each run gives the same, as memory and sizes do: one is enough.
  var isSteady = false
  /// Why it cannot be measured here; nil: it can.
  var obstacle: String?
  /// Sets the work up and gives what does one run of it and returns its value in the row's unit.
  let prepare: () throws -> Sample

  /// A single run.
  typealias Sample = () throws -> Double

  /// The direction in which values are good: small or large.
  enum Direction {
    /// Times and memory.
    case lower
    /// Rates.
    case higher
  }

  /// The least that the work could cost.
  struct Limit {
    /// The work of the limit, in a few words.
    let name: String
    /// Like ``Benchmark/prepare``.
    let prepare: () throws -> Sample
  }
}

/// The measurements of one row.
struct Measurement {
  let benchmark: Benchmark
  let value: Double
  /// The median of the limit's runs.
  let limit: Double?
  let runs: Int

  /// True if the target is met.
  var isMet: Bool {
    switch benchmark.better {
    case .lower: value <= benchmark.target
    case .higher: value >= benchmark.target
    }
  }
}

extension Benchmark {
  /// The number of runs that the median is taken of.
  static let runs = 7
  /// The least number of runs, and the time after which there are no more, in nanoseconds: all rows take ten minutes at most.
  private static let (fewest, enough) = (3, 4_000_000_000)
  /// The time from which on a run is not shorter where another came before it, in nanoseconds.
  private static let long = 1_000_000_000

  /// Measures the row: one run to warm up, which counts where it is long, and ``runs`` in all, fewer where they are long. Runs of
  /// the limit come in between, so that a change of the machine's mood meets both.
  func measure() throws -> Measurement {
    let sample = try prepare()
    let limitSample = try limit?.prepare()
    var values: [Double] = []
    var limits: [Double] = []
    let start = monotonicNanoseconds()
    let first = (try sample(), try limitSample?())
    if isSteady || monotonicNanoseconds() - start > Self.long {
      values.append(first.0)
      if let limit = first.1 { limits.append(limit) }
    }
    while values.count < (isSteady ? 1 : Benchmark.runs) {
      if values.count >= Self.fewest, monotonicNanoseconds() - start > Self.enough { break }
      values.append(try sample())
      if let limitSample { limits.append(try limitSample()) }
    }
    return Measurement(
      benchmark: self, value: median(values), limit: limits.isEmpty ? nil : median(limits), runs: values.count)
  }
}

private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
