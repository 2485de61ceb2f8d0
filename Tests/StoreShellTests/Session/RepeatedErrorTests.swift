import Testing

@testable import StoreShell

/// An error is printed once, however many commands stand around the one that failed.
@Suite struct RepeatedErrorTests {
  private static let missing = "there is no module 'nothing'"

  private static func count(_ text: String, in errors: String) -> Int { errors.ranges(of: text).count }

  @Test(arguments: [
    "lua assert(command('show nothing'))", "lua command('show nothing')", "try lua assert(command('show nothing'))",
    "step x lua assert(command('show nothing'))", "lua local ok, e = command('show nothing') error(e)",
    "retry 3 every 1ms lua assert(command('show nothing'))", "retry 3 every 1ms show nothing",
    "lua assert(command('lua assert(command([[show nothing]]))'))",
    "try retry 2 every 1ms retry 2 every 1ms show nothing",
  ])
  func anErrorIsPrintedOnce(line: String) throws {
    let shell = try Shell()
    let outcome = shell.run(line)
    #expect(Self.count(Self.missing, in: outcome.errors) == 1, "\(outcome.errors)")
    #expect(outcome.status == (line.hasPrefix("try") ? 0 : 1))
  }

  /// What a file printed before is printed at each attempt, its error at the last one.
  @Test(arguments: ["retry 3 every 1ms source", "step x retry 3 every 1ms source", "try retry 3 every 1ms source"])
  func theErrorOfAFileIsPrintedAtTheLastAttempt(line: String) throws {
    let shell = try Shell()
    let file = try shell.write("inner.stsh", "echo in\nshow nothing\n")
    let outcome = shell.run("\(line) \(file)")
    #expect(Self.count(Self.missing, in: outcome.errors) == 1, "\(outcome.errors)")
    #expect(Self.count("in\n", in: outcome.output) == 3)
    #expect(outcome.errors.contains("inner.stsh:2:6: error[unknown-path]"))
  }

  /// An error that an earlier statement printed is told again: the reader does not know which line failed.
  @Test func anErrorThatIsRaisedLaterIsTold() throws {
    let shell = try Shell()
    let outcome = shell.run("try show nothing", "lua error(err)")
    #expect(Self.count(Self.missing, in: outcome.errors) == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains("-c:2:1: error["))
    #expect(shell.run("retry 2 every 1ms assert false -- no").errors.contains("tried 2 times"))
    #expect(try Shell { $0.isJSON = true }.run("lua assert(command('show nothing'))").output.contains(Self.missing))
  }

  /// A line for the user's shell is for the prompt, which a look at a file finds.
  @Test func aLineForTheShellIsFoundInAFile() throws {
    let checked = try Shell()
    checked.session.checkOnly()
    let outcome = try checked.run(script: "echo a\n! ls\n", named: "a.stsh")
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains("a.stsh:2:1: error[syntax]: ! is for the prompt"))
    #expect(outcome.errors.contains("run sh -c"))
  }
}
