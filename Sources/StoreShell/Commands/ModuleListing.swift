import StorePlugins
import StoreSchema

extension Module {
  /// What `describe` says of the module, as a value.
  var listing: Reading {
    let types = ["name", "type"]
    let sections: [(name: String, rows: Value)] = [
      ("module", .string(name)), ("origin", .string(origin.rawValue)),
      ("state", .rows(["name", "type", "detail"], fields.map { $0.described + [.text($0.schema.typeDetail)] })),
      (
        "actions",
        .rows(
          ["name", "arguments"],
          actions.map { [.string($0.fullName), .rows(types, $0.fields.map(\.described))] })
      ),
      (
        "projections",
        .rows(types, projections.map { [.string("\(name).\($0.name)"), .string($0.schema.typeName)] })
      ),
      (
        "commands",
        .rows(["name", "summary"], commands.map { [.string("\(name) \($0.name)"), .string($0.summary)] })
      ),
    ]
    let record = RecordSchema(name: "Module", fields: sections.map { Field($0.name, .dynamic(.any)) })
    return Reading(
      value: .record(Record(record.layout, sections.map(\.rows))), schema: .dynamic(.record(record)))
  }
}

extension Field {
  /// The name and the type.
  fileprivate var described: [Value] { [.string(name), .string(schema.typeName)] }
}

extension Value {
  fileprivate static func text(_ text: String?) -> Value { text.map { .string($0) } ?? .none }

  /// A list of records.
  fileprivate static func rows(_ names: [String], _ rows: [[Value]]) -> Value {
    let layout = RecordLayout(name: "Row", fields: names)
    return .list(PersistentList(rows.map { .record(Record(layout, $0)) }))
  }
}
