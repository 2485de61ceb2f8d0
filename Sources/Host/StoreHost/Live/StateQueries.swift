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
  ///   - kept: the last reading there; nil: there was none.
  ///   - note: told which modules are looked at.
  ///   - run: gives the plugin that computes a projection, from the one that is there.
  package func read(
    _ path: Path, in shown: ShownPoint, after kept: KeptReading? = nil, note: (() -> Set<String>) -> Void = { _ in },
    by run: (HostedPlugin) throws -> HostedPlugin = { $0 }
  ) throws -> Reading {
    try reach(path, in: shown, note: note, by: run) { schema, steps, place, origin in
      try schema.read(steps, in: place, from: origin, after: kept)
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
    _ path: Path, in shown: ShownPoint, note: (() -> Set<String>) -> Void,
    by run: (HostedPlugin) throws -> HostedPlugin,
    _ body: (Schema, ArraySlice<Path.Step>, UnsafeRawPointer, Path) throws -> Found
  ) throws -> Found {
    guard case .field(let name) = path.steps.first else {
      throw PathError(message: "a path starts with the name of a module, got '\(path)'")
    }
    func projected(_ value: Value, _ schema: Schema) throws -> Found {
      try withUnsafePointer(to: value) {
        let origin = path.steps.count == 2 ? path : Path(Array(path.steps.prefix(2)))
        return try body(schema, path.steps.dropFirst(2), UnsafeRawPointer($0), origin)
      }
    }
    if let own = projection(at: path) {
      // Of what a projection looks at, not all say it.
      note { own.isOfSlice ? [name] : Set(self.modules(in: shown).map(\.name)) }
      return try projected(own.read(shown.state.app) ?? .none, own.schema)
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
      note { Set(modules.map(\.name)) }
      return try projected(project(module, projection, in: shown, by: run), projection.schema)
    }
    note { [name] }
    var result: Result<Found, any Error>?
    _ = shown.state.readSlice(name) { schema, slice in
      result = Result { try body(schema, path.steps.dropFirst(), slice, origin) }
    }
    guard let result else { throw PathError(message: "'\(name)' has no state") }
    return try result.get()
  }

  /// The application's projection to whose value, or a part of it, a path leads; nil: it leads elsewhere.
  func projection(at path: Path) -> HostedApplication.Projection? {
    guard path.steps.count > 1, case .field(let name) = path.steps[1], case .field(let module) = path.steps[0] else {
      return nil
    }
    // By position: a copy would count all that a projection refers to.
    let projections = application.projections
    let index = projections.indices.first { projections[$0].name == name && projections[$0].module == module }
    return index.map { projections[$0] }
  }

  private func project(
    _ module: Module, _ projection: ProjectionType, in shown: ShownPoint, by run: (HostedPlugin) throws -> HostedPlugin
  ) throws -> Value {
    // One that is being unloaded is here until its watchers have been told.
    guard let hosted = shown.plugins.first(where: { $0.plugin.module.name == module.name }),
      shown.state.shell.plugins.contains(where: { $0.name == module.name })
    else { throw PathError(message: "there is no module '\(module.name)'") }
    let view = StateSnapshot(
      state: shown.state, moduleNames: modules(in: shown).map(\.name), versions: shown.versions)
    return try run(hosted).plugin.projections.project(projection.name, view: view)
  }
}

extension Module {
  /// Whether the module's type says which names can follow its own; a substate that nobody declared has parts of any name.
  package var hasNamedParts: Bool {
    if case .any = schema?.kind { return false }
    return true
  }
}

/// Reading what is shown to a client.
extension StoreClient {
  /// What is shown instead of the present; nil: the present.
  package var viewed: ViewedPoint? {
    past.map { ViewedPoint(number: $0.number, skipped: $0.skipped, head: live.head) }
  }

  /// Throws the error for what may not be done while the past is shown.
  package func requirePresent() throws {
    if let viewed { throw viewed.refusal }
  }

  /// What is shown: the present of the moment, or an earlier point.
  private var shown: ShownPoint { past.map { ShownPoint(past: $0) } ?? live.present }

  /// Hands out the state that is shown.
  package func withShownState<Result>(_ body: (borrowing HostState) throws -> Result) rethrows -> Result {
    if let past { return try body(past.state) }
    return try live.store.withState(body)
  }

