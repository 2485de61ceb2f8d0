import Platform

let arguments = CommandLine.arguments.dropFirst()
let isJSON = arguments.contains("--json")
let wanted = Set(arguments.filter { !$0.hasPrefix("-") })
let all =
  storeBenchmarks() + luaBenchmarks() + sleepingTaskBenchmarks() + batchBenchmarks() + startBenchmarks()
  + completionBenchmarks() + journalBenchmarks() + hostBenchmarks() + doorBenchmarks()

let unknown = wanted.subtracting(all.map(\.row)).sorted()
guard unknown.isEmpty else {
  let message = "no such row: \(unknown.joined(separator: " ")); there are \(all.map(\.row).joined(separator: " "))\n"
  _ = message.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(2)
}

if !isJSON { print(Report.header) }
for benchmark in all where wanted.isEmpty || wanted.contains(benchmark.row) {
  if let obstacle = benchmark.obstacle {
    let message = "\(benchmark.row) is left out: \(obstacle)\n"
    _ = message.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    continue
  }
  let measurement = try benchmark.measure()
  print(isJSON ? Report.json(measurement) : Report.line(measurement))
  fflush(nil)
}
