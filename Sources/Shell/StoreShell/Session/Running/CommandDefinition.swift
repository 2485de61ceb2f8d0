import ShellLanguage
import StoreModules
import StoreSchema

/// A command of the shell: the facts for help, completion and the reader of statements, and its effect.
///
/// Each command is a constant in an extension, in a file of its own beside the request that it reads. A check performs no
/// command; where one makes names that later lines need (`addNames`), those are made in a store that the check has for itself.
final class CommandDefinition: Sendable {
  /// The verb.
  let verb: String
  /// The rights that its lines need; nil: all.
  let needs: CommandNeeds?
  /// True if some of its lines need all rights: those reach something outside of the store.
  private let mayReachOutside: Bool
  /// The right that a line needs if the file that it names, or the program that it runs, is the client's; nil: it needs the same as
  /// every line.
  let clientFileNeed: Need?
  /// The forms of the command, one a line.
  var usage: [String] { facts.usage() }
  /// The effect, in one sentence.
  let summary: String
  /// The flags that it takes beside the common ones.
  let flags: [FlagDefinition]
  /// The names that its words may have, if they are the same in every session: settings.
  var names: [NamedMeaning] { facts.names() }
  /// The words after the verb, by position: for completion.
  let operands: [Operand]
  /// The arguments that it takes, where they are read as actions' arguments are.
  let arguments: [Field]
  /// Lines with their output, run as tests.
  var examples: [CommandExample] { facts.examples() }
  /// What help, hints and completion alone ask for. It is made then, and not at each start.
  private let facts:
    (
      usage: @Sendable () -> [String], names: @Sendable () -> [NamedMeaning],
      examples: @Sendable () -> [CommandExample]
    )
  /// The way in which its line goes on as Lua, if it does.
  let lua: LuaVerb?
  /// True if another command follows the verb, as in `try COMMAND`.
  let takesCommand: Bool
  /// The number of words between the verb and that command.
  let wordsBeforeCommand: Int
  /// True if a program follows the flags; the words behind it are the program's.
  let takesProgram: Bool
  /// True if its lines take no time worth a word, as those of `dispatch`.
  let isBrief: Bool
  let defines: Defining
  /// Reads a line of it, and adds the names that later lines need, where it adds any.
  let check: Half<Void>
  /// Reads a line of it, and nothing else.
  let look: Half<Void>
  /// Reads a line of it, and performs that.
  let run: Half<CommandResult>

  /// The names that later lines may use because of a line.
  enum Defining: Sendable {
    case nothing
    /// The name that is its first operand.
    case firstOperand
    /// Any: of commands, actions and variables.
    case anything
  }

  /// A function of a line and the session that gave it.
  typealias Half<Result> = @Sendable (CommandReader, Session) throws -> Result

  /// Declares a command by its two halves.
  ///
  /// - Parameters:
  ///   - needs: the rights that its lines need; nil: all.
  ///   - clientFileNeed: the right that a line needs if the file that it names, or the program that it runs, is the client's; nil: the
  ///     same as every line.
  ///   - listing: the listing where nothing follows the verb; nil: such a line is read as every other.
  ///   - isBrief: true if its lines take no time worth a word.
  ///   - read: makes a request of a line, and finds all mistakes that can be known before anything runs.
  ///   - defines: the names that later lines may use because of a line.
  ///   - removal: how `--remove NAME` takes away what a line made; nil: nothing is to be taken away.
  ///   - addNames: adds names in a check, whose lines are not performed; nil: the command adds none.
  ///   - makesFile: true for a request that may make a file, which a later line may read; nil: none does.
  ///   - perform: fulfils the request.
  convenience init<Request>(
    _ verb: String, needs: CommandNeeds? = nil, clientFileNeed: Need? = nil,
    usage: @autoclosure @escaping @Sendable () -> [String], summary: String, flags: [FlagDefinition] = [],
    names: @autoclosure @escaping @Sendable () -> [NamedMeaning] = [], operands: [Operand] = [],
    arguments: [Field] = [], examples: @autoclosure @escaping @Sendable () -> [CommandExample] = [],
    lua: LuaVerb? = nil, takesCommand: Bool = false, wordsBeforeCommand: Int = 0, takesProgram: Bool = false,
    isBrief: Bool = false, defines: Defining = .nothing, removal: Removal? = nil,
    listing: (@Sendable (Session) throws -> CommandListing)? = nil,
    read: @escaping @Sendable (CommandReader) throws -> Request,
    addNames: (@Sendable (Request, Session) throws -> Void)? = nil,
    makesFile: (@Sendable (Request) -> Bool)? = nil,
    perform: @escaping @Sendable (__owned Request, Session) throws -> CommandResult
  ) {
    let flags =
      flags + (removal.map { [FlagDefinition("remove", value: "NAME", need: $0.need, "remove the \($0.noun)")] } ?? [])
    self.init(
      verb, needs, clientFileNeed, usage: usage() + (removal == nil ? [] : ["\(verb) --remove NAME"]),
      summary: summary, flags: flags, names: names(), operands: operands, arguments: arguments,
      examples: examples(), lua: lua, takesCommand: takesCommand,
      wordsBeforeCommand: wordsBeforeCommand, takesProgram: takesProgram, isBrief: isBrief, defines: defines,
      check: { reader, session in
        if removal != nil, try reader.removed() != nil { return }
        guard listing == nil || !reader.isEmpty else {
          _ = try reader.form()
          return
        }
        // A line with a mistake was meant to make one.
        var mayMakeFile = makesFile != nil
        defer { if mayMakeFile { session.running.mayHaveWritten = true } }
        let request = try read(reader)
        mayMakeFile = makesFile?(request) ?? false
        try addNames?(request, session)
      },
      look: { reader, _ in
        if removal != nil, try reader.removed() != nil { return }
        if listing == nil || !reader.isEmpty { _ = try read(reader) } else { _ = try reader.form() }
      },
      run: { reader, session in
        if let removal, let name = try reader.removed() {
          return try removal.perform(name.value(in: session), reader, session)
        }
        guard let listing, reader.isEmpty else { return try perform(read(reader), session) }
        return try session.answer(listing, as: reader.form())
      })
  }

