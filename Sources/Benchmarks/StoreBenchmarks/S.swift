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
          readAnew(program)
          return { try ProgramRun([], program: program).milliseconds }
        }),
      prepare: {
        readAnew(try ProgramRun.stsh)
        return { try ProgramRun(["-c", ""]).milliseconds }
      }),
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

/// Has the system read a program from the disk, as on a machine where it was installed. What the linker has left in memory lies there page by
/// page, which makes a start of 2.2 ms take 2.9.
private func readAnew(_ program: String) {
  let file = open(program, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return }
  defer { close(file) }
  fsync(file)
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
  var block = [UInt8](repeating: 0, count: 1 << 20)
  while read(file, &block, block.count) > 0 {}
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
