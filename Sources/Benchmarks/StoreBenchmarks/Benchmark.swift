/// One row of the design's `performance.md`: what is measured and what it is held against.
struct Benchmark {
  /// The row's name: `W1`.
  let row: String
  /// What is done, in a few words.
  let work: String
  /// What the values count: `ns`, `MB/s`.
  let unit: String
  /// What the value should reach.
  let target: Double
  /// Which direction is good.
  var better = Direction.lower
  /// The work that nobody can be faster than, measured in the same run.
  var limit: Limit?
  /// Sets the work up and gives what does one run of it and returns its value in the row's unit.
  let prepare: () throws -> Sample

  /// One run.
  typealias Sample = () throws -> Double

  /// Whether small or large values are good.
  enum Direction {
    /// Times and memory.
    case lower
    /// Rates.
    case higher
  }

  /// The least that the work could cost.
  struct Limit {
    /// What is done.
    let name: String
    /// Like ``Benchmark/prepare``.
    let prepare: () throws -> Sample
  }
}

/// What was measured of one row.
struct Measurement {
  /// The row.
  let benchmark: Benchmark
  /// The median of the runs.
  let value: Double
  /// The median of the limit's runs.
  let limit: Double?
  /// How many runs there were.
  let runs: Int

  /// Whether the target is met.
  var isMet: Bool {
    switch benchmark.better {
    case .lower: value <= benchmark.target
    case .higher: value >= benchmark.target
    }
  }
}

extension Benchmark {
  /// How many runs the median is taken of.
  static let runs = 7

  /// Measures the row: one run to warm up, then ``runs``, those of the limit in between, so that a change of the machine's
  /// mood meets both.
  func measure() throws -> Measurement {
    let sample = try prepare()
    let limitSample = try limit?.prepare()
    _ = try sample()
    _ = try limitSample?()
    var values: [Double] = []
    var limits: [Double] = []
    for _ in 0..<Benchmark.runs {
      values.append(try sample())
      if let limitSample { limits.append(try limitSample()) }
    }
    return Measurement(
      benchmark: self, value: median(values), limit: limits.isEmpty ? nil : median(limits), runs: Benchmark.runs)
  }
}

private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
