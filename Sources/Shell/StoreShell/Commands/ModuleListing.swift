import StoreModules
import StorePlugins
import StoreSchema

extension Module {
  /// The module as `describe` shows it, as a value.
  var listing: Reading {
    let types = ["name", "type"]
    let sections: [(name: String, rows: Value)] = [
      ("module", .string(name)), ("origin", .string(origin.rawValue)),
      (
        "state",
        .rows(
          types + ["detail", "doc"],
          fields.map { $0.described + [.text($0.schema.typeDetail), .text($0.documentation)] })
      ),
      (
        "actions",
        .rows(
          ["name", "arguments", "doc"],
          actions.map { action in
            let arguments = action.fields.map { $0.described + [.text($0.documentation)] }
            return [.string(action.fullName), .rows(types + ["doc"], arguments), .text(action.documentation)]
          })
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
  /// A text, where there is one.
  fileprivate static func text(_ text: String?) -> Value { text.flatMap { $0.isEmpty ? nil : .string($0) } ?? .none }

  /// A list of records.
  fileprivate static func rows(_ names: [String], _ rows: [[Value]]) -> Value {
    let layout = RecordLayout(name: "Row", fields: names)
    return .list(PersistentList(rows.map { .record(Record(layout, $0)) }))
  }
}
