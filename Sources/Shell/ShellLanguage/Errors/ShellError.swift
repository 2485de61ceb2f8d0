import StoreSchema

/// Why a command failed, in the parts that the renderer and the JSON form put together.
public struct ShellError: Error, Hashable, Sendable {
  /// The stable word that names the kind of error; `help CODE` explains it.
  public var code: ErrorCode
  /// A sentence that says what was expected and what came.
  public var message: String
  /// The part of the statement that is at fault.
  public var place: Place
  /// Lines between the statement and the hint.
  public var details: [String]
  /// The places where Lua was, from the second one on: the first is among the details.
  public var traceback: [String] = []
  /// The advice to the user.
  public var hint: String?
  /// The exit status that the error stands for.
  public var status: Int32
  /// The status of the program that failed, where that is the error.
  package var programStatus: Int?
  /// The global of Lua that is not there, or was used for something that its value is not made for, where that is the error.
  package var misusedGlobal: String?
  /// True where Lua used the element of a list by its number for something that its value is not made for.
  package var misusesElement = false
  /// The path of a field that Lua asked for and that is not there, where no other was probably meant.
  package var missingField: String?
  /// The result that the command gives all the same, as JSON, for `--json`.
  package var data: String?

  /// The parts of a statement that can be at fault.
  public enum Place: Hashable, Sendable {
    /// All of it: no caret, and at the prompt the line is not repeated.
    case command
    /// A part of it.
    case span(Word.Span)
    /// All of it, where the fault is in another file: the message starts with its place, and no column is named.
    case line
  }

  /// Makes an error.
  public init(
    code: ErrorCode, message: String, place: Place = .command, details: [String] = [], hint: String? = nil,
    status: Int32 = 1
  ) {
    self.code = code
    self.message = message
    self.place = place
    self.details = details
    self.hint = hint
    self.status = status
  }

  /// The error with all of Lua's stack among its details.
  package var showingTraceback: ShellError {
    guard !traceback.isEmpty else { return self }
    var error = self
    error.details.insert(contentsOf: traceback, at: min(1, details.count))
    error.traceback = []
    return error
  }

  /// Makes an error of one word.
  public init(
    code: ErrorCode, message: String, at word: Word, details: [String] = [], hint: String? = nil, status: Int32 = 1
  ) {
    self.init(
      code: code, message: message, place: .span(word.span), details: details, hint: hint, status: status)
  }
}

extension ShellError: CustomStringConvertible {
  /// The message, the details and the hint, a line each.
  public var description: String { errorText(message, details: details, hint: hint) }
}
