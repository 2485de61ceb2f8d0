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

  @Test(arguments: ["export state ./t.txt", "show counter > t.txt", "show counter >> t.txt"])
  func noResultTakesThePlaceOfTheTranscript(_ command: String) throws {
    let shell = try Shell()
    let outcome = try shell.run("--transcript", "t.txt", "-c", "= 1", "-c", command)
    #expect(outcome.errors.contains("t.txt is a file that this command uses already"), "\(outcome)")
    let kept = contents(ofFile: "\(shell.folder.path)/t.txt") ?? ""
    #expect(kept.hasPrefix("stsh> = 1\n1\nstsh> \(command)\n") && kept.hasSuffix(outcome.errors), "\(kept)")
  }

  /// A program that a script starts may add to it.
  @Test func whatAProgramAddsToTheTranscriptStays() throws {
    let shell = try Shell()
    let outcome = try shell.run("--transcript", "t.txt", "-c", "run sh -c 'echo added >> t.txt'", "-c", "= 2")
    #expect(outcome == .init(output: "2\n"))
    #expect(contents(ofFile: "\(shell.folder.path)/t.txt")?.hasSuffix("added\nstsh> = 2\n2\n") == true)
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
