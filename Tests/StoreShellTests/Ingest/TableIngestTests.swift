import Testing

@testable import StoreShell

/// `ingest` from CSV and TSV.
@Suite struct TableIngestTests {
  private static let plugin = """
    return plugin {
      state = { field("rows", list(text())) },
      actions = {
        { name = "put", args = {
          field("name", text()), field("n", int { min = 0, default = 7 }), field("x", optional(number())),
          field("on", optional(bool())), field("kind", enum { "a", "b" }), field("tags", optional(list(text()))),
        } },
      },
      reducers = {
        put = function(s, a)
          local tags = ""
          if a.tags then for _, tag in ipairs(a.tags) do tags = tags .. "+" .. tag end end
          s.rows[#s.rows + 1] = a.name .. "|" .. a.n .. "|" .. tostring(a.x) .. "|" .. tostring(a.on) .. "|" .. a.kind
            .. "|" .. tags
        end,
      },
    }
    """

  private func shell() throws -> Shell {
    let shell = try Shell()
    _ = shell.run("plugin load \(try shell.plugin("sheet", Self.plugin))")
    return shell
  }

  private func rows(_ text: String, _ name: String = "a.csv", flags: String = "") throws -> (Shell.Outcome, [String]) {
    let shell = try shell()
    let file = try shell.write(name, text)
    let outcome = shell.run("ingest \(file) --as sheet.put \(flags)")
    let shown = try shell.type("show sheet.rows --as raw").output
    return (
      .init(
        output: outcome.output, errors: outcome.errors.replacing(file, with: name), status: outcome.status),
      shown.split(separator: "\n").map(String.init)
    )
  }

  @Test func cellsHaveTheTypesOfTheAction() throws {
    let (outcome, rows) = try rows(
      """
      name,n,x,on,kind,tags
      42,3,1.5,true,a,"[""p"",""q""]"
      "",,2,false,b,
      nil,5,,,a,[]
      """)
    #expect(outcome == .init(output: "ingested 3 records as sheet.put (#2-#4)\n"))
    #expect(rows == ["42|3|1.5|true|a|+p+q", "|7|2.0|false|b|", "nil|5|nil|nil|a|"])
  }

  @Test(arguments: [
    // A quote in quotes, a separator, line ends of both kinds, an empty quoted cell, blanks that count.
    ("kind,name\na,\"say \"\"hi\"\"\"\n", ["say \"hi\"|7|nil|nil|a|"]),
    ("kind,name\r\na,\"x, y\"\r\nb, z \r\n", ["x, y|7|nil|nil|a|", " z |7|nil|nil|b|"]),
    ("\u{FEFF}name,kind\nü,a\n", ["ü|7|nil|nil|a|"]),
    ("\u{FEFF}\"name\",kind\nü,a", ["ü|7|nil|nil|a|"]),
    ("name,kind\n\n\nm,a\n\n", ["m|7|nil|nil|a|"]),
    ("\"name\",\"kind\"\n\"\",\"b\"\n", ["|7|nil|nil|b|"]),
    ("name,kind\n", []),
    ("", []),
  ])
  func rfc4180(text: String, expected: [String]) throws {
    let (outcome, rows) = try rows(text)
    // Blank lines are told of.
    #expect(outcome.saysNothingBut("") || expected.isEmpty && outcome.errors.contains("a.csv has no records"))
    #expect(rows == expected)
  }

  @Test func aCellMayHoldLines() throws {
    let shell = try Shell()
    let file = try shell.write("a.csv", "title\n\"one\ntwo\r\nthree\n\"\nfour\n")
    #expect(shell.run("ingest \(file) --as tasks.add").output == "ingested 2 records as tasks.add (#1-#2)\n")
    #expect(
      shell.run("show tasks.items[*].title --as json").output == #"["one\ntwo\r\nthree\n","four"]"# + "\n")
    #expect(shell.session.store.live.recent().map(\.source.line) == [2, 6])
  }

  @Test func tabsSeparateToo() throws {
    let (outcome, found) = try rows("name\tkind\n5\" disk\ta\n\"a\tb\"\tb\n", "a.tsv")
    #expect(outcome.errors == "")
    #expect(found == ["5\" disk|7|nil|nil|a|", "a\tb|7|nil|nil|b|"])
  }

