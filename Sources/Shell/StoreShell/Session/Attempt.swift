import ShellLanguage
import StoreSchema

/// The outcome of a command under `try`.
struct Attempt {
  private static let layout = RecordLayout(name: "Error", fields: ["code", "message", "hint"])

  /// Why it failed; nil: it did not.
  let error: ShellError?

  init(_ error: ShellError? = nil) { self.error = error }

  /// The value of the variable `err`: code, message and hint of the error, or none.
  var value: Value {
    guard let error else { return .none }
    return .record(
      Record(
        Attempt.layout, [.string(error.code.rawValue), .string(error.message), .text(error.hint)])
    )
  }
}
