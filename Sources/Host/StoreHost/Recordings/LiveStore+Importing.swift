import StoreCore
import StorePlugins
import StoreSchema

extension LiveStore {
  /// Takes over a state, by a recorded action; all or nothing.
  ///
  /// - Parameter requireFree: throws where a substate may not have a name.
  /// - Throws: `SchemaError` with the first path that does not fit, `PluginError` where a plugin cannot migrate its slice.
  package func importState(
    _ json: Value, from file: String, source: ActionSource, requireFree: (String) throws -> Void
  ) throws -> DispatchReport {
    try turn {
      guard case .map(var members) = json else {
        throw SchemaError(expected: "a record of modules", found: json)
      }
      let before = store.withState { $0 }
      var state = before
      var names = members.names
      if let imported = try reduxState(members, from: file) {
        (state, names) = imported
      } else {
        let shell = try ExportedShell(json: members[.string(ExportedShell.name)])
        members[.string(ExportedShell.name)] = nil
        for hosted in plugins {
          let name = hosted.plugin.module.name
          guard let old = members[.string(name)], let version = shell.version(of: name) else { continue }
          guard hosted.plugin.migration.migrates else {
            members[.string(name)] = hosted.plugin.migration.filling(old)
            continue
          }
          guard let migrated = try hosted.plugin.migration.state(from: old, version: version) else { continue }
          try state.setSlice(name, migrated)
          members[.string(name)] = nil
        }
        try requirePlugins(shell.plugins.map(\.name), of: members, file)
        state.addSubstates(shell.substates, in: members, type: application.substateSchema)
        try state.setSlices(fromJSON: .map(members), isPartial: true)
      }
      let added = state.addedSubstates(since: before)
      for substate in added { try requireFree(substate.name) }
      let modules = state.modules(namedIn: names)
      return dispatch(.importState(file: file, state, modules: modules, added: added.map(\.name)), source)
    }
  }

  /// Throws where a file holds the state of a plugin that is not loaded.
  ///
  /// - Parameter names: the plugins that the file tells of.
  package func requirePlugins(
    _ names: [String], of members: PersistentMap<MapKey, Value>, _ file: String
  ) throws(HostError) {
    for name in names where members[.string(name)] != nil && plugin(named: name) == nil {
      throw HostError(
        misfitOf: file, "it holds the state of plugin '\(name)', which is not loaded", try: "plugin load \(name)")
    }
  }
}

extension HostError {
  /// A file whose state does not fit a store.
  ///
  /// - Parameter advice: what makes it fit; nil: nothing is known to.
  package init(misfitOf file: String, _ reason: String, try advice: String? = nil) {
    let unchanged = "nothing was changed"
    self.init(
      code: .import, message: "\(file) does not fit this store: \(reason)",
      hint: advice.map { "\(unchanged); \($0)" } ?? unchanged)
  }
}

extension StoreClient {
  /// The state of all modules as one value, with what is to be known of those that come and go.
  package var exportedState: Value {
    let state = shownState
    return state.exported(ExportedShell(state))
  }
}
