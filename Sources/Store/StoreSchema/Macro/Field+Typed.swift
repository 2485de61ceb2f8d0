extension Field {
  /// Makes a field of a Swift type. `@Schema` writes these for the payloads of enum cases.
  @inlinable
  public convenience init<Payload: Schematic>(
    _ name: String, of type: Payload.Type, default defaultValue: Payload? = nil, documentation: String = ""
  ) {
    self.init(name, Payload.schema, default: defaultValue.map(\.schemaValue), documentation: documentation)
  }
}
