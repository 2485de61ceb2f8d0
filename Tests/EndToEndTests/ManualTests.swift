import TerminalSupport
import Testing

/// The manual page, `help` and the completions of shells say the same, because they come from one table.
@Suite("The manual")
struct ManualTests {
  private let shell: Shell

  init() throws { shell = try Shell() }

  /// The page as a reader sees it, in one line.
  private func manual() throws -> String {
    try shell.folder.write("stsh.1", try shell.run("--manual").output)
    let page = try shell.runInShell("groff -Tutf8 -P-cbou -rLL=200n -ww -man stsh.1")
    #expect(page.status == 0)
    return page.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test func hasNoFaultThatAFormatterSees() throws {
    try shell.folder.write("stsh.1", try shell.run("--manual").output)
    #expect(try shell.runInShell("groff -Tutf8 -ww -z -man stsh.1") == Shell.Outcome())
  }

  @Test func saysOfEachCommandWhatHelpSays() throws {
    let page = try manual()
    let listing = try shell.run("-c", "help commands").output.split(separator: "\n").dropLast()
    #expect(listing.count > 30)
    for line in listing {
      let verb = line.prefix { $0 != " " }
      for help in try shell.run("-c", "help \(verb)").output.split(separator: "\n") {
        var words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if words.hasPrefix("usage: ") { words.removeFirst("usage: ".count) }
        guard !["settings", "flags", "example", "examples"].contains(words) else { continue }
        // The code of errors that is called like the command; `help` tells of codes, the manual does not.
        if words.hasPrefix("error[\(verb)]: ") { break }
        #expect(page.contains(words), "\(verb)")
      }
    }
  }

  /// The pages of `help` on the language stand in it, line by line.
  @Test func hasThePagesOnTheLanguage() throws {
    let page = try manual()
    let help = try shell.run("-c", "help").output.replacing("\n", with: " ")
    let list = try #require(help.firstMatch(of: /help TOPIC: (.*), keys\./)).output.1
    let topics = list.split(separator: ", ")
    #expect(topics.count > 5)
    for topic in topics {
      let lines = try shell.run("-c", "help \(topic)").output.split(separator: "\n")
      #expect(lines.count > 5)
      for line in lines {
        let words = line.split(whereSeparator: \.isWhitespace).drop { $0 == "-" }.joined(separator: " ")
        #expect(page.contains(words), "\(topic)")
      }
    }
  }

  @Test func saysOfEachOptionWhatTheProgramSays() throws {
    let page = try manual()
    let help = try shell.run("--help").output
    let options = help.matches(of: /(?m)^  (-[-a-z, ]*[a-z])/).map { String($0.output.1) }
    #expect(options.count > 10)
    for option in options { #expect(page.contains(option), "\(option)") }
    #expect(!page.contains("--manual"))
  }

  @Test func anotherShellIsRefused() throws {
    let outcome = try shell.run("--completions", "tcsh")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--completions takes bash, zsh or fish, not 'tcsh'"))
    #expect(outcome.output == "")
  }
}
