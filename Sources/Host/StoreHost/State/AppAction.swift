import StoreSchema

/// An action of a hosted application, its type erased. What is small stands in place.
package struct AppAction: Sendable {
  private let action: any Sendable

  package init(_ action: some SchematicUnion) { self.action = action }

  private init() { action = () }

  /// No action, of no type.
  static let none = AppAction()

  /// The typed action, if it is of this type.
  package func typed<Action: SchematicUnion>() -> Action? {
    var typed: Action?
    visit { typed = $0 }
    return typed
  }

  /// Hands out the typed action where it lies, if it is of a type. (A function that gives anything would have types looked up.)
  package func visit<Action: SchematicUnion>(_ body: (Action) throws -> Void) rethrows {
    func opened<Held>(_ held: Held) throws {
      // A cast would look the types up in a table each time.
      guard ObjectIdentifier(Held.self) == ObjectIdentifier(Action.self) else { return }
      try withUnsafePointer(to: held) {
        try body(UnsafeRawPointer($0).assumingMemoryBound(to: Action.self).pointee)
      }
    }
    try opened(action)
  }
}
