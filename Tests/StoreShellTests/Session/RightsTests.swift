import Glibc
import ShellLanguage
import StoreHost
import Testing

@testable import StoreShell

/// The rights of sessions that come in by a door.
@Suite struct RightsTests {
  private static func shell(_ rights: Rights) throws -> Shell {
    try Shell {
      $0.rights = rights
      $0.grants = ["pomodoro", "catalog"]
    }
  }

  @Test(arguments: [
    ("read", Right.read), ("dispatch", .dispatch()), ("dispatch:tasks.*", .dispatch("tasks.*")), ("plugins", .plugins),
    ("all", .all),
  ])
  func rightsAreWrittenAsTheyAreRead(_ text: String, _ right: Right) {
    #expect(Right(parsing: text) == right)
    #expect(right.text == text)
  }

  @Test(arguments: ["", "write", "dispatch:", "read,all"])
  func whatIsNoRightIsNone(_ text: String) { #expect(Right(parsing: text) == nil) }

  /// By `read` nothing is changed and nothing outside is reached: each command is given as its examples are, and with each flag.
  @Test func aReaderChangesAndReachesNothing() throws {
    let shell = try Self.shell([.read])
    try shell.write("here.txt", "secret-in-a-file")
    let marks = ["\(shell.folder)/made", "\(shell.folder)/here.txt"]
    for definition in CommandTable.standard.definitions where definition.verb != "quit" {
      for line in definition.examples.flatMap(\.lines) { _ = shell.run(line) }
      for flag in definition.flags {
        for mark in marks {
          let value = flag.value == nil ? "" : " \(mark)"
          let outcome = shell.run("\(definition.verb) \(mark) --\(flag.name)\(value)")
          #expect(!(outcome.output + outcome.errors).contains("secret-in-a-file"))
        }
      }
      for part in definition.parts { _ = shell.run("\(definition.verb) \(part) \(marks[1])") }
    }
    for line in [
      "show counter > \(marks[0])", "show counter >> \(marks[0])", "show counter | touch \(marks[0])",
      "try show counter > \(marks[0])", "lua io.open('\(marks[0])', 'w')", "lua os.execute('touch \(marks[0])')",
      "lua dispatch('counter.increment')", "= dispatch('counter.increment')", "let x = dispatch('counter.increment')",
      "assert dispatch('counter.increment')", "dispatch counter.increment by=$(dispatch('counter.increment'))",
      "bind limit counter.value counter.setStep", "limit := 3", "trace on --spans \(marks[0])",
      "set plugin.watch on", "set emit always", "set runaway 3", "effects cancel all", "undo --to 0", "undo --any",
    ] {
      _ = shell.run(line)
    }
    #expect(shell.run("log").output.split(separator: "\n").count <= 1)
    #expect(shell.run("show counter.value").output == "0\n")
    #expect(shell.contents("made") == nil)
    #expect(shell.contents("here.txt") == "secret-in-a-file")
  }

  /// What a command, a part of one or a flag declares decides, and what declares nothing is refused.
  @Test func declarationsDecide() throws {
    for right in [Right.read, .dispatch(), .plugins] {
      let shell = try Self.shell([right])
      for definition in CommandTable.standard.definitions {
        let need = definition.needs?.need(ofPart: nil)
        if definition.needs?.parts.isEmpty != false, !shell.session.options.rights.allow(need) {
          #expect(shell.run("\(definition.verb) x").errors.contains("not-allowed"), "\(definition.verb) by \(right)")
        }
        for part in definition.parts where definition.needs?.parts.isEmpty == false {
          let isAllowed = shell.session.options.rights.allow(definition.needs?.need(ofPart: part))
          let errors = shell.run("\(definition.verb) \(part) x").errors
          #expect(errors.contains("not-allowed") == !isAllowed, "\(definition.verb) \(part) by \(right): \(errors)")
        }
      }
    }
  }

  /// Every function that Lua finds is called with the name of a file, and reaches none.
  @Test func luaReachesNothing() throws {
    let shell = try Self.shell([.read])
    let lua = try shell.session.lua()
    let path = "\(shell.folder)/made"
    for name in lua.names(in: []) {
      for function in [name] + lua.names(in: [name]).map({ "\(name).\($0)" }) where function != "string.rep" {
        _ = shell.run("lua pcall(\(function), '\(path)', 'w')", "lua pcall(\(function), 'touch \(path)')")
      }
    }
    #expect(shell.contents("made") == nil)
    #expect(shell.run("show counter.value").output == "0\n")
    let sandboxed = Set(["state", "project", "dispatch", "print", "command", "env", "run"])
    #expect(Set(LuaFunctions.needs.map(\.name)) == sandboxed)
    #expect(sandboxed.isSubset(of: Set(lua.names(in: [])).union(["state"])))
  }

  @Test func aPatternDecidesWhatIsDispatchedInEveryLanguage() throws {
    let shell = try Self.shell([.read, .dispatch("tasks.*")])
    #expect(shell.run("dispatch tasks.add Milk --quiet").status == 0)
    #expect(shell.run("lua dispatch('tasks.add', { title = 'Bread' })").status == 0)
    let refused = shell.run("dispatch counter.increment")
    #expect(
      refused.errors.hasPrefix("-c:1:1: error[not-allowed]: this door does not allow dispatching counter.increment\n"))
    #expect(refused.errors.contains("hint: it allows read, dispatch:tasks.*\n"))
    #expect(shell.run("lua dispatch('counter.increment')").errors.contains("does not allow dispatching"))
    let undo = shell.run("undo").errors
    #expect(undo.contains("does not allow dispatching shell.restore"))
    #expect(undo.contains("; this needs dispatch:shell.restore\n"))
    #expect(shell.run("middleware on logger").errors.contains("does not allow dispatching shell.setGate"))
    #expect(shell.run("show counter.value").output == "0\n")
  }

