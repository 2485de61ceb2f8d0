/// Names of actions, without what they carry.
public enum ActionName {
  /// The name of an action: its cases from the outermost enum inwards, as in `tasks.add`.
  ///
  /// Payloads are not rendered, however large they are. An action that describes itself is called as it wishes; one that is
  /// no enum is described.
  public static func of(_ action: Any) -> String {
    if let action = action as? any CustomStringConvertible { return action.description }
    let mirror = Mirror(reflecting: action)
    guard mirror.displayStyle == .enum else { return "\(action)" }
    // A case without payload has no children, and describes itself by its name.
    guard let (label, payload) = mirror.children.first, let label else { return "\(action)" }
    guard Mirror(reflecting: payload).displayStyle == .enum else { return label }
    return "\(label).\(of(payload))"
  }
}
