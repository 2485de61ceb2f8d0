import ShellLanguage
import StoreHost
import StoreModules
import StoreSchema

extension HostedCommand {
  /// The command as the shell's table has it.
  var definition: CommandDefinition {
    let layout = RecordLayout(name: verb, fields: fields.map(\.name))
    return .taking(fields, verb, summary: summary) { [run] values, form, session in
      guard let result = try run(.record(Record(layout, values)), session.caller) else { return .none }
      if let text = result as? String { return try session.answer(value: text, as: form) }
      return try session.answer(Reading(value: result.schemaValue, schema: type(of: result).schema), as: form)
    }
  }
}

extension CommandTable {
  /// The table with commands of an application behind its own, `help` and `quit` last.
  ///
  /// - Throws: ``ShellError`` for a verb that means something else already, or is no name.
  func adding(_ commands: [HostedCommand], besides modules: [Module]) throws -> CommandTable {
    var taken = Set(definitions.map(\.verb) + modules.map(\.name) + ["shell"])
    for command in commands {
      guard command.verb.isName else {
        throw ShellError(code: .syntax, message: "'\(command.verb)' is not a name", status: 2)
      }
      guard taken.insert(command.verb).inserted else {
        throw ShellError(code: .nameTaken, message: "'\(command.verb)' is a command or a module already")
      }
    }
    guard !commands.isEmpty else { return self }
    return CommandTable(definitions.dropLast(2) + commands.map(\.definition) + definitions.suffix(2))
  }
}

extension Session {
  /// The parts of the session that a command of an application gets.
  fileprivate var caller: CommandCaller {
    CommandCaller(
      state: { self.store.shownState },
      dispatch: { try self.finishOne(self.store.dispatch($0, self.source(function: "dispatch"))) },
      print: { self.print($0) })
  }
}
