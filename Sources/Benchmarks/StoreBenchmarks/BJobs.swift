import Platform

/// Whole jobs through the shipped plugins: a web server's log, an inventory, holds that expire.
func jobBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      row: "B5", work: "ingest of a web log through weblog", unit: "lines/s", target: 170_000, better: .higher,
      limit: Benchmark.Limit(name: "awk counts by path and minute") {
        let file = try webLog()
        return { try ProgramRun(["-F[][ \"]+", WebLog.awk, file], program: "/usr/bin/awk").perSecond(WebLog.count) }
      },
      prepare: {
        let arguments = try webLogRun()
        return { try ProgramRun(arguments).perSecond(WebLog.count) }
      }),
    Benchmark(
      row: "B5M", work: "memory of B5", unit: "MiB", target: 60, isSteady: true,
      prepare: {
        let arguments = try webLogRun()
        return { try ProgramRun.peakMemory(arguments) }
      }),
    Benchmark(
      row: "B6", work: "ingest of 200,000 items", unit: "items/s", target: 150_000, better: .higher,
      prepare: {
        let items = try items(200_000)
        let run = inventory + ["-c", "ingest \(items) --as inventory.addItem"]
        return { try ProgramRun(run).perSecond(200_000) }
      }),
    Benchmark(
      row: "B6V", work: "20,000 items, then 200,000 movements", unit: "moves/s", target: 100_000, better: .higher,
      prepare: {
        let run = try movements()
        return { try ProgramRun(run).perSecond(200_000) }
      }),
    Benchmark(
      row: "B6M", work: "memory of B6V", unit: "MiB", target: 50, isSteady: true,
      prepare: {
        let run = try movements()
        return { try ProgramRun.peakMemory(run) }
      }),
    Benchmark(
      row: "B7", work: "100,000 holds that each expire once", unit: "s", target: 20,
      prepare: { { try ProgramRun(holds(expiring: true)).milliseconds / 1000 } }),
    Benchmark(
      row: "B7M", work: "memory of B7 beyond the state of its holds", unit: "MiB", target: 64, isSteady: true,
      prepare: {
        {
          // Behind a shut gate no hold has a task.
          try ProgramRun.peakMemory(holds(expiring: true)) - ProgramRun.peakMemory(holds(expiring: false))
        }
      }),
  ]
}

private enum WebLog {
  static let count = 500_000
  static let awk =
    "{ n[$6]++; m[substr($3, 1, 17)]++; if ($8 >= 500) e[$6]++ } END { for (p in n) print p, n[p], e[p] }"
}

private func webLogRun() throws -> [String] {
  [
    "--quiet", "-c", "plugin load ./plugins/weblog", "-c",
    "try ingest \(try webLog()) --as weblog.hit --match combined",
  ]
}

/// The log of four hours: 300 paths, some of which fail for a while.
private func webLog() throws -> String {
  let file = "/tmp/stsh-bench-weblog-\(getuid()).log"
  if access(file, R_OK) == 0 { return file }
  var random = SplitMix(state: 1)
  var text: [UInt8] = []
  text.reserveCapacity(60_000_000)
  for index in 0..<WebLog.count {
    let second = index * 14_400 / WebLog.count
    let (path, status) = (random.below(300), random.below(1000) < 6 ? 503 : 200)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = "\(10 + second / 3600):\(two(second / 60 % 60)):\(two(second % 60))"
    text += Array(
      "10.0.\(random.below(256)).1 - - [24/Nov/2026:\(time) +0000] \"GET /api/v1/\(path) HTTP/1.1\" \(status) \(random.below(50_000)) \"-\" \"curl/8.1\" 0.012\n"
        .utf8)
  }
  try Files.write(String(decoding: text, as: UTF8.self), to: file)
  return file
}

private let inventory = [
  "--quiet", "--clock", "virtual", "--grant", "inventory", "-c", "plugin load ./plugins/inventory",
]

private func items(_ count: Int) throws -> String {
  let file = "/tmp/stsh-bench-items-\(count)-\(getuid()).csv"
  let rows = (1...count).map { "sku\($0),Item number \($0),5\n" }
  try Files.write("sku,name,reorderAt\n" + rows.joined(), to: file)
  return file
}

private func movements() throws -> [String] {
  let file = "/tmp/stsh-bench-moves-\(getuid()).csv"
  var random = SplitMix(state: 2)
  let rows = (1...200_000).map { _ in "w\(random.below(4)),sku\(1 + random.below(20_000)),\(1 + random.below(9))\n" }
  try Files.write("warehouse,sku,quantity\n" + rows.joined(), to: file)
  return inventory + (0..<4).flatMap { ["-c", "dispatch inventory.openWarehouse w\($0)"] } + [
    "-c", "ingest \(try items(20_000)) --as inventory.addItem", "-c", "ingest \(file) --as inventory.move",
  ]
}

private func holds(expiring: Bool) throws -> [String] {
  let loop =
    "lua for i = 1, 100000 do dispatch('inventory.hold', { id = 'h' .. i, warehouse = 'w', sku = 's', quantity = 1 }) end"
  var commands = [
    "dispatch inventory.openWarehouse w", "dispatch inventory.addItem s Thing",
    "dispatch inventory.move w s quantity=1000000", loop,
  ]
  if expiring {
    commands += ["wait 20min", "assert state.inventory.expired == 100000"]
  } else {
    commands.insert("middleware off inventory.expiry", at: 0)
  }
  return inventory + commands.flatMap { ["-c", $0] }
}

/// SplitMix64 (Steele, Lea, Flood).
private struct SplitMix {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ (z >> 31)) % UInt64(bound))
  }
}
