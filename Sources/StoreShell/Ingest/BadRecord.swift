import StoreCore
import StorePlugins
import StoreSchema

/// A record that cannot be ingested, and why.
struct BadRecord {
  /// The file, as errors name it.
  let file: String
  /// The line on which the record starts.
  let line: Int
  /// What is wrong with it.
  let message: String
  /// What to try.
  var hint: String?
  /// Whether it may be right in a file of another format.
  let isOfFormat: Bool

  init(_ error: any Error, file: String, line: Int, type: ActionType) {
    self.file = file
    self.line = line
    isOfFormat = (error as? JSONError).map { !$0.isOfValue } ?? (error is FileFault)
    switch (error as? FileFault)?.error ?? error {
    case let error as RecordFault: (message, hint) = (error.message, error.hint)
    case let error as JSONError:
      message = "\(error.isOfValue ? "" : "not JSON ")at column \(error.offset + 1): \(error.message)"
      hint = nil
    case let error as SchemaError:
      if case .unknownArgument(let action, let name, let suggestion?) = error.problem {
        message = SchemaError(Path(), .unknownArgument(action: action, name: name, suggestion: nil)).message
        hint = "did you mean '\(suggestion)'?"
        return
      }
      message = error.message
      let isUnknown = if case .unknownArgument = error.problem { true } else { false }
      hint = "usage: dispatch \(type.signature)" + (isUnknown ? "; --ignore-others leaves other fields out" : "")
    default:
      let described = ShellError(describing: error)
      (message, hint) = (described.message, described.hint)
    }
  }

  /// Where it is and what is wrong with it.
  var sentence: String { "\(file):\(line): \(message)" }

  /// The error of an `ingest` that ends here.
  ///
  /// - Parameter count: how many records were ingested before it.
  func error(behind count: Int) -> ShellError {
    ShellError(
      code: "bad-record", message: sentence, place: .line,
      details: ["\(count) \(count == 1 ? "record" : "records") before it \(count == 1 ? "was" : "were") ingested"],
      hint: hint)
  }
}
