/// Why a call into Lua failed.
public struct LuaError: Error, CustomStringConvertible {
  /// What went wrong.
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

  /// A Lua function that was running.
  public struct Frame: Equatable, Sendable, CustomStringConvertible {
    /// The name of the chunk, in full.
    public var chunk: String
    /// The line that was running, -1 if unknown.
    public var line: Int
    /// What is known of the function, as in `in upvalue 'title'`.
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

  /// What went wrong.
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

  /// Whether the text only lacks its end, so that a prompt should ask for more.
  public var isIncomplete: Bool { kind == .syntax && message.hasSuffix("<eof>") }

  /// The message without the place before it.
  public var detail: String {
    guard let chunk, let line else { return message }
    return String(message.dropFirst("\(chunk):\(line): ".count))
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

/// An error that a callback throws to raise a message in Lua.
public struct LuaFailure: Error, CustomStringConvertible {
  /// Whether the place of the Lua code that called goes before the message.
  public enum Location: Sendable {
    /// `chunk:line: ` of the caller.
    case caller
    /// Nothing.
    case none
  }

  /// The message.
  public var message: String
  /// What goes before it.
  public var location: Location

  /// A failure with a message.
  public init(_ message: String, location: Location = .caller) {
    self.message = message
    self.location = location
  }

  /// The message.
  public var description: String { message }
}
