import Testing

@testable import StoreShell

/// `--remove` takes away what the same command made, and says so of a name that it did not make.
@Suite struct RemovalTests {
  @Test func aVariable() throws {
    let shell = try Shell()
    #expect(shell.run("let n = 3", "let m = 4", "let --remove n", "let") == .init(output: "m  4\n"))
    #expect(shell.run("echo $n").errors.contains("there is no variable $n"))
    #expect(shell.run("= n", "echo x").errors.contains("'n' is not defined"))
    #expect(shell.run("let n = 5", "echo $n").output == "5\n")
  }

  @Test func aProjection() throws {
    let shell = try Shell()
    #expect(
      shell.run("project total = #state.tasks.items", "project --remove total", "project")
        == .init(output: "(no projections)\n"))
    #expect(shell.run("show total").errors.contains("there is no module 'total'"))
    #expect(
      shell.run("project total = 7", "use total", "project --remove total", "use", "show counter.value").output
        .hasSuffix("0\n"))
  }

  @Test func aBinding() throws {
    let shell = try Shell()
    #expect(
      shell.run("bind pace counter.step counter.setStep", "pace := 5", "bind --remove pace", "bind").output
        .hasSuffix("(no bindings)\n"))
    #expect(shell.run("pace := 6").status != 0)
    #expect(shell.run("show counter.step").output == "5\n")
  }

  @Test func aWatch() throws {
    let shell = try Shell()
    let watched = shell.run("watch counter.value", "watch counter.step", "watch --remove 1", "watch")
    #expect(watched.output.hasSuffix("id  path\n2   counter.step\n"))
    #expect(
      shell.run("dispatch counter.increment --quiet", "dispatch counter.setStep 2 --quiet").errors.contains(
        "counter.step"))
    #expect(shell.run("dispatch counter.increment --quiet") == .init())
    #expect(shell.run("watch --remove all", "watch") == .init(output: "(no watches)\n"))
    #expect(shell.run("dispatch counter.setStep 3 --quiet") == .init())
  }

  @Test(arguments: [("let", "variable"), ("project", "projection"), ("bind", "binding"), ("watch", "watch")])
  func aNameThatIsNotThere(verb: String, noun: String) throws {
    let shell = try Shell()
    let outcome = shell.run("\(verb) --remove nothing")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("there is no \(noun) 'nothing'\n"))
    #expect(outcome.errors.contains("hint: \(verb) lists them\n"))
    #expect(shell.run("\(verb) --remove").errors.contains("--remove needs NAME\n"))
  }
}
