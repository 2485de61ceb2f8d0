import Dispatch
import Glibc
import StoreCore
import StoreHost
import StoreSchema
import StoreShell

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

// @Schema, by scripts/expand.
struct Owned: Sendable { var ledger = Ledger() }

// @Schema, by scripts/expand.
enum OwnedAction: Sendable { case ledger(LedgerAction) }

private let owned = Application<OwnedAction, Owned>(
  initial: Owned(),
  reducer: Reducer<LedgerAction, Ledger>("ledger") { action, ledger in
    switch action {
    case .add(let amount): ledger.count &+= amount
    case .fill(let count):
      for id in 0..<max(0, count) { ledger.rows.append(Ledger.Row(id: id, title: "row \(id)")) }
    }
  }.lift(action: \.ledger, state: \.ledger))

/// The host: how long those wait who share a store.
func hostBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      row: "H1", work: "p99.9 of four threads' dispatches, a session at work", unit: "ms", target: 10,
      prepare: { { try sharing(seconds: 2).dispatch } }),
    Benchmark(
      row: "H2", work: "p99.9 of reads, watches and their ends beside H1", unit: "ms", target: 10,
      prepare: { { try sharing(seconds: 2).look } }),
    supervisedBenchmark(),
  ]
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
