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
    ("= #state.tasks.open", "in Lua a projection is project(\"tasks.open\")"),
    ("ingest a.csv --as tasks.add --map Title=title", "the argument stands first: --map title=Title"),
    ("set -e", "a script ends at its first error"),
    ("help for", "Lua has conditions and loops"), ("help select", "show PATH where EXPR"),
    ("echo $PATH", "that of the environment is $(env(\"PATH\"))"), ("echo $(date)", "run(\"date\").text"),
    ("ingest a --as tasks.add --format combined", "--match combined"),
    ("dispatch tasks.add title = milk", "no spaces around =: title=VALUE"),
    ("dispatch tasks.add title= milk", "no spaces around =: title=VALUE"),
    ("set output=json", "set output json"),
    ("= len(state.tasks.items)", "# counts: #state.tasks.items"),
    ("show tasks.items --where done", "show … where EXPR"),
    ("export tasks.items - --where done", "export … where EXPR"),
    ("show tasks.items order by id", "--sort FIELD sorts"), ("show tasks.items --order-by id", "--sort FIELD sorts"),
    ("show tasks.items limit 3", "--limit N takes the first N"), ("show tasks.items group by done", "help where"),
    ("show tasks.items --format csv", "--as FORMAT"),
    ("show count(tasks.items)", "Lua computes: = #state.tasks.items"), ("show tables", "describe lists the modules"),
    ("export X=3", "let X = … sets a variable"), ("local x = 5", "let NAME = … sets a variable"),
    ("get counter.value", "show PATH prints a value"), ("-- a comment", "# begins a comment"),
    ("// x", "# begins a comment"),
    (".tables", "describe lists the modules"), ("= sleep(1)", "wait 1s lets time pass"),
    ("= json.decode('{}')", "ingest FILE --as ACTION"),
    ("assert state.counter == { value = 0, step = 1 }", "two tables are never equal in Lua"),
    ("set x = 5", "let x = … sets a variable"), ("$x = 5", "let x = … sets a variable"),
    ("SHOW counter", "did you mean 'show'?"), ("= now()", "run(\"date\").text"),
    ("let a, b = 1, 2", "let sets one variable: lua a, b = … sets several"),
    ("show tasks.items --sort id desc", "--sort -FIELD from the greatest"),
    ("show tasks.items -limit 3", "did you mean --limit?"), ("log #2", "why #2 explains an action"),
    ("ingest a.csv --as tasks.add --where a == 2", "--where 'a == 2'"),
    ("dispatch tasks.add --title x", "an argument has no dashes: title=VALUE"),
    ("dispatch counter.increment by=1,250", "a number has a point, and no commas"),
    ("help tasks.items", "describe tasks explains its parts"), ("save x.json", "export state FILE writes one down"),
  ])
  func theHintSaysHow(line: String, hint: String) throws {
    let shell = try Shell()
    let errors = shell.run(line).errors
    #expect(errors.split(separator: "\n").last { $0.contains("hint: ") }?.contains(hint) == true, "\(errors)")
    #expect(try shell.run(script: "\(line)\n").errors.contains(hint))
  }

  /// A line of Lua without its verb is no text within a word.
  @Test(arguments: ["print(\"x\")", "assert(command(\"show counter\"))", "string.rep(\"x\", 2)"])
  func aCallOfLuaNeedsItsVerb(line: String) throws {
    #expect(try Shell().run(line).errors.contains("Lua stands behind its verb, on the same line: lua"))
  }

  @Test func letOfSeveralNamesIsNamed() throws {
    let outcome = try Shell().run("let ok2, e2 = command(\"show counter\")")
    #expect(outcome.errors.contains("(let sets one variable: lua a, b = … sets several)"), "\(outcome)")
  }

  /// A hint offers a line that works.
  @Test(arguments: [
    ("$v", "show $v prints it"), ("show v", "v is a variable: $v"), ("show v[1]", "v is a variable: $(v[1])"),
    ("watch v", "v is a variable: $(v)"), ("export v f.csv", "v is a variable: show $v --as csv > FILE"),
    ("wait v", "v is a variable: $v"), ("dispatch counter.increment by=v", "v is a variable: by=$v"),
    ("show tasks.items --limit v", "v is a variable: $v"),
  ])
  func aNameOfAVariableWithoutItsDollarIsNamed(line: String, hint: String) throws {
    #expect(try Shell().run("let v = {{a=1}}", line).errors.contains("hint: \(hint)\n"))
    for other in ["why v", "use v", "show tasks.items --sort v"] {
      #expect(try !Shell().run("let v = {{a=1}}", other).errors.contains("is a variable"), "\(other)")
    }
  }

  /// The sign at which another shell's line is left says less than its first word.
  @Test(arguments: ["for i in 1 2 3; do", "while true; do", "if [ -f x ]; then"])
  func aLineOfAnotherShellIsNamed(line: String) throws {
    let outcome = try Shell().run(script: "echo no\n\(line)\n")
    #expect(outcome.output == "" && outcome.status == 2)
    #expect(outcome.errors.contains(" (Lua has conditions and loops: "), "\(outcome.errors)")
  }

  /// A condition without quotes would write a file.
  @Test(arguments: ["ingest a.csv --as tasks.add --where id > 5", "show counter > 2.5"])
  func aNumberIsNoFile(line: String) throws {
    let shell = try Shell()
    let outcome = try shell.run(script: "\(line)\n")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("> writes to a file, and "), "\(outcome.errors)")
    #expect(shell.run("show counter.value > \(shell.folder)/5").errors == "")
  }

  @Test func aTextWithoutQuotesIsNamed() throws {
    let shell = try Shell()
    _ = shell.run("dispatch tasks.add milk")
    let outcome = shell.run("show tasks.items where title == milk")
    #expect(outcome.errors.contains("'milk' is not defined"))
    #expect(outcome.errors.contains("hint: a text has quotes: \"milk\"\n"))
  }

  /// Lua says in parentheses what its session has instead.
  @Test(arguments: [
    ("= 'a' + 'b'", "attempt to add a 'string' with a 'string' (.. joins texts)"),
    ("= 'n: ' + 1", "attempt to add a 'string' with a 'number' (.. joins texts)"),
    ("= os.date()", "'os' is not part of the session's sandbox (run(\"date\").text is the time of day"),
    ("= io.open('x')", "'io' is not part of the session's sandbox (run(\"cat\", FILE).text"),
  ])
  func luaSaysWhatThereIs(line: String, message: String) throws {
    let shell = try Shell()
    #expect(shell.run(line).errors.contains(message))
    #expect(shell.run("= '1' + 2").output == "3\n")
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
    ("show tasks.items where title == 'm' order by id", "order by is --sort FIELD behind the condition"),
    ("show tasks.items where done LIMIT 3", "limit is --limit N behind the condition"),
    ("show tasks.items where title is not null", "is not null is field ~= nil in Lua"),
    ("show tasks.items where id in (1, 2)", "in ( is field == a or field == b in Lua"),
    ("let x = 1; echo $x", "; ends no statement: write one statement a line"),
  ])
  func aSignOfAnotherLanguageIsNamed(line: String, hint: String) throws {
    #expect(try Shell().run(line).errors.contains("hint: \(hint)\n"))
    let outcome = try Shell().run(script: "echo no\n\(line)\n")
    #expect(outcome.output == "" && outcome.status == 2)
    #expect(outcome.errors.contains(" (\(hint))\n"), "\(outcome.errors)")
  }
}
