import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let describe = CommandDefinition(
    "describe", needs: .read, usage: ["describe [MODULE|ACTION]"],
    summary: "lists the modules, or the state, actions, projections and commands of one; explains an action",
    flags: FlagDefinition.format, operands: [.module],
    examples: [
      CommandExample(
        "describe counter",
        output: """
          module counter (swift)
          state
            value  Int
            step   Int
          actions
            counter.increment by:Int?
            counter.decrement by:Int?
            counter.setStep to:Int
            counter.reset

          """),
      CommandExample(
        "describe",
        output: """
          module   origin  fields  actions  projections
          counter  swift   2       4        0
          tasks    swift   2       3        2

          """),
    ],
    read: { reader in
      try reader.refuseOperands(from: 1)
      return (subject: try reader.operand(0)?.map { try reader.subject(named: $0) }, form: try reader.form())
    },
    perform: { request, session in
      switch try request.subject?.value(in: session) {
      case nil: return try session.answer(listing(session.store.modules), as: request.form)
      case .action(let action): return session.answer(HelpText.text(of: action, width: session.console.resultWidth))
      case .module(let module):
        guard try session.isInWords(request.form) else { return try session.answer(module.listing, as: request.form) }
        return session.answer(session.description(of: module), for: module.listing.value)
      }
    })

  private static func listing(_ modules: [Module]) -> Reading {
    let rows = modules.map { module -> [Value] in
      [
        .string(module.name), .string(module.origin.rawValue), .int(module.fields.count), .int(module.actions.count),
        .int(module.projections.count),
      ]
    }
    return Reading(rows: rows, "Module", ["module", "origin", "fields", "actions", "projections"])
  }
}

private enum Subject {
  case module(Module)
  case action(ActionType)
}

extension Session {
  func description(of module: Module) -> String {
    ModuleDescription(module, store.plugin(named: module.name), marks: resultMarks).text
  }
}

extension CommandReader {
  fileprivate func subject(named name: String) throws -> Subject {
    let modules = vocabulary.modules
    if let module = (modules + [.shell]).first(where: { $0.name == name }) { return .module(module) }
    if let action = vocabulary.action(named: name) { return .action(action) }
    // The parts of a module are described with it.
    let owner = modules.map(\.name).first { name.hasPrefix("\($0).") }
    throw ShellError(
      code: .unknownModule, message: "there is no module '\(name)'", at: operands[0],
      hint: owner.map { "did you mean '\($0)'?" } ?? Suggestion.question(name, among: modules.map(\.name))
        ?? "describe lists the modules")
  }
}

/// A module in words.
private struct ModuleDescription {
  let text: String

  /// - Parameter plugin: the plugin whose module it is; nil: it is none's.
  init(_ module: Module, _ plugin: Plugin?, marks: StyleMarks) {
    func type(_ name: String) -> String { marks.paint(name, .type) }
    var out = "module \(module.name) (\(module.origin.rawValue))\n"
    if !module.fields.isEmpty {
      out += "state\n"
      out += ModuleDescription.columns(
        module.fields.map { [$0.name, type($0.schema.typeName), $0.schema.typeDetail ?? ""] })
    } else if let schema = module.schema {
      // No record, as a substate that was made by hand.
      out += "state\n  \(type(schema.typeName))\n"
    }
    if !module.actions.isEmpty {
      out += module.isOfShell ? "actions that commands dispatch\n" : "actions\n"
      for action in module.actions { out += "  \(action.signature)\n" }
    }
    if !module.projections.isEmpty {
      out += "projections\n"
      out += ModuleDescription.columns(
        module.projections.map { ["\(module.name).\($0.name)", type($0.schema.typeName)] })
    }
    if !module.commands.isEmpty {
      out += "commands\n"
      out += ModuleDescription.columns(module.commands.map { ["\(module.name) \($0.name)", $0.summary] })
    }
    var types = NamedTypes()
    // The types of the state stand beside it.
    for field in module.fields { types.add(field.schema, isKnown: true) }
    for field in module.actions.flatMap(\.fields) { types.add(field.schema) }
    for projection in module.projections { types.add(projection.schema) }
    for field in module.commands.flatMap(\.fields) { types.add(field.schema) }
    if !types.details.isEmpty { out += "types\n" + types.details.map { "  \($0)\n" }.joined() }
    for (title, lines) in plugin?.otherParts ?? [] where !lines.isEmpty {
      out += "\(title)\n" + lines.map { "  \($0)\n" }.joined()
    }
    text = out
  }

  private static func columns(_ rows: [[String]]) -> String {
    var widths: [Int] = []
    for row in rows {
      for (index, cell) in row.enumerated() {
        if index == widths.count { widths.append(0) }
        widths[index] = max(widths[index], DisplayWidth.of(cell))
      }
    }
    var out = ""
    for row in rows {
      var line = " "
      for (index, cell) in row.enumerated() where row[index...].contains(where: { !$0.isEmpty }) {
        line += index == 0 ? " " : "  "
        line += cell
        if row[(index + 1)...].contains(where: { !$0.isEmpty }) {
          line += String(repeating: " ", count: widths[index] - DisplayWidth.of(cell))
        }
      }
      out += line + "\n"
    }
    return out
  }
}

extension Plugin {
  fileprivate var otherParts: [(title: String, lines: [String])] {
    [
      ("lifted reducers", reducers.liftedTypes.map { "\($0.action.fullName) on \($0.module)" }),
      ("middleware", units.map { "\(module.name).\($0.name)" }),
      ("bridges", rules.bridgedActions.map { "\($0.from.fullName) -> \($0.to.fullName)" }),
      ("transitions", rules.transitionTypes.map { "\($0.at) -> \($0.action.fullName)" }),
      ("interceptors", interceptors.names.map { "\(module.name).\($0)" }),
      ("thunks", tasks.thunkTypes.map(\.signature)),
    ]
  }
}
