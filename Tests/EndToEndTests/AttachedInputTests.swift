import TerminalSupport
import Testing

/// The standard input and the folder of an attached client.
@Suite("Attached input")
struct AttachedInputTests {
  @Test func standardInputIsTheClients() throws {
    let shell = try Shell()
    try shell.folder.write("take.stsh", "ingest - --as tasks.add\nshow tasks.items[*].title --as raw\n")
    let server = try Server(shell)
    let records = "{\"title\":\"milk\"}\n{\"title\":\"bread\"}\n"
    let file = try shell.run("--attach", server.path, "take.stsh", input: records)
    #expect(file == .init(output: "ingested 2 records as tasks.add (#1-#2)\nmilk\nbread\n"))
    let command = try shell.run("--attach", server.path, "-c", "ingest - --as tasks.add", input: records)
    #expect(command == .init(output: "ingested 2 records as tasks.add (#3-#4)\n"))
    // A script that comes by it is no data.
    let script = try shell.run("--attach", server.path, "-", input: "ingest - --as tasks.add\n")
    #expect(script.errors.contains("standard input is the script itself"), "\(script)")
  }

  @Test func aPromptHasNone() throws {
    let shell = try Shell()
    let server = try Server(shell)
    let terminal = try shell.prompt("--attach", server.path)
    try terminal.enter("ingest - --as tasks.add")
    #expect(
      terminal.screen.lines.contains { $0.contains("standard input gives the statements themselves") },
      "\(terminal.screen.lines)")
  }

  @Test func tabCompletesTheClientsFiles() throws {
    let shell = try Shell()
    try shell.folder.write("client/records-of-may.jsonl", "{\"title\":\"milk\"}\n")
    try shell.folder.write("client/my notes.txt", "")
    let server = try Server(shell)
    var launch = shell.launch(["--attach", server.path])
    launch.folder = shell.folder.path + "/client"
    launch.environment["TERM"] = "xterm"
    let terminal = try Terminal(launch, columns: 120)
    try terminal.waitForCursorLine("stsh>")
    terminal.type("ingest rec\t")
    try terminal.waitForCursorLine("stsh> ingest records-of-may.jsonl")
    terminal.type("\u{3}")
    try terminal.waitForCursorLine("stsh>")
    terminal.type("show tasks > my\t")
    try terminal.waitForCursorLine("stsh> show tasks > \"my notes.txt\"")
    terminal.type("\u{3}")
    try terminal.waitForCursorLine("stsh>")
    // Those of the server are there behind a mark.
    terminal.type("ingest host:cl\t")
    try terminal.waitForCursorLine("stsh> ingest host:client/")
    terminal.type("rec\t")
    try terminal.waitForCursorLine("stsh> ingest host:client/records-of-may.jsonl")
  }
}
