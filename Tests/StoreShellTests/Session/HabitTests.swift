import Testing

@testable import StoreShell

/// What people write who know bash, psql and SQL: each is told how it is written here.
@Suite struct HabitTests {
  @Test(arguments: [
    ("if $x then", "lua if EXPR then command(\"…\") end"), ("for i in 1 2 3", "Lua has conditions and loops"),
    ("done", "Lua has conditions and loops"), ("return 1", "quit leaves"), ("\\q", "quit leaves"),
    ("x=5", "let x = … sets a variable"), ("x = 5", "let x = … sets a variable"), ("sleep 1", "wait 2s"),
    ("printf a", "echo prints words"), ("\\dt", "describe lists the modules"), ("\\i file", "source FILE"),
    ("SELECT 1", "show PATH where EXPR"), ("insert into tasks", "dispatch ACTION"), ("COMMIT", "undo takes back"),
    ("\\copy x", "ingest FILE --as ACTION"), ("ls -l", "run ls … runs the program"),
    ("set -e", "a script ends at its first error"),
    ("help for", "Lua has conditions and loops"), ("help select", "show PATH where EXPR"),
    ("echo $PATH", "that of the environment is $(env(\"PATH\"))"), ("echo $(date)", "run(\"date\").stdout"),
    ("ingest a --as tasks.add --format combined", "--match combined"),
    ("dispatch tasks.add title = milk", "no spaces around =: title=VALUE"),
    ("dispatch tasks.add title= milk", "no spaces around =: title=VALUE"),
    ("dispatch tasks.add(\"x\")", "tasks.add NAME=VALUE"), ("set output=json", "set output json"),
    ("= len(state.tasks.items)", "# counts: #state.tasks.items"),
  ])
  func theHintSaysHow(line: String, hint: String) throws {
    let shell = try Shell()
    let errors = shell.run(line).errors
    #expect(errors.split(separator: "\n").last { $0.contains("hint: ") }?.contains(hint) == true, "\(errors)")
    #expect(try shell.run(script: "\(line)\n").errors.contains(hint))
  }

  @Test func aTextWithoutQuotesIsNamed() throws {
    let shell = try Shell()
    _ = shell.run("dispatch tasks.add milk")
    let outcome = shell.run("show tasks.items where title == milk")
    #expect(outcome.errors.contains("'milk' is not defined"))
    #expect(outcome.errors.contains("hint: a text has quotes: \"milk\"\n"))
  }

  @Test func aProgramIsNamedWhereItMayRun() throws {
    #expect(try Shell().type("ls -l").errors.contains("hint: ! ls … has your shell run it\n"))
    #expect(try Shell { $0.allowsExecution = false }.run("ls -l").errors.contains("hint: help lists the commands\n"))
    #expect(try Shell().run("no-such-program").errors.contains("hint: help lists the commands\n"))
  }

  /// A mistake in Lua has the same hint before a file runs as when its line is reached.
  @Test(arguments: [
    ("assert 1 = 1", "= sets a value; compare with =="), ("assert 1 != 2", "!= is ~= in Lua"),
    ("show tasks.items where id != 1", "!= is ~= in Lua"), ("assert true && false", "&& is and in Lua"),
    ("show tasks.items where !done", "! is not in Lua"),
    ("show tasks.items where title like 'm'", "like is field:find(\"…\") in Lua"),
  ])
  func aSignOfAnotherLanguageIsNamed(line: String, hint: String) throws {
    #expect(try Shell().run(line).errors.contains("hint: \(hint)\n"))
    let outcome = try Shell().run(script: "echo no\n\(line)\n")
    #expect(outcome.output == "" && outcome.status == 2)
    #expect(outcome.errors.contains(" (\(hint))\n"), "\(outcome.errors)")
  }
}