  @Test(arguments: [
    ("a.txt", "name\tkind\nx\ta\n", ""), ("a.txt", "name,kind\nx,a\n", ""),
    ("a", "{\"name\":\"x\",\"kind\":\"a\"}\n", ""),
    ("a.json", "name,kind\nx,a\n", "--format csv"), ("a.CSV", "name,kind\nx,a\n", ""),
    ("a.csv", "name\tkind\nx\ta\n", "--format tsv"),
  ])
  func theFormatIsSeen(name: String, text: String, flags: String) throws {
    let (outcome, found) = try rows(text, name, flags: flags)
    #expect(outcome.errors == "")
    #expect(found == ["x|7|nil|nil|a|"])
  }

  @Test(arguments: [
    ("name,kind\nx\n", 2, "the row has 1 field, the first row names 2", nil),
    ("name,kind\nx,a,b\n", 2, "the row has 3 fields, the first row names 2", nil),
    ("name,kind,n\nx,a,two\n", 2, "'n' must be Int, got string \"two\"", "usage"),
    ("name,kind,n\nx,a,-1\n", 2, "'n' must be >= 0, got -1", "usage"),
    ("name,kind,n\nx,a,1.5\n", 2, "'n' must be Int, got number 1.5", "usage"),
    ("name,kind,on\nx,a,yes\n", 2, "'on' must be Bool, got string \"yes\"", "usage"),
    ("name,kind\nx,c\n", 2, "'kind' must be one of a, b, got string \"c\"", "usage"),
    ("name,kind\nx,\n", 2, "'kind' must be one of a, b, got string \"\"", "usage"),
    ("name,kind,tags\nx,a,p q\n", 2, "'tags' must be [String] as JSON, got string \"p q\"", "usage"),
    ("name,kind\nx,a\n\"y\n\n,b\n", 3, "the \" of field 1 is never closed (lines 3 to 5)", nil),
    ("name,kind\nx,\"a\"b\n", 2, "something follows the closing \" of field 2", nil),
    ("name,kind\nx y\"z,a\n", 2, "a \" stands in field 1, which does not start with one", nil),
    ("name,kind,more\nx,a,b\n", 1, "sheet.put has no argument 'more'", "usage"),
    ("name,n\nx,1\n", 1, "sheet.put needs 'kind' (a|b)", "usage"),
    ("name,kind,name\nx,a,y\n", 1, "'name' appears twice", nil),
    ("{\"name\":1}\n", 1, "a \" stands in field 1, which does not start with one", nil),
  ])
  func aBadRowIsNamed(text: String, line: Int, message: String, hint: String?) throws {
    let (outcome, _) = try rows(text)
    let expected = "-c:1: error[bad-record]: a.csv:\(line): \(message)\n"
    #expect(outcome.errors.hasPrefix(expected), "\(outcome.errors)")
    #expect(outcome.errors.contains("hint: usage: dispatch sheet.put") == (hint != nil))
    #expect(outcome.status == 1)
  }

  @Test func bytesThatAreNoTextAreNamed() throws {
    let shell = try Shell { $0.keepsGoing = true }
    let file = try shell.write("a.csv", Array("title\n".utf8) + [0x61, 0xFF] + Array("\nb\n".utf8))
    let outcome = shell.run("ingest \(file) --as tasks.add --keep-going", "show tasks.items[*].title --as raw")
    #expect(outcome.errors.hasPrefix("\(file):2: 'title' must be String, got bytes that are not UTF-8\n"))
    #expect(outcome.output == "ingested 1 record as tasks.add (#1)\nb\n")
  }

