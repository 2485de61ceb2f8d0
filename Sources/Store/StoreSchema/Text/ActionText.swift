/// Actions as they are dispatched: `tasks.add title="Buy milk"`. The command language reads the text back.
package enum ActionText {
  /// An action of a union whose cases may be branches, one a module.
  package static func text(of action: Value, _ schema: Schema) -> String {
    var names: [String] = []
    var action = action
    var schema = schema
    while true {
      guard case .variant(let variant) = action else {
        if case .string(let name) = action { names.append(name) }
        return names.joined(separator: ".")
      }
      names.append(variant.name)
      guard case .union(let union) = schema.kind, let index = union.index(of: variant.name),
        let branch = union.cases[index].branch
      else { return text(names.joined(separator: "."), arguments: variant.payload) }
      action = variant.payload.values[0]
      schema = branch
    }
  }

  /// An action by its full name and its arguments; those that are none are left out.
  package static func text(_ name: String, arguments: Record) -> String {
    text(name, arguments, mostElements: .max)
  }

  /// An action for a person: a long list among its arguments is cut, with a count.
  package static func brief(_ name: String, arguments: Record) -> String { text(name, arguments, mostElements: 20) }

  /// Appends an action for a person.
  package static func appendBrief(_ name: String, arguments: Record, to out: inout TextBuffer) {
    append(name, arguments, mostElements: 20, to: &out)
  }

  private static func text(_ name: String, _ arguments: Record, mostElements: Int) -> String {
    var out = TextBuffer()
    append(name, arguments, mostElements: mostElements, to: &out)
    return out.text
  }

  private static func append(_ name: String, _ arguments: Record, mostElements: Int, to out: inout TextBuffer) {
    out.append(name)
    for index in arguments.values.indices {
      let value = arguments.values[index]
      if case .none = value { continue }
      out.append(" " as Unicode.Scalar)
      out.append(arguments.layout.fields[index])
      out.append("=" as Unicode.Scalar)
      guard case .list(let list) = value, list.count > mostElements else {
        InlineText.append(value, .language, to: &out)
        continue
      }
      let shown = list.prefix(mostElements / 2)
      out.append("[" as Unicode.Scalar)
      for element in shown {
        InlineText.append(element, .data, to: &out)
        out.append(", " as StaticString)
      }
      out.append("and \(list.count - shown.count) more]")
    }
  }

  /// A value on one line as the command language reads it: text in quotes, `[1, 2]`, `{ id = 1 }`.
  package static func literal(of value: Value) -> String { InlineText.text(of: value) }
}
