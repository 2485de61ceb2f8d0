import ShellLanguage
import StoreSchema

/// The outcome of a command under `try`.
struct Attempt {
  private static let layout = RecordLayout(name: "Error", fields: ["code", "message", "hint"])
  private static let programLayout = RecordLayout(name: "Error", fields: ["code", "message", "hint", "status"])

  /// Why it failed; nil: it did not.
  let error: ShellError?

  init(_ error: ShellError? = nil) { self.error = error }

  /// The value of the variable `err`: code, message and hint of the error, of a program that failed its status, too; or none.
  var value: Value {
    guard let error else { return .none }
    let values: [Value] = [.string(error.code.rawValue), .string(error.message), .text(error.hint)]
    guard let status = error.programStatus else { return .record(Record(Attempt.layout, values)) }
    return .record(Record(Attempt.programLayout, values + [.int(status)]))
  }
}
