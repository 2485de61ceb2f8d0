import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// Journaling actions, and the types by which they are read back.
extension LiveStore {
  /// Journals an action.
  package func keep(_ entry: LoggedEntry, _ record: ActionRecord<Action, State>, in journal: HostJournal) {
    defer {
      // What memory lets go of from now on is read back from there.
      if history.older == nil, let file = journal.journal {
        history.older = JournalEntries(file, oldest: journal.start, of: self)
      }
    }
    journal.record(entry, from: record.before, to: record.after, plugins: sources)
    // Sessions look by themselves.
    guard let onFault = attendance.onFault, journal.journal?.hasTrouble ?? false else { return }
    for note in takeJournalNotes(for: nil) { onFault(HostError(code: .storeFailed, message: note)) }
  }

  /// The type of a plugin's slice or of a substate; nil: nobody declares it.
  package func type(of name: String, among plugins: [HostedPlugin]) -> Schema? {
    plugins.first { $0.plugin.module.name == name }?.plugin.module.schema ?? application.substateSchema(name)
  }

  /// Whether what a path leads to is declared to be a record.
  package func isRecord(_ path: Path, among plugins: [HostedPlugin]) -> Bool {
    guard case .field(let name)? = path.steps.first else { return false }
    let module = application.modules.first { $0.name == name }?.schema ?? type(of: name, among: plugins)
    switch module?.type(at: path.steps.dropFirst())?.kind {
    case .record: return true
    case .optional(let wrapped):
      if case .record = wrapped.kind { return true }
      return false
    default: return false
    }
  }

  /// The types by which journaled entries are read.
  ///
  /// - Parameter plugins: the plugins that were loaded then.
  package func entryTypes(_ plugins: @escaping () -> [HostedPlugin]) -> EntryTypes {
    let swift = application.modules + [ShellAction.module]
    let (application, substates) = (application, application.substates)
    func module(_ name: Substring) -> Module? {
      swift.first { $0.name == name } ?? plugins().first { $0.plugin.module.name == name }?.plugin.module
    }
    return EntryTypes(
      action: { name in
        let type =
          name.firstIndex(of: ".").flatMap { dot in module(name[..<dot])?.actions.first { $0.fullName == name } }
          ?? plugins().lazy.flatMap(\.plugin.addedActions).first { $0.fullName == name }
          ?? substates.lazy.flatMap(\.actions).first { $0.fullName == name }
          ?? application.thunkType(name, of: plugins())
        return type.map { EntryTypes.ActionShape(fields: $0.fields, layout: $0.layout) }
      }, slice: { name in module(name[...])?.schema ?? substates.first { $0.name == name }?.schema })
  }
}

extension HostedApplication {
  /// The action that carries a thunk of the application or of a plugin, where that declares its arguments.
  package func thunkType(_ name: String, of plugins: [HostedPlugin]) -> ActionType? {
    guard name.hasPrefix(LoggedEntry.thunkPrefix) else { return nil }
    let types = plugins.flatMap(\.plugin.tasks.thunkTypes) + thunks.map(\.type)
    return types.first { $0.action.fullName == name && !$0.takesAny }?.action
  }
}
