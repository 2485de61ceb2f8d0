import StoreSchema

/// Named, typed parts of a state that come and go while the store runs (R23). Changed by ``SubstateAction``s alone.
///
/// The idea is RxState's, which finds its substates by type; here they have names. Copies share structure.
public struct Substates: Sendable, Equatable {
  private var entries: PersistentMap<String, Substate> = [:]

  /// None.
  public init() {}

  /// The names, in order.
  public var names: [String] { Array(entries.keys) }

  /// The substate of that name, or nil.
  public subscript(name: String) -> Substate? { entries[name] }

  /// The value of a substate.
  ///
  /// - Throws: ``SubstateError/absent(name:)``, ``SubstateError/typeMismatch(name:expected:found:)``.
  public func value<Value>(of name: String, as type: Value.Type = Value.self) throws(SubstateError) -> Value {
    guard let substate = entries[name] else { throw .absent(name: name) }
    guard let value = substate.value(as: type) else {
      throw .mismatch(name, expected: substate.type, found: type)
    }
    return value
  }

  /// Adds a substate.
  ///
  /// - Throws: ``SubstateError/exists(name:)`` where there is one and it is not to be replaced.
  mutating func add(_ name: String, _ substate: Substate, isReplacing: Bool) throws(SubstateError) {
    guard isReplacing || entries[name] == nil else { throw .exists(name: name) }
    entries[name] = substate
  }

  /// Removes a substate, if there is one of that name.
  mutating func remove(_ name: String) { entries[name] = nil }

  mutating func removeAll() { entries = [:] }

  /// Changes a substate in place; does nothing where there is none of that name and type.
  mutating func modify<Value: Equatable & Sendable>(
    _ name: String, as type: Value.Type, _ body: (inout Value) throws -> Void
  ) rethrows {
    _ = try entries.withMutableValue(forKey: name) { try $0.pointee.modify(as: type, body) }
  }
}

extension Substates: CustomStringConvertible {
  /// The names and values, in order.
  public var description: String { entries.description }
}
