import ShellLanguage
import StoreHost
import StoreModules
import StoreSchema

/// Something went wrong beside a record whose action was processed: in middlewares that saw it, or in what that caused.
struct BesideRecord: Error {
  let error: any Error
  /// False if an interceptor dropped the action.
  let isIngested: Bool
}

/// A record that cannot be ingested, or beside which something went wrong, and why.
struct BadRecord {
  /// The file, as errors name it.
  let file: String
  /// The line on which the record starts; 0: what is wrong stands before all records.
  let line: Int
  let message: String
  /// The advice to the user.
  var hint: String?
  /// The code under which an `ingest` ends by it.
  private let endCode: ErrorCode
  /// True if the plugin of the action is off: no record is taken.
  var isOfPlugin: Bool { endCode == .pluginOff }
  /// True if no record comes to the log of a shared store.
  var isOfLog: Bool { Self.logCodes.contains(endCode) }
  /// True if it may be right in a file of another format.
  let isOfFormat: Bool
  /// The number of lines that it takes in.
  let lineCount: Int
  /// True if it was ingested all the same.
  let isIngested: Bool
  /// The code of what went wrong beside it; nil: its own action was not processed.
  let code: ErrorCode?

  private static let logCodes: [ErrorCode] = [.cutOff, .nodeStopped, .outcomeUnknown, .pluginGrant]

  /// The words for a cell in another encoding.
  static let foreignBytes = "bytes that are not UTF-8"

  init(_ error: any Error, file: String, line: Int, type: ActionType) {
    self.file = file
    self.line = line
    isIngested = (error as? BesideRecord)?.isIngested ?? false
    code = (error as? BesideRecord).map { ShellError(describing: $0.error).code }
    isOfFormat = (error as? JSONError).map { !$0.isOfValue } ?? (error is FileFault)
    let error = (error as? BesideRecord)?.error ?? error
    lineCount = (error as? RecordFault)?.lineCount ?? 1
    let own = (error as? HostError)?.code
    endCode = code ?? own.flatMap { $0 == .pluginOff || Self.logCodes.contains($0) ? $0 : nil } ?? .badRecord
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
      let unknown: String? = if case .unknownArgument(_, let name, _) = error.problem { name } else { nil }
      if let advice = unknown.flatMap(RecordMapping.hint(onDelimiterIn:)) {
        hint = advice
        return
      }
      if case .typeMismatch(_, Self.foreignBytes, _) = error.problem {
        hint = "where they are Latin-1: iconv -f latin1 -t utf-8 FILE"
        return
      }
      if unknown == "line", let field = type.fields.first {
        hint = "--map \(field.name)=line fills '\(field.name)' from each line"
        return
      }
      let isUnknown = unknown != nil
      hint = "usage: dispatch \(type.signature)" + (isUnknown ? "; --ignore-others leaves other fields out" : "")
    default:
      let described = ShellError(describing: error)
      (message, hint) = (described.message, described.hint)
    }
  }

  /// The place of the record and its fault.
  var sentence: String { DisplayText.printable("\(file)\(line == 0 ? "" : ":\(line)"): \(message)") }

  /// The error of an `ingest` that ends here.
  ///
  /// - Parameters:
  ///   - count: the number of ingested records up to this one.
  ///   - more: the number of those behind it, which were on their way to the log of a shared store.
  func error(behind count: Int, more: Int = 0) -> ShellError {
    let verb = count == 1 ? "was" : "were"
    let place = isIngested ? "up to this one" : "before it"
    let rest = more == 0 ? "" : ", and \(more) behind it, which \(more == 1 ? "was" : "were") on the way"
    return ShellError(
      code: endCode, message: sentence, place: .line,
      details: ["\(count) \(count == 1 ? "record" : "records") \(place) \(verb) ingested\(rest)"], hint: hint)
  }
}
