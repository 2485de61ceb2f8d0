import Platform
import ShellLanguage
import StoreCore
import StoreHistory
import StorePlugins
import StoreSchema
import StoreUnits

extension ShellError {
  /// The error of the whole command that stands for an error of a library.
  ///
  /// - Parameter program: what the program is called that hints tell to run; nil: no hint tells to run it.
  init(describing error: any Error, program: String? = nil) {
    switch error {
    case let error as ShellError: self = error
    case let error as PluginError: self.init(error)
    case let error as TaskFailure:
      self.init(error.error)
      if let action = error.startedBy { details.append("task started by \(action)") }
    case let error as SessionLuaError:
      if let underlying = error.underlying {
        self.init(describing: underlying, program: program)
      } else {
        self.init(
          code: error.isSyntax ? .luaSyntax : .luaError, message: error.message,
          details: Array(error.trace.prefix(1)),
          // What a plugin is told there is no help for here, where the session's Lua may be let out.
          hint: error.isOutsideSandbox
            ? program.map { "\($0) --unsafe-lua allows it in commands" } : nil,
          status: error.isSyntax ? 2 : 1)
        traceback = Array(error.trace.dropFirst())
        misusedGlobal = error.misusedGlobal
      }
    case let error as SubstateError: self.init(code: ErrorCode.of(error), message: error.message)
    case let error as SchemaError: self.init(code: error.code, message: error.message)
    case let error as PathError: self.init(code: .unknownPath, message: error.message, hint: error.hint)
    case let error as PathSyntaxError: self.init(code: .unknownPath, message: error.message)
    case let error as StoreError: self.init(code: ErrorCode.of(error), message: error.message)
    case let error as HistoryError: self.init(code: ErrorCode.of(error), message: error.message)
    case let error as JournalError: self.init(error, program: program)
    case let error as FileError: self.init(error)
    default: self.init(code: .failed, message: "\(error)")
    }
  }

  /// The error that stands for a file that cannot be read or written.
  init(_ error: FileError, place: Place = .command) {
    let isMissing = [ENOENT, ENOTDIR].contains(error.code)
    let isWritten = error.operation == .writing
    self.init(
      code: isMissing ? .noSuchFile : isWritten ? .writeFailed : .unreadableFile,
      message: "\(error.path.isEmpty ? "''" : error.path): \(error.reason)", place: place,
      hint: isMissing ? UserEnvironment.hint(forMissing: error.path) : nil, status: isMissing || !isWritten ? 2 : 1)
  }

  /// Ctrl-C was pressed while a command ran.
  static let interrupted = ShellError(code: .interrupted, message: "stopped by Ctrl-C", status: 130)

  /// The error that stands for a plugin's fault. Lua stack traces show one line.
  init(_ error: PluginError) {
    let status: Int32 =
      switch error.code {
      case .load, .api, .grant: 4
      case .runtime, .refused, .schema, .budget, .memory, .impure, .task: 1
      case .interrupted: ShellError.interrupted.status
      }
    self.init(
      code: error.code.reported, message: error.message, details: Array(error.trace.prefix(1)), hint: error.hint,
      status: status)
    traceback = Array(error.trace.dropFirst())
  }
}
