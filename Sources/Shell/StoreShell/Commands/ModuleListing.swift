import StoreModules
import StoreSchema

extension Module {
  /// The module as `describe` shows it, as a value.
  var listing: Reading {
    let types = ["name", "type"]
    let state = fields.map { $0.described + [.words($0.schema.typeDetail), .words($0.documentation)] }
    let actions = actions.map { action -> [Value] in
      let arguments = action.fields.map { $0.described + [.words($0.documentation)] }
      return [.string(action.fullName), .rows(types + ["doc"], arguments), .words(action.documentation)]
    }
    let projections = projections.map { [Value.string("\(name).\($0.name)"), .string($0.schema.typeName)] }
    let commands = commands.map { [Value.string("\(name) \($0.name)"), .string($0.summary)] }
    return Reading(
      "Module",
      [
        ("module", .string(name)), ("origin", .string(origin.rawValue)),
        ("state", .rows(types + ["detail", "doc"], state)), ("actions", .rows(["name", "arguments", "doc"], actions)),
        ("projections", .rows(types, projections)), ("commands", .rows(["name", "summary"], commands)),
      ])
  }
}

extension Field {
  fileprivate var described: [Value] { [.string(name), .string(schema.typeName)] }
}

extension Value {
  /// A text, where there is one and it says something.
  fileprivate static func words(_ text: String?) -> Value { text == "" ? .none : .text(text) }

  fileprivate static func rows(_ names: [String], _ rows: [[Value]]) -> Value {
    Reading(rows: rows, "Row", names).value
  }
}
