/// Why a call into Lua failed.
public struct LuaError: Error, CustomStringConvertible {
  /// The kind of error.
  public enum Kind: Sendable {
    /// The text is no Lua.
    case syntax
    /// Lua code, or the host in a callback, raised an error.
    case runtime
    /// The memory limit was reached.
    case memory
    /// The instruction budget was used up.
    case instructions
    /// The call took too long.
    case time
    /// The call was interrupted.
    case interrupted
    /// Lua code raised something that is not text.
    case notText
  }

  /// A mistake of the code that failed, where it is one of those that are known.
  public enum Mistake: Equatable, Sendable {
    /// The code used a variable, a field or a method for which its value is not made, such as a field of nil.
    ///
    /// - Parameter kind: `global`, `local`, `upvalue`, `field`, `method` or `constant`.
    case misuse(kind: String, name: String)
    /// The code asked for a name that the sandbox leaves out.
    case outsideSandbox
    /// Its text lacks its end.
    case unfinished
    /// Its text has a `=` where an expression ends.
    case strayEquals
    /// The code reads a global that there is not.
    case unknownName(String, nearest: String?)
    /// Its text has a `$`, which Lua has no use for.
    case strayDollar
    /// The code asked an object of the host for a field that the object has not, nor one of a similar name.
    case noField(String, of: String)
  }

  /// A Lua function that was running.
  public struct Frame: Equatable, Sendable, CustomStringConvertible {
    /// The name of the chunk, in full.
    public var chunk: String
    /// The line that was running, -1 if unknown.
    public var line: Int
    /// The known description of the function, as in `in upvalue 'title'`.
    public var what: String

    /// A frame from its parts.
    public init(chunk: String, line: Int, what: String) {
      self.chunk = chunk
      self.line = line
      self.what = what
    }

    /// `chunk:line: what`.
    public var description: String { "\(chunk):\(line): \(what)" }
  }

  /// The kind of error.
  public var kind: Kind
  /// The message, with `chunk:line: ` before it where Lua knows the place.
  public var message: String
  /// The chunk that the message names.
  public var chunk: String?
  /// The line that the message names.
  public var line: Int?
  /// The Lua functions that were running, innermost first, without the one that the host called.
  public var traceback: [Frame]
  /// The error that a callback of the host threw, when that is what went wrong.
  public var underlying: (any Error)?
  /// The mistake of the code; nil: none that is known.
  public var mistake: Mistake?
  /// The field `code` of the table that was raised; nil: there is none.
  public var code: String?

  /// An error with the place that its message begins with.
  public init(kind: Kind, message: String, traceback: [Frame] = [], underlying: (any Error)? = nil) {
    self.kind = kind
    self.message = message
    self.traceback = traceback
    self.underlying = underlying
    if let place = Self.place(in: message) { (chunk, line) = place }
  }

  /// The message.
  public var description: String { message }

  /// True if the text only lacks its end, so that a prompt should ask for more.
  public var isIncomplete: Bool { mistake == .unfinished }

  /// The message without the place before it.
  public var detail: String {
    guard let chunk, let line else { return message }
    return String(message.dropFirst("\(chunk):\(line): ".count))
  }

  /// The mistake that Lua's own message about a text that is no Lua ends with: it tells of it nowhere else.
  static func syntaxMistake(in message: String) -> Mistake? {
    if message.hasSuffix("<eof> expected near '='") { return .strayEquals }
    return message.hasSuffix("near <eof>") ? .unfinished : message.hasSuffix("near '$'") ? .strayDollar : nil
  }

  /// The variable that Lua names at the end of a message of its own, such as `(global 'x')`: it tells of it nowhere else.
  static func misuse(in message: String) -> Mistake? {
    guard message.last == ")", let start = message.lastIndex(of: "(") else { return nil }
    let words = message[start...].dropFirst().dropLast().split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[1].count > 1, words[1].first == "'", words[1].last == "'" else { return nil }
    return .misuse(kind: String(words[0]), name: String(words[1].dropFirst().dropLast()))
  }

  /// Finds `chunk:line: ` at the start of a message.
  private static func place(in message: String) -> (String, Int)? {
    let text = message.utf8
    var start = text.startIndex
    while let colon = text[start...].firstIndex(of: UInt8(ascii: ":")) {
      let digits = text[text.index(after: colon)...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      let rest = text[digits.endIndex...]
      if let line = Int(Substring(digits)), rest.starts(with: ": ".utf8), colon > text.startIndex {
        return (String(message[..<colon]), line)
      }
      if text[colon...].starts(with: ": ".utf8) { return nil }
      start = text.index(after: colon)
    }
    return nil
  }
}

/// An error that a callback throws to raise a message in Lua, behind the place of the Lua code that called.
public struct LuaFailure: Error, CustomStringConvertible {
  /// The message.
  public var message: String
  /// The mistake of the Lua code that called; nil: none that is known.
  public var mistake: LuaError.Mistake?

  /// A failure with a message.
  public init(_ message: String, mistake: LuaError.Mistake? = nil) {
    self.message = message
    self.mistake = mistake
  }

  /// The message.
  public var description: String { message }
}

/// An error of which Lua code that catches it meets the message alone, without advice for whoever reads it.
package protocol MessageForLua: Error {
  /// The message.
  var message: String { get }
}
