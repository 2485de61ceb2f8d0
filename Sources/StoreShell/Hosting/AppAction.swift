import StoreSchema

/// An action of a hosted application, its type erased.
class AppAction: @unchecked Sendable {
  // Safe: it and its only subclass hold nothing but a constant that is `Sendable`.
  fileprivate init() {}

  /// Wraps a typed action.
  static func wrap<Action: SchematicUnion>(_ action: Action) -> AppAction { TypedAppAction(action) }

  /// The typed action, if it is of this type.
  func typed<Action: SchematicUnion>(_ type: Action.Type = Action.self) -> Action? {
    (self as? TypedAppAction<Action>)?.action
  }
}

private final class TypedAppAction<Action: SchematicUnion>: AppAction, @unchecked Sendable {
  // Safe: as its superclass.
  let action: Action

  init(_ action: Action) {
    self.action = action
    super.init()
  }
}
