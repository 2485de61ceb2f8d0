import ShellLanguage
import Testing

@testable import StoreShell

@Suite("Long walks through the history can be stopped")
struct LongWalkTests {
  private let shell: Shell
  private let key = InterruptKey()

  init() throws {
    shell = try Shell { $0.isQuiet = true }
    let text = "lua for i = 1, 600 do dispatch(\"counter.increment\") end"
    #expect(shell.run(text, "export journal \(shell.folder)/run.jsonl").errors == "")
    shell.session.interrupts.descriptor = key.descriptor
    shell.session.interrupts.take = { [key] in key.take() }
  }

  @Test(arguments: [
    "bisect state.counter.value < 0 --first", "why counter.step", "skip #1", "log 1 --action tasks.*",
    "log --changed tasks",
    "plot state.counter.value --over 500", "diff 3 601", "goto 333", "undo --to 333", "undo 599", "undo #2",
    "export journal FOLDER/again.jsonl", "replay FOLDER/run.jsonl --verify",
  ])
  func oneThatIsStoppedChangesNothing(command: String) throws {
    let command = command.replacing("FOLDER", with: shell.folder)
    let before = shell.run("show --as json", "log 1000 --all").output
    key.press()
    let stopped = shell.run(command)
    #expect(stopped.status == ShellError.interrupted.status)
    #expect(stopped.errors.hasSuffix("error[interrupted]: stopped by Ctrl-C\n  \(command)\n"), "\(stopped)")
    #expect(stopped.errors.hasPrefix("\n"), "the terminal has echoed ^C")
    #expect(stopped.output == "")
    #expect(shell.session.store.viewed == nil)
    #expect(shell.run("show --as json", "log 1000 --all").output == before)
    #expect(shell.contents("again.jsonl") == nil)
    #expect(shell.run(command).errors.contains("interrupted") == false, "the next one is not")
  }

  /// Others go on meanwhile: each walk is over a snapshot (R27).
  @Test(arguments: [
    "bisect state.counter.value < 0 --first", "why counter.step", "diff 3 600", "goto 333", "undo --to 333", "undo 599",
    "undo 599 --any", "undo #2", "export journal FOLDER/again.jsonl",
  ])
  func noneHoldsTheTurn(command: String) throws {
    let live = shell.session.store.live
    var (checks, held) = (0, 0)
    shell.session.interrupts.isRequested = {
      checks += 1
      if live.store.isMine { held += 1 }
      return false
    }
    _ = shell.run(command.replacing("FOLDER", with: shell.folder))
    #expect(checks > 0)
    #expect(held == 0, "of \(checks)")
  }
}
