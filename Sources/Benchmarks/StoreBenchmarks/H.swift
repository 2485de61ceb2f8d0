import Dispatch
import Glibc
import Platform
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import Synchronization

// @Schema, by scripts/expand.
struct Ledger: Sendable {
  var count = 0
  var rows: PersistentList<Row> = []

  // @Schema, by scripts/expand.
  struct Row: Sendable {
    var id: Int
    var title: String
  }
}

// @Schema, by scripts/expand.
enum LedgerAction: Sendable {
  case add(by: Int = 1)
  case fill(count: Int)
}

/// What a session changes that others leave alone.
// @Schema, by scripts/expand.
struct Tally: Sendable { var count = 0 }

// @Schema, by scripts/expand.
enum TallyAction: Sendable { case add }

// @Schema, by scripts/expand.
struct Owned: Sendable { var ledger = Ledger(), tally = Tally() }

// @Schema, by scripts/expand.
enum OwnedAction: Sendable {
  case ledger(LedgerAction)
  case tally(TallyAction)
}

private let owned = Application<OwnedAction, Owned>(
  initial: Owned(),
  reducer: .compose(
    Reducer<LedgerAction, Ledger>("ledger") { action, ledger in
      switch action {
      case .add(let amount): ledger.count &+= amount
      case .fill(let count):
        for id in 0..<max(0, count) { ledger.rows.append(Ledger.Row(id: id, title: "row \(id)")) }
      }
    }.lift(action: \.ledger, state: \.ledger),
    Reducer<TallyAction, Tally>("tally") { _, tally in tally.count &+= 1 }.lift(action: \.tally, state: \.tally)))

/// The host: how long those wait who share a store.
func hostBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      row: "H1", work: "p99.9 of four threads' dispatches, a session at work", unit: "ms", target: 10,
      prepare: { { try sharing(seconds: 2).dispatch } }),
    Benchmark(
      row: "H2", work: "p99.9 of reads, watches and their ends beside H1", unit: "ms", target: 10,
      prepare: { { try sharing(seconds: 2).look } }),
    Benchmark(
      row: "H3", work: "p99.9 of a session's dispatch beside four threads in a closed loop", unit: "ms", target: 10,
      prepare: { { try Load.measured().dispatch } }),
    Benchmark(
      row: "H4", work: "undo of one action there, the longest", unit: "ms", target: 100,
      prepare: { { try Load.measured().undo } }),
    Benchmark(
      row: "H5", work: "export journal of 10,000 entries there, times its quiet time", unit: "x", target: 3,
      prepare: { { try Load.measured().export } }),
    rateBenchmark("H6", "while a session dispatches without pause (H3)", \.besideDispatch),
    rateBenchmark("H6U", "while an undo runs (H4)", \.besideUndo),
    rateBenchmark("H6E", "while an export runs (H5)", \.besideExport),
    Benchmark(
      row: "H8", work: "close() beside four threads that keep the queue full, with a store file, the longest of 20",
      unit: "ms", target: 100, prepare: { { try longestClose(of: 20) } }),
    Benchmark(
      row: "H9", work: "ingest of 200,000 lines there", unit: "s", target: 30,
      prepare: { { try Load.measured(isIngesting: true).ingest } }),
    supervisedBenchmark(),
  ]
}

private func rateBenchmark(_ row: String, _ work: String, _ share: KeyPath<Load, Double> & Sendable) -> Benchmark {
  Benchmark(
    row: row, work: "the four threads' rate \(work), of their rate alone", unit: "%", target: 70, better: .higher,
    limit: Benchmark.Limit(name: "while a fifth thread does what they do") { { try Load.measured().besideFifth } },
    prepare: { { try Load.measured()[keyPath: share] } })
}

/// Four threads, each of which dispatches its next action when the last is done, and what a session does beside them. In turns with
/// the threads alone, so that what else the machine does concerns both alike.
private struct Load {
  /// The 99.9th percentile of a dispatch by the session, in milliseconds.
  var dispatch = 0.0
  /// The longest undo, in milliseconds.
  var undo = 0.0
  /// How many times its quiet time an export takes.
  var export = 0.0
  /// What was left of the threads' rate beside a session that dispatches, undoes and exports, and beside a fifth thread that does
  /// what they do, in percent.
  var besideDispatch = 0.0, besideUndo = 0.0, besideExport = 0.0, besideFifth = 0.0
  /// How long an ingest of 200,000 lines took, in seconds.
  var ingest = 0.0

