import Platform

/// Start-up and memory of the program.
func startBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      row: "S1", work: "stsh -c '', the whole process", unit: "ms", target: 5,
      limit: Benchmark.Limit(
        name: "a static program that prints a word",
        prepare: {
          let program = try ProgramRun.built("StartLimit")
          return { try ProgramRun([], program: program).milliseconds }
        }),
      prepare: { { try ProgramRun(["-c", ""]).milliseconds } }),
    Benchmark(
      row: "S2", work: "to the first prompt, 5 plugins installed", unit: "ms", target: 10,
      prepare: {
        let home = try installedPlugins(5)
        return { try PromptRun(dataHome: home).milliseconds }
      }),
    Benchmark(
      row: "S3", work: "memory at the prompt", unit: "MiB", target: 24, isSteady: true,
      prepare: {
        let home = try installedPlugins(5)
        return { try PromptRun(dataHome: home).memory }
      }),
  ]
}

/// A data directory in which copies of the shipped catalog plugin are installed under other names.
private func installedPlugins(_ count: Int) throws -> String {
  var template = Array("/tmp/stsh-bench-XXXXXX".utf8CString)
  guard let path = mkdtemp(&template) else { throw ProgramRun.Failure(reason: "no temporary folder") }
  let home = String(cString: path)
  for number in 1...count {
    let folder = "\(home)/stsh/plugins/catalog\(number)"
    _ = try ProgramRun(["-p", folder], program: "/bin/mkdir")
    _ = try ProgramRun(["-r", "plugins/catalog/.", folder], program: "/bin/cp")
  }
  return home
}
