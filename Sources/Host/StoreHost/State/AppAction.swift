import StoreSchema

/// An action of a hosted application, its type erased.
package final class AppAction: @unchecked Sendable {
  // Safe: the memory holds one constant that is `Sendable`.
  private let memory: UnsafeMutableRawPointer
  private let type: ObjectIdentifier
  private let free: @Sendable (UnsafeMutableRawPointer) -> Void

  private init<Action: SchematicUnion>(_ action: Action) {
    let memory = UnsafeMutablePointer<Action>.allocate(capacity: 1)
    memory.initialize(to: action)
    self.memory = UnsafeMutableRawPointer(memory)
    type = ObjectIdentifier(Action.self)
    free = { memory in
      let memory = memory.assumingMemoryBound(to: Action.self)
      memory.deinitialize(count: 1)
      memory.deallocate()
    }
  }

  deinit { free(memory) }

  /// Wraps a typed action.
  package static func wrap<Action: SchematicUnion>(_ action: Action) -> AppAction { AppAction(action) }

  /// The typed action, if it is of this type. A generic subclass that holds it would have its type looked up in a table each
  /// time.
  package func typed<Action: SchematicUnion>(_ type: Action.Type = Action.self) -> Action? {
    guard self.type == ObjectIdentifier(type) else { return nil }
    return withExtendedLifetime(self) { memory.assumingMemoryBound(to: Action.self).pointee }
  }
}