  /// What became of the threads' actions so far.
  private final class Count: Sendable {
    let done = Atomic<Int>(0)
    let refused = Atomic<Int>(0)
  }

  /// How many actions were done in some time.
  private struct Rate {
    var actions = 0
    var nanoseconds = 0
    var perSecond: Double { Double(actions) * 1e9 / Double(max(1, nanoseconds)) }
  }

  static func measured(isIngesting: Bool = false) throws -> Load {
    let host = try StoreHost(owned, program: "bench")
    host.start()
    let null = open("/dev/null", O_WRONLY)
    let (file, records) = ("/tmp/stsh-bench-load-\(getuid())", "/tmp/stsh-bench-load-\(getuid()).jsonl")
    defer {
      Glibc.close(null)
      for path in [file, records] { unlink(path) }
    }
    if isIngesting, let data = fopen(records, "w") {
      for _ in 0..<200_000 { fputs("{\"by\":1}\n", data) }
      fclose(data)
    }
    let session = try Session(host, console: Console(output: null, error: STDERR_FILENO))
    var load = Load()
    func timed(_ commands: String...) throws -> Double {
      let start = monotonicNanoseconds()
      let status = session.run(commands: commands)
      let time = Double(monotonicNanoseconds() - start) / 1_000_000
      guard status == 0 else { throw ProgramRun.Failure(reason: "\(commands) beside a load ended with \(status)") }
      return time
    }
    /// What an export takes for each 10,000 entries: beside the threads more than those are in memory.
    func export() throws -> Double {
      let time = try timed("export journal \(file)")
      return time * 10_000 / Double(try Files.read(file).count { $0 == 0x0A })
    }
    for _ in 0..<10_000 { host.store.dispatch(.ledger(.add())) }
    let quiet = try (0..<3).map { _ in try export() }.sorted()[1]

    let count = Count()
    let threads = DispatchGroup()
    for number in 1...4 {
      DispatchQueue(label: "load \(number)").async(group: threads) {
        loop: while true {
          switch host.store.dispatchAndBlock(.ledger(.add())).outcome {
          case .stopped(.closed): break loop
          case .stopped: count.refused.add(1, ordering: .relaxed)
          default: count.done.add(1, ordering: .relaxed)
          }
        }
      }
    }
    func add(to rate: inout Rate, _ body: () throws -> Void) rethrows {
      let (done, start) = (count.done.load(ordering: .relaxed), monotonicNanoseconds())
      try body()
      rate.nanoseconds += monotonicNanoseconds() - start
      rate.actions += count.done.load(ordering: .relaxed) - done
    }
    /// What is left of the threads' rate while a closure runs, in percent; in turns with the threads alone, for as long as their owner
    /// may think of the next command.
    func share(_ name: String, times: Int, behind pause: UInt32, _ body: () throws -> Void) rethrows -> Double {
      var (alone, beside) = (Rate(), Rate())
      for _ in 0..<times {
        add(to: &alone) { usleep(pause) }
        try add(to: &beside, body)
      }
      if getenv("STSH_BENCH_NOTES") != nil { print("\(name): alone \(alone), beside \(beside)") }
      return 100 * beside.perSecond / alone.perSecond
    }
    usleep(100_000)
    var dispatches: [Int] = []
    load.besideDispatch = try share("dispatch", times: 30, behind: 50_000) {
      for _ in 0..<1000 { dispatches.append(Int(try timed("dispatch tally.add --quiet") * 1_000_000)) }
    }
    load.dispatch = percentile(dispatches)
    var exports: [Double] = []
    load.besideExport = try share("export", times: 5, behind: 50_000) { exports.append(try export()) }
    load.export = exports.sorted()[2] / quiet
    // As the error advises where memory forgets while an undo is planned.
    _ = try timed("set journal.limit 100000")
    var undoes: [Double] = []
    load.besideUndo = try share("undo", times: 500, behind: 5_000) {
      _ = try timed("dispatch tally.add --quiet")
      undoes.append(try timed("undo --quiet"))
    }
    load.undo = undoes.max() ?? 0
    load.besideFifth = share("fifth", times: 30, behind: 50_000) {
      for _ in 0..<1000 { _ = host.store.dispatchAndBlock(.ledger(.add())) }
    }
    if isIngesting { load.ingest = try timed("ingest \(records) --as ledger.add") / 1000 }
    try host.close()
    threads.wait()
    if getenv("STSH_BENCH_NOTES") != nil { print("quiet export \(quiet) ms, \(load)") }
    let refused = count.refused.load(ordering: .relaxed)
    guard refused == 0 else { throw ProgramRun.Failure(reason: "\(refused) actions of the four threads were refused") }
    return load
  }
}

