extension FieldReader {
  /// The next field, whose name goes in front of an error's path.
  ///
  /// - Throws: ``SchemaError`` where the value is not of that type.
  @inlinable
  public mutating func next<Field: Schematic>(
    _ name: String, as type: Field.Type = Field.self
  ) throws(SchemaError) -> Field {
    do throws(SchemaError) {
      return try next(type)
    } catch {
      throw error.under(Path([.field(name)]))
    }
  }
}
