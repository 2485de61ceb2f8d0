import Platform

/// Why a line editor, or its history file, could not do its work.
public enum LineEditorError: Error, Equatable, CustomStringConvertible {
  /// There is an editor in this process already; readline's state is global.
  case alreadyOpen
  /// Standard input, or both outputs, are no terminal.
  case notATerminal
  /// A call of the operating system failed on something (a path, `poll`), with its errno.
  case system(subject: String, code: Int32)

  /// A sentence for the user.
  public var description: String {
    switch self {
    case .alreadyOpen: "a line editor is open already in this process"
    case .notATerminal: "the line editor needs a terminal"
    case .system(let subject, let code): "\(subject): \(String(cString: strerror(code)))"
    }
  }
}
