import StoreSchema

/// An action of a hosted application, its type erased. What is small stands in place.
package struct AppAction: Sendable {
  private let action: any Sendable

  /// Wraps a typed action.
  package init(_ action: some SchematicUnion) { self.action = action }

  private init() { action = () }

  /// No action, of no type.
  static let none = AppAction()

  /// The typed action, if it is of this type.
  package func typed<Action: SchematicUnion>(_ type: Action.Type = Action.self) -> Action? { read(type) { $0 } }

  /// Hands out the typed action where it lies; nil where it is of another type.
  package func read<Action: SchematicUnion, Result>(
    _ type: Action.Type, _ body: (Action) throws -> Result
  ) rethrows -> Result? {
    func opened<Held>(_ held: Held) throws -> Result? {
      // A cast would look the types up in a table each time.
      guard ObjectIdentifier(Held.self) == ObjectIdentifier(type) else { return nil }
      return try withUnsafePointer(to: held) {
        try body(UnsafeRawPointer($0).assumingMemoryBound(to: Action.self).pointee)
      }
    }
    return try opened(action)
  }
}
