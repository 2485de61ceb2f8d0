import StoreSchema

/// What an exported state says, under the name `shell`, of the modules in it that come and go.
package struct ExportedShell {
  /// The member of the file in which it stands.
  package static let name = "shell"

  /// The versions of the plugins, by name, in load order.
  package private(set) var plugins: [(name: String, version: String)] = []
  /// The names of the substates, in the order in which they were added.
  package private(set) var substates: [String] = []

  private static let schema: Schema = {
    let plugins = Field("plugins", .dynamic(.map(key: .string, .dynamic(.string))), default: .map([:]))
    let substates = Field("substates", [String].schema, default: .list(PersistentList()))
    return .dynamic(.record(RecordSchema(name: name, fields: [plugins, substates])))
  }()

  /// That there are some substates.
  package init(substates: [String]) { self.substates = substates }

  /// What there is in a state.
  package init(_ state: HostState) {
    plugins = state.shell.plugins.map { ($0.name, $0.version) }
    substates = state.substates.map(\.name)
  }

  /// Reads what a file says; nil: nothing.
  ///
  /// - Throws: `SchemaError` with the first path that does not fit.
  package init(json: Value?) throws(SchemaError) {
    guard let json else { return }
    do throws(SchemaError) {
      guard case .record(let found) = try Self.schema.value(fromJSON: json),
        case .map(let versions)? = found["plugins"], case .list(let names)? = found["substates"]
      else { return }
      for case (.string(let name), .string(let version)) in versions { plugins.append((name, version)) }
      for case .string(let name) in names { substates.append(name) }
    } catch {
      throw error.under(Path([.field(Self.name)]))
    }
  }

  /// The version of a plugin; nil: its state is not in the file.
  package func version(of plugin: String) -> String? { plugins.first { $0.name == plugin }?.version }

  /// What a file says; nil: nothing.
  package var value: Value? {
    var members: [(String, Value)] = []
    if !plugins.isEmpty { members.append(("plugins", .members(plugins.map { ($0.name, .string($0.version)) }))) }
    if !substates.isEmpty { members.append(("substates", .texts(substates))) }
    return members.isEmpty ? nil : .members(members)
  }
}

extension HostState {
  /// Some modules as a file holds them.
  package func exported(_ shell: ExportedShell, where isIncluded: (String) -> Bool = { _ in true }) -> Value {
    let slices = slices.map { (name: $0.name, value: $0.value) } + substates.map { (name: $0.name, value: $0.value) }
    var members = slices.filter { isIncluded($0.name) }
    if let shell = shell.value { members.append((ExportedShell.name, shell)) }
    return .members(members.map { ($0.name, $0.value) })
  }
}
