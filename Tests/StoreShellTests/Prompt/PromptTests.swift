import StorePlugins
import StoreSchema
import Testing

@testable import StoreShell

/// The conversation: what is shown, what is kept, what is run.
@Suite struct PromptTests {
  private func talk(_ shell: Shell, _ editor: ScriptedEditor) throws -> Shell.Outcome {
    try shell.outcome { try Prompt(shell.session, on: editor).run() }
  }

  @Test func linesRunUntilTheEndOfInput() throws {
    let (shell, editor) = (
      try Shell(), ScriptedEditor([.line("dispatch counter.increment"), .line(""), .line("show counter.value")])
    )
    let outcome = try talk(shell, editor)
    #expect(outcome == .init(output: "#1 counter.increment\n  counter.value  0 -> 1\n1\n"))
    #expect(editor.prompts == ["stsh> ", "stsh> ", "stsh> ", "stsh> "])
    #expect(editor.history == ["dispatch counter.increment", "show counter.value"])
  }

  @Test(arguments: [[], [LineEvent.line("echo $(open")]])
  func aTerminalThatIsGoneEndsIt(before: [LineEvent]) throws {
    let shell = try Shell()
    let prompt = Prompt(shell.session, on: ScriptedEditor(before + [.hangUp, .line("echo never")]))
    let stop = RunStop()
    prompt.stop = stop
    let outcome = try shell.outcome { try prompt.run() }
    #expect(outcome == .init(status: 129))
    #expect(shell.session.stoppedStatus() == 129)
  }

  @Test func theEndOfAPasteIsNotKept() throws {
    let editor = ScriptedEditor([.line("echo one\necho two\n\n")])
    #expect(try talk(Shell(), editor).output == "one\ntwo\n")
    #expect(editor.history == ["echo one\necho two"])
  }

