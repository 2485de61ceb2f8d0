import Glibc
import TerminalSupport
import Testing

/// The picture of a session in README is what the program shows. `scripts/pages` draws it anew.
@Suite("The picture")
struct PictureTests {
  private static let lines = [
    "dispatch tasks.add \"Buy milk\"", "dispatch tasks.complete 1", "why tasks.items[1].done", "undo",
  ]

  @Test func isWhatTheProgramShows() throws {
    let terminal = try Shell().prompt(columns: 76)
    for line in Self.lines { try terminal.enter(line) }
    terminal.type("dispatch tasks.co")
    terminal.type("\t")
    try terminal.wait(for: "the hint") { $0.picture[$0.row].contains("id:Int") }
    let drawing = ScreenDrawing(
      rows: terminal.screen.rows,
      title:
        "A session with stsh: an action, another, the question why a to-do is done, its undo, and a hint while typing")
    let file = "\(Shell.packageFolder)/docs/session.svg"
    if PageTests.rewrites {
      let picture = try #require(fopen(file, "w"))
      fputs(drawing.svg, picture)
      fclose(picture)
    }
    #expect(contents(ofFile: file) == drawing.svg)
  }
}