  private init(
    _ verb: String, _ needs: CommandNeeds?, _ clientFileNeed: Need?,
    usage: @autoclosure @escaping @Sendable () -> [String], summary: String,
    flags: [FlagDefinition], names: @autoclosure @escaping @Sendable () -> [NamedMeaning], operands: [Operand],
    arguments: [Field], examples: @autoclosure @escaping @Sendable () -> [CommandExample],
    lua: LuaVerb?, takesCommand: Bool, wordsBeforeCommand: Int, takesProgram: Bool, isBrief: Bool, defines: Defining,
    check: @escaping Half<Void>, look: @escaping Half<Void>, run: @escaping Half<CommandResult>
  ) {
    self.verb = verb
    self.needs = needs
    mayReachOutside = needs.map { $0.whole == nil || !$0.parts.isEmpty } ?? true
    self.clientFileNeed = clientFileNeed
    self.summary = summary
    self.flags = flags
    self.operands = operands
    self.arguments = arguments
    facts = (usage, names, examples)
    self.lua = lua
    self.takesCommand = takesCommand
    self.wordsBeforeCommand = wordsBeforeCommand
    self.takesProgram = takesProgram
    self.isBrief = isBrief
    self.defines = defines
    self.check = check
    self.look = look
    self.run = run
  }

  /// True if a line reaches something outside of the store, such as a file or a program.
  func reachesOutside(_ reader: borrowing CommandReader) -> Bool {
    mayReachOutside && needs?.need(ofPart: reader.operands.first?.text) == nil
  }

  /// The command as help shows a part of it.
  func showing(
    _ verb: String? = nil, usage: [String], summary: String, flags: [FlagDefinition] = [], names: [NamedMeaning] = [],
    examples: [CommandExample] = []
  ) -> CommandDefinition {
    CommandDefinition(
      verb ?? self.verb, needs, clientFileNeed, usage: usage, summary: summary, flags: flags, names: names,
      operands: [], arguments: [],
      examples: examples, lua: nil, takesCommand: false, wordsBeforeCommand: 0, takesProgram: false, isBrief: isBrief,
      defines: defines, check: check, look: look, run: run)
  }

  /// The forms of the command, as the hint of an error shows them below `usage: `. Of very many it shows the first.
  var usageInHints: String {
    usage.count > 6 ? usage[0] : usage.joined(separator: "\n" + String(repeating: " ", count: "hint: usage: ".count))
  }

  /// True if words that are no flags may follow the verb.
  var takesOperands: Bool {
    !operands.isEmpty || usage.contains { !$0.dropFirst(verb.count + 1).isEmpty && !$0.hasPrefix("\(verb) [--") }
  }

  /// True if `where` and a condition may follow.
  var takesCondition: Bool { if case .behind("where")? = lua?.form { true } else { false } }

  /// True if a word of the line is a file.
  var namesFile: Bool { operands.contains { if case .file = $0 { true } else { false } } }

  /// What a command does with the file that an operand names.
  enum FileUse: Sendable {
    case read
    case write
    /// Reads it as statements.
    case script
    /// Starts it as a program.
    case program
    /// Anything; the file is the host's, also where a client gives the line.
    case host
  }

