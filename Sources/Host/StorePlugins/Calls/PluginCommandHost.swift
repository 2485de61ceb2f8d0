import StoreCore
import StoreModules
import StoreSchema

/// The result of a plugin's command.
public enum PluginCommandResult: Sendable {
  /// Nothing.
  case nothing
  /// Text to print as it is.
  case text(String)
  /// A value to show.
  case value(Reading)
}

/// The parts of the shell that a command of a plugin may use.
public protocol PluginCommandHost: AnyObject {
  /// Has an action processed.
  func dispatch(_ call: ActionCall, source: ActionSource) throws
  /// The value at a path or of a projection, and its type.
  func read(_ path: String) throws -> Reading
  /// Prints a line.
  func print(_ text: String)
  /// Lets time pass until what is waited for is there.
  ///
  /// - Returns: the action that ended the wait; nil: the time is over.
  func wait(_ wait: PluginWait) throws -> AwaitedAction?
}

/// The wait of a plugin's command in `cmd:wait`.
public struct PluginWait: Sendable {
  /// The full names of the actions; the first to come ends the wait. Empty: only time ends it.
  public let actions: [String]
  /// The longest wait; nil: until one of the actions comes.
  public let limit: Duration?
}

/// The action that ended a wait.
public struct AwaitedAction: Sendable {
  /// The action's full name.
  public let name: String
  /// Its arguments.
  public let arguments: Record

  /// Joins the two.
  public init(name: String, arguments: Record) {
    self.name = name
    self.arguments = arguments
  }
}
