import StoreCore
import StoreModules
import StoreSchema

/// What a command of a plugin gave.
public enum PluginCommandResult: Sendable {
  /// Nothing.
  case nothing
  /// Text to print as it is.
  case text(String)
  /// A value to show.
  case value(Reading)
}

/// What a command of a plugin may do with the shell.
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

/// What a plugin's command waits for with `cmd:wait`.
public struct PluginWait: Sendable {
  /// The full names of the actions the first of which ends the wait; empty: only time does.
  public let actions: [String]
  /// How long at most; nil: until one of the actions comes.
  public let limit: Duration?
}

/// What ended a wait for actions.
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
