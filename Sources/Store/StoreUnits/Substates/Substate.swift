import StoreSchema

/// A value of any type that can be a substate.
public struct Substate: Sendable {
  var content: any Equatable & Sendable

  /// Wraps a value.
  public init(_ value: some Equatable & Sendable) { content = value }

  /// The name of the value's type.
  public var typeName: String { Substate.name(of: type) }

  var type: any Any.Type { Swift.type(of: content) }

  /// The value, or nil where it is of another type. An integer, say, is no optional integer.
  public func value<Value>(as type: Value.Type = Value.self) -> Value? {
    // A cast alone would wrap a value in an optional where that is asked for.
    self.type == type ? content as? Value : nil
  }

  /// The value in the run-time form, where its type has a schema.
  public var schemaValue: Value? { (content as? any Schematic)?.schemaValue }

  /// Changes the value in place.
  ///
  /// - Returns: the closure's result, or nil if the value is of another type.
  mutating func modify<Value: Equatable & Sendable, Result>(
    as type: Value.Type, _ body: (inout Value) throws -> Result
  ) rethrows -> Result? {
    guard var value = value(as: type) else { return nil }
    // Emptied meanwhile, so that `value` is the only owner of what it holds.
    content = false
    defer { content = value }
    return try body(&value)
  }

  static func name(of type: any Any.Type) -> String { String(describing: type) }
}

extension Substate: Equatable {
  /// True if both are of one type and equal.
  public static func == (left: Substate, right: Substate) -> Bool {
    func equals<Value: Equatable>(_ value: Value) -> Bool { value == right.value(as: Value.self) }
    return equals(left.content)
  }
}

extension Substate: CustomStringConvertible {
  /// The value's text.
  public var description: String { "\(content)" }
}