  @Test func keepGoingGoesOnBehindABadRow() throws {
    let (outcome, found) = try rows(
      "name,kind\nx,c\n\"y\nz\"!,a\nw,b\n,\nv,a\n", flags: "--keep-going")
    #expect(found == ["w|7|nil|nil|b|", "v|7|nil|nil|a|"])
    #expect(
      outcome.errors == """
        a.csv:2: 'kind' must be one of a, b, got string "c"
        a.csv:3: something follows the closing " of field 1 (lines 3 to 4)
        a.csv:6: 'kind' must be one of a, b, got string ""
        -c:1:1: error[bad-record]: 3 bad records of a.csv left out, 4 lines, the first at a.csv:2
          ingest a.csv --as sheet.put --keep-going

        """)
    // Without a header that fits there is nothing to go on with.
    #expect(try rows("name\nx\n", flags: "--keep-going").0.status == 1)
  }

  @Test func aRowTellsHowFarItGoes() throws {
    let open = try rows("name,kind\nx,a\n\"y,b\nz,a\n", flags: "--keep-going")
    #expect(open.1 == ["x|7|nil|nil|a|"])
    #expect(open.0.errors.hasPrefix("a.csv:3: the \" of field 1 is never closed (lines 3 to 4)\n"))
    #expect(
      open.0.errors.contains("error[bad-record]: 1 bad record of a.csv left out, 2 lines, the first at a.csv:3\n"))
    let short = try rows("name,kind\n\"y\nz\"\nw,b\n", flags: "--keep-going")
    #expect(short.1 == ["w|7|nil|nil|b|"])
    #expect(
      short.0.errors.hasPrefix("a.csv:2: the row has 1 field, the first row names 2 (lines 2 to 3)\n"), "\(short.0)")
    // Where it ends the run it is told in the same words.
    #expect(
      try rows("name,kind\n\"y,b\nz,a").0.errors
        .hasPrefix("-c:1: error[bad-record]: a.csv:2: the \" of field 1 is never closed (lines 2 to 3)\n"))
  }

  @Test func numbersThatAreNotFiniteAreReadInCells() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "figures",
      """
      return plugin { state = { field("rows", list(text())) },
        actions = { { name = "put", args = { field("x", number()), field("all", list(number())) } } },
        reducers = { put = function(s, a) s.rows[#s.rows + 1] = tostring(a.x) .. tostring(a.all[1]) end } }
      """)
    let table = try shell.write("n.csv", "x,all\ninf,\"[\"\"-inf\"\"]\"\n")
    let lines = try shell.write("n.jsonl", "{\"x\":\"-inf\",\"all\":[\"inf\",1]}\n")
    let outcome = shell.run(
      "plugin load \(folder)", "ingest \(table) --as figures.put", "ingest \(lines) --as figures.put",
      "show figures.rows --json")
    #expect(outcome.output.hasSuffix("[\"inf-inf\",\"-infinf\"]\n"), "\(outcome)")
    let bad = try shell.write("bad.jsonl", "{\"x\":\"infinity\",\"all\":[]}\n")
    #expect(
      shell.run("ingest \(bad) --as figures.put").errors.contains("'x' must be Double, got string \"infinity\"\n"))
  }

  @Test func columnsOfOtherNames() throws {
    let text = "Title,Ignored,kind\nx,9,a\n"
    #expect(try rows(text, flags: "--map name=Title").0.errors.contains("a.csv:1: sheet.put has no argument 'Ignored'"))
    let (outcome, found) = try rows(text, flags: "--map name=Title --ignore-others")
    #expect(outcome.errors == "")
    #expect(found == ["x|7|nil|nil|a|"])
    #expect(
      try rows("{\"name\":\"x\",\"kind\":\"b\",\"more\":1}", "a.jsonl", flags: "--ignore-others").1 == [
        "x|7|nil|nil|b|"
      ])
  }

  @Test func manyRowsAcrossBlocks() throws {
    let shell = try Shell()
    var text = "title\r\n"
    // Longer together than several blocks, with quotes that fall on the ends of blocks.
    for number in 0..<3000 { text += "\"row \(number)\n\(String(repeating: "\"\"", count: number % 97))\"\r\n" }
    let file = try shell.write("a.csv", text)
    #expect(shell.run("ingest \(file) --as tasks.add").output == "ingested 3000 records as tasks.add (#1-#3000)\n")
    #expect(
      shell.run("= state.tasks.items[2999].title").output
        == "\"row 2998\\n\(String(repeating: "\\\"", count: 2998 % 97))\"\n")
  }

  @Test func progressSaysRateAndTimeLeft() {
    #expect(
      IngestProgress.text(records: 1500, bytes: 250, size: 1000, time: .seconds(3))
        == "1500 records, 500 a second, 25 %, 0:09 left")
    #expect(IngestProgress.text(records: 10, bytes: 5, size: nil, time: .seconds(2)) == "10 records, 5 a second")
    #expect(
      IngestProgress.text(records: 1, bytes: 1, size: 1_000_000, time: .seconds(1)).hasSuffix("0 %, 16666:39 left"))
  }

  @Test func standardInputThatIsTheScriptIsRefused() throws {
    let outcome = try Shell().run(input: Array("ingest - --as tasks.add\n{}\n".utf8))
    #expect(outcome.errors.hasPrefix("stdin:1:8: error[no-such-file]: standard input is the script itself\n"))
  }
}
