import Testing

@testable import StoreShell

/// Substates in recordings: what was added is there again, and is compared.
@Suite struct RecordedSubstateTests {
  private func recorded(_ lines: String...) throws -> (Shell, file: String) {
    let shell = try Shell({ $0.isQuiet = true }, over: SubstateTests.cart)
    let file = "\(shell.folder)/run.jsonl"
    for line in lines + ["export journal \(file)"] {
      let outcome = shell.run(line)
      #expect(outcome.errors == "", "\(line)")
    }
    return (shell, file)
  }

  @Test func whatWasAddedIsThereAgain() throws {
    let (shell, file) = try recorded(
      "substate add cart --value {n=1}", "dispatch cart.inc", "substate add note --value {b=1,a={2,x}}",
      "substate add none --value nil", "substate add cart --value {n=5} --replace",
      "substate add note --value 7 --replace", "substate add gone --value 1", "substate reset gone", "undo",
      "middleware on logger")
    let other = try Shell(over: SubstateTests.cart)
    #expect(other.run("replay \(file) --verify").output == "replayed 10 actions, every state matches\n")
    #expect(other.run("show --as json").output == shell.run("show --as json").output)
    #expect(other.run("substate").output == shell.run("substate").output)
    #expect(other.run("log --all").output == shell.run("log --all").output)
  }

  /// Nobody declares the type of such a substate: what is read back is the same all the same.
  @Test func valuesOfAnyTypeAreKept() throws {
    let lines = [
      #"substate add d --value $(decimal("1.50"))"#, #"substate add r --value { b = [$(decimal("0.1"))], a = 1.5 }"#,
      "substate add t --value $(state.tasks)",
    ]
    let (shell, file) = try recorded(lines[0], "dispatch tasks.add x", lines[1], lines[2])
    let questions = [
      "= math.type(state.d)", "show d", "= math.type(state.r.a)", "= math.type(state.r.b[1])", "show r --as json",
      "show t --as json",
    ]
    let answers = questions.map { shell.run($0).output }
    #expect(answers[1] == "1.50\n")
    let other = try Shell(over: SubstateTests.cart)
    #expect(other.run("replay \(file) --verify") == .init(output: "replayed 4 actions, every state matches\n"))
    #expect(questions.map { other.run($0).output } == answers)
    #expect(shell.run("export journal \(shell.folder)/run.stsh").errors == "")
    let again = try Shell({ $0.isQuiet = true }, over: SubstateTests.cart)
    #expect(try again.run(script: try #require(shell.contents("run.stsh"))).status == 0)
    #expect(questions.map { again.run($0).output } == answers)
    // In a file, too: both by the state that is written and by the actions.
    let path = "\(shell.folder)/a.db"
    let writer = try Shell({ $0.isQuiet = true }, over: SubstateTests.cart)
    #expect(writer.openStore(path) == .init())
    _ = writer.run(lines[0], "dispatch tasks.add x", lines[1], lines[2])
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let reader = try Shell(over: SubstateTests.cart)
    #expect(reader.openStore(path) == .init())
    #expect(questions.map { reader.run($0).output } == answers)
    #expect(reader.run("undo", "show r --as json").output.hasSuffix(answers[4]))
  }

  /// What no recording could give back is refused.
  @Test(arguments: [
    (#"$({[1]="a",[3]="c"})"#, "'m' must have string keys, got number 1"),
    ("$(0/0)", "'m' must be a finite number, got number nan"),
    ("{ a = $(math.huge) }", "'m.a' must be a finite number, got number inf"),
  ])
  func whatWouldComeBackOtherwiseIsRefused(value: String, message: String) throws {
    let outcome = try Shell().run("substate add m --value \(value)")
    #expect(outcome.errors.contains("error[type-mismatch]: \(message)\n"), "\(outcome)")
  }

  @Test func anotherValueDiverges() throws {
    for line in ["substate add cart --value {n=1}", "substate add note --value {n=1}"] {
      let (shell, file) = try recorded(line)
      let text = try #require(shell.contents("run.jsonl"))
      try shell.write("run.jsonl", text.replacing(#"{"n":1}"#, with: #"{"n":7}"#))
      #expect(
        try Shell(over: SubstateTests.cart).run("replay \(file) --verify").errors.contains(
          "state after #1 shell.addSubstate differs from the recording"))
    }
  }

  @Test func aRecordingMayBeginWithSubstates() throws {
    let shell = try Shell({ $0.isQuiet = true }, over: SubstateTests.cart)
    let file = "\(shell.folder)/run.jsonl"
    _ = shell.run("set journal.limit 5", "substate add cart --value {n=1}", "substate add note --value {a=1}")
    for _ in 0..<600 { _ = shell.run("dispatch cart.inc") }
    #expect(shell.run("export journal \(file)").errors == "note: #1 to #598 are left out: they are no longer kept\n")
    let header = try #require(shell.contents("run.jsonl")).prefix { $0 != "\n" }
    #expect(header.hasSuffix(#","note":{"a":1}},"substates":["cart","note"]}"#) && !header.contains(#""start":0"#))
    let other = try Shell(over: SubstateTests.cart)
    #expect(other.run("replay \(file) --verify").errors == "")
    #expect(other.run("show --as json").output == shell.run("show --as json").output)
  }
}
