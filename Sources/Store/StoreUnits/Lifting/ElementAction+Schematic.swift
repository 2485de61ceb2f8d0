import StoreCore
import StoreSchema

extension ElementAction: Schematic, SchematicRecord where ID: Schematic, Action: Schematic {
  /// A record of `id` and `action`: as JSON `{"id": 2, "action": "toggle"}`.
  public static var schema: Schema {
    .record(
      Self.self, name: "ElementAction",
      fields: [
        StoredField("id", \Self.id, documentation: "Which element."),
        StoredField("action", \Self.action, documentation: "What is to be done with it."),
      ])
  }

  /// Reads the two fields.
  public init(schemaFields fields: inout FieldReader) throws(SchemaError) {
    self.init(id: try fields.next(), action: try fields.next())
  }
}