/// The longest time in which a store closes whose threads dispatch without waiting for their actions, in milliseconds.
private func longestClose(of times: Int) throws -> Double {
  let file = "/tmp/stsh-bench-close-\(getuid()).db"
  func remove() { for end in ["", "-wal", "-shm"] { unlink(file + end) } }
  var longest = 0.0
  for _ in 0..<times {
    remove()
    let host = try StoreHost(owned, program: "bench", journal: JournalPlan(path: file))
    let threads = DispatchGroup()
    for number in 1...4 {
      DispatchQueue(label: "load \(number)").async(group: threads) {
        loop: while true {
          switch host.store.dispatch(.ledger(.add())).outcome {
          case .stopped(.closed): break loop
          case .stopped: usleep(100)
          default: break
          }
        }
      }
    }
    usleep(200_000)
    let start = monotonicNanoseconds()
    try host.close()
    let time = Double(monotonicNanoseconds() - start) / 1_000_000
    threads.wait()
    if getenv("STSH_BENCH_NOTES") != nil { print("\(time) ms after \(host.store.state.ledger.count) actions") }
    longest = max(longest, time)
  }
  remove()
  return longest
}

/// Has four threads dispatch in a loop, another one look, and a session walk through the history, print a million rows, replay and
/// ingest.
///
/// - Returns: the 99.9th percentiles of one dispatch and of one look, in milliseconds.
private func sharing(seconds: Int) throws -> (dispatch: Double, look: Double) {
  let host = try StoreHost(owned, program: "bench")
  host.start()
  host.store.dispatch(.ledger(.fill(count: 1_000_000)))
  let end = monotonicNanoseconds() + seconds * 1_000_000_000
  let times = Lock<(dispatch: [Int], look: [Int])>(([], []))
  let failure = Lock<Int32>(0)
  let parties = DispatchGroup()
  func party(_ name: String, _ work: @escaping @Sendable () -> Void) {
    DispatchQueue(label: name).async(group: parties, execute: DispatchWorkItem(block: work))
  }
  @Sendable func timed(_ body: () -> Void) -> Int {
    let start = monotonicNanoseconds()
    body()
    return monotonicNanoseconds() - start
  }
  for number in 1...4 {
    party("dispatch \(number)") {
      var own: [Int] = []
      while monotonicNanoseconds() < end {
        var isFull = false
        own.append(
          timed {
            if case .stopped(.queueFull) = host.store.dispatch(.ledger(.add())).outcome { isFull = true }
          })
        if isFull { usleep(100) }
      }
      times.withLock { [own] in $0.dispatch += own }
    }
  }
  party("look") {
    var own: [Int] = []
    while monotonicNanoseconds() < end {
      own.append(timed { _ = host.store.withState { $0.ledger.count } })
      own.append(timed { host.store.watch("count", { $0.ledger.count }) { _ in }.cancel() })
    }
    times.withLock { [own] in $0.look += own }
  }
  party("session") {
    let null = open("/dev/null", O_WRONLY)
    defer { close(null) }
    let (file, records) = ("/tmp/stsh-bench-host-\(getuid())", "/tmp/stsh-bench-records-\(getuid()).jsonl")
    defer { for path in [file, records] { unlink(path) } }
    guard let session = try? Session(host, console: Console(output: null, error: null)),
      let data = fopen(records, "w")
    else { return }
    for number in 1...1000 { fputs("{\"by\":\(number)}\n", data) }
    fclose(data)
    while monotonicNanoseconds() < end {
      let status = session.run(commands: [
        "try bisect state.ledger.count < 0", "show ledger.rows --as json", "export journal \(file)",
        "replay \(file) --verify", "ingest \(records) --as ledger.add", "log 20", "why ledger.count", "try undo",
        "try goto 1", "goto head",
      ])
      if status != 0 { failure.withLock { $0 = status } }
    }
  }
  parties.wait()
  try host.close()
  let status = failure.withLock { $0 }
  guard status == 0 else {
    throw ProgramRun.Failure(reason: "a statement beside H1 and H2 ended with status \(status)")
  }
  let all = times.withLock { $0 }
  return (percentile(all.dispatch), percentile(all.look))
}

private func percentile(_ times: [Int]) -> Double {
  let sorted = times.sorted()
  guard !sorted.isEmpty else { return 0 }
  return Double(sorted[min(sorted.count - 1, sorted.count * 999 / 1000)]) / 1_000_000
}
