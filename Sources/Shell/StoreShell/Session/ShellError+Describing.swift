import Platform
import ShellLanguage
import StoreCore
import StoreHistory
import StoreHost
import StorePlugins
import StoreSchema
import StoreUnits

extension ShellError {
  /// The error of the whole command that stands for an error of a library.
  ///
  /// - Parameter program: the name of the program that hints tell to run; nil: no hint tells to run it.
  package init(describing error: any Error, program: String? = nil) {
    switch error {
    case let error as ShellError: self = error
    case let error as SessionLuaError:
      if let underlying = error.underlying {
        self.init(describing: underlying, program: program)
      } else {
        self.init(
          code: error.isSyntax ? .luaSyntax : .luaError, message: error.message,
          details: Array(error.trace.prefix(1)),
          // Plugins are told that there is no help; the session's Lua may be let out.
          hint: error.isOutsideSandbox
            ? program.map { "\($0) --unsafe-lua allows it in commands" }
            : error.hasStrayEquals
              ? "= sets a value; compare with ==" : error.unknownName?.nearest.map { "did you mean '\($0)'?" },
          status: error.isSyntax ? 2 : 1)
        traceback = Array(error.trace.dropFirst())
        misusedGlobal = error.misusedGlobal ?? error.unknownName?.name
        misusesElement = error.misusesElement
      }
    case let error as FileError: self.init(error)
    default: self.init(HostError(describing: error, program: program))
    }
  }

  /// The error of a live store, at a place of the statement.
  init(_ error: HostError, place: Place = .command) {
    self.init(
      code: error.code, message: error.message, place: place, details: error.details, hint: error.hint,
      status: error.status)
    traceback = error.traceback
  }

  /// The error that stands for a file that cannot be read or written.
  package init(_ error: FileError, place: Place = .command) {
    self.init(HostError(describing: error), place: place)
    if error.isMissing { hint = UserEnvironment.hint(forMissing: error.path) }
  }

  /// Ctrl-C was pressed while a command ran.
  package static let interrupted = ShellError(HostError.interrupted)
}
