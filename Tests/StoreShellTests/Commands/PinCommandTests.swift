import Testing

@testable import StoreShell

/// `pin`, as far as no screen is needed.
@Suite struct PinCommandTests {
  @Test func aPinWaitsForWhatMayCome() throws {
    let shell = try Shell()
    shell.session.expectPrompt()
    let early = shell.run("pin tasks.items[-1].title $(state.tasks.items[1].title) tasks.items[id=7]", "pin --json")
    #expect(
      early
        == .init(
          output:
            #"{"tasks.items[-1].title":null,"$(state.tasks.items[1].title)":null,"tasks.items[id=7]":null}"# + "\n"))
    let late = shell.run("dispatch tasks.add milk --quiet", "pin --remove tasks.items[id=7]", "pin --json")
    #expect(
      late == .init(output: #"{"tasks.items[-1].title":"milk","$(state.tasks.items[1].title)":"milk"}"# + "\n"))
    #expect(
      shell.run("pin --remove $(state.tasks.items[1].title)", "pin") == .init(output: "tasks.items[-1].title  milk\n"))
  }

  @Test(arguments: [
    ("pin tasks.itmes", "did you mean 'tasks.items'?"), ("pin tasks.items[1].tilte", "has no field 'tilte'"),
    ("pin $(state.taks.items)", "state has no module 'taks'"), ("pin $(nothing[1])", "'nothing' is not defined"),
    ("pin $(1 +)", "error[lua-syntax]"),
  ])
  func whatCanNeverBeThereIsRefused(line: String, message: String) throws {
    let shell = try Shell()
    shell.session.expectPrompt()
    let outcome = shell.run(line)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(shell.run("pin").output == "(no pins)\n")
  }
}
