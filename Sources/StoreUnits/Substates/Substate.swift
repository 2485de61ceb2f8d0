import StoreSchema

/// A value of any type that can be a substate.
public struct Substate: Sendable {
  var content: any Equatable & Sendable

  /// Wraps a value.
  public init(_ value: some Equatable & Sendable) { content = value }

  /// The name of the value's type.
  public var typeName: String { Substate.name(of: type(of: content)) }

  /// The value, or nil where it is of another type.
  public func value<Value>(as type: Value.Type = Value.self) -> Value? { content as? Value }

  /// The value in the run-time form, where its type has a schema.
  public var schemaValue: Value? { (content as? any Schematic)?.schemaValue }

  /// Changes the value in place.
  ///
  /// - Returns: what the closure returns, or nil where the value is of another type.
  mutating func modify<Value: Equatable & Sendable, Result>(
    as type: Value.Type, _ body: (inout Value) throws -> Result
  ) rethrows -> Result? {
    guard var value = content as? Value else { return nil }
    // Emptied meanwhile, so that `value` is the only owner of what it holds.
    content = false
    defer { content = value }
    return try body(&value)
  }

  static func name(of type: Any.Type) -> String { String(describing: type) }
}

extension Substate: Equatable {
  /// Whether both are of one type and equal.
  public static func == (left: Substate, right: Substate) -> Bool {
    func equals<Value: Equatable>(_ value: Value) -> Bool { value == right.content as? Value }
    return equals(left.content)
  }
}

extension Substate: CustomStringConvertible {
  /// The value's text.
  public var description: String { "\(content)" }
}
