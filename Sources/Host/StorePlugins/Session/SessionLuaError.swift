import LuaRuntime

/// Why Lua of the session failed.
public struct SessionLuaError: Error, Sendable {
  /// True if the text is no Lua at all.
  public let isSyntax: Bool
  /// The message of Lua, without the place in front of it.
  public let message: String
  /// The places of the Lua code: one a line, innermost first.
  public let trace: [String]
  /// The error that the shell itself raised, when that is what went wrong.
  public let underlying: (any Error)?
  /// The field `code` of the table that the code raised, as `assert(command(…))` does; nil: there is none.
  public let code: String?
  /// The mistake of the code; nil: none that is known.
  let mistake: LuaError.Mistake?

  init(_ error: LuaError) {
    isSyntax = error.kind == .syntax
    message = error.detail
    // Without the places of the shell's own Lua.
    var trace = error.traceback.filter { $0.chunk != Self.ownChunk }.map {
      "at \(Self.place($0.chunk, $0.line)): \($0.what)"
    }
    // The statement is known; the line within a long one is not.
    if trace.isEmpty, let chunk = error.chunk, chunk != Self.ownChunk, let line = error.line, line > 1 {
      trace = ["at \(Self.place(chunk, line))"]
    }
    self.trace = trace
    underlying = error.underlying is LuaFailure ? nil : error.underlying
    code = error.code
    mistake = error.mistake
  }

  /// True if the code asked for a name that the sandbox leaves out.
  public var isOutsideSandbox: Bool { mistake == .outsideSandbox }

  /// The global that the code used for something that its value is not made for; nil: the error is another.
  public var misusedGlobal: String? {
    guard case .misuse("global", let name)? = mistake else { return nil }
    return name
  }

  /// The name that the code reads and that is that of nothing, with the one that was probably meant; nil: the error is another.
  public var unknownName: (name: String, nearest: String?)? {
    guard case .unknownName(let name, let nearest)? = mistake else { return nil }
    return (name, nearest)
  }

  /// True if the same code may work on another state: it can be read, its names are known, and Lua itself failed.
  package var mayDependOnState: Bool {
    !isSyntax && underlying == nil && code == nil && !isOutsideSandbox && unknownName == nil
  }

  /// True if the code used a value that is not there, or another one, for something that it is not made for.
  package var misusesValue: Bool { if case .misuse? = mistake { unknownName == nil } else { false } }

  /// True if the text has a `=` where an expression ends.
  public var hasStrayEquals: Bool { mistake == .strayEquals }

  /// True if the code used the element of a table by its number for something that its value is not made for.
  public var misusesElement: Bool { mistake == .misuse(kind: "field", name: "integer index") }

  /// The path of a field that the code asked for and that is not there; nil: the error is another.
  package var missingField: String? {
    guard case .noField(let name, let owner)? = mistake else { return nil }
    return "\(owner).\(name)"
  }

  /// The name of the shell's own Lua in places.
  static let ownChunk = "session"

  /// A line of a chunk, which is named by the place of its statement: in a file that is a line as well.
  private static func place(_ chunk: String, _ line: Int) -> String {
    guard let colon = chunk.lastIndex(of: ":"), let first = Int(chunk[chunk.index(after: colon)...]),
      !["repl", "-c"].contains(chunk[..<colon])
    else { return "\(chunk):\(line)" }
    return "\(chunk[..<colon]):\(first + line - 1)"
  }
}
