import Platform
import ShellLanguage
import StoreSchema

/// Batch: the program on a million lines and on real input, and the printing of big lists.
func batchBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      row: "B1", work: "a million lines that differ, --quiet", unit: "lines/s", target: 700_000, better: .higher,
      limit: Lines.others,
      prepare: {
        let file = try Lines.differing()
        return { try ProgramRun(["--quiet", file]).perSecond(Lines.count) }
      }),
    Benchmark(
      row: "B1S", work: "a million equal lines, in turns with B1", unit: "x", target: 1.5,
      prepare: {
        let (differing, equal) = (try Lines.differing(), try Lines.equal())
        return { try ProgramRun(["--quiet", differing]).milliseconds / ProgramRun(["--quiet", equal]).milliseconds }
      }),
    Benchmark(
      row: "B1M", work: "memory of B1", unit: "MiB", target: 128, isSteady: true,
      prepare: {
        let file = try Lines.differing()
        return { try ProgramRun.peakMemory(["--quiet", file]) }
      }),
    Benchmark(
      row: "B2", work: "ingest of the Debian packages", unit: "records/s", target: 250_000, better: .higher,
      prepare: {
        let (file, count) = try packages()
        return {
          try ProgramRun(["-c", "plugin load ./plugins/catalog", "-c", "ingest \(file) --as catalog.add"])
            .perSecond(count)
        }
      }),
    Benchmark(
      row: "B3", work: "B1 with every diff printed to a pipe", unit: "lines/s", target: 400_000, better: .higher,
      prepare: {
        let file = try Lines.differing()
        return { try ProgramRun([file], readsOutput: true).perSecond(Lines.count) }
      }),
    printing("B4J", "show 100,000 records as JSON", .json, target: 100),
    printing("B4T", "show 100,000 records as a table", .table, target: 20),
    printing("B4C", "show 100,000 records as CSV", .csv, target: 50),
  ]
}

private func printing(_ row: String, _ work: String, _ format: Format, target: Double) -> Benchmark {
  Benchmark(
    row: row, work: work, unit: "MB/s", target: target, better: .higher,
    prepare: {
      let layout = RecordSchema(
        name: "Task", fields: [Field("id", Int.schema), Field("title", String.schema), Field("done", Bool.schema)])
      let records = (1...100_000).map {
        Value.record(Record(layout.layout, [.int($0), .string("Task number \($0)"), .bool($0.isMultiple(of: 2))]))
      }
      let list = Value.list(PersistentList(records))
      let schema = Schema.dynamic(.list(.dynamic(.record(layout))))
      return {
        var bytes = 0
        let start = monotonicNanoseconds()
        try Formatter(format).write(list, schema) { bytes += $0.count }
        return Double(bytes) * 1000 / Double(monotonicNanoseconds() - start)
      }
    })
}

/// The packages beside the checkout, or the slice that ships with the project.
func packages() throws -> (file: String, count: Int) {
  for file in ["../shared/data/debian-packages.jsonl", "scripts/examples/debian-packages.jsonl"]
  where access(file, R_OK) == 0 {
    return (file, try Files.read(file).count { $0 == 0x0A })
  }
  throw FileError(path: "debian-packages.jsonl", code: ENOENT)
}