  @Test func whoMayOnlyDispatchSeesNothing() throws {
    let shell = try Self.shell([.dispatch("counter.*")])
    #expect(shell.run("dispatch counter.increment --quiet").status == 0)
    for line in ["show counter", "= 1", "dispatch counter.increment by=$(state.counter.value)", "log", "watch counter"]
    {
      #expect(shell.run(line).errors.contains("not-allowed"), "\(line)")
    }
  }

  @Test func completionTellsAReaderOfNoFiles() throws {
    let shell = try Self.shell([.read])
    try shell.write("here.txt", "")
    let completer = Completer(shell.session)
    for line in [
      "source \(shell.folder)/", "show counter > \(shell.folder)/", "trace --spans \(shell.folder)/",
      "plugin load \(shell.folder)/", "export state \(shell.folder)/",
    ] {
      let found = completer.complete(line: line, cursor: line.utf8.count, openLines: []).candidates
      #expect(!found.contains { $0.text.contains("here") || $0.text.contains("/") }, "\(line)")
    }
  }

  /// The documentation has the table that decides.
  @Test func theTableOfTheDocumentationIsTheShells() throws {
    let path = Shell.package + "/Sources/Shell/ShellDoor/ShellDoor.docc/RightsOfCommands.md"
    let text = try #require(Shell.contents(path))
    let head = text.firstRange(of: "| what | right |").map { String(text[..<$0.lowerBound]) } ?? text
    let wanted = head + RightsTable.markdown
    if text != wanted { Issue.record("the page as it should be: \(Self.kept(wanted))") }
  }

  /// The name of a file that holds a text.
  private static func kept(_ text: String) -> String {
    let path = "/tmp/RightsOfCommands.md"
    guard let file = fopen(path, "w") else { return "not to be kept" }
    fputs(text, file)
    fclose(file)
    return path
  }
}
