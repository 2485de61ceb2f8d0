import ShellLanguage
import StoreHistory
import Testing

@testable import StoreShell

/// Whatever tells a user to run the program names the program whose shell it is.
@Suite struct ProgramNameTests {
  let shell: Shell

  init() throws { shell = try Shell { $0.name = "gallery" } }

  @Test func hintsOfStatements() throws {
    let file = try shell.write("list.jsonl", "[{\"title\":\"x\"}]\n")
    let packed = try shell.write("packed.gz", [0x1F, 0x8B, 0x08])
    _ = shell.run("dispatch tasks.add x --quiet", "export journal \(shell.folder)/r.jsonl")
    for (statement, hint) in [
      ("= io", "gallery --unsafe-lua allows it in commands"),
      (
        "ingest \(file) --as tasks.add",
        "for one object a line: jq -c '.[]' FILE | gallery -c 'ingest - --as tasks.add'"
      ),
      ("ingest \(packed) --as tasks.add", "gzip -dc FILE | gallery -c 'ingest - --as ACTION'"),
      (
        "replay \(shell.folder)/r.jsonl",
        "start from it: gallery --replay \(shell.folder)/r.jsonl; or compare only: replay \(shell.folder)/r.jsonl --verify"
      ),
    ] {
      let errors = shell.run(statement).errors
      #expect(errors.hasSuffix("  hint: \(hint)\n"), "\(errors)")
    }
  }

  @Test func scriptsAndTranscripts() throws {
    try shell.session.console.startTranscript("\(shell.folder)/told")
    _ = shell.run("dispatch tasks.add x --quiet", "= [[a\nb]]", "export journal \(shell.folder)/r --as stsh")
    #expect(try #require(shell.contents("r")).hasPrefix("# run with: gallery FILE\n"))
    let told = try #require(shell.contents("told"))
    #expect(told.hasPrefix("gallery> dispatch tasks.add x --quiet\ngallery> = [[a\n       > b]]\n"), "\(told)")
  }

  @Test func journals() throws {
    let file = "\(shell.folder)/a.db"
    #expect(shell.session.store.live.journalHeader(began: .zero).program == "gallery")
    let error = JournalError.inUse(path: file, process: nil)
    #expect(
      ShellError(describing: error, program: "gallery").hint
        == "to look at it meanwhile: gallery --store \(file) --read-only")
    #expect(
      ShellError(describing: error).hint
        == "to look at its actions meanwhile: sqlite3 -readonly \(file) 'SELECT * FROM log'")
  }

  @Test func whereNothingIsSaidItIsThatOfTheExecutable() {
    let executable = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
    #expect(SessionOptions().name == executable)
  }
}
