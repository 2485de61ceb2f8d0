/// A value of an application that has a name in the shell, and one action that sets it: `NAME := VALUE` dispatches the
/// action, and `show NAME` reads the value. What the command `bind` makes for a session, ready from the start.
public struct ApplicationBinding: Sendable {
  package let name: String
  package let path: String
  package let action: String

  /// Binds a name.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - path: where the value stands, such as `counter.limit`.
  ///   - action: the action that takes a new value as its first argument, such as `counter.setLimit`.
  public init(_ name: String, path: String, action: String) {
    self.name = name
    self.path = path
    self.action = action
  }
}
