import Testing

@Suite("Malformed input")
struct MalformedInputTests {
  @Test func aBadRecordStopsAnIngestAndWhatCameBeforeStays() throws {
    let shell = try Shell()
    try shell.folder.write(
      "titles.jsonl", "{\"title\":\"one\"}\n{\"title\":\"two\"}\n{\"title\":\n{\"title\":\"four\"}\n")
    let outcome = try shell.run(
      "--keep-going", input: "ingest titles.jsonl --as tasks.add\nshow tasks.items[*].title --as raw\n")
    #expect(outcome.output == "one\ntwo\n")
    #expect(outcome.errors.hasPrefix("stdin:1: error[bad-record]: titles.jsonl:3: "))
    #expect(outcome.errors.hasSuffix("\n1 of 2 commands failed\n"))
    #expect(outcome.status == 1)
  }

  @Test(arguments: [
    (#"{"title":7}"#, "title"), (#"{"name":"x"}"#, "name"), (#"{"title":"x","more":1}"#, "more"), (#"[1]"#, ""),
    (#"{"title":"x"} {"title":"y"}"#, ""), (#"{}"#, "title"),
  ])
  func aRecordMustFitTheAction(record: String, mentioned: String) throws {
    let shell = try Shell()
    try shell.folder.write("titles.jsonl", record + "\n")
    let outcome = try shell.run("-c", "ingest titles.jsonl --as tasks.add")
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("-c:1: error[bad-record]: titles.jsonl:1: "))
    #expect(outcome.errors.contains(mentioned))
    #expect(outcome.status == 1)
  }

  @Test func invalidBytesInARecord() throws {
    let shell = try Shell()
    try shell.folder.write("titles.jsonl", Array(#"{"title":""#.utf8) + [0xC3, 0x28] + Array("\"}\n".utf8))
    let outcome = try shell.run("-c", "ingest titles.jsonl --as tasks.add")
    #expect(outcome.errors.hasPrefix("-c:1: error[bad-record]: titles.jsonl:1: "))
    #expect(outcome.status == 1)
  }

  @Test func invalidBytesInAScript() throws {
    let shell = try Shell()
    try shell.folder.write("bytes.stsh", Array("echo one\necho ".utf8) + [0xFF, 0xFE, 0x0A])
    let outcome = try shell.run("bytes.stsh")
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("bytes.stsh:2:6: error["))
    #expect(outcome.status == 2)
  }

  @Test func invalidBytesOnStandardInput() throws {
    let outcome = try Shell().run(
      ["--keep-going"], input: Array("echo one\necho ".utf8) + [0xFF, 0xFE, 0x0A] + Array("echo two\n".utf8))
    #expect(outcome.output == "one\ntwo\n")
    #expect(outcome.errors.hasPrefix("stdin:2:6: error["))
    #expect(outcome.errors.hasSuffix("\n1 of 3 commands failed\n"))
  }

  @Test func aLineOfTenMillionBytes() throws {
    let long = Array("dispatch tasks.add title=".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 10_000_000)
    let outcome = try Shell().run(
      ["--keep-going"], input: Array("echo one\n".utf8) + long + Array("\necho two\n".utf8))
    #expect(outcome.output == "one\ntwo\n")
    #expect(outcome.errors.hasPrefix("stdin:2:1: error[line-too-long]: "))
    #expect(outcome.errors.utf8.count < 1000)
    #expect(outcome.errors.hasSuffix("\n1 of 3 commands failed\n"))
  }

  @Test func filesThatDoNotExist() throws {
    let shell = try Shell()
    for arguments in [["nowhere.stsh"], ["-c", "source nowhere.stsh"], ["-c", "ingest nowhere.jsonl --as tasks.add"]] {
      let outcome = try shell.run(arguments)
      #expect(outcome.output == "")
      #expect(outcome.errors.contains("error["))
      #expect(outcome.errors.contains("nowhere."))
      #expect(outcome.status == 2)
    }
  }

  @Test func anUnfinishedStatementAtTheEndOfTheInput() throws {
    let outcome = try Shell().run(input: "= (1 +\n")
    #expect(outcome.errors.hasPrefix("stdin:1:"))
    #expect(outcome.status == 2)
  }

  @Test func aFileThatSourcesItself() throws {
    let shell = try Shell()
    try shell.folder.write("again.stsh", "source again.stsh\n")
    let outcome = try shell.run("again.stsh")
    #expect(outcome.errors.contains("error["))
    #expect(outcome.errors.utf8.count < 20_000)
    #expect(outcome.status != 0)
  }
}
