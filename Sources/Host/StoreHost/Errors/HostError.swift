import Platform
import StoreCore
import StoreHistory
import StorePlugins
import StoreSchema
import StoreUnits

/// Why a live store does not do what it was asked, whoever asked: without a place in anybody's text.
public struct HostError: Error, Hashable, Sendable {
  /// The stable word that names the kind of error.
  public var code: ErrorCode
  /// What was expected and what came, in one sentence.
  public var message: String
  /// Further lines: what differs, where Lua was.
  public var details: [String]
  /// Where Lua was, from the second place on: the first is among the details.
  public var traceback: [String] = []
  /// What to try.
  public var hint: String?
  /// The exit status that the error stands for.
  public var status: Int32

  /// Makes an error.
  public init(code: ErrorCode, message: String, details: [String] = [], hint: String? = nil, status: Int32 = 1) {
    self.code = code
    self.message = message
    self.details = details
    self.hint = hint
    self.status = status
  }

  /// Ctrl-C was pressed while work was done for a command.
  package static let interrupted = HostError(code: .interrupted, message: "stopped by Ctrl-C", status: 130)

  /// The error that stands for one of the libraries.
  ///
  /// - Parameter program: what the program is called that hints tell to run; nil: no hint tells to run it.
  package init(describing error: any Error, program: String? = nil) {
    switch error {
    case let error as HostError: self = error
    case let error as PluginError: self.init(error)
    case let error as TaskFailure:
      self.init(error.error)
      if let action = error.startedBy { details.append("task started by \(action)") }
    case let error as SubstateError: self.init(code: ErrorCode.of(error), message: error.message)
    case let error as SchemaError: self.init(code: error.code, message: error.message)
    case let error as PathError: self.init(code: .unknownPath, message: error.message, hint: error.hint)
    case let error as PathSyntaxError: self.init(code: .unknownPath, message: error.message)
    case let error as SequenceError: self.init(code: .sequence, message: error.message)
    case let error as ArithmeticError: self.init(code: ErrorCode.of(error), message: error.description)
    case let error as StoreError: self.init(code: ErrorCode.of(error), message: error.message)
    case let error as HistoryError: self.init(code: ErrorCode.of(error), message: error.message)
    case let error as JournalError: self.init(error, program: program)
    case let error as FileError: self.init(error)
    default: self.init(code: .failed, message: "\(error)")
    }
  }

  /// The text of an error that is the application's or a plugin's own, for the log, at most 1,000 characters of it; nil: the code
  /// says what it is. Behind the first line of a plugin's fault stands its place.
  package static func ownText(of error: any Error) -> String? {
    let lines: [String]
    switch ErrorCode.of(error) {
    case .failed, .refused: lines = [HostError(describing: error).message]
    case .pluginRuntime, .pluginSchema, .pluginBudget, .pluginMemory, .pluginImpure:
      let error = HostError(describing: error)
      lines = [error.message] + error.details
    default: return nil
    }
    return String(lines.joined(separator: "\n").prefix(1000))
  }

  /// The error that stands for a file that cannot be read or written.
  private init(_ error: FileError) {
    let isWritten = error.operation == .writing
    self.init(
      code: error.isMissing ? .noSuchFile : isWritten ? .writeFailed : .unreadableFile,
      message: "\(error.path.isEmpty ? "''" : error.path): \(error.reason)",
      status: error.isMissing || !isWritten ? 2 : 1)
  }

  /// The error that stands for a plugin's fault. Lua stack traces show one line.
  package init(_ error: PluginError) {
    let status: Int32 =
      switch error.code {
      case .load, .api, .grant: 4
      case .runtime, .refused, .schema, .misfit, .budget, .tasks, .memory, .impure, .task: 1
      case .interrupted: HostError.interrupted.status
      }
    self.init(
      code: error.code.reported, message: error.message, details: Array(error.trace.prefix(1)), hint: error.hint,
      status: status)
    traceback = Array(error.trace.dropFirst())
  }
}

extension HostError: CustomStringConvertible, MessageForLua {
  /// The message, the details and the hint, a line each.
  public var description: String { errorText(message, details: details, hint: hint) }
}

extension HostError {
  /// The error that stands for what is wrong with a journal.
  ///
  /// - Parameter program: what the program is called that hints tell to run; nil: no hint tells to run it.
  package init(_ error: JournalError, program: String?) {
    let readOnly = program.map { "to read and export its undamaged part: \($0) --store \(error.path) --read-only" }
    switch error {
    case .inUse(let path, _):
      self.init(
        code: .storeInUse, message: error.description,
        hint: program.map { "to look at it meanwhile: \($0) --store \(path) --read-only" }
          ?? "to look at its actions meanwhile: sqlite3 -readonly \(path) 'SELECT * FROM log'")
    case .notAJournal: self.init(code: .storeUnreadable, message: error.description)
    case .unknownFormat(let path, _, let writer):
      self.init(
        code: .storeUnreadable, message: error.description,
        hint: program.map { program in
          let export = "\(program) --store \(path) --read-only -c 'export journal actions.stsh --as stsh'"
          return "\(writer.isEmpty ? "the version that wrote it" : writer) exports it: \(export); "
            + "then \(program) --store NEW actions.stsh"
        })
    case .damaged(_, let last, _):
      let recovery =
        "what SQLite still finds in it, if its sqlite3 has .recover: sqlite3 \(error.path) .recover | sqlite3 NEW"
      let isEmpty = Files.start(of: error.path, count: 1).isEmpty
      self.init(
        code: .storeDamaged, message: error.description, hint: last != nil ? readOnly : isEmpty ? nil : recovery)
    case .cannotOpen(let path, _) where Files.isReadable(path):
      let hint = Journal.isJournal(path) ? program.map { "to look at it: \($0) --store \(path) --read-only" } : nil
      self.init(code: .storeFailed, message: error.description, hint: hint)
    case .cannotOpen: self.init(code: .storeUnreadable, message: error.description, status: 2)
    case .noSuchFile: self.init(code: .noSuchFile, message: error.description, status: 2)
    case .cannotWrite: self.init(code: .storeFailed, message: error.description)
    case .cannotRebase:
      self.init(
        code: .storeFailed, message: error.description, hint: "there must be room for a copy; the file is as it was")
    }
  }
}

extension ErrorCode {
  package static func of(_ error: any Error) -> ErrorCode {
    switch error {
    case let error as HostError: error.code
    case let error as PluginError: error.code.reported
    case let error as TaskFailure: error.error.code.reported
    case let error as SchemaError: error.code
    case .exists as SubstateError: .nameTaken
    case is SubstateError: .unknownSubstate
    case let error as StoreError:
      switch error {
      case .duplicateUnit: .duplicateUnit
      case .duplicateType: .nameTaken
      case .sharedSlice: .sharedSlice
      case .runaway: .runaway
      case .dispatchWhileBuilding, .nextOutOfTurn: .badInterceptor
      case .queueFull: .queueFull
      case .closed: .closed
      case .cancelled, .busy, .interrupted: .interrupted
      }
    case let error as HistoryError:
      switch error {
      case .beyondHead: .outOfRange
      case .notKept, .statementNotKept: .notKept
      case .unreadable, .stateIsLost: .storeDamaged
      case .nothingToUndo: .nothingToUndo
      case .nothingToRedo: .nothingToRedo
      }
    case is PathError: .unknownPath
    case is ArithmeticError: .outOfRange
    case is SequenceError: .sequence
    default: .failed
    }
  }
}

/// Why an action is refused that a reducer answers with an id twice.
package struct SequenceError: Error, Hashable {
  package let message: String
}
