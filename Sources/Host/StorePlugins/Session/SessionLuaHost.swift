import StoreModules
import StoreSchema

/// The parts of the shell that the session's Lua may use.
public protocol SessionLuaHost: AnyObject {
  /// Refuses a function that this session may not call.
  func require(function name: String) throws
  /// The number of changes to the actions that there are. Until the next one an action has the name that it had.
  var actionChanges: Int { get }
  /// The action whose full name has those bytes.
  ///
  /// - Throws: an error that says so where there is none.
  func action(named name: UnsafeRawBufferPointer) throws -> ActionType
  /// Has an action processed.
  ///
  /// - Returns: the interceptor that dropped it; nil: it was processed.
  func dispatch(_ call: consuming ActionCall) throws -> String?
  /// Does something for a person: one of ``SessionLua/conveniences``.
  ///
  /// - Parameter isSeen: false where nothing gets the results.
  /// - Returns: the results.
  func call(_ function: String, _ arguments: [Value], isSeen: Bool) throws -> [Value]
  /// Makes all that has happened as durable as was asked: Lua with all of its libraries is about to reach something outside of the
  /// process, such as a file.
  func settle()
  /// Refuses to start programs where that is forbidden.
  func requirePrograms() throws
  /// Has the system's shell run a line, for `os.execute`.
  ///
  /// - Returns: the status of the program, or the number of the signal that ended it.
  /// - Throws: an error for one that cannot be started, or is to end with the run.
  func execute(_ line: String) throws -> (status: Int?, signal: Int?)
  /// The value of a name that no Lua of the session has set; nil: there is none.
  func variable(_ name: String) throws -> Value?
  /// All modules as one record.
  func wholeState() throws -> Reading
  /// The value at a path or of a projection.
  func project(_ path: String) throws -> Reading
  /// Prints a line.
  func print(_ text: String)
}
