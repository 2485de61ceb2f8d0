import StoreSchema

/// The manual page of a program with this shell. Its options come from swift-argument-parser, and the commands from the
/// table that `help` and completion read.
public struct ManualPage {
  private let program: ProgramOptions
  private let usage: [String]
  private let version: String
  private let commands: CommandTable

  /// A manual page.
  ///
  /// - Parameters:
  ///   - json: the output of swift-argument-parser's `--experimental-dump-help`.
  ///   - usage: the forms in which the program is called, one a line.
  ///   - version: the program's version.
  /// - Throws: `JSONError` where the description is no JSON.
  public init(describedBy json: String, usage: [String], version: String) throws {
    program = try ProgramOptions(describedBy: json)
    self.usage = usage
    self.version = version
    commands = .standard
  }

  /// The page in the macros of `man(7)`.
  public var text: String {
    var page = ManualText()
    page.title(program.name, version: version, summary: program.summary)
    page.section("SYNOPSIS")
    page.lines(usage.flatMap { $0.split(separator: "\n").map(String.init) }, isIndented: false)
    page.section("DESCRIPTION")
    for paragraph in Self.description { page.paragraph(paragraph) }
    page.section("OPTIONS")
    for option in program.options { page.item(option.form, option.summary) }
    page.section("LANGUAGE")
    for topic in HelpTopic.all { topic.write(to: &page) }
    page.section("COMMANDS")
    for command in commands.definitions { write(command, to: &page) }
    page.section("ENVIRONMENT")
    for (name, meaning) in Self.environment { page.item(name, meaning) }
    page.section("FILES")
    for (path, meaning) in files { page.item(path, meaning) }
    page.section("ERRORS")
    page.paragraph("Every error has a code, which help CODE explains:")
    for code in ErrorCode.allCases { page.item(code.rawValue, code.explanation) }
    return page.text
  }

  private func write(_ command: CommandDefinition, to page: inout ManualText) {
    page.subsection(command.verb)
    page.lines(command.usage, isIndented: false)
    page.paragraph(command.summary)
    for entry in command.names { page.item(entry.name, entry.meaning) }
    for flag in command.flags { page.item(flag.form, flag.summary) }
    for example in command.examples { page.lines(HelpText.lines(of: example, prompt: "\(program.name)> ")) }
  }

  private static let description = [
    "A store is a typed state that changes only by typed actions. This shell gives it a prompt, batch scripts and Lua plugins.",
    "Commands come from a file, from -c, from standard input, or from a prompt where there is a terminal. A line is a verb, words, name=value arguments and --flags. Results go to standard output, all else to standard error. The first error ends a script.",
  ]

  private static let environment = [
    (
      "XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME",
      "where the files below are; ~/.config, ~/.local/share, ~/.local/state"
    ),
    ("XDG_RUNTIME_DIR", "where the doors are that have a name alone; /tmp/stsh-UID where it is not set"),
    (
      "NO_COLOR, CLICOLOR_FORCE, TERM=dumb",
      "no colours, colours, no colours, where --color does not say; without colours the prompt shows no hints either"
    ),
    ("PAGER", "shows a result that is taller than the screen; less -FRX, and none where it is empty"),
    ("VISUAL, EDITOR", "the editor that Ctrl-X Ctrl-E starts on a statement"),
  ]

  private var files: [(path: String, meaning: String)] {
    [
      ("$XDG_CONFIG_HOME/\(program.name)/init.stsh", "runs before the first prompt"),
      ("$XDG_DATA_HOME/\(program.name)/plugins/NAME/", "plugins that are found by name, before those that ship"),
      ("$XDG_STATE_HOME/\(program.name)/history", "past statements"),
      ("$XDG_STATE_HOME/\(program.name)/grants.json", "what plugins may do for good"),
      ("$XDG_RUNTIME_DIR/\(program.name)/NAME", "the socket of a door, and beside it its lock"),
    ]
  }
}
