import Platform
import ShellLanguage
import StoreSchema

extension CommandDefinition {
  static let run = CommandDefinition(
    "run", clientFileNeed: .nothing, usage: ["run [--timeout DURATION] [--in FOLDER] [--stdin TEXT] PROGRAM [WORD…]"],
    summary: "runs a program with words as they are written, and prints its output; fails unless its status is 0",
    flags: [
      FlagDefinition("timeout", value: "DURATION", need: .nothing, "end the program after this time, with status 5"),
      FlagDefinition("in", value: "FOLDER", need: .nothing, "run it in that folder"),
      FlagDefinition("stdin", value: "TEXT", need: .nothing, "let it read a text; else its standard input is empty"),
    ],
    operands: [.file(.program)],
    examples: [
      CommandExample("let n = 2", "run printf '%s\\n' --n=$n \"a b\"", output: "--n=2\na b\n"),
      CommandExample("run --stdin \"b\" sh -c 'cat; echo'", output: "b\n"),
      CommandExample(
        transcript: """
          stsh> run true
          stsh> try run sh -c 'exit 3'
          error[program-failed]: sh ended with status 3
          stsh> echo $(err.status)
          3

          """),
    ],
    takesProgram: true,
    read: RunRequest.init, perform: { try $0.perform(in: $1) })

  static let shellLine = CommandDefinition(
    "!", clientFileNeed: .nothing, usage: ["! LINE"], summary: "at the prompt, has your own shell run a line",
    examples: [CommandExample("! true", output: ""), CommandExample("! test -d / && true", output: "")],
    lua: LuaVerb("!", isLua: false),
    read: { reader in
      guard reader.vocabulary.allowsAliases else {
        throw ShellError(
          code: .syntax, message: "! is for the prompt", hint: "run a program, or a line of a shell: run sh -c '…'",
          status: 2)
      }
      guard let line = reader.statement.lua?.text, !line.isEmpty else { throw reader.missing("a line for the shell") }
      return line
    },
    perform: { line, session in
      try session.requireOwnProgram("!")
      try session.runByShell(line)
      return .none
    })
}

private struct RunRequest {
  private let words: Given<[String]>
  private let timeout: Given<Duration>?
  private let folder: Given<String>?
  private let input: Given<String>?

  init(_ reader: CommandReader) throws {
    guard !reader.operands.isEmpty else { throw reader.missing("a program") }
    words = Given.all(try reader.operands.map { try reader.text(ofWord: $0) })
    timeout = try reader.text(of: "timeout")?.map { text in
      if let timeout = DurationLiteral.parse(text), timeout > .zero { return timeout }
      throw reader.fault(
        .typeMismatch, "--timeout takes \(DurationLiteral.expected(insteadOf: text)), got '\(text)'", of: "timeout")
    }
    folder = try reader.text(of: "in")
    input = try reader.text(of: "stdin")
  }

  func perform(in session: Session) throws -> CommandResult {
    try session.requireOwnProgram("run")
    var program = ProgramRun(try words.value(in: session))
    guard !program.words[0].isEmpty, !program.words.contains(where: { $0.utf8.contains(0) }) else {
      throw ShellError(code: .typeMismatch, message: "run needs a program and its arguments as texts")
    }
    program.timeout = try timeout?.value(in: session)
    program.folder = try folder?.value(in: session)
    program.input = Array(try input?.value(in: session).utf8 ?? "".utf8)
    return try session.run(program)
  }
}
