import Glibc
import Testing

@testable import StoreShell

/// `where`, `--sort`, `--limit` and `--columns`: the elements of a list or a map that a line asks for.
@Suite struct NarrowingTests {
  private static func shell() throws -> Shell {
    let shell = try Shell()
    _ = try shell.type(
      "dispatch tasks.add 'Buy milk' --quiet", "dispatch tasks.add 'Write report' --quiet",
      "dispatch tasks.add 'milk again' --quiet", "dispatch tasks.complete 2 --quiet")
    return shell
  }

  private static let map = "$({ a = { n = 3 }, b = { n = 4, m = 1 }, c = { n = 4 } })"

  @Test(arguments: [
    (
      "where not done and title:find('milk') --sort -id --limit 20 --columns id,title",
      "id  title\n3   milk again\n1   Buy milk\n2 of 3 items\n"
    ),
    ("where id > 1 --as csv", "id,title,done\n2,Write report,true\n3,milk again,false\n"),
    ("where #title > 10 --as csv", "id,title,done\n2,Write report,true\n"),
    ("where it.id == 2 --as json", "[{\"id\":2,\"title\":\"Write report\",\"done\":true}]\n"),
    ("--sort done,-id --columns id --as csv", "id\n3\n1\n2\n"),
    ("--limit 1 --columns title,id --as raw", "Buy milk\t1\n"),
    ("where id == want --columns id --as csv", "id\n3\n"),
    ("where state.counter.value == 0 and id < 2 --columns id", "id\n1\n1 of 3 items\n"),
    ("where id > 9", "0 of 3 items\n"), ("where done --limit 0 --as csv", "id,title,done\n"),
    ("where (id > 1\n  and id < 3) --columns id --as csv", "id\n2\n"),
    ("where title == 'a --b'", "0 of 3 items\n"), ("where id > 1 -- --limit 1 --columns id --as csv", "id\n2\n"),
    ("where id > 2 -- a comment", "id  title       done\n3   milk again  false\n1 of 3 items\n"),
  ])
  func itChoosesElements(narrowing: String, output: String) throws {
    let shell = try Self.shell()
    _ = try shell.type("let want = 3")
    #expect(try shell.type("show tasks.items \(narrowing)").output.replacing("\r\n", with: "\n") == output)
  }

