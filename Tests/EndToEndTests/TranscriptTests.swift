import TerminalSupport
import Testing

@Suite("The session of the specification, typed at a prompt")
struct TranscriptTests {
  @Test(arguments: ["dumb", "xterm"])
  func comesOutByteForByte(terminal name: String) throws {
    try type(in: try Shell(), terminal: name)
  }

  private func type(in shell: Shell, terminal name: String) throws {
    let terminal = try shell.prompt("--clock", "virtual", "--grant", "pomodoro", terminal: name)
    // A prompt is `stsh` and what stands before `> `.
    let typed = transcript.split(separator: "\n").filter { $0.hasPrefix("stsh") }.compactMap { line in
      line.firstRange(of: "> ").map { (prompt: line[..<$0.lowerBound] + ">", line: line[$0.upperBound...]) }
    }
    for (index, step) in typed.enumerated() {
      let next = index + 1 < typed.count ? String(typed[index + 1].prompt) : "stsh>"
      try terminal.enter(String(step.line), prompt: next)
    }
    #expect(terminal.text == transcript + "stsh> ")
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
  }

  @Test func itsRecordingRunsAgainInANewProcess() throws {
    let shell = try Shell()
    let installed = "home/.local/share/stsh/plugins/pomodoro"
    for file in ["plugin.json", "init.lua"] {
      let text = try #require(contents(ofFile: "\(Shell.packageFolder)/plugins/pomodoro/\(file)"))
      try shell.folder.write("\(installed)/\(file)", text)
    }
    try type(in: shell, terminal: "dumb")
    #expect(
      try shell.run("-c", "replay run.jsonl --verify")
        == .init(
          output: "replayed 74 actions, every state matches\n",
          errors: "note: a replay runs the reducers of pomodoro alone; plugin reload pomodoro brings the rest of it\n"))
    let edited = try #require(contents(ofFile: "\(shell.folder.path)/\(installed)/init.lua"))
      .replacing("s.left = s.left - 1", with: "s.left = s.left - 2")
    try shell.folder.write("\(installed)/init.lua", edited)
    #expect(
      try shell.run("-c", "replay run.jsonl --verify")
        == .init(
          errors: """
            -c:1:1: error[replay-diverged]: run.jsonl: state after #7 pomodoro.tick differs from the recording
              replay run.jsonl --verify
              #7 pomodoro.tick  <- plugin:pomodoro/clock
              caused by #6 pomodoro.start minutes=1 task=2  <- repl:15
              recorded  pomodoro.left  60 -> 59
              now       pomodoro.left  60 -> 58
              hint: pomodoro has changed since the recording (pomodoro)

            """, status: 1))
  }

  @Test func aSessionStartsFromARecording() throws {
    let shell = try Shell()
    #expect(
      try shell.run("-c", "dispatch counter.increment by=4 --quiet", "-c", "export journal run.jsonl").status == 0)
    #expect(
      try shell.run("--replay", "run.jsonl", "-c", "dispatch counter.increment")
        == .init(output: "#2 counter.increment\n  counter.value  4 -> 5\n"))
    #expect(
      try shell.run("--replay", "none.jsonl", "-c", "show")
        == .init(errors: "error[no-such-file]: none.jsonl: No such file or directory\n", status: 2))
  }
}
