import StoreModules
import StorePlugins
import StoreSchema

/// A state, and the plugins that belong to it.
package struct ShownPoint {
  package let state: HostState
  package let plugins: [HostedPlugin]
  /// Which versions the slices of a state are that was the present a moment ago.
  let versions: SliceVersions?

  init(present state: HostState, _ plugins: [HostedPlugin], _ versions: SliceVersions) {
    self.state = state
    self.plugins = plugins
    self.versions = versions
  }

  init(past: PastView) {
    state = past.state
    plugins = past.plugins
    versions = nil
  }
}

/// Reading by paths.
extension LiveStore {
  /// What there is at present.
  package var present: ShownPoint {
    turnAnywhere { ShownPoint(present: store.withState { copy $0 }, plugins, comparing.versions) }
  }

  /// What stands at a path, or what a projection gives.
  ///
  /// - Parameters:
  ///   - note: told which modules are looked at.
  ///   - run: gives the plugin that computes a projection, from the one that is there.
  package func read(
    _ path: Path, in shown: ShownPoint, note: (Set<String>) -> Void = { _ in },
    by run: (HostedPlugin) throws -> HostedPlugin = { $0 }
  ) throws -> Reading {
    try reach(path, in: shown, note: note, by: run) { schema, steps, place, origin in
      try schema.read(steps, in: place, from: origin)
    }
  }

  /// The type of what stands at a path, or of what a projection gives. Only a projection is made for it.
  package func type(
    at path: Path, in shown: ShownPoint, by run: (HostedPlugin) throws -> HostedPlugin = { $0 }
  ) throws -> Schema {
    try reach(path, in: shown, note: { _ in }, by: run) { schema, steps, place, origin in
      try schema.typeFound(at: steps, in: place, from: origin)
    }
  }

  /// The advice on a path that begins as Lua's do; nil: it does not, or leads to no module either.
  private static func withoutState(_ path: Path, _ modules: [Module]) -> String? {
    guard path.steps.count > 1, path.steps[0] == .field("state"), case .field(let name) = path.steps[1],
      modules.contains(where: { $0.name == name })
    else { return nil }
    return "a path begins with the module: \(Path(Array(path.steps.dropFirst())))"
  }

  /// Hands out the slice or the value of a projection that a path starts in: its type, the steps within, and its own path.
  private func reach<Found>(
    _ path: Path, in shown: ShownPoint, note: (Set<String>) -> Void,
    by run: (HostedPlugin) throws -> HostedPlugin,
    _ body: (Schema, ArraySlice<Path.Step>, UnsafeRawPointer, Path) throws -> Found
  ) throws -> Found {
    guard case .field(let name) = path.steps.first else {
      throw PathError(message: "a path starts with the name of a module, got '\(path)'")
    }
    let modules = modules(in: shown)
    guard let module = modules.first(where: { $0.name == name }) else {
      let hint = Self.withoutState(path, modules) ?? Suggestion.question(name, among: modules.map(\.name))
      throw PathError(message: "there is no module '\(name)'", hint: hint)
    }
    let origin = Path([path.steps[0]])
    if path.steps.count > 1, case .field(let member) = path.steps[1], module.hasNamedParts,
      !module.fields.contains(where: { $0.name == member })
    {
      guard let projection = module.projections.first(where: { $0.name == member }) else {
        let names = module.fields.map(\.name) + module.projections.map(\.name)
        let hint = Suggestion.nearest(to: member, among: names).map { "did you mean '\(name).\($0)'?" }
        throw PathError(message: "'\(name)' has no field or projection '\(member)'", hint: hint)
      }
      // A projection does not say what it looks at.
      note(Set(modules.map(\.name)))
      let value = try project(module, projection, in: shown, by: run)
      return try withUnsafePointer(to: value) { value in
        try body(
          projection.schema, path.steps.dropFirst(2), UnsafeRawPointer(value), origin.appending(path.steps[1]))
      }
    }
    note([name])
    var result: Result<Found, any Error>?
    _ = shown.state.readSlice(name) { schema, slice in
      result = Result { try body(schema, path.steps.dropFirst(), slice, origin) }
    }
    guard let result else { throw PathError(message: "'\(name)' has no state") }
    return try result.get()
  }

  private func project(
    _ module: Module, _ projection: ProjectionType, in shown: ShownPoint, by run: (HostedPlugin) throws -> HostedPlugin
  ) throws -> Value {
    if let hosted = shown.plugins.first(where: { $0.plugin.module.name == module.name }) {
      // One that is being unloaded is here until its watchers have been told.
      guard shown.state.shell.plugins.contains(where: { $0.name == module.name }) else {
        throw PathError(message: "there is no module '\(module.name)'")
      }
      let view = StateSnapshot(
        state: shown.state, moduleNames: modules(in: shown).map(\.name), versions: shown.versions)
      return try run(hosted).plugin.projections.project(projection.name, view: view)
    }
    let found = application.projections.first { $0.module == module.name && $0.name == projection.name }
    return found?.read(shown.state.app) ?? .none
  }
}

extension Module {
  /// Whether the module's type says which names can follow its own; a substate that nobody declared has parts of any name.
  package var hasNamedParts: Bool {
    if case .any = schema?.kind { return false }
    return true
  }
}