  @Test func aPastLineIsOfferedForEditing() throws {
    let editor = ScriptedEditor([.line("echo one"), .line("echo two"), .line("!1"), .line("!9")])
    let outcome = try talk(Shell(), editor)
    #expect(editor.proposedLine == "echo one" && editor.history == ["echo one", "echo two"])
    #expect(
      outcome
        == .init(
          output: "one\ntwo\n",
          errors: """
            error[out-of-range]: there is no past line 9
              hint: they are numbered from 1 to 2; history --last 10 shows the newest

            """))
  }

  @Test func theLastLinesHaveNumbersAndTimes() throws {
    let editor = ScriptedEditor([.line("echo one"), .line("history --last 2 --json")])
    let output = try talk(Shell(), editor).output.split(separator: "\n").dropFirst().joined()
    let time = LocalTime.own.text(of: 1_700_000_000)
    let rows = #"[{"n":1,"time":null,"line":"echo one"},{"n":2,"time":"\#(time)","line":"history --last 2 --json"}]"#
    #expect(output == rows)
    #expect(time.hasPrefix("2023-11-1"))
  }

  @Test func thePromptShowsWhatLinesSpeakTo() throws {
    let editor = ScriptedEditor([.line("use tasks"), .line("use root")])
    _ = try talk(Shell(), editor)
    #expect(editor.prompts == ["stsh> ", "stsh tasks> ", "stsh> "])
  }

  @Test func aHistoryThatCannotBeWrittenIsToldOfOnce() throws {
    let (shell, editor) = (try Shell(), ScriptedEditor([.line("show counter.value"), .line("history")]))
    editor.historyFailure = PathError(message: "/h: Permission denied")
    let outcome = try talk(shell, editor)
    #expect(outcome.output == "0\nshow counter.value\nhistory\n")
    #expect(outcome.errors == "note: lines are kept for this session only: /h: Permission denied\n")
  }

  /// On the real clock, whose deadlines the editor is told.
  @Test func tasksRunWhileALineIsTyped() throws {
    let shell = try Shell {
      $0.hasVirtualClock = false
      $0.grants = ["p"]
    }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { actions = { { name = "go" } }, middleware = { { name = "m", on = { "go" }, after = function(_, ctx)
        ctx:task("x", function(task) task:sleep(0.001) task:dispatch("counter.increment") error("over") end)
      end } } }
      """, permissions: #"["timers", "dispatch:counter.increment"]"#)
    let editor = ScriptedEditor([
      .line("plugin load \(folder)"), .line("watch counter.value"), .line("dispatch p.go --quiet"), .deadline,
    ])
    let clock = shell.session.store.live.clock
    editor.onWait = {
      // The editor's wait, which a busy one makes as well as a sleeping one.
      guard let deadline = editor.deadlines.last, let deadline else { return }
      let end = clock.now + deadline
      while clock.now < end {}
    }
    _ = try talk(shell, editor)
    #expect(editor.deadlines.map { $0 == nil } == [true, true, true, false, true])
    #expect(editor.above.first == "[watch 1] counter.value  0 -> 1  (#3 counter.increment)\n")
    #expect(editor.above.last?.hasPrefix("error[plugin-task]: p: task 'p/m/x' failed: ") == true)
    #expect(editor.above.last?.hasSuffix("  task started by #2 p.go (repl:3)\n") == true)
    #expect(editor.above.count == 2)
  }

  @Test func whatIsOpenGoesOn() throws {
    let editor = ScriptedEditor([
      .line("dispatch tasks.add \"Buy"), .line("milk\" --quiet"), .line("= (1 +"), .line("2)"),
      .line("lua for i = 1, 2 do"),
      .line("print(i)"), .line("end"), .line("echo a \\"), .line("b"), .line("show [1,"), .line("2] --as json"),
      .line("= {"),
      .line("}"), .line("let n = 1"), .line("echo $(n +"), .line("1)"), .line("= n"),
    ])
    let shell = try Shell()
    let outcome = try talk(shell, editor)
    #expect(outcome.errors == "")
    #expect(outcome.output.hasPrefix("3\n1\n2\na b\n[1,2]\n"))
    #expect(outcome.output.hasSuffix("\n2\n1\n"))
    #expect(
      editor.prompts.filter { $0 != "stsh> " } == [
        "  \"> ", "lua> ", "lua> ", "lua> ", "  \\> ", "  [> ", "lua> ", "  (> ",
      ])
    #expect(editor.history.count == 9)
    #expect(editor.history[0] == "dispatch tasks.add \"Buy\nmilk\" --quiet")
    #expect(editor.open.compactMap(\.self).contains("lua for i = 1, 2 do\nprint(i)"))
    #expect(shell.session.store.live.recent().map { $0.source.line } == [1])
  }

  @Test func statementsAreNumbered() throws {
    let editor = ScriptedEditor([
      .line("dispatch counter.increment --quiet"), .line("# a comment"), .line("nope"), .line("echo 'open"), .line("'"),
      .line("dispatch counter.increment --quiet"),
    ])
    let shell = try Shell()
    #expect(
      try talk(shell, editor).errors.hasPrefix("error[unknown-command]: there is no command 'nope'\n  nope\n  ^~~~\n"))
    #expect(shell.session.store.live.recent().map { "\($0.source.file):\($0.source.line)" } == ["repl:1", "repl:4"])
  }

  @Test func aPasteMayHoldSeveralStatements() throws {
    let editor = ScriptedEditor([
      .line("echo one\n\necho two\ndispatch counter.increment --quiet"), .line("echo a\necho \"b\nc\"\n"),
    ])
    let shell = try Shell()
    #expect(try talk(shell, editor).output == "one\ntwo\na\nb\nc\n")
    #expect(shell.session.store.live.recent().map { $0.source.line } == [3])
    #expect(editor.history.count == 2)
  }

  @Test func aFaultInAPasteStopsIt() throws {
    let editor = ScriptedEditor([.line("echo one\necho \"a\"b\necho never"), .line("echo on")])
    let outcome = try talk(try Shell(), editor)
    #expect(outcome.output == "one\non\n")
    #expect(outcome.errors.hasPrefix("error[syntax]: "))
    #expect(outcome.status == 0)
  }

  @Test func anErrorDoesNotEndTheConversation() throws {
    let editor = ScriptedEditor([.line("assert false"), .line("echo on")])
    let outcome = try talk(try Shell(), editor)
    #expect(outcome == .init(output: "on\n", errors: "error[assert-failed]: false does not hold\n"))
  }

  @Test func interruptsDropWhatIsOpen() throws {
    let editor = ScriptedEditor([
      .interrupted(hadText: false), .interrupted(hadText: true), .line("echo \"open"), .interrupted(hadText: false),
      .line("echo on"),
    ])
    let outcome = try talk(try Shell(), editor)
    #expect(outcome == .init(output: "on\n", errors: "(Ctrl-D or quit leaves)\n"))
    #expect(editor.prompts == ["stsh> ", "stsh> ", "stsh> ", "  \"> ", "stsh> ", "stsh> "])
    #expect(editor.open.last == .some(nil))
    #expect(editor.history == ["echo on"])
  }

  @Test func theEndOfInputDropsWhatIsOpenFirst() throws {
    let editor = ScriptedEditor([.line("echo $(open"), .endOfInput, .line("echo on"), .endOfInput, .line("echo never")])
    #expect(try talk(try Shell(), editor).output == "on\n")
  }

  @Test func quitEndsWithItsStatus() throws {
    #expect(try talk(try Shell(), ScriptedEditor([.line("quit 4"), .line("echo never")])) == .init(status: 4))
    #expect(try talk(try Shell(), ScriptedEditor([.line("quit\necho never")])) == .init())
  }

  @Test func aStatementFromAnEditorTakesThePlaceOfWhatIsOpen() throws {
    let editor = ScriptedEditor([.line("echo 'half"), .statement("echo whole"), .line("echo on")])
    #expect(try talk(try Shell(), editor).output == "whole\non\n")
    #expect(editor.history == ["echo whole", "echo on"])
  }

  @Test func deadlinesAndWakesChangeNothing() throws {
    let editor = ScriptedEditor([.deadline, .line("echo $(1 +"), .woken, .deadline, .line("1)")])
    _ = try talk(try Shell(), editor)
    #expect(editor.prompts == ["stsh> ", "stsh> ", "  (> ", "  (> ", "  (> ", "stsh> "])
  }

  private static let asking = "return plugin { actions = { { name = 'go' } } }"

  @Test(arguments: [
    ("y", true, false), ("Yes", true, false), ("a", true, true), ("n", false, false), ("", false, false),
  ])
  func permissionsAreAskedFor(answer: String, isLoaded: Bool, isKept: Bool) throws {
    let place = try Shell()
    let shell = try Shell { $0.grantsFile = place.folder + "/grants.json" }
    let folder = try shell.plugin("asking", Self.asking, permissions: "[\"read:tasks\",\"timers\"]")
    let editor = ScriptedEditor([.line("plugin load \(folder)"), .line(answer), .line("echo on")])
    let outcome = try talk(shell, editor)
    #expect(editor.prompts == ["stsh> ", "Allow? [y]es for this session, [a]lways, [N]o: ", "stsh> ", "stsh> "])
    #expect(
      outcome.errors.hasPrefix(
        "asking 1.2.3 asks for:\n  read:tasks  \(Permission.meaning("read:tasks"))\n  timers      \(Permission.meaning("timers"))\n"
      ))
    #expect(outcome.errors.contains("error[plugin-grant]: asking was not granted its permissions\n") == !isLoaded)
    #expect(shell.session.store.loadedPlugins.map(\.name) == (isLoaded ? ["asking"] : []))
    #expect(outcome.output.hasSuffix("on\n"))
    #expect((place.contents("grants.json") != nil) == isKept)
    #expect(editor.history == ["plugin load \(folder)", "echo on"])
  }

  @Test func theFileThatAPromptStartsWithMayAskToo() throws {
    let shell = try Shell()
    let folder = try shell.plugin("asking", Self.asking, permissions: "[\"timers\"]")
    let file = try shell.write("init.stsh", "plugin load \(folder)\n")
    let editor = ScriptedEditor([.line("y")])
    let prompt = Prompt(shell.session, on: editor)
    #expect(shell.session.ask != nil)
    let outcome = try shell.outcome {
      shell.session.run(initFile: file)
      return try prompt.run()
    }
    #expect(outcome.errors.hasPrefix("asking 1.2.3 asks for:\n  timers  "))
    #expect(editor.prompts == ["Allow? [y]es for this session, [a]lways, [N]o: ", "stsh> "])
    #expect(shell.session.store.loadedPlugins.map(\.name) == ["asking"])
  }

  @Test func aFileThatIsSourcedAtThePromptMayAskToo() throws {
    let shell = try Shell()
    let folder = try shell.plugin("asking", Self.asking, permissions: "[\"timers\"]")
    let file = try shell.write("setup.stsh", "plugin load \(folder)\n")
    let editor = ScriptedEditor([.line("source \(file)"), .line("y")])
    #expect(try talk(shell, editor).errors.hasPrefix("asking 1.2.3 asks for:\n  timers  "))
    #expect(shell.session.store.loadedPlugins.map(\.name) == ["asking"])
  }

  @Test func aStoreThatIsOpenedAtThePromptMayAskToo() throws {
    let writer = try Shell { $0.grants = ["asking"] }
    let folder = try writer.plugin("asking", Self.asking, permissions: "[\"timers\"]")
    #expect(writer.openStore("\(writer.folder)/a.db") == .init())
    _ = writer.run("plugin load \(folder)")
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let shell = try Shell()
    let refused = shell.openStore("\(writer.folder)/a.db")
    #expect(refused.errors.hasPrefix("error[plugin-grant]: ") && refused.status == 4)
    let editor = ScriptedEditor([.line("y")])
    let prompt = Prompt(shell.session, on: editor)
    #expect(shell.openStore("\(writer.folder)/a.db").errors.hasPrefix("asking 1.2.3 asks for:\n  timers  "))
    #expect(try shell.outcome { try prompt.run() } == .init())
    #expect(shell.session.store.loadedPlugins.map(\.name) == ["asking"])
  }

  @Test func whatWasGrantedForGoodIsNotAskedAgain() throws {
    let place = try Shell()
    let grants = place.folder + "/grants.json"
    let folder = try place.plugin("asking", Self.asking, permissions: "[\"timers\"]")
    _ = try talk(
      try Shell { $0.grantsFile = grants }, ScriptedEditor([.line("plugin load \(folder)"), .line("always")]))
    let later = ScriptedEditor([.line("plugin load \(folder)")])
    #expect(try talk(try Shell { $0.grantsFile = grants }, later).errors == "")
    #expect(later.prompts == ["stsh> ", "stsh> "])
    // More permissions than were granted are asked for, those alone.
    _ = try place.plugin("asking", Self.asking, permissions: "[\"timers\",\"read:tasks\"]")
    let more = ScriptedEditor([.line("plugin load \(folder)"), .interrupted(hadText: false)])
    let outcome = try talk(try Shell { $0.grantsFile = grants }, more)
    #expect(outcome.errors.contains("asks for:\n  read:tasks  "))
    #expect(!outcome.errors.contains("timers"))
    #expect(outcome.errors.contains("error[plugin-grant]"))
  }
}

extension Permission {
  /// What a permission lets a plugin do, in words.
  fileprivate static func meaning(_ text: String) -> String { Permission(text)?.meaning ?? "" }
}
