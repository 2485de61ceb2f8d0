import TerminalSupport
import Testing

/// `plugins/README.md`: what it shows is what happens, from an empty folder on.
@Suite("The authors' guide")
struct GuideTests {
  /// One fenced block of the page.
  private enum Block {
    /// A file that the reader writes.
    case file(String, text: String)
    /// Commands, each with what it prints.
    case session([(command: String, output: String)])
  }

  private func blocks() throws -> [Block] {
    let text = try #require(contents(ofFile: Shell.packageFolder + "/plugins/README.md"))
    var blocks: [Block] = []
    var language: String?
    var body: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```", let opened = language {
        let words = opened.split(separator: " ")
        if opened == "console" {
          blocks.append(.session(commands(of: body)))
        } else if words.count == 2 {
          blocks.append(.file(String(words[1]), text: body.map { $0 + "\n" }.joined()))
        }
        (language, body) = (nil, [])
      } else if language == nil, line.hasPrefix("```") {
        language = String(line.dropFirst(3))
      } else if language != nil {
        body.append(line)
      }
    }
    return blocks
  }

  private func commands(of lines: [Substring]) -> [(command: String, output: String)] {
    var commands: [(command: String, output: String)] = []
    for line in lines {
      if line.hasPrefix("$ ") {
        commands.append((String(line.dropFirst(2)), ""))
      } else if !commands.isEmpty {
        commands[commands.count - 1].output += line + "\n"
      }
    }
    return commands
  }

  @Test func everyFileAndCommandOfThePageWorks() throws {
    let shell = try Shell()
    var count = 0
    for block in try blocks() {
      switch block {
      case .file(let path, let text): try shell.folder.write(path, text)
      case .session(let commands):
        for (command, output) in commands {
          let outcome = try shell.runInShell(command)
          #expect(outcome.output == output, "\(command)")
          count += 1
        }
      }
    }
    #expect(count >= 12)
  }

  /// From an empty folder to green tests with what the page shows first.
  @Test func aNewAuthorsFirstTestPasses() throws {
    let shell = try Shell()
    guard case .session(let commands) = try blocks().first(where: { if case .session = $0 { true } else { false } })
    else { return }
    let untilTest = commands.prefix { !$0.command.contains("plugin load") }
    #expect(untilTest.contains { $0.command.contains("plugin new") })
    var last = Shell.Outcome()
    for (command, _) in untilTest {
      last = try shell.runInShell(command)
      #expect(last.status == 0)
    }
    #expect(last.output.hasSuffix("3 passed, 0 failed\n"))
  }

  /// The headings of the reference are all there, and every key that a definition may have.
  @Test func theReferenceIsWhole() throws {
    let text = try #require(contents(ofFile: Shell.packageFolder + "/plugins/README.md"))
    let keys = [
      "state", "actions", "reducers", "lifted", "interceptors", "thunks", "bridges", "transitions", "middleware",
      "projections", "commands", "on_load", "on_unload", "migrate",
    ]
    for key in keys { #expect(text.contains("\n| `\(key)` |"), "\(key)") }
    let codes = [
      "load", "api", "grant", "schema", "runtime", "impure", "budget", "memory", "task", "test",
    ]
    for code in codes { #expect(text.contains("\n| `plugin-\(code)` |"), "\(code)") }
  }
}
