import Testing

@testable import StoreShell

/// `ingest` of files as others write them: lines, patterns, other delimiters, no header.
@Suite struct IngestFormTests {
  private static let plugin = """
    return plugin {
      state = { field("rows", list(text())) },
      actions = { { name = "put", args = { field("a", text()), field("b", int { default = 0 }) } },
        { name = "line", args = { field("line", text()) } } },
      reducers = {
        put = function(s, a) s.rows[#s.rows + 1] = a.a .. "|" .. a.b end,
        line = function(s, a) s.rows[#s.rows + 1] = a.line end,
      },
    }
    """

  private func rows(
    _ text: String, _ flags: String, named name: String = "file"
  ) throws -> (Shell.Outcome, rows: [String], shell: Shell) {
    let shell = try Shell()
    _ = shell.run("plugin load \(try shell.plugin("p", Self.plugin))")
    let file = try shell.write(name, text)
    var outcome = shell.run("ingest \(file) \(flags.replacing("FOLDER", with: shell.folder))")
    outcome.errors = outcome.errors.replacing(file, with: name)
    let shown = shell.run("show p.rows --as raw").output
    return (outcome, shown.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init), shell)
  }

  @Test func eachLineIsARecord() throws {
    let (outcome, rows, _) = try rows("one\n\n\"two\tx\n", "--as p.line --lines")
    #expect(outcome == .init(output: "ingested 3 records as p.line (#2-#4)\n"))
    #expect(rows == ["one", "", "\"two\tx"])
  }

  @Test func aPatternTakesLinesApart() throws {
    let (outcome, rows, _) = try rows(
      "1: x y\nno\n22: (z)\n", "--as p.put --match '^(?<b>%d+): (?<a>.+)$' --keep-going")
    #expect(rows == ["x y|1", "(z)|22"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.hasPrefix("file:2: the line does not match\n"))
  }

  @Test(arguments: [
    ("(%d+)", "each ( of the pattern needs a name"), ("%d+", "the pattern has no named part"),
    ("(?<a>x)(?<a>y)", "the pattern has the part 'a' twice"), ("(?<a b>x)", "is not a name for a part"),
    ("(?<a>x", "the pattern has a ( without a )"), ("x(?<a>y", "the pattern has a ( without a )"),
    ("x(?<a>[%d", "the pattern has a [ without a ]"), ("x(?<a>y))", "the pattern has a ) without a ("),
    ("x(?<a>y)%", "the pattern ends in %"),
  ])
  func whatIsNoSuchPatternIsRefused(pattern: String, message: String) throws {
    // Before a line is read.
    let (outcome, _, _) = try rows("x\n", "--as p.put --match '\(pattern)' --keep-going")
    #expect(outcome.status == 1)
    #expect(!outcome.errors.contains("bad record"), "\(outcome.errors)")
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test func otherTablesAreRead() throws {
    #expect(try rows("a;b\nx;1\n\"y;z\";2\n", "--as p.put --delimiter ';'").rows == ["x|1", "y;z|2"])
    #expect(try rows("a;b\nx;1\n'y;z';2\n", "--as p.put --delimiter ';' --quote \"'\"").rows == ["x|1", "y;z|2"])
    #expect(try rows("a\tb\n\"x\t1\n", "--as p.put --delimiter tab --quote none").rows == ["\"x|1"])
    #expect(try rows("x,1\ny\n", "--as p.put --header none --format csv").rows == ["x|1", "y|0"])
    #expect(try rows("1,x\n2,y\n", "--as p.put --header b,a").rows == ["x|1", "y|2"])
    #expect(try rows("1,q,x\n", "--as p.put --header b,other,a --ignore-others").rows == ["x|1"])
  }

  @Test(arguments: [
    ("--lines --match common", "--lines and --match cannot be combined"),
    ("--lines --format csv", "--lines and --format cannot be combined"),
    ("--delimiter ab", "--delimiter takes one character, not 'ab'"), ("--quote xx", "--quote takes one character"),
    ("--header a,,b", "--header takes none, or names between commas"),
    ("--format jsonl --quote none", "--quote is for tables"),
    ("--format tsv --delimiter ,", "tsv has tabs between its fields"),
    ("--delimiter \";\" --quote \";\"", "--quote names the character that stands between the fields"),
  ])
  func whatDoesNotGoTogetherIsRefused(flags: String, message: String) throws {
    let (outcome, rows, _) = try rows("a,b\nx,1\n", "--as p.put \(flags)")
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.status != 0)
    #expect(rows == [])
  }

  /// A file's name says what it holds, also where there is more to say of it.
  @Test func aNameOfTabsIsTakenAtItsWord() throws {
    #expect(try rows("x\t1\n", "--as p.put --header none", named: "file.tsv").rows == ["x|1"])
    #expect(try rows("a\tb\n\"x\t1\n", "--as p.put --quote none", named: "file.tsv").rows == ["\"x|1"])
    #expect(try rows("x;1\n", "--as p.put --header none --delimiter ';'", named: "file.tsv").rows == ["x|1"])
    #expect(try rows("x,1\n", "--as p.put --header none").rows == ["x|1"])
  }

  /// Two characters stand behind %b, parentheses or not.
  @Test func aPatternMayHavePairs() throws {
    #expect(try rows("f(a b)\ng(c)\n", "--as p.line --match '^%w(?<line>%b())$'").rows == ["(a b)", "(c)"])
    #expect(try rows("x(\n", "--as p.line --match '(?<line>%bx()'").rows == ["x("])
  }

  @Test func adviceNamesWhatThereIs() throws {
    let (known, _, _) = try rows("x\ty\n1\t2\n", "--as p.put --delimiter tab")
    #expect(known.errors.contains("p.put has no argument 'x'"), "\(known)")
    #expect(!known.errors.contains("is it tsv?"), "\(known)")
    let (unnamed, _, _) = try rows("x,y\n1,2\n", "--as p.put --map a=1 --format csv")
    #expect(unnamed.errors.contains("hint: there is x, y\n"), "\(unnamed)")
  }

  /// All that was left out is counted, blank lines too, and is in the file with its text.
  @Test func whatWasLeftOutIsKept() throws {
    let (outcome, rows, shell) = try rows(
      "a,b\nx,1\n\ny,two\n\"z,\nw,3\n", "--as p.put --rejects FOLDER/bad", named: "file.csv")
    #expect(rows == ["x|1"])
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("note: 1 blank line of file.csv left out\n"))
    #expect(outcome.errors.contains("2 bad records of file.csv left out, 3 lines, the first at file.csv:4"))
    #expect(
      shell.contents("bad") == #"""
        {"line":3,"reason":"blank","text":""}
        {"line":4,"reason":"'b' must be Int, got string \"two\"","text":"y,two"}
        {"line":5,"reason":"the \" of field 1 is never closed (lines 5 to 6)","text":"\"z,\nw,3"}

        """#)
  }

  /// The line of the names is no part of the first record.
  @Test func theFirstRecordIsKeptByItself() throws {
    let (outcome, rows, shell) = try rows(
      "a\nx,y\nz\n", "--as p.put --rejects FOLDER/bad", named: "file.csv")
    #expect(outcome.status == 0)
    #expect(rows == ["z|0"])
    #expect(
      shell.contents("bad") == #"""
        {"line":2,"reason":"the row has 2 fields, the first row names 1","text":"x,y"}

        """#)
  }

  @Test func theScriptThatRunsIsNotReplaced() throws {
    let shell = try Shell()
    let file = try shell.write("list.jsonl", "{\"title\":\"a\"}\n")
    let script = "ingest \(file) --as tasks.add --rejects \(shell.folder)/own.stsh\n"
    let outcome = try shell.run(script: script, named: "own.stsh")
    #expect(outcome.errors.contains("is a file that this command uses already"), "\(outcome)")
    #expect(shell.contents("own.stsh") == script)
  }

  @Test func aFaultOfTheNamesHasNoLine() throws {
    let (outcome, _, _) = try rows("x,y\n", "--as p.put --header a,a", named: "file.csv")
    #expect(outcome.errors.contains("error[bad-record]: file.csv: 'a' appears twice\n"), "\(outcome.errors)")
  }

  private static let log = #"""
    10.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326 "http://x/\"y" "Mozilla/4.08 [en]" 0.12
    ::1 - - [10/Oct/2000:13:55:37 -0700] "POST /a b HTTP/1.1" 304 - "-" "curl"
    h - - [t] "GET /\"\\ HTTP/1.1" 200 7 "a longer text \\" "ends \" here"
    garbage
    1.1.1.1 - - [10/Oct/2000:13:55:37 -0700] "GET /trunc

    """#

  @Test func webLogsAreTakenApart() throws {
    let shell = try Shell()
    let plugin = """
      return plugin { state = { field("rows", list(text())) },
        actions = { { name = "hit", args = { field("client", text()), field("user", optional(text())), field("method", text()),
          field("path", text()), field("status", int()), field("bytes", optional(int())), field("referer", optional(text())) } } },
        reducers = { hit = function(s, a)
          s.rows[#s.rows + 1] = table.concat({ a.client, tostring(a.user), a.method, a.path, a.status, tostring(a.bytes),
            tostring(a.referer) }, "|") end } }
      """
    _ = shell.run("plugin load \(try shell.plugin("web", plugin))")
    let file = try shell.write("access.log", Self.log)
    let outcome = shell.run("ingest \(file) --as web.hit --match combined --keep-going")
    #expect(outcome.output == "ingested 3 records as web.hit (#2-#4)\n")
    #expect(outcome.errors.contains("access.log:4: the line does not match: it has no client"))
    #expect(outcome.errors.contains("access.log:5: the line does not match: it has no request in \" \""))
    #expect(
      shell.run("show web.rows --as raw").output == #"""
        10.0.0.1|frank|GET|/apache_pb.gif|200|2326|http://x/\"y
        ::1|nil|POST|/a b|304|nil|nil
        h|nil|GET|/\"\\|200|7|a longer text \\

        """#)
    // Which form a line has is told by what is there.
    let asCommon = shell.run("ingest \(file) --as web.hit --match common").errors
    #expect(asCommon.contains("something follows the number of bytes, as in the form combined"), "\(asCommon)")
    let common = try shell.write("common.log", "h - - [t] \"GET / HTTP/1.0\" 200 -\n")
    #expect(shell.run("ingest \(common) --as web.hit --match common").output == "ingested 1 record as web.hit (#5)\n")
    let asCombined = shell.run("ingest \(common) --as web.hit --match combined").errors
    #expect(asCombined.contains("it ends after the number of bytes, as in the form common"), "\(asCombined)")
  }
}
