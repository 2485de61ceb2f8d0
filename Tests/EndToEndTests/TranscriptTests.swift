import TerminalSupport
import Testing

@Suite("The session of the specification, typed at a prompt")
struct TranscriptTests {
  @Test(arguments: ["dumb", "xterm"])
  func comesOutByteForByte(terminal name: String) throws {
    let shell = try Shell()
    let terminal = try shell.prompt("--clock", "virtual", "--grant", "pomodoro", terminal: name)
    for line in transcript.split(separator: "\n") where line.hasPrefix("stsh> ") {
      try terminal.enter(String(line.dropFirst(6)))
    }
    #expect(terminal.text == transcript + "stsh> ")
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
  }
}
