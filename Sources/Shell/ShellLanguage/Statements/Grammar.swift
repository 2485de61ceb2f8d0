/// The facts about commands that the reader of statements needs: which of them take Lua, and which take another
/// command. Its verbs are found by their bytes.
public final class Grammar: Sendable {
  /// The most prefixes that may stand before a command, so that no line is too deep to run.
  package static let mostPrefixes = 64
  package static let tooManyPrefixes = "more than \(mostPrefixes) commands such as try stand before another one"

  private let luaVerbs: [LuaVerb]
  private let luaNames: VerbNames
  private let prefixes: VerbNames
  /// The number of words between each prefix and its command.
  private let prefixWords: [Int]
  private let numberVerbs: VerbNames
  /// Returns true if more lines could complete a Lua text, an expression or a chunk.
  package let isUnfinishedLua: @Sendable (String) -> Bool

  /// Makes a grammar.
  ///
  /// - Parameters:
  ///   - luaVerbs: the verbs whose line goes on as Lua.
  ///   - prefixes: the verbs that a command of its own follows, such as `try`.
  ///   - prefixWords: the number of words between such a verb and its command, where there are any, as in `step NAME COMMAND`.
  ///   - numberVerbs: the verbs that take numbers of actions, which may be written as `#17`: no comment starts there.
  ///   - isUnfinishedLua: returns true if more lines could complete a Lua text, an expression or a chunk.
  public init(
    luaVerbs: [LuaVerb], prefixes: [String] = [], prefixWords: [String: Int] = [:], numberVerbs: [String] = [],
    isUnfinishedLua: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    self.luaVerbs = luaVerbs
    luaNames = VerbNames(luaVerbs.map(\.name))
    self.prefixes = VerbNames(prefixes)
    self.prefixWords = prefixes.map { prefixWords[$0] ?? 0 }
    self.numberVerbs = VerbNames(numberVerbs)
    self.isUnfinishedLua = isUnfinishedLua
  }

  package func luaVerb(_ name: Slice<ByteView>) -> LuaVerb? { luaNames.index(of: name).map { luaVerbs[$0] } }

  /// The number of words between a prefix and its command; nil: the word is no prefix.
  package func wordsBehind(prefix name: Slice<ByteView>) -> Int? { prefixes.index(of: name).map { prefixWords[$0] } }

  package func takesNumbers(_ name: Slice<ByteView>) -> Bool { numberVerbs.index(of: name) != nil }

  /// Returns true if a verb gives the rest of its line another meaning than that of words: it is Lua, or a command.
  func givesMeaning(to verb: Slice<ByteView>) -> Bool {
    luaNames.index(of: verb) != nil || prefixes.index(of: verb) != nil
  }
}

/// Verbs, found by their bytes.
private struct VerbNames: Sendable {
  private let names: [[UInt8]]
  /// Bit n is set where a verb starts with a byte whose low six bits are n: most words need no comparison.
  private let firstBytes: UInt64

  init(_ verbs: [String]) {
    names = verbs.map { Array($0.utf8) }
    firstBytes = names.reduce(0) { $0 | 1 << UInt64(($1.first ?? 0) & 63) }
  }

  func index(of name: Slice<ByteView>) -> Int? {
    guard let first = name.first, firstBytes & (1 << UInt64(first & 63)) != 0 else { return nil }
    return names.firstIndex { $0.count == name.count && $0.elementsEqual(name) }
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
  /// True if a `>` or `|` outside of all brackets sends the result elsewhere: of what the verb takes none compares.
  public let isRedirected: Bool
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
  public init(
    _ name: String, _ form: Form = .immediate, takesFlags: Bool = false, isRedirected: Bool = false, isLua: Bool = true
  ) {
    self.name = name
    self.form = form
    self.takesFlags = takesFlags
    self.isRedirected = isRedirected
    self.isLua = isLua
  }
}
