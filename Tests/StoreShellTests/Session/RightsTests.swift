import Glibc
import StoreCore
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

  /// Each row of the documentation's table by each right: what the row does not allow is refused, and leaves no entry.
  @Test(arguments: [
    [], [Right.read], [.dispatch()], [.dispatch("tasks.*")], [.dispatch("shell.*")], [.dispatch("shell.setGate")],
    [.plugins], [.read, .plugins], [.read, .dispatch("shell.cancelEffects")],
  ])
  func eachRowOfTheTableByEachRight(_ rights: [Right]) throws {
    let given = Rights(rights)
    let page = try #require(
      Shell.contents(Shell.package + "/Sources/Shell/ShellDoor/ShellDoor.docc/RightsOfCommands.md"))
    let rows = page.matches(of: /\| `([^`]+)` \| ([^ ]+) \|/).map { (what: String($0.1), need: String($0.2)) }
    #expect(rows.count > 150)
    func isAllowed(_ need: String) -> Bool {
      if need == "none" || rights.contains(.all) { return true }
      return rights.contains { right in
        switch (right, need) {
        case (.read, "read"), (.plugins, "plugins"): return true
        case (.dispatch, "dispatch"): return true
        case (.dispatch(let pattern), _) where need.hasPrefix("dispatch:"):
          return Glob.matches(pattern, String(need.dropFirst("dispatch:".count)))
        default: return false
        }
      }
    }
    let needs = Dictionary(uniqueKeysWithValues: rows.map { ($0.what, $0.need) })
    for definition in CommandTable.standard.definitions {
      let verb = definition.verb
      // What is behind them runs as any other line.
      guard !definition.takesCommand, verb != "quit" else { continue }
      let whole = try #require(needs[verb])
      let parts = definition.parts.compactMap { part in needs["\(verb) \(part)"].map { (part, $0) } }
      var lines = parts.map { ("\(verb) \($0) none", $1) }
      if parts.isEmpty { lines.append(("\(verb) none", whole)) }
      for flag in definition.flags {
        let need = try #require(needs["\(verb) --\(flag.name)"])
        let (first, own) = parts.first.map { ("\(verb) \($0.0)", $0.1) } ?? (verb, whole)
        guard isAllowed(own) || !isAllowed(need) else { continue }
        lines.append(("\(first) none --\(flag.name)\(flag.value == nil ? "" : " 1")", isAllowed(own) ? need : own))
      }
      for (line, need) in lines where !isAllowed(need) {
        let shell = try Self.shell(given)
        let outcome = shell.run(line)
        #expect(outcome.errors.contains("this door does not allow"), "\(line) by \(given.text): \(outcome.errors)")
        #expect(shell.session.store.live.head == 0, "\(line) by \(given.text)")
      }
      for (line, need) in lines where isAllowed(need) {
        let shell = try Self.shell(given)
        let errors = shell.run(line).errors
        #expect(
          !errors.contains("this door does not allow") || errors.contains("does not allow dispatching"),
          "\(line) by \(given.text): \(errors)")
      }
    }
    for setting in Setting.all {
      let need = try #require(needs["set \(setting.name) VALUE"])
      let shell = try Self.shell(given)
      let value = setting.values.first ?? "1"
      let errors = shell.run("set \(setting.name) \(value)").errors
      let allowed = isAllowed(need) && isAllowed("read")
      #expect(errors.contains("this door does not allow") == !allowed, "\(setting.name) by \(given.text): \(errors)")
      if !allowed { #expect(shell.session.store.live.head == 0) }
    }
  }

  /// A task is cancelled by whoever may dispatch that action alone, in every language and by every way to it.
  @Test func cancellingATaskNeedsItsOwnRight() throws {
    let start = ["plugin load pomodoro", "dispatch pomodoro.start minutes=1 --quiet"]
    for (rights, isAllowed) in [
      ([Right.read, .dispatch("tasks.*")], false), ([.read, .plugins], false), ([.read], false),
      ([.read, .dispatch("shell.cancelEffects")], true), ([.read, .dispatch()], true),
    ] {
      let host = try StoreHost(.hosted, clock: VirtualClock(), program: "stsh")
      func shell(_ rights: [Right]) throws -> Shell {
        try Shell {
          $0.rights = Rights(rights)
          $0.grants = ["pomodoro"]
        } over: {
          try Session(host, options: $0, console: $1)
        }
      }
      let (owner, other) = (try shell([.all]), try shell(rights))
      for line in start { #expect(owner.run(line).status == 0) }
      for line in ["effects cancel none", "effects cancel all", "try effects cancel pomodoro/clock/ticks"] {
        _ = other.run(line)
      }
      // The one who started it is told.
      let told = owner.run("effects")
      #expect((told.output == "(no effects)\n") == isAllowed, "\(rights)")
      #expect(told.errors.contains("cancelled pomodoro/clock/ticks (#3)") == isAllowed, "\(told)")
      let log = owner.run("log --as raw").output
      #expect(log.contains("shell.cancelEffects") == isAllowed, "\(log)")
    }
  }

  /// A plugin's tasks of later entries are waited for behind a cancellation, also where the store was opened again.
  @Test func laterTasksAreWaitedFor() throws {
    let home = try Shell()
    let plugin = try home.plugin(
      "p",
      """
      return plugin {
        state = { field("held", map(record("Hold", { field("due", number()) }))), field("n", int()) },
        actions = { { name = "hold", args = { field("id", text()) } }, { name = "expire", args = { field("id", text()) } } },
        reducers = {
          hold = function(s, a) s.held[a.id] = { due = 5 } end,
          expire = function(s, a) s.held[a.id] = nil s.n = s.n + 1 end,
        },
        middleware = { {
          name = "expiry",
          supervise = { over = "held", at = "due", task = function(task, id) task:dispatch("expire", { id = id }) end },
        } },
      }
      """, permissions: #"["timers"]"#)
    func opened() throws -> Shell {
      let shell = try Shell { $0.grants = ["p"] }
      shell.session.options.journal = JournalPlan(path: "\(home.folder)/a.db", durability: .off)
      #expect(shell.outcome { shell.session.openJournal() }.status == 0)
      return shell
    }
    let first = try opened()
    #expect(first.run("plugin load \(plugin)", "dispatch p.hold a", "effects cancel all").status == 0)
    #expect(first.run("effects").output == "(no effects)\n")
    #expect(first.run("dispatch p.hold b --quiet", "wait 6s", "show p.n").output == "1\n")
    #expect(first.run("effects cancel all", "dispatch p.hold c --quiet").status == 0)
    #expect(first.outcome { first.session.endJournal() } == .init())
    let second = try opened()
    #expect(second.run("dispatch p.hold d --quiet", "wait 1s", "= state.p.held.d == nil").output == "true\n")
    #expect(second.outcome { second.session.endJournal() } == .init())
  }

  /// What was cancelled stays cancelled where the log is replayed, and a script says it.
  @Test func aCancellationIsRecorded() throws {
    let shell = try Self.shell([.all])
    let begun = shell.run(
      "plugin load pomodoro", "dispatch pomodoro.start minutes=1 --quiet", "effects cancel all",
      "effects cancel all", "export journal \(shell.folder)/r.jsonl", "export journal \(shell.folder)/r.stsh")
    #expect(begun.output.contains("#3 shell.cancelEffects  (1 task cancelled)\nwrote 3 actions"), "\(begun)")
    let other = try Self.shell([.all])
    #expect(other.run("replay \(shell.folder)/r.jsonl --verify").output == "replayed 3 actions, every state matches\n")
    #expect(try #require(shell.contents("r.stsh")).contains("effects cancel all\n"))
    #expect(try Self.shell([.all]).run(script: try #require(shell.contents("r.stsh"))).status == 0)
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
    let sandboxed = Set(["state", "project", "dispatch", "print", "command", "env", "quote", "run"])
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
    #expect(shell.run("undo").output.contains("takes back #2 tasks.add"))
    #expect(shell.run("undo --any").errors.contains("this door does not allow undo --any\n"))
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

/// The table of needs for the documentation, made from the declarations.
private enum RightsTable {
  /// The rows of commands, their parts, flags and Lua functions, as Markdown.
  static var markdown: String {
    var text = "| what | right |\n|---|---|\n"
    func row(_ what: String, _ need: Need?) {
      text += "| `\(what)` | \(need?.text ?? "all") |\n"
    }
    for command in CommandTable.standard.definitions {
      row(command.verb, command.needs?.need(ofPart: nil))
      for part in command.parts where command.needs?.parts.isEmpty == false {
        row("\(command.verb) \(part)", command.needs?.need(ofPart: part))
      }
      for flag in command.flags { row("\(command.verb) --\(flag.name)", flag.need) }
    }
    for setting in Setting.all { row("set \(setting.name) VALUE", setting.need) }
    row("NAME := VALUE", .dispatch)
    row("PLUGIN VERB", nil)
    row("COMMAND > FILE", nil)
    row("COMMAND | PROGRAM", nil)
    for function in LuaFunctions.needs { row("Lua: \(function.name)", function.need) }
    return text
  }
}

extension Need {
  /// The right as it is written; `none` for nothing.
  fileprivate var text: String {
    switch self {
    case .nothing: "none"
    case .read: Right.read.text
    case .dispatch: Right.dispatch().text
    case .action(let type): Right.dispatch(type.fullName).text
    case .plugins: Right.plugins.text
    }
  }
}
