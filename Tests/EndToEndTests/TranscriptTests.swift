import TerminalSupport
import Testing

@Suite("The session of the specification, typed at a prompt")
struct TranscriptTests {
  @Test(arguments: ["dumb", "xterm"])
  func comesOutByteForByte(terminal name: String) throws {
    let shell = try Shell()
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
}