  /// The state that is shown: that of the moment, or an earlier one.
  package var shownState: HostState { withShownState { copy $0 } }
  /// The settings of the store, as they are shown.
  package var settings: ShellState { withShownState { $0.shell } }
  /// Hands a look at the state that is shown, for Lua.
  package var view: any StateView { ClientView(client: self) }
  /// The modules in order: Swift ones as hosted, then plugins as loaded.
  package var modules: [Module] { live.modules(in: shown) }

  /// The middlewares in composition order.
  package var units: [UnitListing] { live.turn { live.units(in: shown) } }

  /// The loaded plugins, as listings show them.
  package var loadedPlugins: [LoadedPluginListing] {
    live.turn {
      live.listings(of: shown, missingAt: past?.number ?? live.history.head)
    }
  }

  /// The plugin of that name.
  package func plugin(named name: String) -> Plugin? {
    past == nil ? live.plugin(named: name) : shown.plugins.first { $0.plugin.module.name == name }?.plugin
  }

  /// Whether a module is a substate.
  package func isSubstate(_ name: String) -> Bool { withShownState { $0.substates.contains { $0.name == name } } }

  /// What stands at a path, or what a projection gives.
  ///
  /// - Parameter kept: the last reading there; nil: there was none.
  package func read(_ path: Path, after kept: KeptReading? = nil) throws -> Reading {
    try withOwnPlugins {
      try live.read(
        path, in: shown, after: kept, note: { if readModules != nil { readModules?.formUnion($0()) } }, by: $0)
    }
  }

  /// The type of what stands at a path, or of what a projection gives.
  package func type(at path: Path) throws -> Schema {
    try withOwnPlugins { try live.type(at: path, in: shown, by: $0) }
  }

  /// Runs a closure with what gives, for a plugin that is there, the one that computes for this client.
  private func withOwnPlugins<Result>(
    _ body: ((HostedPlugin) throws -> HostedPlugin) throws -> Result
  ) throws -> Result {
    var lent: (from: Plugin, to: Plugin)?
    defer { if let lent { live.turn { lent.from.countUses(of: lent.to) } } }
    return try body { hosted in
      // Within the turn, as where a watch asks, the plugin that runs keeps what it gives from action to action.
      guard past == nil, !live.store.isMine, let version = runningVersion(of: hosted),
        let own = try plugins([version]).first
      else { return hosted }
      lent = (hosted.plugin, own.plugin)
      return own
    }
  }

  /// The version of a plugin that runs; nil while it is being exchanged.
  private func runningVersion(of hosted: HostedPlugin) -> PluginVersion? {
    live.turn { live.timeline.points.last?.versions.first { $0.hosted?.plugin === hosted.plugin } }
  }
}

/// The state as plugins see it: of the moment of each read. An object, so that handing it on costs no more than a reference.
package final class LiveView: StateView {
  package unowned let host: LiveStore
  // A part of it, which is asked with every action.
  private let comparing: StateComparing

  init(of host: LiveStore) { (self.host, comparing) = (host, host.comparing) }

  package var moduleNames: [String] { host.modules.map(\.name) }

  package var keepsPlaces: Bool { true }

  package func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    // Unmanaged: the host, which is held meanwhile, has the store.
    Unmanaged.passUnretained(host.store)._withUnsafeGuaranteedRef { $0.withState { $0.readSlice(module, body) } }
  }

  package func version(of module: String) -> Int? { comparing.versions.version(of: module) }
}

/// The state as the Lua of a client sees it: what is shown to the client at the moment of each read.
package struct ClientView: StateView {
  package unowned let client: StoreClient

  package var moduleNames: [String] { client.modules.map(\.name) }

  package func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    client.readModules?.insert(module)
    return client.withShownState { $0.readSlice(module, body) }
  }

  // A client that looks at an earlier state goes there and back without an action.
  package func version(of module: String) -> Int? {
    client.past == nil ? client.live.comparing.versions.version(of: module) : nil
  }
}

/// One state as plugins see it.
package struct StateSnapshot: StateView {
  package let state: HostState
  package let moduleNames: [String]
  /// Which versions its slices are; nil: nobody knows.
  package var versions: SliceVersions?

  package func version(of module: String) -> Int? { versions?.version(of: module) }

  package func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    state.readSlice(module, body)
  }
}