  @Test func mapsKeepTheirKeys() throws {
    let shell = try Shell()
    func show(_ narrowing: String) throws -> String {
      try shell.type("show \(Self.map) \(narrowing)").output.replacing("\r\n", with: "\n")
    }
    #expect(try show("where n > 3 --as json") == #"{"b":{"m":1,"n":4},"c":{"n":4}}"# + "\n")
    #expect(try show("where m == nil and key ~= 'c' --as json") == #"{"a":{"n":3}}"# + "\n")
    #expect(try show("--sort -n,key --columns key,n --as csv") == "key,n\nb,4\nc,4\na,3\n")
    #expect(try show("--sort -n --limit 2") == "key  m  n\nb    1  4\nc    -  4\n2 of 3 items\n")
    #expect(
      try shell.type("show $({ 5, 3, 9 }) where it > 3 --sort -it").errors.contains("no element has a field 'it'"))
    #expect(try shell.type("show $({ 5, 3, 9 }) where it > 3 --as json").output == "[5,9]\n")
  }

  /// The type of a map or a list without elements tells their fields.
  @Test(arguments: ["where nope > 1", "where it.nope > 1 and value > 1", "--sort nope", "--columns key,nope"])
  func namesAreLookedAtWithoutElements(narrowing: String) throws {
    let shell = try Shell()
    let folder = try shell.plugin("words", "return plugin { state = { field('counts', map(int())) } }")
    _ = shell.run("plugin load \(folder)")
    if narrowing.hasPrefix("where nope") {
      #expect(shell.run("watch words.counts \(narrowing)").errors.contains("'nope' is not defined"))
    }
    #expect(shell.run("show words.counts \(narrowing)").status == 1, "\(narrowing)")
    #expect(shell.run("show words.counts where value > 1 and key ~= 'a' and it > 1").errors == "")
  }

  /// Rows that Lua made have the fields that they have today: a script that names one more goes on, with a note.
  @Test(arguments: [
    ("--columns a,b --as csv", "a,b\n1,\n"), ("--sort b --as json", #"[{"a":1}]"# + "\n"),
    ("where b == nil --as json", #"[{"a":1}]"# + "\n"), ("where b == 2 --columns a,b --as json", "[]\n"),
  ])
  func aFieldThatNoRowOfLuasHasIsNothing(narrowing: String, output: String) throws {
    let shell = try Shell()
    let outcome = shell.run("show $({ { a = 1 } }) \(narrowing)")
    #expect(outcome.status == 0)
    #expect(outcome.output.replacing("\r\n", with: "\n") == output)
    #expect(outcome.errors == "note: no element has a field 'b'\n")
    let condition = shell.run("show $({ { a = 1 } }) where nme == 1 and a == 1")
    #expect(condition.errors == "note: no element has a field 'nme'\n")
    #expect(shell.run("show $({ { name = 1 } }) --columns nme").errors.contains("'nme'; did you mean 'name'?"))
  }

  /// Numbers and texts have one column, by the name that a table gives it.
  @Test func elementsWithoutFieldsAreChosenByTheirValue() throws {
    let shell = try Shell()
    _ = shell.run("let words = { the = 3, a = 7, of = 1 }", "let list = { 3, 7, 1 }")
    for (line, output) in [
      ("show $words --sort -value --limit 2 --as csv", "key,value\na,7\nthe,3\n"),
      ("show $words where value > 2 --sort key --as csv", "key,value\na,7\nthe,3\n"),
      ("show $list --sort -value --as raw", "7\n3\n1\n"), ("show $list where value < 5 --as raw", "3\n1\n"),
      ("show $list where it < 5 --as raw", "3\n1\n"),
      ("let none = {}", ""), ("show $none --as csv", ""), ("show $none --as jsonl", ""),
      ("show $({ { a = 1, b = 2 } }) where a > 5 --as csv", "a,b\n"),
    ] {
      let outcome = shell.run(line)
      #expect(outcome.output.replacing("\r\n", with: "\n") == output, "\(line): \(outcome)")
    }
  }

  /// A number is never a text: a condition that compares them holds for nothing.
  @Test func aNumberThatIsComparedWithATextIsTold() throws {
    let shell = try Self.shell()
    #expect(
      shell.run("show tasks.items where id == '2' --as json")
        == .init(output: "[]\n", errors: "note: id is a number, and '2' is a text: tonumber('2')\n"))
    #expect(
      shell.run("show tasks.items where done == 'false'").errors
        == "note: done is true or false, and 'false' is a text\n")
    #expect(
      shell.run("show tasks.items where id > 1 | wc -l").errors.contains("hands on: --as table | wc -l"))
    #expect(
      shell.run("show tasks.items where 5 == title").errors == "note: title is a text, and 5 is a number: tostring(5)\n"
    )
    #expect(shell.run("show tasks.items where id == 99").errors == "")
    #expect(shell.run("show tasks.items where id == #title + 99").errors == "")
  }

  /// Whichever row comes first, the columns stand in one order.
  @Test func columnsOfLuasRowsAreInOrder() throws {
    let shell = try Shell()
    for rows in ["{ b = 1, d = 2 }, { a = 3, b = 4 }", "{ a = 3, b = 4 }, { b = 1, d = 2 }"] {
      #expect(shell.run("show $({ \(rows) }) --as csv").output.hasPrefix("a,b,d"))
    }
  }

  /// To Lua they are its own; behind a flag they redirect.
  @Test func signsOfRedirectionAreLuas() throws {
    let shell = try Self.shell()
    let file = "\(shell.folder)/out.csv"
    #expect(try shell.type("show tasks.items where id > 1 --as csv > \(file)").output == "")
    #expect(shell.contents("out.csv") == "id,title,done\r\n2,Write report,true\r\n3,milk again,false\r\n")
    #expect(try shell.type("show tasks.items where (id | 1) == 3 --columns id > \(file)").output == "")
    #expect(shell.contents("out.csv") == "id\n2\n3\n")
  }

  @Test func aWatchSeesTheChosenOnly() throws {
    let shell = try Self.shell()
    #expect(
      try shell.type("watch tasks.items where not done and id > 1").output
        == "watch 1: tasks.items = [{ id = 3, title = \"milk again\", done = false }]\n")
    #expect(try shell.type("dispatch tasks.complete 1 --quiet").errors == "")
    #expect(
      try shell.type("dispatch tasks.complete 3 --quiet").errors
        == "[watch 1] tasks.items[id=3]  - { id = 3, title = \"milk again\", done = false }  (#6 tasks.complete)\n")
  }

  @Test(arguments: [
    ("where", "needs a condition after where"), ("where id > 1, 2", "expected one expression"),
    ("where id >", "this Lua is never finished"), ("where done = true", "error[lua-syntax]"),
    ("where dne", "'dne' is not defined"), ("where it.dne", "no element has a field 'dne'\n"),
    ("where it.dne", "hint: did you mean 'done'?"), ("where error > 1", "no element has a field 'error'\n"),
    ("where title + 1 > 0", "error[lua-error]"), ("where dispatch('counter.increment')", "it may not dispatch"),
    ("where (function() x = 1 end)()", "it sets 'x'"),
    ("--columns id,ttle", "no element has a field 'ttle'\n"), ("--columns id,ttle", "hint: did you mean 'title'?"),
    ("--sort -", "--sort takes names of fields"), ("--limit few", "--limit takes a number of elements, got 'few'"),
    ("--limit -1", "--limit takes a number of elements"),
    ("fewer", "show takes no 'fewer' here"), ("where done > 1 2", "error["),
  ])
  func whatMeansNothingIsRefused(narrowing: String, message: String) throws {
    let shell = try Self.shell()
    let outcome = shell.run("show tasks.items \(narrowing)")
    #expect(outcome.errors.contains(message), "\(outcome)")
    #expect(outcome.status != 0)
    #expect(try shell.type("show counter.value").output == "0\n")
  }

  @Test func whatIsNarrowedIsExported() throws {
    let shell = try Shell()
    _ = shell.run("dispatch tasks.add milk", "dispatch tasks.add bread", "dispatch tasks.add salt")
    let file = "\(shell.folder)/open"
    #expect(
      shell.run("export tasks.items \(file).csv where id > 1 --sort -id --columns id,title").output
        == "wrote 2 of 3 items of tasks.items to \(file).csv\n")
    #expect(shell.contents("open.csv") == "id,title\r\n3,salt\r\n2,bread\r\n")
    _ = shell.run("export tasks.items \(file).jsonl where title == \"milk\"", "export tasks.nextId \(file)")
    #expect(shell.contents("open.jsonl") == "{\"id\":1,\"title\":\"milk\",\"done\":false}\n")
    #expect(shell.contents("open") == "4\n")
    #expect(shell.run("export tasks.items - where id == 2 --as raw").output == "2\tbread\tfalse\n")
    #expect(shell.run("export tasks.items \(file).csv where nowhere > 1").status == 1)
    #expect(shell.contents("open.csv")?.hasPrefix("id,title") == true)
  }

  @Test func theNameOfAFileSaysItsForm() throws {
    let shell = try Shell()
    _ = shell.run("dispatch tasks.add milk")
    for (line, start) in [
      ("tasks.items a.CSV", "id,title"), ("tasks.items a.ndjson", "{\"id\":1"), ("journal a.rec", "{\""),
      ("tasks.items a.2026", "[{\"id\""),
      ("tasks.items .hidden", "[{\"id\""), ("journal a.stsh", "# run with:"), ("journal a.ndjson", "{\""),
      ("state a.json", "{"),
      ("tasks.items a.yaml --as json", "[{\"id\""), ("state a.yaml --as json", "{"),
    ] {
      let name = line.split(separator: " ")[1]
      let words = line.replacing(name, with: "\(shell.folder)/\(name)")
      #expect(shell.run("export \(words)").status == 0, "\(line)")
      #expect(
        shell.contents(String(name))?.hasPrefix(start) == true, "\(line): \(shell.contents(String(name)) ?? "none")")
    }
    for (line, what) in [
      ("tasks.items b.yaml", "a value has no form 'yaml'"), ("tasks.items b.tsv", "a value has no form 'tsv'"),
      ("state b.csv", "the state has no form 'csv'"), ("journal b.xml", "the journal has no form 'xml'"),
    ] {
      let name = line.split(separator: " ")[1]
      let outcome = shell.run("export \(line.replacing(name, with: "\(shell.folder)/\(name)"))")
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(what), "\(outcome.errors)")
      #expect(shell.contents(String(name)) == nil)
    }
  }

  @Test func onlyListsAndMapsAreNarrowed() throws {
    let shell = try Self.shell()
    #expect(
      try shell.type("show counter where value > 1").errors.contains(
        "only a list or a map has elements to choose from; counter is Counter"))
  }

  /// Only the first was shown, as if it were all.
  @Test func aSelectorThatFitsSeveralIsRefused() throws {
    let shell = try Self.shell()
    let errors = try shell.type("show tasks.items[done=false]").errors
    #expect(errors.contains("error[unknown-path]: 2 elements of tasks.items match [done=false]\n"), "\(errors)")
    #expect(errors.contains("  show tasks.items[done=false]\n       ^~~~~~~~~~~~~~~~~~~~~~~\n"), "\(errors)")
    #expect(errors.contains("hint: show tasks.items where done == false shows all of them"))
    #expect(try shell.type("watch tasks.items[done=false]").errors.contains("2 elements of tasks.items match"))
    #expect(try shell.type("show tasks.items[done=true].id").output == "2\n")
  }

  @Test func aNameOfNothingIsNotWaitedFor() throws {
    let shell = try Shell()
    #expect(try shell.type("wait until fals").errors.contains("'fals' is not defined"))
    #expect(
      try shell.type("= counte.value").errors
        == "error[lua-error]: 'counte' is not defined\n  = counte.value\n    ^~~~~~\n"
        + "  hint: did you mean 'state.counter'?\n")
    #expect(try shell.type("= 1 | cat").errors.contains("= cannot be piped: to Lua | is an operator of its own"))
    #expect(try shell.type("let n = 0", "wait until state.counter.value == n", "wait until ok").errors == "")
  }

  @Test func tabKnowsTheFields() throws {
    let shell = try Self.shell()
    let line = "show tasks.items where not done and ti"
    let found = Completer(shell.session).complete(line: line, cursor: line.utf8.count, openLines: [])
    #expect(found == LineCompletion(replaceFrom: line.utf8.count - 2, candidates: [.init(text: "title", suffix: "")]))
  }

  /// A condition is no file, in whatever form `export` is asked for; a file of that name is one with a folder.
  @Test(arguments: ["tasks.items", "state", "journal"], ["where", "where done", "where id > 1 --as csv"])
  func aConditionIsNoFile(what: String, rest: String) throws {
    let shell = try Shell()
    _ = try shell.type("dispatch tasks.add a --quiet")
    let errors = try shell.type("export \(what) \(rest)").errors
    #expect(errors.hasPrefix("error[missing-argument]: export needs a file before where\n"), "\(errors)")
    #expect(errors.contains("hint: a file of that name is ./where"))
    #expect(errors.contains("; for standard output: export tasks.items - where …") == (what == "tasks.items"))
    #expect(access("where", F_OK) != 0)
  }

  @Test func aFileMayBeCalledWhere() throws {
    let shell = try Shell()
    _ = try shell.type("dispatch tasks.add a --quiet", "dispatch tasks.add b --quiet")
    #expect(
      try shell.type("export tasks.items \(shell.folder)/where where id > 1", "export tasks.items - where id > 1")
        .output
        .hasPrefix("wrote 1 of 2 items of tasks.items to \(shell.folder)/where\n"))
  }
}
