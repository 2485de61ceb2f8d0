import ShellLanguage
import StoreSchema

extension CommandDefinition {
  static let alias = CommandDefinition(
    "alias", needs: .read, usage: ["alias [NAME = COMMAND…]"],
    summary: "names a command, at the prompt only, so that scripts stay portable; words behind it are added to it",
    flags: FlagDefinition.format,
    examples: [
      CommandExample(
        "alias up = dispatch counter.increment", "up by=2",
        output: "#1 counter.increment by=2\n  counter.value  0 -> 2\n"),
      CommandExample("alias d = dispatch", "alias", output: "d  dispatch\n"),
    ],
    lua: LuaVerb("alias", .named, isLua: false),
    defines: .anything,
    removal: Removal(
      noun: "alias", names: { $0.names.aliases.names },
      remove: { session, name in
        session.names.aliases.remove(name)
        return .none
      }),
    read: AliasRequest.read, perform: { try $0.perform(in: $1) })
}

/// A name that a line gives to a command, or the list of such names.
private enum AliasRequest {
  case list(ResultForm)
  case add(Given<String>, command: String)

  static func read(_ reader: CommandReader) throws -> AliasRequest {
    guard reader.vocabulary.allowsAliases else {
      throw ShellError(
        code: .notAllowed, message: "aliases are for the prompt, so that scripts stay portable",
        hint: "write the command out")
    }
    guard let tail = reader.statement.lua else {
      try reader.refuseOperands(from: 0)
      return .list(try reader.form())
    }
    let name = try reader.required(0, "a name")
    guard !tail.text.isEmpty else { throw reader.missing("a command") }
    return .add(try reader.free(name, as: .alias), command: tail.text)
  }

  func perform(in session: Session) throws -> CommandResult {
    switch self {
    case .list(let form): return try session.answer({ CommandListing($0.names.aliasListing, of: "aliases") }, as: form)
    case .add(let name, let command):
      let name = try name.value(in: session)
      session.names.aliases.append(SessionNames.Alias(name: name, command: command), named: name)
      return .none
    }
  }
}

extension SessionNames {
  fileprivate var aliasListing: Reading {
    Reading("Aliases", aliases.map { ($0.name, .string($0.command)) })
  }
}
