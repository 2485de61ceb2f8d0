import StoreSchema
import Testing

@testable import StoreShell

/// Bad input to every command: the exact bytes of the error, and the status.
@Suite struct CommandErrorTests {
  private static let usage = "hint: usage: dispatch counter.increment by:Int?"
  private static let middlewareUsage = """
    hint: usage: middleware [on|off NAME]
                   middleware gate NAME --at PATH [--is VALUE]
                   middleware gate NAME --control ACTION [--arg NAME] [--on VALUE] [--off VALUE]
                   middleware gate NAME --on ACTION --off ACTION
                   middleware gate NAME --none
    """

  struct Case: CustomTestStringConvertible, Sendable {
    let line: String
    let column: Int
    let code: String
    let message: String
    var mark: String?
    var rest: [String] = []
    var status: Int32 = 1

    init(
      _ line: String, _ column: Int, _ code: String, _ message: String, mark: Int? = nil, _ rest: String...,
      status: Int32 = 1
    ) {
      self.line = line
      self.column = column
      self.code = code
      self.message = message
      self.mark = mark.map { String(repeating: " ", count: column - 1) + "^" + String(repeating: "~", count: $0 - 1) }
      self.rest = rest
      self.status = status
    }

    var testDescription: String { line }

    /// What standard error shows.
    var text: String {
      let lines = ["-c:1:\(column): error[\(code)]: \(message)", "  \(line)"] + (mark.map { ["  " + $0] } ?? [])
      return (lines + rest.map { "  " + $0 }).joined(separator: "\n") + "\n"
    }
  }

