/// The facts about commands that the reader of statements needs: which of them take Lua, and which take another
/// command. Its verbs are found by their bytes.
public final class Grammar: Sendable {
  /// The most prefixes that may stand before a command, so that no line is too deep to run.
  package static let mostPrefixes = 64
  package static let tooManyPrefixes = "more than \(mostPrefixes) commands such as try stand before another one"

  /// A verb that gives the rest of its line another meaning than that of words.
  enum Meaning: Sendable {
    case lua(LuaVerb)
    /// Behind a number of words another command follows.
    case prefix(Int)
    /// `#17` is a word behind it.
    case numbers
    /// The words behind it are a program's: quotes within them are taken away, and brackets mean nothing.
    case program
  }

  private let verbs: [(name: [UInt8], meaning: Meaning)]
  /// Bit n is set where a verb has the shape n: most words need no comparison.
  private let shapes: UInt64
  /// Returns true if more lines could complete a Lua text, an expression or a chunk.
  package let isUnfinishedLua: @Sendable (String) -> Bool

  /// Makes a grammar.
  ///
  /// - Parameters:
  ///   - luaVerbs: the verbs whose line goes on as Lua.
  ///   - prefixes: the verbs that a command of its own follows, such as `try`.
  ///   - prefixWords: the number of words between such a verb and its command, where there are any, as in `step NAME COMMAND`.
  ///   - numberVerbs: the verbs that take numbers of actions, which may be written as `#17`: no comment starts there.
  ///   - programVerbs: the verbs that a program with its arguments follows.
  ///   - isUnfinishedLua: returns true if more lines could complete a Lua text, an expression or a chunk.
  public init(
    luaVerbs: [LuaVerb], prefixes: [String] = [], prefixWords: [String: Int] = [:], numberVerbs: [String] = [],
    programVerbs: [String] = [], isUnfinishedLua: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    let verbs: [(String, Meaning)] =
      luaVerbs.map { ($0.name, .lua($0)) } + prefixes.map { ($0, .prefix(prefixWords[$0] ?? 0)) }
      + numberVerbs.map { ($0, .numbers) } + programVerbs.map { ($0, .program) }
    self.verbs = verbs.map { (Array($0.0.utf8), $0.1) }
    shapes = self.verbs.reduce(0) { $0 | 1 << Self.shape(first: $1.name.first ?? 0, count: $1.name.count) }
    self.isUnfinishedLua = isUnfinishedLua
  }

  /// A number below 64 that the first byte and the length of a word give.
  private static func shape(first: UInt8, count: Int) -> UInt64 {
    (UInt64(first) &+ UInt64(truncatingIfNeeded: count) &* 11) & 63
  }

  /// False for the first byte and the length of a verb where none of them gives its line another meaning.
  @inline(__always)
  func mayMean(_ first: UInt8, _ count: Int) -> Bool { shapes >> Self.shape(first: first, count: count) & 1 != 0 }

  /// The meaning that a verb gives to its line; nil: the rest is words.
  func meaning(of verb: Slice<ByteView>) -> Meaning? {
    guard let first = verb.first, mayMean(first, verb.count) else { return nil }
    return verbs.first { $0.name.count == verb.count && $0.name.elementsEqual(verb) }?.meaning
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
