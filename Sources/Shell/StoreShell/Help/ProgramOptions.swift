import StoreSchema

/// The command line that a program takes, as swift-argument-parser describes it.
struct ProgramOptions {
  let name: String
  /// The program's purpose, in one sentence.
  let summary: String
  /// The program's options and flags, in declared order.
  let options: [Option]

  /// An option, a flag or a group of arguments.
  struct Option {
    /// The form as written, such as `--as FORMAT`.
    let form: String
    let summary: String
  }

  /// Reads what `--experimental-dump-help` prints. Hidden options are left out.
  ///
  /// - Throws: `JSONError` where it is no JSON.
  init(describedBy json: String) throws {
    let command = Part(value: try JSON.value(of: json))["command"]
    name = command["commandName"].text ?? ""
    summary = command["abstract"].text ?? ""
    options = command["arguments"].parts.filter { $0["shouldDisplay"].value == .bool(true) }.map { argument in
      // A value of two words closes and opens the brackets of the help itself.
      let value = (argument["valueName"].text ?? "").replacing("> <", with: " ").uppercased()
      let names = argument["names"].parts.map { name in
        let dashes = name["kind"].value == .string("short") ? "-" : "--"
        return dashes + (name["name"].text ?? "")
      }
      let flag = names.sorted { $0.count < $1.count }.joined(separator: ", ")
      let form =
        switch argument["kind"].text {
        case "flag": flag
        case "positional": "\(value)…"
        // A name of one letter is no good name for a value.
        default: "\(flag) \(value.count > 1 || value == "N" ? value : "VALUE")"
        }
      return Option(form: form, summary: argument["abstract"].text ?? "")
    }
  }
}

/// A part of a JSON text.
private struct Part {
  let value: Value

  subscript(name: String) -> Part {
    guard case .map(let fields) = value else { return Part(value: .none) }
    return Part(value: fields[.string(name)] ?? .none)
  }

  var text: String? { value.text }

  var parts: [Part] {
    if case .list(let list) = value { return list.map { Part(value: $0) } }
    return []
  }
}
