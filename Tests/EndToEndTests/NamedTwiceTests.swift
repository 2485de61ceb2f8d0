import Testing

@Suite("Files that a command line names twice")
struct NamedTwiceTests {
  @Test(arguments: ["in.txt", "./in.txt", "link.txt", "/dev/stdin"])
  func rejectsDoNotReplaceStandardInput(file: String) throws {
    let shell = try Shell()
    let lines: [UInt8] = Array("a\nb".utf8) + [0xFF, 0x0A]
    try shell.folder.write("in.txt", lines)
    let command = "ingest - --as tasks.add --lines --map title=line --rejects \(file)"
    let outcome = try shell.runInShell("ln -s in.txt link.txt; stsh -c '\(command)' < in.txt")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("\(file) is a file that this command uses already"), "\(outcome)")
    #expect(try shell.runInShell("od -An -tx1 in.txt").output == " 61 0a 62 ff 0a\n")
  }

  @Test func aReportDoesNotReplaceTheTranscript() throws {
    let shell = try Shell()
    let outcome = try shell.run("--transcript", "t.txt", "--report", "tap", "./t.txt", "-c", "step a echo hi")
    #expect(outcome.errors.contains("./t.txt is a file that this command uses already"), "\(outcome)")
    #expect(outcome.status == 1)
  }

  /// A run whose report has failures ends with their status.
  @Test func quittingWithoutAStatusHidesNoFailure() throws {
    let shell = try Shell()
    let outcome = try shell.run(
      "--keep-going", "--report", "tap", "r.tap", "-c", "step a assert false", "-c", "quit 0")
    #expect(outcome.status == 3)
    #expect(contents(ofFile: "\(shell.folder.path)/r.tap")?.contains("not ok 1 - a") == true)
  }
}