  static let cases: [Case] = [
    Case(
      "dispatch", 1, "missing-argument", "dispatch needs an action", mark: 8,
      "hint: usage: dispatch ACTION [ARG=VALUE…] [--quiet] [--info TEXT]",
      "             dispatch --dry-run ACTION [ARG=VALUE…]"),
    Case(
      "dispatch counter.incremnt", 10, "unknown-action", "unknown action 'counter.incremnt'", mark: 16,
      "hint: did you mean 'counter.increment'?"),
    Case(
      "show tasks.items[$({1})].title", 6, "type-mismatch", "a selector takes a number or a text, $({1}) is a list",
      mark: 25),
    Case(
      "log --changed tasks.items[$i]", 15, "unknown-variable", "there is no variable $i", mark: 15,
      "hint: set it with: let i = …"),
    Case("replay /no.jsonl", 8, "no-such-file", "/no.jsonl: No such file or directory", mark: 9, status: 2),
    Case("import state /no.json", 14, "no-such-file", "/no.json: No such file or directory", mark: 8, status: 2),
    Case("export state /no/s.json", 14, "no-such-file", "/no/s.json: No such file or directory", mark: 10, status: 2),
    Case("export journal /no/run", 16, "no-such-file", "/no/run: No such file or directory", mark: 7, status: 2),
    Case(
      "trace on --spans /no/spans", 18, "no-such-file", "/no/spans: No such file or directory", mark: 9, status: 2),
    Case(
      "import state $file", 14, "unknown-variable", "there is no variable $file", mark: 5,
      "hint: set it with: let file = …"),
    Case(
      "echo x > $file", 8, "unknown-variable", "there is no variable $file", mark: 7, "hint: set it with: let file = …"),
    Case(
      "dispatch zzz", 10, "unknown-action", "unknown action 'zzz'", mark: 3,
      "hint: describe lists the modules, describe MODULE their actions"),
    Case(
      "dispatch counter.increment bye=2", 28, "unexpected-argument", "counter.increment has no argument 'bye'", mark: 3,
      "hint: did you mean 'by'?"),
    Case(
      "dispatch counter.increment quite=2", 28, "unexpected-argument", "counter.increment has no argument 'quite'",
      mark: 5, usage),
    Case(
      "dispatch counter.increment by=two", 28, "type-mismatch", "'by' must be Int, got string \"two\"", mark: 3, usage),
    Case("dispatch counter.increment two", 28, "type-mismatch", "'by' must be Int, got string \"two\"", mark: 3, usage),
    Case(
      "dispatch counter.increment by=9223372036854775808", 28, "type-mismatch",
      "'by' must be Int, got number 9223372036854775808, which is too large for one", mark: 3, usage),
    Case("dispatch counter.increment by=1.5", 28, "type-mismatch", "'by' must be Int, got number 1.5", mark: 3, usage),
    Case("dispatch counter.increment by=[1]", 28, "type-mismatch", "'by' must be Int, got a list", mark: 3, usage),
    Case(
      "dispatch counter.increment $('x')", 28, "type-mismatch", "'by' must be Int, got string \"x\"", mark: 6, usage),
    Case(
      "dispatch counter.increment 1 2", 30, "unexpected-argument", "counter.increment takes one argument", mark: 1,
      usage),
    Case("dispatch counter.increment 1 by=2", 30, "unexpected-argument", "'by' is given twice", mark: 2, usage),
    Case(
      "dispatch counter.reset 1", 24, "unexpected-argument", "counter.reset takes no arguments", mark: 1,
      "hint: usage: dispatch counter.reset"),
    Case(
      "dispatch tasks.add", 10, "missing-argument", "tasks.add needs 'title' (String)", mark: 9,
      "hint: usage: dispatch tasks.add title:String"),
    Case(
      "dispatch tasks.add --title=x", 20, "unknown-flag", "dispatch has no flag --title", mark: 9,
      "hint: did you mean title=x?", status: 2),
    Case(
      "dispatch tasks.add x --quit", 22, "unknown-flag", "dispatch has no flag --quit", mark: 6,
      "hint: did you mean --quiet?", status: 2),
    Case(
      "dispatch tasks.add x --info", 22, "missing-argument", "--info needs TEXT", mark: 6,
      "hint: usage: dispatch ACTION [ARG=VALUE…] [--quiet] [--info TEXT]",
      "             dispatch --dry-run ACTION [ARG=VALUE…]", status: 2),
    Case(
      "show tasks.itmes", 6, "unknown-path", "'tasks' has no field or projection 'itmes'", mark: 11,
      "hint: did you mean 'tasks.items'?"),
    Case(
      "show tasks.items[0]", 6, "unknown-path", "'tasks.items[0]': indices start at 1", mark: 14,
      "hint: did you mean 'tasks.items[1]'?"),
    Case("show tasks.items[id=3]", 6, "unknown-path", "'tasks.items' has no item with id = 3", mark: 17),
    Case("show tasks.items[1", 17, "syntax", "this [ is never closed", mark: 1, status: 2),
    Case("show tasks..items", 12, "unknown-path", "'tasks..items' is not a path: expected a name", mark: 1),
    Case(
      "watch #state.tasks.items", 1, "syntax", "# begins a comment here, so that watch gets no operand", mark: 5,
      "hint: a comment is written as # and a space; in Lua # counts: watch $(#state.tasks.items)", status: 2),
    Case(
      "show #tasks.items", 1, "syntax", "# begins a comment here, so that show gets no operand", mark: 4,
      "hint: a comment is written as # and a space; in Lua # counts: = #state.tasks.items", status: 2),
    Case(
      "show state.counter.value", 6, "unknown-path", "there is no module 'state'", mark: 19,
      "hint: a path begins with the module: counter.value"),
    Case("show conter", 6, "unknown-path", "there is no module 'conter'", mark: 6, "hint: did you mean 'counter'?"),
    Case(
      "show shell.logg", 6, "unknown-path", "'shell' has no projection 'logg'", mark: 10,
      "hint: did you mean 'shell.log'?"),
    Case(
      "show counter tasks", 14, "unexpected-argument", "show takes no 'tasks' here", mark: 5,
      """
      hint: usage: show [PATH|PROJECTION|VALUE] [--as FORMAT] [--json] [--at N]
                     show LIST [where EXPR] [--sort FIELD,…] [--limit N] [--columns FIELD,…]
                     show … --every DURATION
      """),
    Case(
      "show counter --jsn", 14, "unknown-flag", "show has no flag --jsn", mark: 5, "hint: did you mean --json?",
      status: 2),
    Case(
      "plugin reload x --quiet", 17, "unknown-flag", "plugin reload has no flag --quiet", mark: 7,
      "hint: usage: plugin reload NAME [--reset] [--verify N]", status: 2),
    Case(
      "plugin reload x --verfy 3", 17, "unknown-flag", "plugin reload has no flag --verfy", mark: 7,
      "hint: did you mean --verify?", status: 2),
    Case(
      "show counter --as tabel", 19, "unknown-format", "there is no format 'tabel'", mark: 5,
      "hint: did you mean table?",
      status: 2),
    Case(
      "show $nope", 6, "unknown-variable", "there is no variable $nope", mark: 5, "hint: set it with: let nope = …"),
    Case(
      "echo $1", 6, "unknown-variable", "there is no argument $1", mark: 2, "hint: the script was given 0"),
    Case(
      "describe conter", 10, "unknown-module", "there is no module 'conter'", mark: 6, "hint: did you mean 'counter'?"),
    Case(
      "describe tasks.open", 10, "unknown-module", "there is no module 'tasks.open'", mark: 10,
      "hint: did you mean 'tasks'?"),
    Case(
      "watch conter.value", 7, "unknown-path", "there is no module 'conter'", mark: 12, "hint: did you mean 'counter'?"),
    Case(
      "watch stop", 7, "missing-argument", "watch needs a watch's id, or all", mark: 4, "hint: usage: watch stop ID|all"
    ),
    Case("watch stop 7", 12, "unknown-watch", "there is no watch '7'", mark: 1, "hint: watch lists them"),
    Case(
      "middleware onn logger", 12, "unexpected-argument", "middleware takes on or off, got 'onn'", mark: 3,
      middlewareUsage),
    Case(
      "middleware on", 12, "missing-argument", "middleware needs the name of a middleware", mark: 2,
      middlewareUsage),
    Case(
      "middleware on loger", 15, "unknown-middleware", "there is no middleware 'loger'", mark: 5,
      "hint: did you mean 'logger'?"),
    Case(
      "log many", 5, "type-mismatch", "log needs a number of lines, got 'many'", mark: 4,
      "hint: usage: log [N] [--action GLOB] [--changed PATH] [--cause N] [--who GLOB] [--since TIME] [--until TIME] [--all|--follow]"
    ),
    Case(
      "log 0", 5, "type-mismatch", "log needs a number of lines, got '0'", mark: 1,
      "hint: usage: log [N] [--action GLOB] [--changed PATH] [--cause N] [--who GLOB] [--since TIME] [--until TIME] [--all|--follow]"
    ),
    Case("log --changed a..b", 15, "unknown-path", "'a..b' is not a path: expected a name", mark: 4),
    Case("plugin lod x", 8, "unknown-command", "plugin has no 'lod'", mark: 3, "hint: did you mean 'plugin load'?"),
    Case(
      "plugin load", 8, "missing-argument", "plugin needs the name or folder of a plugin", mark: 4,
      "hint: usage: plugin load NAME|FOLDER"),
    Case(
      "plugin list all", 13, "unexpected-argument", "plugin takes no 'all' here", mark: 3,
      "hint: usage: plugin list [--available]"),
    Case(
      "plugin check nope", 1, "plugin-load", "there is no plugin 'nope'",
      "hint: plugin list --available lists those of \(Shell.package)/plugins; one of your own is given by its path: ./nope",
      status: 4),
    Case(
      "plugin load legder", 1, "plugin-load", "there is no plugin 'legder'", "hint: did you mean 'ledger'?", status: 4),
    Case("thunk nope", 7, "unknown-thunk", "there is no thunk 'nope'", mark: 4, "hint: thunk lists them"),
    Case("plugin enable nope", 15, "unknown-plugin", "no plugin 'nope' is loaded", mark: 4),
    Case(
      "plugin new 1st", 12, "type-mismatch", "'1st' is not a name for a plugin", mark: 3,
      "hint: a name is a lower-case letter, then letters, digits and _"),
    Case(
      "plugin new My-Plugin", 12, "type-mismatch", "'My-Plugin' is not a name for a plugin", mark: 9,
      "hint: did you mean 'my_plugin'?"),
    Case("plugin new show", 12, "type-mismatch", "'show' is a word of the shell itself", mark: 4),
    Case("plugin new end", 12, "type-mismatch", "'end' is a keyword of Lua", mark: 3),
    Case(
      "plugin stubs no/where", 14, "no-such-file", "there is no folder 'no/where'", mark: 8, status: 2),
    Case(
      "plugin load nope", 1, "plugin-load", "there is no plugin 'nope'",
      "hint: plugin list --available lists those of \(Shell.package)/plugins; one of your own is given by its path: ./nope",
      status: 4),
    Case("plugin unload nope", 15, "unknown-plugin", "no plugin 'nope' is loaded", mark: 4),
    Case(
      "plugin load pomodoro", 1, "plugin-grant",
      "pomodoro asks for read:tasks, dispatch:tasks.complete, timers; not granted",
      "hint: plugin grant pomodoro, or run with --grant pomodoro", status: 4),
    Case(
      "ingest x.jsonl", 8, "missing-argument", "ingest needs --as ACTION", mark: 7,
      """
      hint: usage: ingest FILE --as ACTION [--map NAME=FIELD…] [--format FORMAT] [--ignore-others]
                     ingest FILE --as ACTION [--compute LUA…] [--where EXPR]
                     ingest FILE --as ACTION --keep-going | [--rejects FILE] [--max-bad N]
                     ingest FILE --as ACTION --delimiter CHARACTER [--quote none] [--header none|NAME,NAME…]
                     ingest FILE --as ACTION --lines | --match PATTERN|common|combined
      """
    ),
    Case(
      "ingest x.jsonl --as tasks.ad", 21, "unknown-action", "unknown action 'tasks.ad'", mark: 8,
      "hint: did you mean 'tasks.add'?"),
    Case(
      "ingest /nope.jsonl --as tasks.add", 8, "no-such-file", "/nope.jsonl: No such file or directory", mark: 11,
      status: 2),
    Case("source /nope.stsh", 8, "no-such-file", "/nope.stsh: No such file or directory", mark: 10, status: 2),
    Case("let 5x = 3", 5, "syntax", "'5x' is not a name", mark: 2, "hint: usage: let NAME = EXPR", status: 2),
    Case(
      "let x", 5, "missing-argument", "let x needs a value", mark: 1,
      "hint: usage: let NAME = EXPR; show $NAME shows a variable"),
    Case("=", 1, "missing-argument", "= needs an expression", mark: 1, "hint: usage: = EXPR [--as FORMAT] [--json]"),
    Case(
      "assert", 1, "missing-argument", "assert needs an expression", mark: 6, "hint: usage: assert EXPR [-- MESSAGE]"),
    Case(
      "assert -- only a message", 1, "missing-argument", "assert needs an expression", mark: 6,
      "hint: usage: assert EXPR [-- MESSAGE]"),
    Case("assert false", 1, "assert-failed", "false does not hold", status: 3),
    Case("assert false --", 1, "assert-failed", "false does not hold", status: 3),
    Case("assert nil -- nothing there", 1, "assert-failed", "nothing there", status: 3),
    Case(
      "assert #state.tasks.items > 2 -- few", 1, "assert-failed", "few", "left   #state.tasks.items = 0",
      "right  2 = 2",
      status: 3),
    Case(
      "assert state.tasks.items == nil", 1, "assert-failed", "state.tasks.items == nil does not hold",
      "left   state.tasks.items = []", "right  nil = nil", status: 3),
    Case(
      "wait", 1, "missing-argument", "wait needs a duration, idle, synced, or until EXPR", mark: 4,
      "hint: usage: wait DURATION|idle|synced|until EXPR [--timeout DURATION]"),
    Case(
      "wait 3", 6, "type-mismatch", "wait takes a duration such as 3s, got '3'", mark: 1,
      "hint: usage: wait DURATION|idle|synced|until EXPR [--timeout DURATION]"),
    Case(
      "wait 3s --timeout x", 19, "type-mismatch", "--timeout takes a duration such as 500ms, 2s or 5min, got 'x'",
      mark: 1, "hint: usage: wait DURATION|idle|synced|until EXPR [--timeout DURATION]"),
    Case("wait until false --timeout 10ms", 1, "timed-out", "false was still false after 10ms", status: 5),
    Case("wait 3s --timeout 2s", 1, "timed-out", "3s had not passed after 2.0s", status: 5),
    Case(
      "wait until state.counter.value == 1", 1, "timed-out",
      "state.counter.value == 1 was still false, and nothing waits for the clock", status: 5),
    Case(
      "wait until state.counter.value == 1 --timeout 1.5s", 1, "timed-out",
      "state.counter.value == 1 was still false after 1.5s", status: 5),
    Case(
      "effects stop", 9, "unexpected-argument", "effects takes cancel, got 'stop'", mark: 4,
      "hint: usage: effects [cancel ID|all]"),
    Case(
      "effects cancel a/b", 16, "unknown-effect", "there is no effect 'a/b'", mark: 3, "hint: effects lists them"),
    Case("quit 256", 6, "out-of-range", "a status is 0...255, got '256'", mark: 3),
    Case("quit -1", 6, "out-of-range", "a status is 0...255, got '-1'", mark: 2),
    Case("help xyzzy", 6, "unknown-topic", "there is no help on 'xyzzy'", mark: 5, "hint: help lists the commands"),
    Case(
      "help dispach", 6, "unknown-topic", "there is no help on 'dispach'", mark: 7, "hint: did you mean 'dispatch'?"),
    Case(
      "set outptu json", 5, "unknown-setting", "there is no setting 'outptu'", mark: 6, "hint: did you mean 'output'?"),
    Case(
      "set zzz", 5, "unknown-setting", "there is no setting 'zzz'", mark: 3,
      "hint: set lists them, and let zzz = … sets a variable"),
    Case(
      "set emit alway", 10, "type-mismatch", "expected one of always, whenDifferent, never, got 'alway'", mark: 5,
      "hint: did you mean always?"),
    Case("set runaway 0", 13, "out-of-range", "runaway is a number above 0, got '0'", mark: 1),
    Case(
      "trace maybe", 7, "unexpected-argument", "trace takes on or off, got 'maybe'", mark: 5,
      "hint: usage: trace [on|off] [--stable|--times|--spans FILE]"),
    Case(
      "counter.increment by=2", 1, "unknown-command", "'counter.increment' is an action, not a command", mark: 17,
      "hint: run it with: dispatch counter.increment by=2"),
    Case(
      "dispach counter.reset", 1, "unknown-command", "there is no command 'dispach'", mark: 7,
      "hint: did you mean 'dispatch'?"),
    Case("undo", 1, "nothing-to-undo", "there is nothing to undo"),
    Case("redo", 1, "nothing-to-redo", "there is nothing to redo"),
    Case(
      "undo zero", 6, "type-mismatch", "undo takes a count above 0, got 'zero'", mark: 4,
      "hint: usage: undo [COUNT|#N] [--any] [--to N [--keep-ids M]] [--quiet]"),
    Case("undo --to 4", 11, "out-of-range", "there is no #4: nothing has happened yet", mark: 1),
    Case(
      "goto tail", 6, "type-mismatch", "goto takes the number of an action or head, got 'tail'", mark: 4,
      "hint: usage: goto N|head"),
    Case("goto #2", 6, "out-of-range", "there is no #2: nothing has happened yet", mark: 2),
    Case("diff 1", 6, "out-of-range", "there is no #1: nothing has happened yet", mark: 1),
    Case("skip #0", 6, "out-of-range", "there is no #0 among the actions up to #0", mark: 2, "hint: log lists them"),
    Case("unskip #0", 8, "not-skipped", "#0 is not skipped", mark: 2),
    Case("why #0", 5, "out-of-range", "there is no action #0", mark: 2, "hint: log lists them"),
    Case(
      "why tasks.itmes", 5, "unknown-path", "'tasks' has no field or projection 'itmes'", mark: 11,
      "hint: did you mean 'tasks.items'?"),
    Case("bisect state.counter.value > 0", 1, "never-held", "nothing has happened yet"),
    Case(
      "set journal.limit many", 19, "type-mismatch",
      "journal.limit is a number of actions, a size such as 32MiB, or both, got 'many'", mark: 4),
    Case("x", 1, "unknown-command", "there is no command 'x'", mark: 1, "hint: help lists the commands"),
    Case(
      "tasks.items --as json", 1, "unknown-command", "'tasks.items' is a value, not a command", mark: 11,
      "hint: print it with: show tasks.items"),
  ]

