import StorePlugins
import StoreSchema

/// Stands for a value that is not known before a script runs.
struct NotKnownYet: Error {}

extension CommandTable {
  /// Checks a statement as far as it can be before anything runs: its verb, flags, and the names and types in it. What
  /// adds names is run: plugins are loaded, projections and bindings made.
  func check(_ statement: Statement, in session: Session) throws {
    let inner = innermost(statement)
    do {
      guard let definition = self[inner.words[0].text] else { return try checkOther(inner, in: session) }
      if definition.takesCommand { throw Invocation.missingCommand(definition, inner) }
      var invocation = try Invocation(inner, definition, in: session)
      switch definition.verb {
      case "dispatch":
        guard let word = invocation.operands.first else { throw invocation.missing("an action") }
        guard let type = try invocation.actionType(word) else { return }
        _ = try invocation.call(type, at: word, invocation.operands.dropFirst())
      case "show": try invocation.checkPath(0)
      case "watch": if invocation.operands.first?.text != "stop" { try invocation.checkPath(0) }
      case "ingest": try invocation.checkIngestion()
      case "let":
        if let name = try invocation.operand(0), inner.lua != nil { session.letNames.append(name) }
      case "set":
        if let name = try invocation.operand(0) { _ = try session.setting(name, at: invocation.operands[0]) }
      case "plugin":
        guard ["load", "unload", "check", "info"].contains(try invocation.operand(0)) else { return }
        _ = try session.console.capturing { _ = try definition.run(&invocation) }
      case "bind", "describe", "help", "project", "source", "use", "substate":
        // What `source` runs is checked in turn.
        _ = try session.console.capturing { _ = try definition.run(&invocation) }
      default: if !definition.arguments.isEmpty { _ = try invocation.values() }
      }
    } catch is NotKnownYet {
      return
    }
  }

  private func checkOther(_ statement: Statement, in session: Session) throws {
    let verb = statement.words[0].text
    if session.store.plugin(named: verb) != nil || session.names.binding(verb) != nil { return }
    _ = try runOther(statement, in: session)
  }
}

extension Invocation {
  fileprivate static func missingCommand(_ definition: CommandDefinition, _ statement: Statement) -> ShellError {
    ShellError(
      code: "missing-argument", message: "\(definition.verb) needs a command", at: statement.words[0],
      hint: "usage: \(definition.usage[0])")
  }

  /// Checks the names that a path starts with; which items there will be is not known.
  fileprivate func checkPath(_ index: Int) throws {
    guard index < operands.count, case .value(.bare(let text)) = operands[index].kind,
      case .string = try session.value(.bare(text))
    else { return }
    let path = try path(index, "a path")
    let names = path.steps.prefix { step in
      if case .field = step { return true }
      return false
    }
    _ = try at(operands[index]) { try session.read(Path(Array(names))) }
  }
}
