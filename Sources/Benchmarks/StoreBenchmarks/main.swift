import Platform

let arguments = CommandLine.arguments.dropFirst()
let isJSON = arguments.contains("--json")
let flags = ["--json", "--rows"]
let wanted = Set(arguments).subtracting(flags)
let all =
  storeBenchmarks() + luaBenchmarks() + sleepingTaskBenchmarks() + batchBenchmarks() + jobBenchmarks()
  + startBenchmarks()
  + completionBenchmarks() + journalBenchmarks() + hostBenchmarks() + growthBenchmarks() + doorBenchmarks()
  + sharedBenchmarks()

let unknown = wanted.subtracting(all.map(\.row)).sorted()
guard unknown.isEmpty else {
  let rows = all.map(\.row).joined(separator: " ")
  let message =
    "no such row: \(unknown.joined(separator: " ")); there are \(rows), and the flags \(flags.joined(separator: " "))\n"
  _ = message.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(2)
}

if arguments.contains("--rows") {
  print(all.map(\.row).joined(separator: "\n"))
  exit(0)
}

if !isJSON { print(Report.header) }
let chosen = all.filter { wanted.isEmpty || wanted.contains($0.row) }
for (index, benchmark) in chosen.enumerated() {
  if let obstacle = benchmark.obstacle {
    let message = "\(benchmark.row) is left out: \(obstacle)\n"
    _ = message.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    continue
  }
  let progress = isatty(STDERR_FILENO) == 1 ? "\u{1B}[K\(benchmark.row), \(index + 1) of \(chosen.count)\r" : ""
  _ = progress.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  let measurement = try benchmark.measure()
  print(isJSON ? Report.json(measurement) : Report.line(measurement))
  fflush(nil)
}
