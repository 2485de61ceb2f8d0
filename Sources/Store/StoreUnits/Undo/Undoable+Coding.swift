import StoreSchema

private enum CodingKeys: String, CodingKey {
  case past, present, future, latest
}

extension Undoable: Encodable where Slice: Encodable {
  /// Writes past and future as lists.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(Array(past), forKey: .past)
    try fields.encode(present, forKey: .present)
    try fields.encode(Array(future), forKey: .future)
    try fields.encodeIfPresent(latest, forKey: .latest)
  }
}

extension Undoable: Decodable where Slice: Decodable {
  /// Reads past and future from lists.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      past: PersistentList(try fields.decode([Slice].self, forKey: .past)),
      present: try fields.decode(Slice.self, forKey: .present),
      future: PersistentList(try fields.decode([Slice].self, forKey: .future)),
      latest: try fields.decodeIfPresent(UndoGroup.self, forKey: .latest))
  }
}

extension Undoable: Schematic, SchematicRecord where Slice: Schematic {
  /// A record of `past`, `present`, `future` and `latest`.
  public static var schema: Schema {
    .record(
      Self.self, name: "Undoable",
      fields: [
        StoredField("past", \Self.past, default: [], documentation: "The states to go back to, oldest first."),
        StoredField("present", \Self.present, documentation: "The state now."),
        StoredField("future", \Self.future, default: [], documentation: "The states taken back, the nearest first."),
        StoredField("latest", \Self.latest, documentation: "What may join the latest step."),
      ])
  }

  /// Reads the four fields.
  public init(schemaFields fields: inout FieldReader) throws(SchemaError) {
    self.init(
      past: try fields.next(), present: try fields.next(), future: try fields.next(), latest: try fields.next())
  }
}
