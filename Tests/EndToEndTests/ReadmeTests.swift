import TerminalSupport
import Testing

@Suite("The README")
struct ReadmeTests {
  /// The texts of the fenced blocks of a language, in order.
  private func blocks(_ language: String) throws -> [String] {
    let text = try #require(contents(ofFile: Shell.packageFolder + "/README.md"))
    var blocks: [String] = []
    var block: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```\(language)" {
        block = ""
      } else if line == "```", let ended = block {
        blocks.append(ended)
        block = nil
      } else {
        block? += line + "\n"
      }
    }
    return blocks
  }

  private func type(_ session: String, at terminal: Terminal, prompt: String = "stsh>") throws {
    for line in session.split(separator: "\n") where line.hasPrefix(prompt + " ") {
      try terminal.enter(String(line.dropFirst(prompt.count + 1)), prompt: prompt)
    }
    #expect(terminal.text == session + prompt + " ")
  }

  @Test(arguments: ["Gallery", "OrderBook"])
  func whatItShowsOfEmbeddingIsTheExampleProgram(name: String) throws {
    let program = try #require(contents(ofFile: Shell.packageFolder + "/Sources/Programs/\(name)/main.swift"))
    #expect(try blocks("swift").contains(program))
    #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 60)
  }

  @Test(arguments: ["Gallery", "OrderBook"])
  func theExampleProgramRunsAsPrinted(name: String) throws {
    let prompt = "\(name.lowercased())>"
    let session = try #require(try blocks(name.lowercased()).first)
    try type(session, at: try Shell().prompt(program: name, prompt: prompt), prompt: prompt)
  }

  @Test func theFirstSessionRunsAsPrinted() throws {
    let session = try #require(try blocks("stsh").first)
    try type(session, at: try Shell().prompt())
  }

  @Test func goingBackRunsAsPrinted() throws {
    let session = try #require(try blocks("stsh").first { $0.contains("> undo") })
    try type(session, at: try Shell().prompt())
  }

  @Test func thePluginRunsAsPrinted() throws {
    let shell = try Shell()
    try shell.folder.write("stock/plugin.json", try #require(try blocks("json").first))
    try shell.folder.write("stock/init.lua", try #require(try blocks("lua").first))
    let session = try #require(try blocks("stsh").last)
    try type(session, at: try shell.prompt("--grant", "stock"))
  }
}