  /// The kinds of words that may stand at a position of a line.
  enum Operand: Sendable {
    case action
    case path
    case pathOrWords([String])
    case pathOrNumber
    /// The number of an action, as `17` or `#17`, or one of some words.
    case number([String])
    case watch
    case effect
    case module
    case file(FileUse)
    case plugin
    case loadedPlugin
    case middleware
    case thunk
    case helpTopic
    /// A part of the command that help is asked of.
    case helpPart
    case setting
    case settingValue
    /// A substate to be taken away.
    case substate
    /// A module or projection for `use`.
    case scope
    /// A name that is made here.
    case newName
    case words([String])

    /// True if a file that stands there is the client's at a door.
    var isClients: Bool {
      switch self {
      case .file(.host): false
      case .file: true
      default: false
      }
    }

    /// True if a path of the file system may stand there.
    var namesFile: Bool {
      switch self {
      case .file, .plugin: true
      default: false
      }
    }

    /// True if a path may stand there, whose selectors hold values.
    var isPath: Bool {
      switch self {
      case .path, .pathOrWords, .pathOrNumber, .scope: true
      default: false
      }
    }

    /// True if `#17` may stand there.
    var isNumber: Bool {
      switch self {
      case .number, .pathOrNumber: true
      default: false
      }
    }
  }
}

/// The way in which `--remove NAME` takes away what a line of the command made.
struct Removal: Sendable {
  /// The kind of thing.
  let noun: String
  /// The right that it needs.
  var need = Need.read
  /// The names of those that are there.
  let names: @Sendable (Session) -> [String]
  /// Takes one away that is there.
  let remove: @Sendable (Session, String) throws -> CommandResult

  fileprivate func perform(_ name: String, _ reader: CommandReader, _ session: Session) throws -> CommandResult {
    let names = names(session)
    guard names.contains(name) else {
      let verb = reader.definition.verb
      throw ShellError(
        code: .unknownVariable, message: "there is no \(noun) '\(name)'", place: reader.place(of: "remove"),
        hint: Suggestion.question(name, among: names) ?? "\(verb) lists them")
    }
    return try remove(session, name)
  }
}

extension CommandReader {
  /// The name that `--remove` gives; nil: the line does not have it.
  fileprivate func removed() throws -> Given<String>? {
    guard has("remove") else { return nil }
    var reader = self
    reader.usage = "\(definition.verb) --remove NAME"
    try reader.refuseOperands(from: 0)
    return try text(of: "remove")
  }
}

/// A name that a command may be told, and its meaning.
struct NamedMeaning: Sendable {
  let name: String
  let meaning: String
}

struct FlagDefinition: Sendable {
  let name: String
  /// The name of its value in usage lines; nil: it takes none.
  let value: String?
  /// The right that it needs beside the command's; nil: all.
  let need: Need?
  let summary: String
  /// True if the file that its value names is the client's at a door.
  let isClients: Bool

  init(_ name: String, value: String? = nil, need: Need? = nil, isClients: Bool = false, _ summary: String) {
    self.name = name
    self.isClients = isClients
    self.value = value
    self.need = need
    self.summary = summary
  }

  /// The flag as written.
  var form: String { "--\(name)" + (value.map { " \($0)" } ?? "") }

  /// True if its value may be a path of the file system.
  var namesFile: Bool { value == "FILE" || value == "PLUGIN" }

  /// True if the command writes the file that its value names, and that is the client's at a door.
  var writesFile: Bool { value == "FILE" && isClients }

  static let format = [
    FlagDefinition("as", value: "FORMAT", need: .read, "print the result in that form"),
    FlagDefinition("json", need: .read, "the same as --as json"),
  ]
}

/// Lines that show a command at work in a session of its own, each with what it prints.
struct CommandExample: Sendable {
  /// The text before a line in a transcript.
  static let prompt = "stsh> "

  // Taken apart where somebody asks: help is seldom read, and every start would pay for it.
  private let form: Form

  private enum Form {
    case lines([String], output: String)
    case transcript(String)
  }

  /// Makes an example of lines; only the last one prints something.
  init(_ lines: String..., output: String) { form = .lines(lines, output: output) }

  /// Lines as they stand at the prompt, each followed by what it prints.
  init(transcript: String) { form = .transcript(transcript) }

  var steps: [(line: String, output: String)] {
    switch form {
    case .lines(let lines, let output): lines.enumerated().map { ($1, $0 == lines.count - 1 ? output : "") }
    case .transcript(let text): Self.steps(of: text)
    }
  }

