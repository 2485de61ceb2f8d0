import StoreSchema

/// Why a text is not a statement.
public struct SyntaxFault: Error, Hashable, Sendable {
  /// The code under which the shell reports the fault: `syntax` or `line-too-long`.
  public let code: ErrorCode
  /// The fault, in a sentence.
  public let message: String
  /// The line in the file, from 1.
  public let line: Int
  /// The character of that line, from 1.
  public let column: Int
  /// The number of characters at fault.
  public let width: Int
  /// The text of that line; empty where it is too long to show.
  public let text: String

  /// Makes a fault.
  public init(code: ErrorCode = .syntax, message: String, line: Int, column: Int, width: Int = 1, text: String) {
    self.code = code
    self.message = message
    self.line = line
    self.column = column
    self.width = width
    self.text = text
  }

  /// The same fault with another message.
  package func saying(_ message: String) -> SyntaxFault {
    SyntaxFault(code: code, message: message, line: line, column: column, width: width, text: text)
  }

  /// The fault as it stands on another line.
  package func numbered(_ line: Int) -> SyntaxFault {
    SyntaxFault(code: code, message: message, line: line, column: column, width: width, text: text)
  }
}
