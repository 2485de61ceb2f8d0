/// A run of `stsh` on a pseudo-terminal, up to its first prompt.
struct PromptRun {
  /// Wall time to the prompt, in milliseconds.
  let milliseconds: Double
  /// Memory held at the prompt, in MiB.
  let memory: Double

  /// - Parameter dataHome: the directory below which plugins are installed.
  init(dataHome: String) throws {
    let start = monotonicNanoseconds()
    let terminal = try PromptTerminal(environment: ["XDG_DATA_HOME=\(dataHome)", "XDG_STATE_HOME=\(dataHome)/state"])
    try terminal.wait(for: "stsh> ")
    milliseconds = Double(monotonicNanoseconds() - start) / 1e6
    memory = ProcessMemory.resident(of: terminal.process) ?? .nan
  }
}