  @Test(arguments: cases)
  func badInputIsNamedAndChangesNothing(_ bad: Case) throws {
    let shell = try Shell()
    #expect(shell.run(bad.line) == .init(errors: bad.text, status: bad.status))
    #expect(shell.session.store.live.recent().isEmpty)
    // With --json the same in one object, and nothing on standard error.
    let json = try Shell { $0.isJSON = true }
    let outcome = json.run(bad.line)
    #expect(outcome.errors == "")
    #expect(outcome.status == bad.status)
    #expect(
      outcome.output.hasPrefix(
        "{\"ok\":false,\"file\":\"-c\",\"line\":1,\"error\":{\"code\":\"\(bad.code)\",\"message\":"))
    #expect(outcome.output.hasSuffix("}}\n"))
    #expect(outcome.output.utf8.count { $0 == 0x0A } == 1)
  }

  @Test func everyCodeThatIsThrownIsExplained() {
    let thrown = Set(Self.cases.map(\.code)).union([
      "atomic-kept", "bad-interceptor", "bad-record", "bad-recording", "bad-request", "connection-lost", "cut-off",
      "door-in-use",
      "no-door",
      "bad-state", "closed", "duplicate-unit", "failed", "import",
      "internal",
      "interrupted", "no-shared-store", "node-stopped", "outcome-unknown",
      "line-too-long", "lua-error",
      "lua-syntax", "name-taken", "unknown-substate", "not-allowed", "not-at-head", "not-fresh", "not-kept",
      "nothing-to-recover", "command-line",
      "plugin-api", "plugin-budget", "plugin-check", "plugin-grant", "plugin-impure", "plugin-load", "plugin-memory",
      "plugin-off",
      "plugin-runtime", "plugin-schema", "plugin-task", "plugin-test", "program-failed", "queue-full", "refused",
      "replay-diverged",
      "runaway",
      "sequence", "shared-slice", "write-failed", "store-damaged", "store-failed", "store-in-use", "store-schema",
      "store-unreadable", "unknown-thunk", "undo-conflict", "unreadable-file",
    ])
    #expect(thrown.subtracting(ErrorCode.words) == [])
    #expect(Set(ErrorCode.words).subtracting(thrown) == [])
  }

  @Test(arguments: ErrorCode.words)
  func helpExplainsCodes(code: String) throws {
    let outcome = try Shell().run("help \(code)")
    // A command of that name may come first, and an example last.
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("error[\(code)]: ") && $0.hasSuffix(".") })
  }

  @Test func atThePromptAnErrorOfTheWholeCommandDoesNotRepeatTheLine() throws {
    let shell = try Shell()
    #expect(
      try shell.type("assert false")
        == .init(errors: "error[assert-failed]: false does not hold\n", status: 3))
    #expect(
      try shell.type("show conter").errors
        == "error[unknown-path]: there is no module 'conter'\n  show conter\n       ^~~~~~\n  hint: did you mean 'counter'?\n"
    )
  }
}
