import StoreCore
import StorePlugins
import StoreSchema

/// A store whose state can be taken out and put back.
protocol ImportingStore: AnyObject {
  /// The state of all modules as one value, with the versions of the plugins.
  var exportedState: Value { get }
  /// Takes over a state, by a recorded action; all or nothing.
  ///
  /// - Throws: `SchemaError` with the first path that does not fit, `PluginError` where a plugin cannot migrate its slice.
  func importState(_ json: Value, from file: String, source: ActionSource) throws -> DispatchReport
}

extension ShellHost: ImportingStore {
  /// The member of an exported state in which the versions of plugins stand.
  private static let versions = "shell"

  var exportedState: Value {
    withShownState { state in
      var names = state.slices.map(\.name)
      var values = state.slices.map(\.value)
      if !state.shell.plugins.isEmpty {
        let plugins = state.shell.plugins
        let versions = Record(
          RecordLayout(name: "", fields: plugins.map(\.name)), plugins.map { .string($0.version) })
        names.append(Self.versions)
        values.append(.record(Record(RecordLayout(name: "", fields: ["plugins"]), [.record(versions)])))
      }
      return .record(Record(RecordLayout(name: "", fields: names), values))
    }
  }

  func importState(_ json: Value, from file: String, source: ActionSource) throws -> DispatchReport {
    try requirePresent()
    guard case .map(var members) = json else {
      throw SchemaError(Path(), .typeMismatch(expected: "a record of modules", found: json.described))
    }
    if let state = try reduxState(members, from: file) {
      return dispatch(.importState(file: file, state), source)
    }
    let versions = try Self.versions(members[.string(Self.versions)])
    members[.string(Self.versions)] = nil
    var state = store.withState { $0 }
    for hosted in plugins {
      let name = hosted.plugin.module.name
      guard let old = members[.string(name)], let version = versions[name], hosted.plugin.migrates,
        version != hosted.plugin.source.manifest.version,
        let migrated = try hosted.plugin.state(from: old, version: version)
      else { continue }
      try state.setSlice(name, migrated)
      members[.string(name)] = nil
    }
    for (key, _) in members {
      guard case .string(let name) = key, versions[name] != nil, plugin(named: name) == nil else { continue }
      throw ShellError(
        code: "unknown-plugin",
        message: "\(file): the state of plugin '\(name)' is there, but the plugin is not loaded",
        hint: "plugin load \(name)")
    }
    try state.setSlices(fromJSON: .map(members), isPartial: true)
    return dispatch(.importState(file: file, state), source)
  }

  private static func versions(_ json: Value?) throws(SchemaError) -> [String: String] {
    guard let json else { return [:] }
    let text = Schema.dynamic(.map(key: .string, .dynamic(.string)))
    let record = RecordSchema(name: versions, fields: [Field("plugins", text)])
    do throws(SchemaError) {
      guard case .record(let found) = try Schema.dynamic(.record(record)).value(fromJSON: json),
        case .map(let plugins)? = found.values.first
      else { return [:] }
      var result: [String: String] = [:]
      for (key, value) in plugins {
        if case .string(let name) = key, case .string(let version) = value { result[name] = version }
      }
      return result
    } catch {
      throw error.under(Path([.field(versions)]))
    }
  }
}
