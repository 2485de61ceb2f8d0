/// The facts about commands that the reader of statements needs: which of them take Lua, and which take another
/// command.
public struct Grammar: Sendable {
  /// The verbs whose line goes on as Lua.
  public var luaVerbs: [LuaVerb]
  /// The verbs whose first argument is a command of its own, such as `try`.
  public var prefixes: [String]
  /// The most prefixes that may stand before a command, so that no line is too deep to run.
  package static let mostPrefixes = 64
  package static let tooManyPrefixes = "more than \(mostPrefixes) commands such as try stand before another one"
  /// The verbs that take numbers of actions, which may be written as `#17`: no comment starts there.
  public var numberVerbs: [String]
  /// Returns true if more lines could complete a Lua text, an expression or a chunk.
  public var isUnfinishedLua: @Sendable (String) -> Bool

  /// Makes a grammar.
  public init(
    luaVerbs: [LuaVerb], prefixes: [String] = [], numberVerbs: [String] = [],
    isUnfinishedLua: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    self.luaVerbs = luaVerbs
    self.prefixes = prefixes
    self.numberVerbs = numberVerbs
    self.isUnfinishedLua = isUnfinishedLua
  }
}

/// A verb whose line goes on as Lua.
public struct LuaVerb: Sendable {
  /// The verb.
  public let name: String
  /// The text between the verb and its Lua.
  public let form: Form
  /// True if flags may follow the Lua. To Lua they are comments: one that has a letter right behind its dashes is a
  /// flag then.
  public let takesFlags: Bool
  /// True if the rest is Lua, which goes on while it is unfinished; else the rest is kept as it stands.
  public let isLua: Bool

  /// The forms of a line with Lua.
  public enum Form: Hashable, Sendable {
    /// `assert EXPR`: the Lua follows at once.
    case immediate
    /// `let NAME = EXPR`. Without the `=` the line is an ordinary one.
    case named
    /// `wait until EXPR`: the Lua follows this word. Without it the line is an ordinary one.
    case following(String)
    /// `show PATH where EXPR`: the Lua follows this word, which stands behind another operand. Without it the line is an ordinary
    /// one.
    case behind(String)
  }

  /// Makes a verb.
  public init(_ name: String, _ form: Form = .immediate, takesFlags: Bool = false, isLua: Bool = true) {
    self.name = name
    self.form = form
    self.takesFlags = takesFlags
    self.isLua = isLua
  }
}
