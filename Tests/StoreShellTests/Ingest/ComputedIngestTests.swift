import Testing

@testable import StoreShell

/// Records that Lua changes or chooses, and bad records that are expected.
@Suite struct ComputedIngestTests {
  private static let bank = """
    return plugin { state = { field("rows", list(text())) },
      actions = { { name = "put", args = { field("amount", decimal { scale = 2 }), field("text", text()) } },
        { name = "count", args = { field("n", int()) } } },
      reducers = {
        put = function(s, a) s.rows[#s.rows + 1] = a.text .. "=" .. tostring(a.amount) end,
        count = function(s, a) s.rows[#s.rows + 1] = tostring(a.n) end,
      } }
    """

  private func rows(_ text: String, _ flags: String, named name: String = "f.csv") throws -> (Shell.Outcome, String) {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("bank", Self.bank)
    _ = try shell.write(name, text)
    let outcome = shell.run(
      "plugin load \(folder)", "ingest \(shell.folder)/\(name) \(flags.replacing("FOLDER", with: shell.folder))")
    return (outcome, shell.run("show bank.rows --as raw").output)
  }

  /// A record that is left out because it is bad is told of as it stands: its text can be mended and read again.
  @Test func rejectsHoldTheRecordsThatAreBad() throws {
    let text = "amount,text\r\n1,a\r\n-5,\"x, y\"\r\nabc,bad\r\n0007,zz\r\n5,good\r\n"
    let (outcome, rows) = try rows(text, "--as bank.put --where 'amount > 1' --rejects FOLDER/r.jsonl")
    #expect(rows == "good=5.00\n" && outcome.status == 0)
    #expect(outcome.errors.contains("2 records of ") && outcome.errors.contains("2 bad records of"))
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("bank", Self.bank)
    _ = try shell.write("f.csv", text)
    let ended = shell.run(
      "plugin load \(folder)",
      "ingest \(shell.folder)/f.csv --as bank.put --where 'amount > 1' --rejects \(shell.folder)/r.jsonl --max-bad 1")
    #expect(ended.status == 1)
    let lines = try #require(shell.contents("r.jsonl")).split(separator: "\n")
    #expect(
      lines.count == 2 && lines[0].hasSuffix("\"text\":\"abc,bad\"}") && lines[1].hasSuffix("\"text\":\"0007,zz\"}"))
    #expect(lines[1].contains("amount is the text \\\"0007\\\", of which decimal(…) makes a number"), "\(lines)")
    #expect(shell.run("ingest \(shell.folder)/f.csv --as bank.put --rejects -").errors.contains("needs a file"))
  }

  /// A column that is not there is no nil, and what is set is an argument.
  @Test(arguments: [
    (
      "--compute 'n = amuont' --ignore-others", "there is no column 'amuont', which --compute or --where names",
      "'amount'?"
    ),
    ("--where \"amuont ~= 5\" --map n=amount --ignore-others", "there is no column 'amuont'", "'amount'?"),
    ("--where \"it.amuont ~= 5\" --map n=amount --ignore-others", "there is no column 'amuont'", "'amount'?"),
    ("--compute 'n = it[\"amuont\"]' --ignore-others", "there is no column 'amuont'", "'amount'?"),
    ("--compute 'nn = amount' --ignore-others", "bank.count has no argument 'nn', which --compute sets", "error["),
  ])
  func aNameThatNothingHasIsAnError(flags: String, message: String, hint: String) throws {
    let (outcome, rows) = try rows("amount,memo\n5,a\n6,x\n", "--as bank.count \(flags)")
    #expect(outcome.status != 0 && rows == "", "\(rows)")
    #expect(outcome.errors.contains(message) && outcome.errors.contains(hint), "\(outcome)")
  }

  /// Its digits would be those of a float.
  @Test(arguments: ["0012345678901234567", "007", "1e400"]) func noArithmeticWithATextOfANumber(text: String) throws {
    for expression in [
      "v / 10", "-v", "v + 1", "1 * v", "math.floor(v)", "math.max(1, v)", "math.tointeger(v)",
      "string.format(\"%d\", v)",
      "(\"%s %.2f\"):format(v, v)",
    ] {
      let (outcome, rows) = try rows(
        "v,text\n\(text),a\n", "--as bank.put --compute 'amount = 1 text = tostring(\(expression))' --ignore-others")
      #expect(outcome.status != 0 && rows == "", "\(expression)")
      #expect(outcome.errors.contains("of which decimal(…) makes a number"), "\(outcome)")
    }
  }

  @Test func textsOfLuaInFlagsNameNoVariables() throws {
    let shell = try Shell()
    _ = shell.run("let p = 'pre'")
    for flag in ["--compute 'title = \"$p\"'", "--where 'title == \"$p\"'"] {
      let outcome = shell.run("ingest - --as tasks.add \(flag)")
      #expect(outcome.errors.contains("Lua does not replace $p in a text"), "\(outcome)")
    }
  }

  @Test(arguments: [
    ("amount,text\n1234,a\n5,b\n", "--compute 'amount = amount / 100'", "a=12.34\nb=0.05\n"),
    ("amount,text\n10,a\n", "--compute 'amount = round(amount / 3, 2)'", "a=3.33\n"),
    ("amount,text\n100.00,a\n", "--compute 'amount = amount * 1.19'", "a=119.00\n"),
    ("amount,text\n1,a\n", "--compute 'amount = amount + 0.5' --where 'amount > 1.25 and text ~= \"1.5\"'", "a=1.50\n"),
    ("amount,text\n0.30,a\n", "--compute 'text = text .. 1.50 -- 2.5'", "a1.50=0.30\n"),
    // A key is no number, and a number may begin with one zero.
    ("amount,text\n0.50,007\n", "--compute 'text = text .. \"-\"' --compute 'amount = amount + 0'", "007-=0.50\n"),
    (
      "Net amount,text\n9.99,a\n", "--compute 'amount = it[\"Net amount\"] + 0.01' --compute 'text = text .. \"!\"'",
      "a!=10.00\n"
    ),
    ("amount,text,kind\n1,a,x\n2,b,y\n", "--where 'kind == \"y\"'", "b=2.00\n"),
    ("amount,text\n90071992547409931.25,a\n", "--compute 'amount = -amount'", "a=-90071992547409931.25\n"),
    ("amount,text\n3,a\n4,b\n", "--compute 'amount = amount - 1' --where 'amount > 2'", "b=3.00\n"),
  ])
  func tables(_ text: String, _ flags: String, _ expected: String) throws {
    let (outcome, rows) = try rows(text, "--as bank.put \(flags)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(rows == expected)
  }

  @Test func objectsAreComputedToo() throws {
    let text = "{\"amount\": 1234, \"text\": \"a\"}\n{\"amount\": 0.5, \"text\": \"b\"}\n"
    let (outcome, rows) = try rows(text, "--as bank.put --compute 'amount = amount / 10'", named: "f.jsonl")
    #expect(outcome.errors == "")
    #expect(rows == "a=123.40\nb=0.05\n")
    #expect(
      try self.rows(
        "{\"n\": 6}\n{\"n\": 7}\n", "--as bank.count --compute 'n = n / 2' --where 'n == 3'", named: "f.jsonl"
      ).1 == "3\n")
  }

  @Test func whatIsNotExactIsABadRecord() throws {
    let (outcome, rows) = try rows("amount,text\n10,a\n", "--as bank.put --compute 'amount = amount / 3'")
    #expect(outcome.errors.contains("round(a / b, 2) rounds it to two digits"), "\(outcome.errors)")
    #expect(rows == "")
    #expect(
      try self.rows("amount,text\n1,a\n", "--as bank.put --compute 'amount = dispatch(\"bank.count\")'").0.errors
        .contains("only reads"))
  }

  /// What no decimal holds is a text, which is compared and joined, and of which no float is made.
  @Test func digitsBeyondADecimalAreNotLost() throws {
    let number = "12345678901234567890123.45"
    let text = "amount,text\n\(number),a\n1,b\n"
    for computation in ["amount = amount * 10", "amount = amount + 1", "text = 1 - amount", "amount = -amount"] {
      let (outcome, rows) = try rows(text, "--as bank.put --compute '\(computation)'")
      #expect(outcome.errors.contains("the text \(number) has more digits than a number holds"), "\(outcome.errors)")
      #expect(rows == "")
    }
    let (objects, none) = try rows(
      "{\"amount\": \(number), \"text\": \"a\"}\n", "--as bank.put --compute 'amount = amount * 10'", named: "f.jsonl")
    #expect(objects.errors.contains("the text \(number) has more digits") && none == "", "\(objects.errors)")
    let (outcome, rows) = try rows(
      text, "--as bank.put --compute 'text = amount .. \"!\"' --compute 'amount = 2' --where 'text ~= \"1!\"'")
    #expect(outcome.status == 0 && rows == "\(number)!=2.00\n", "\(outcome) \(rows)")
  }

  @Test func leftOutRecordsAreCounted() throws {
    let (outcome, _) = try rows("amount,text\n1,a\n2,b\n3,c\n", "--as bank.put --where 'amount > 2'")
    #expect(
      outcome.errors.contains("2 records of ") && outcome.errors.contains("left out by --where\n"), "\(outcome.errors)")
    #expect(outcome.output.contains("ingested 1 record as bank.put"))
  }

  /// What one line of a script has kept, the next does not replace.
  @Test func aScriptKeepsAllRejects() throws {
    let shell = try Shell()
    let file = try shell.write("bad.csv", "by\nx\n")
    let script = "try ingest \(file) --as counter.increment --rejects \(shell.folder)/r.jsonl\n"
    let outcome = try shell.run(script: script + script)
    #expect(shell.contents("r.jsonl")?.split(separator: "\n").count == 2, "\(outcome)")
    // Nor is a file that holds something else.
    let mistaken = shell.run("ingest \(file) --as counter.increment --rejects \(file).input")
    #expect(mistaken.errors.contains("1 bad record"), "\(mistaken)")
    _ = try shell.write("bad.csv.input", "by\n1\n")
    let refused = shell.run("ingest \(file) --as counter.increment --rejects \(file).input")
    #expect(refused.status == 2 && refused.errors.contains("that file holds no rejects"), "\(refused)")
    let other = try shell.write("other.csv", "title;done\na;b\n")
    #expect(shell.run("ingest \(other) --as tasks.add").errors.contains("parted by ';'? --delimiter ';'"))
  }

  /// Fields are left out, not mistaken ones.
  @Test(arguments: [
    ("by;x\n5;1\n", "no field fills an argument", "--delimiter ';'"),
    ("By,x\n5,1\n", "'By' fills no argument", "--map by=By"),
    ("a,b\n5,1\n", "no field fills an argument", "it takes by; --map ARGUMENT=FIELD"),
  ])
  func noRecordIsMadeOfDefaultsAlone(text: String, message: String, hint: String) throws {
    let shell = try Shell()
    let file = try shell.write("list.csv", text)
    let outcome = shell.run("ingest \(file) --as counter.increment --ignore-others")
    #expect(outcome.status == 1 && outcome.errors.contains(message) && outcome.errors.contains(hint), "\(outcome)")
    let lines = try shell.write("list.jsonl", "{\"By\":5}\n")
    #expect(
      shell.run("ingest \(lines) --as counter.increment --ignore-others").errors.contains("'By' fills no argument"))
  }

  /// A plugin that is off is no fault of a record.
  @Test func rejectsEndWhereThePluginIsOff() throws {
    let shell = try Shell()
    let plugin = try shell.plugin(
      "fl",
      """
      return plugin { state = { field('n', int()) }, actions = { { name = 'go', args = { field('v', int()) } } },
        reducers = { go = function(s, a) if a.v > 2 then error("no") end s.n = s.n + 1 end } }
      """)
    let file = try shell.write("v.csv", "v\n1\n3\n3\n3\n1\n1\n")
    let outcome = shell.run(
      "plugin load \(plugin)", "ingest \(file) --as fl.go --rejects \(shell.folder)/r", "show fl.n")
    #expect(outcome.status == 1 && outcome.errors.contains("error[plugin-off]"), "\(outcome)")
  }

  /// One bad record more than was said ends an ingest that goes on, too.
  @Test func aBoundHoldsWhereAnIngestGoesOn() throws {
    let outcome = try rows("amount,text\nx,a\ny,b\n3,c\n", "--as bank.put --keep-going --max-bad 1").0
    #expect(outcome.status == 1 && outcome.errors.contains("1 bad record was expected (--max-bad)"), "\(outcome)")
  }

  @Test func rejectsAreExpected() throws {
    let text = "amount,text\n1,a\nx,b\n3,c\n"
    let (outcome, rows) = try rows(text, "--as bank.put --rejects FOLDER/bad.jsonl")
    #expect(outcome.status == 0)
    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    #expect(outcome.errors.hasPrefix("1 bad record of ") && outcome.errors.contains("left out, the first at"))
    #expect(rows == "a=1.00\nc=3.00\n")
    #expect(try self.rows(text, "--as bank.put --max-bad 1").0.status == 0)
    let beyond = try self.rows(text, "--as bank.put --max-bad 0 --rejects FOLDER/bad.jsonl")
    #expect(beyond.0.status == 1)
    #expect(beyond.0.errors.contains("0 bad records were expected (--max-bad)"), "\(beyond.0.errors)")
    let other = try self.rows("amount,text,kind\n1,a,x\n", "--as bank.put --rejects FOLDER/bad.jsonl").0
    #expect(other.status == 1 && other.errors.contains("has no argument 'kind'") && !other.errors.contains("max-bad"))
    #expect(try self.rows("amount,text\nx,b\n", "--as bank.put --rejects FOLDER/bad.jsonl").0.status == 1)
    #expect(try self.rows(text, "--as bank.put --keep-going").0.status == 1)
  }

  @Test func reasonsAreTrue() throws {
    let line = "1.2.3.4 - jane doe [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.0\" 200 5\n"
    let shell = try Shell { $0.isQuiet = true }
    _ = try shell.write("l.log", line + "1.2.3.4 - jane doe \"GET /a HTTP/1.0\" 200 5\n")
    let errors = shell.run(
      "ingest \(shell.folder)/l.log --as tasks.add --match common --map title=user --ignore-others --keep-going"
    ).errors
    #expect(shell.run("show tasks.items[*].title --as raw").output == "jane doe\n", "\(errors)")
    #expect(errors.contains("it has no time in [ ]"))
    #expect(try rows("amount,text\r1,a\r2,b\r", "--as bank.put").0.errors.contains("tr '\\r' '\\n' < FILE"))
    #expect(
      try rows("sep=;\namount;text\n", "--as bank.put").0.errors.contains("tail -n +2 FILE, and give --delimiter ';'"))
  }
}