  private static func steps(of transcript: String) -> [(line: String, output: String)] {
    var steps: [(line: String, output: String)] = []
    for text in transcript.split(separator: "\n") {
      if text.hasPrefix(Self.prompt) {
        steps.append((String(text.dropFirst(Self.prompt.count)), ""))
      } else if !steps.isEmpty {
        steps[steps.count - 1].output += "\(text)\n"
      }
    }
    return steps
  }

  var lines: [String] { steps.map(\.line) }
}

/// Commands with a first word that says what they do, such as `plugin reload`, or what they are about, such as
/// `set output`.
extension CommandDefinition {
  /// The first words.
  var parts: [String] { firstWords ?? names.map(\.name) }

  /// The words that the first operand may be; nil: it is something else.
  private var firstWords: [String]? {
    switch operands.first {
    case .words(let words), .pathOrWords(let words): words
    default: nil
    }
  }

  /// The command as if there were only one of those words: for help.
  func only(_ part: String) -> CommandDefinition {
    if let name = names.first(where: { $0.name == part }) {
      return showing(usage: usage, summary: summary, names: [name])
    }
    let lines = usage.filter { $0.split { " []|".contains($0) }.contains(Substring(part)) }.map(Self.formAndMeaning)
    let text = lines.map(\.form).joined(separator: "\n")
    return showing(
      usage: lines.map(\.form), summary: lines.count == 1 ? lines[0].meaning ?? summary : summary,
      flags: flags.filter { text.contains("--\($0.name)") }.map { $0.without(prefix: "\(part): ") },
      examples: examples.filter { $0.lines.last { $0.hasPrefix("\(verb) ") }?.hasPrefix("\(verb) \(part)") ?? false })
  }

  /// The command as it is with the word that says what it does; where the word is none of those, as it is.
  func part(_ word: String?) -> CommandDefinition {
    guard let word, firstWords?.contains(word) == true else { return self }
    let part = only(word)
    return showing("\(verb) \(word)", usage: part.usage, summary: part.summary, flags: part.flags)
  }

  /// True for a line that asks to have the command explained: `VERB --help` or `VERB -h`.
  func isAskedForHelp(_ statement: Statement) -> Bool {
    // Most lines have arguments, and none that asks.
    if statement.wordCount > 2, !statement.hasFlags { return false }
    let words = statement.words.dropFirst()
    guard !takesCommand && !takesProgram || words.count == 1 else { return false }
    if words.count == 1, let word = words.first, word.text == "-h" { return true }
    if words.isEmpty, let lua = statement.lua?.text, lua == "--help" || lua == "-h" { return true }
    guard statement.hasFlags, !flags.contains(where: { $0.name == "help" }) else { return false }
    return words.contains { if case .flag("help", nil) = $0.kind { true } else { false } }
  }

  /// A line of usage, apart from what it says of itself behind two spaces or more.
  private static func formAndMeaning(_ line: String) -> (form: String, meaning: String?) {
    let bytes = Array(line.utf8)
    guard let gap = bytes.indices.first(where: { bytes[$0...].starts(with: "  ".utf8) }) else { return (line, nil) }
    return (
      String(decoding: bytes[..<gap], as: UTF8.self),
      String(decoding: bytes[gap...].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    )
  }
}

extension FlagDefinition {
  fileprivate func without(prefix: String) -> FlagDefinition {
    FlagDefinition(
      name, value: value, need: need, summary.hasPrefix(prefix) ? String(summary.dropFirst(prefix.count)) : summary)
  }
}

extension CommandDefinition {
  /// `NAME := VALUE`, which the command `bind` is asked about: dispatches the one action that sets the value.
  static func writing(_ binding: SessionBinding, _ bind: CommandDefinition) -> CommandDefinition {
    let usage = "\(binding.name) := \(binding.action.fields[0].schema.typeName)"
    return CommandDefinition(
      bind.verb, usage: bind.usage, summary: bind.summary, flags: bind.flags,
      read: { given in
        var reader = given
        reader.usage = usage
        let words = reader.operands
        guard words.count > 1 else {
          throw reader.fault(.missingArgument, "\(binding.name) := needs a value", at: words[0])
        }
        guard words.count == 2 else {
          throw reader.fault(.unexpectedArgument, "\(binding.name) := takes one value", at: words[2])
        }
        return try reader.arguments(
          binding.action.fields, of: binding.action.fullName, usage: usage, at: words[0], words, from: 1)
      },
      perform: { arguments, session in
        let call = ActionCall(binding.action, try arguments.values(in: session))
        return try session.finish(session.store.dispatch(call, source: session.source(function: "dispatch")))
      })
  }
}
