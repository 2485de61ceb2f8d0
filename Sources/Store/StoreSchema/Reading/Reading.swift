/// The target of a path: a value and its type.
public struct Reading: Sendable {
  /// The value; for a path with `[*]` the list of all that it led to.
  public let value: Value
  /// The value's type.
  public let schema: Schema

  /// Joins a value and its type.
  public init(value: Value, schema: Schema) {
    self.value = value
    self.schema = schema
  }

  /// Reads at a path inside the value. The value is held as such, whatever memory the type reaches into.
  ///
  /// - Parameters:
  ///   - steps: the path from the value inwards.
  ///   - origin: the path that led to the value, for messages.
  /// - Throws: ``PathError`` where a step leads nowhere.
  public func read(_ steps: ArraySlice<Path.Step>, from origin: Path) throws(PathError) -> Reading {
    guard !steps.isEmpty else { return self }
    return try withUnsafePointer(to: value) { (value) throws(PathError) in
      try schema.dynamic.read(steps, in: UnsafeRawPointer(value), from: origin)
    }
  }
}
