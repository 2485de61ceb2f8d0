import Glibc
import Testing

@testable import StoreShell

/// `ingest`: one action a record.
@Suite struct IngestTests {
  @Test func oneActionALine() throws {
    let shell = try Shell()
    let file = try shell.write(
      "a.jsonl", "{\"title\":\"one\"}\n\n \t\n{\"title\":\"two\"}\r\n\n{ \"title\" : \"3\\u00e9\" }")
    #expect(
      shell.run("dispatch counter.increment --quiet", "ingest \(file) --as tasks.add")
        == .init(
          output: "ingested 3 records as tasks.add (#2-#4)\n", errors: "note: 3 blank lines of \(file) left out\n"))
    #expect(shell.run("show tasks.items[*].title --as raw").output == "one\ntwo\n3é\n")
    let sources = shell.session.store.live.recent().dropFirst().map {
      "\($0.source.file.split(separator: "/").last ?? ""):\($0.source.line)"
    }
    #expect(sources == ["a.jsonl:1", "a.jsonl:4", "a.jsonl:6"])
  }

  @Test func nothingIsNoRecord() throws {
    let shell = try Shell()
    for (text, blank) in [("", ""), ("\n", "1 blank line"), ("\r\n\r\n", "2 blank lines")] {
      let file = try shell.write("empty.jsonl", text)
      let note = blank.isEmpty ? "" : "note: \(blank) of \(file) left out\n"
      for flag in ["", " --keep-going", " --rejects \(shell.folder)/rejects.jsonl"] {
        let outcome = shell.run("ingest \(file) --as tasks.add\(flag)")
        #expect(outcome.status == 1 && outcome.output == "ingested 0 records as tasks.add\n", "\(outcome)")
        #expect(outcome.errors.hasPrefix(note + "-c:1:1: error[bad-record]: \(file) has no records\n"), "\(outcome)")
      }
    }
  }

  @Test(arguments: [
    ("{\"title\":", "not JSON at column 10: expected a value", nil),
    ("7", "expected a JSON object, got number 7", nil),
    (
      "[1]", "expected a JSON object, got a list",
      "for one object a line: jq -c '.[]' FILE | stsh -c 'ingest - --as tasks.add'"
    ),
    (
      "{ ", "the JSON object does not end on its line",
      "for one object a line: jq -c . FILE | stsh -c 'ingest - --as tasks.add'"
    ),
    ("{\"title\":\"a\"} x", "not JSON at column 15: expected the end of the value", nil),
    ("{\"title\":\"a\",\"title\":\"b\"}", "at column 14: the key \"title\" appears twice", nil),
    ("{}", "tasks.add needs 'title' (String)", "usage: dispatch tasks.add title:String"),
    ("{\"title\":3}", "'title' must be String, got number 3", "usage: dispatch tasks.add title:String"),
    ("{\"title\":null}", "'title' must be String, got nil", "usage: dispatch tasks.add title:String"),
    (
      "{\"title\":\"a\",\"more\":1}", "tasks.add has no argument 'more'",
      "usage: dispatch tasks.add title:String; --ignore-others leaves other fields out"
    ),
  ])
  func aBadRecordIsNamedAndWhatCameBeforeStays(record: String, message: String, hint: String?) throws {
    let shell = try Shell()
    let file = try shell.write("a.jsonl", "{\"title\":\"one\"}\n\n\(record)\n{\"title\":\"never\"}\n")
    let outcome = shell.run("ingest \(file) --as tasks.add")
    var expected = "-c:1: error[bad-record]: \(file):3: \(message)\n  1 record before it was ingested\n"
    if let hint { expected += "  hint: \(hint)\n" }
    #expect(outcome == .init(errors: expected, status: 1))
    #expect(try shell.type("show tasks.items[*].title --as raw").output == "one\n")
  }

  @Test func bytesThatAreNoTextAreNamed() throws {
    let shell = try Shell()
    let file = try shell.write("a.jsonl", Array("{\"title\":\"".utf8) + [0xFF] + Array("\"}\n".utf8))
    let outcome = shell.run("ingest \(file) --as tasks.add")
    #expect(outcome.errors.hasPrefix("-c:1: error[bad-record]: \(file):1: not JSON at column 11: invalid UTF-8\n"))
    #expect(outcome.status == 1)
  }

  @Test func keepGoingCountsBadRecords() throws {
    let shell = try Shell { $0.keepsGoing = true }
    let file = try shell.write("a.jsonl", "{\"title\":\"one\"}\nbad\n{}\n{\"title\":\"two\"}\n")
    let outcome = shell.run("ingest \(file) --as tasks.add --keep-going", "show tasks.items[*].title --as raw")
    #expect(outcome.output == "ingested 2 records as tasks.add (#1-#2)\none\ntwo\n")
    #expect(
      outcome.errors == """
        \(file):2: not JSON at column 1: expected a JSON object
        \(file):3: tasks.add needs 'title' (String)
        -c:1:1: error[bad-record]: 2 bad records of \(file) left out, the first at \(file):2
          ingest \(file) --as tasks.add --keep-going
        1 of 2 commands failed

        """)
    #expect(outcome.status == 1)
  }

  @Test(arguments: ["--map title=name", "--map=title=name", "--map done=x title=name", "--map done=x --map title=name"])
  func fieldsOfOtherNamesFillArguments(map: String) throws {
    let shell = try Shell()
    let file = try shell.write("a.jsonl", "{\"name\":\"one\"}\n")
    let outcome = shell.run("ingest \(file) --as tasks.add \(map)")
    guard !map.contains("done") else {
      #expect(outcome.errors.contains("error[unexpected-argument]: tasks.add has no argument 'done'\n"))
      return
    }
    #expect(outcome.output == "ingested 1 record as tasks.add (#1)\n")
    #expect(shell.run("show tasks.items[1].title").output == "\"one\"\n")
  }

  /// The field that has the argument's own name is one of the others then, wherever it stands.
  @Test(arguments: [
    ("a.jsonl", "{\"t\":\"1\",\"title\":\"2\"}"), ("b.jsonl", "{\"title\":\"2\",\"t\":\"1\"}"),
    ("a.csv", "t,title\n1,2\n"),
    ("b.tsv", "title\tt\n2\t1\n"),
  ])
  func aMappedFieldGoesBeforeOneOfTheArgumentsName(name: String, text: String) throws {
    let shell = try Shell()
    let file = try shell.write(name, text)
    let refused = shell.run("ingest \(file) --as tasks.add --map title=t")
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains("the record has 'title', too, but --map fills it from 't'; --ignore-others allows that"))
    #expect(shell.run("ingest \(file) --as tasks.add --map title=t --ignore-others").errors.isEmpty)
    #expect(shell.run("show tasks.items[*].title --as raw").output == "1\n")
  }

  @Test(arguments: ["--map title=x --map title=y", "--map title=x title=x"])
  func anArgumentIsMappedOnce(maps: String) throws {
    let shell = try Shell()
    let file = try shell.write("a.csv", "x,y\n1,2\n")
    let outcome = shell.run("ingest \(file) --as tasks.add \(maps)")
    #expect(outcome.errors.contains("error[unexpected-argument]: --map names 'title' twice\n"))
  }

  @Test(arguments: ["title", "title=", "=x"]) func aMapWithoutItsFormIsMarked(map: String) throws {
    let shell = try Shell()
    let file = try shell.write("a.csv", "x\n1\n")
    let outcome = shell.run("ingest \(file) --as tasks.add --map \(map)")
    #expect(outcome.errors.contains("error[missing-argument]: --map needs NAME=FIELD, not '\(map)'\n"))
  }

  @Test func twoColumnsOfOneNameAreTwo() throws {
    let shell = try Shell()
    let file = try shell.write("a.csv", "a,a\n1,2\n")
    let outcome = shell.run("ingest \(file) --as tasks.add --map title=a")
    #expect(outcome.errors.contains(":1: two columns fill 'title'\n"))
  }

  /// Whatever else is wrong because of it.
  @Test(arguments: [
    ("a.csv", "x,y\n1,2\n", "column"), ("b.csv", "title\n1\n", "column"), ("a.jsonl", "{\"title\":\"1\"}\n", "field"),
    ("b.jsonl", "{\"x\":\"1\"}\n", "field"), ("c.jsonl", "{}\n", "field"),
  ])
  func aMapToNothingIsNamed(name: String, text: String, what: String) throws {
    let shell = try Shell()
    let file = try shell.write(name, text)
    for map in ["title=none", "title=none --ignore-others"] {
      let outcome = shell.run("ingest \(file) --as tasks.add --map \(map)")
      #expect(outcome.errors.contains(":1: there is no \(what) 'none', which --map names\n"))
    }
  }

  @Test func aMapToNearlyAFieldHasASuggestion() throws {
    let shell = try Shell()
    for (name, text) in [("a.csv", "name\n1\n"), ("a.jsonl", "{\"name\":\"1\"}\n")] {
      let outcome = shell.run("ingest \(try shell.write(name, text)) --as tasks.add --map title=nmae")
      #expect(outcome.errors.hasSuffix("  hint: did you mean 'name'?\n"))
    }
  }

  /// Records may leave an argument out, so only the end tells that all of them did.
  @Test(arguments: ["", " --keep-going"]) func aMapToWhatNoRecordHasIsNamedAtTheEnd(flag: String) throws {
    let shell = try Shell()
    let file = try shell.write("a.jsonl", "{}\n{}\n")
    #expect(
      shell.run("ingest \(file) --as counter.increment --map by=no" + flag)
        == .init(
          errors: """
            -c:1: error[bad-record]: \(file):2: no record has a field 'no', which --map names
              2 records before it were ingested

            """, status: 1))
  }

  @Test(arguments: ["{}\n{\"n\":2}\n", "{\"\\u006e\":2}\n{}\n"])
  func aMapToWhatSomeRecordHasIsFine(records: String) throws {
    let shell = try Shell()
    let file = try shell.write("a.jsonl", records)
    #expect(shell.run("ingest \(file) --as counter.increment --map by=n").errors.isEmpty)
    #expect(shell.run("show counter.value").output == "3\n")
  }

  @Test(arguments: [
    ("a.jsonl.gz", [0x1F, 0x8B, 8, 0], "gzip", " --format jsonl"), ("b.csv", Array("BZh91AY".utf8), "bzip2", ""),
    ("c.csv.gz", [0x1F, 0x8B, 8, 0], "gzip", " --format csv"),
    ("d.csv.zip", Array("PK\u{3}\u{4}\u{14}".utf8), "zip", " --format csv"),
  ])
  func whatIsCompressedHasToBeUnpacked(name: String, bytes: [UInt8], tool: String, format: String) throws {
    let shell = try Shell()
    let file = try shell.write(name, bytes)
    let outcome = shell.run("ingest \(file) --as tasks.add --keep-going")
    #expect(outcome.errors.hasPrefix("-c:1:8: error[unreadable-file]: \(file) is compressed by \(tool)\n"))
    let unpacking = tool == "zip" ? "unzip -p" : "\(tool) -dc"
    #expect(outcome.errors.hasSuffix("hint: \(unpacking) FILE | stsh -c 'ingest - --as ACTION\(format)'\n"))
    #expect(outcome.status == 2)
  }

  /// By its name, or by its start where nothing says how it is to be read.
  @Test(arguments: [
    ("a.json", "title\tid\nx\t1\n", "", "tsv"), ("b.csv", "title\nx\n", " --format jsonl", "csv"),
    ("c.txt", "title\nx\n", "", "csv"), ("d.csv", "{\"title\":\"x\"}\n", "", "jsonl"),
    ("e.txt", "title,id\n", " --format jsonl", "csv"), ("f.jsonl", "{\"title\":}\n", "", nil),
    ("g.txt", "{\"title\":}\n", "", nil), ("h.jsonl", "{\"title\":\"x\"}\ntitle\n", "", nil),
  ])
  func aFileOfAnotherFormatIsRecognised(name: String, text: String, flag: String, format: String?) throws {
    let shell = try Shell()
    let file = try shell.write(name, text)
    let outcome = shell.run("ingest \(file) --as tasks.add" + flag)
    #expect(outcome.status == 1)
    if let format {
      #expect(outcome.errors.hasSuffix("\n  hint: is it \(format)? --format \(format)\n"))
    } else {
      #expect(!outcome.errors.contains("--format"))
    }
  }

  /// What goes wrong in a middleware or in what a record caused makes it no bad record: it is in the state, and is counted so.
  @Test func whatGoesWrongBesideARecordLeavesItIngested() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { middleware = { { name = "m", on = { "tasks.add" }, after = function(action)
        if action.args.title == "two" then error("no") end
      end } } }
      """, permissions: #"["read:tasks"]"#)
    let file = try shell.write("a.jsonl", ["one", "two", "three"].map { "{\"title\":\"\($0)\"}\n" }.joined())
    _ = try shell.type("plugin load \(folder)")
    let message = "p: middleware 'm' (after): \(folder)/init.lua:2: no"
    let first = try shell.type("ingest \(file) --as tasks.add", "show tasks.items[*].title --as raw")
    #expect(
      first.errors == "error[plugin-runtime]: \(file):2: \(message)\n  2 records up to this one were ingested\n")
    #expect(first.output == "one\ntwo\n")
    let second = try shell.type("ingest \(file) --as tasks.add --keep-going")
    #expect(second.output == "ingested 3 records as tasks.add (#4-#6)\n")
    #expect(
      second.errors
        == "\(file):2: \(message)\n"
        + "error[plugin-runtime]: 1 record of \(file) ingested, with errors besides\n")
    #expect(second.status == 1)
  }

  @Test func whatAnInterceptorDropsIsNotIngested() throws {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { interceptors = { function(dispatch, get, next) return function(action)
        if action.name ~= "tasks.add" or action.args.title ~= "two" then next(action) end
      end end } }
      """, permissions: #"["intercept"]"#)
    let file = try shell.write("a.jsonl", ["one", "two", "three"].map { "{\"title\":\"\($0)\"}\n" }.joined())
    let outcome = try shell.type("plugin load \(folder)", "ingest \(file) --as tasks.add")
    #expect(outcome.output.hasSuffix("\ningested 2 records as tasks.add (#2-#4)\n"))
    #expect(outcome.errors == "1 record of \(file) dropped by p.interceptor1\n")
    #expect(outcome.status == 0)
  }

  @Test func manyBadRecordsAreOnlyCounted() throws {
    let shell = try Shell()
    let file = try shell.write("a.jsonl", String(repeating: "bad\n", count: 30))
    let lines = shell.run("ingest \(file) --as tasks.add --keep-going").errors.split(separator: "\n")
    #expect(lines.count == 23)
    #expect(lines[20] == "note: further bad records are only counted")
    #expect(lines[21] == "-c:1:1: error[bad-record]: 30 bad records of \(file) left out, the first at \(file):1")
  }

  /// A type error has one text, wherever the value comes from.
  @Test(arguments: [
    ("a.jsonl", #"{"by":"two"}"#, "string \"two\""), ("a.csv", "by\ntwo\n", "string \"two\""),
    ("b.csv", "by\n99999999999999999999\n", "number 99999999999999999999, which is too large for one"),
  ])
  func aTypeErrorReadsAsThatOfADispatch(name: String, text: String, found: String) throws {
    let shell = try Shell()
    let file = try shell.write(name, text)
    let outcome = shell.run("ingest \(file) --as counter.increment")
    #expect(outcome.errors.contains(": 'by' must be Int, got \(found)\n"))
    guard name == "a.jsonl" else { return }
    let lua = shell.run("lua dispatch('counter.increment', {by = 'two'})")
    #expect(lua.errors.contains("'by' must be Int, got \(found)\n"))
  }

  @Test func severalMapsAreOne() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "pair",
      "return plugin { state = { field('n', int()) }, actions = { { name = 'put', args = { field('a', int()), field('b', int()) } } }, reducers = { put = function(s, x) s.n = x.a * 10 + x.b end } }"
    )
    let file = try shell.write("a.jsonl", "{\"x\":1,\"y\":2}\n")
    for maps in ["--map a=x --map b=y", "--map a=x b=y"] {
      let outcome = try Shell()
      #expect(outcome.run("plugin load \(folder)").status == 0)
      #expect(
        outcome.run("ingest \(file) --as pair.put \(maps)", "show pair.n").output
          == "ingested 1 record as pair.put (#2)\n12\n")
    }
  }

  @Test func aLineOfTenMegabytesIsOneRecord() throws {
    let shell = try Shell()
    let title = String(repeating: "x", count: 10_000_000)
    let file = try shell.write("big.jsonl", "{\"title\":\"a\"}\n{\"title\":\"\(title)\"}\n{\"title\":\"b\"}\n")
    #expect(
      shell.run("ingest \(file) --as tasks.add", "= #state.tasks.items[2].title").output
        == "ingested 3 records as tasks.add (#1-#3)\n10000000\n")
  }

  @Test func aFolderCannotBeRead() throws {
    let shell = try Shell()
    let outcome = shell.run("ingest \(shell.folder) --as tasks.add")
    #expect(
      outcome.errors
        == "-c:1:8: error[unreadable-file]: \(shell.folder): Is a directory\n  ingest \(shell.folder) --as tasks.add\n"
        + "         ^\(String(repeating: "~", count: shell.folder.count - 1))\n")
    #expect(outcome.status == 2)
  }

  @Test func withJSONTheErrorIsOneObject() throws {
    let shell = try Shell { $0.isJSON = true }
    let file = try shell.write("a.jsonl", "nope\n")
    let outcome = shell.run("ingest \(file) --as tasks.add")
    #expect(
      outcome.output
        == "{\"ok\":false,\"file\":\"-c\",\"line\":1,\"error\":{\"code\":\"bad-record\",\"message\":\"\(file):1: not JSON at column 1: expected a JSON object\",\"details\":[\"0 records before it were ingested\"]}}\n"
    )
  }

  @Test func whoInterruptsIsToldWhatStays() throws {
    let shell = try Shell()
    let file = try shell.write("a.jsonl", String(repeating: "{\"title\":\"a\"}\n", count: 300))
    shell.session.interrupts.take = { true }
    let outcome = shell.run("ingest \(file) --as tasks.add")
    #expect(
      outcome.errors == """

        -c:1:1: error[interrupted]: stopped by Ctrl-C
          ingest \(file) --as tasks.add
          ingested 256 records as tasks.add (#1-#256), which stay; undo takes them back

        """)
    #expect(outcome.status == 130)
    #expect(shell.session.store.live.recent().count == 256)
  }

  /// Such a record is JSON; what it holds does not fit.
  @Test func aNumberThatFitsNothingIsNoFaultOfTheJSON() throws {
    let shell = try Shell()
    let file = try shell.write("list.jsonl", "{\"title\":1e400}\n")
    #expect(
      shell.run("ingest \(file) --as tasks.add").errors.contains(
        "list.jsonl:1: at column 10: the number 1e400 is too large"))
  }
}
