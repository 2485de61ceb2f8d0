import StoreModules
import StorePlugins
import StoreSchema

/// Reading what is shown by paths.
extension LiveStore {
  /// The state that is shown: that of the moment, or an earlier one.
  package var shownState: State { withShownState { $0 } }

  /// What stands at a path, or what a projection gives.
  package func read(_ path: Path) throws -> Reading {
    try turn {
      try withShownState { state in try read(path, in: state) }
    }
  }

  private func read(_ path: Path, in state: State) throws -> Reading {
    guard case .field(let name) = path.steps.first else {
      throw PathError(message: "a path starts with the name of a module, got '\(path)'")
    }
    guard let module = modules.first(where: { $0.name == name }) else {
      let hint = Suggestion.question(name, among: modules.map(\.name))
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
      let value = try project(module, projection, in: state)
      return try withUnsafePointer(to: value) { value in
        try projection.schema.read(
          path.steps.dropFirst(2), in: UnsafeRawPointer(value), from: origin.appending(path.steps[1]))
      }
    }
    looking.readModules?.insert(name)
    var result: Result<Reading, PathError>?
    let steps = path.steps.dropFirst()
    _ = state.readSlice(name) { schema, slice in
      result = Result { () throws(PathError) in try schema.read(steps, in: slice, from: origin) }
    }
    guard let result else { throw PathError(message: "'\(name)' has no state") }
    return try result.get()
  }

  private func project(_ module: Module, _ projection: ProjectionType, in state: State) throws -> Value {
    // A projection does not say what it looks at.
    looking.readModules?.formUnion(modules.map(\.name))
    if let hosted = shownPlugins.first(where: { $0.plugin.module.name == module.name }) {
      // One that is being unloaded is here until its watchers have been told.
      guard state.shell.plugins.contains(where: { $0.name == module.name }) else {
        throw PathError(message: "there is no module '\(module.name)'")
      }
      return try hosted.plugin.projections.project(
        projection.name, view: looking.past == nil ? view : StateSnapshot(host: self, state: state))
    }
    let found = application.projections.first { $0.module == module.name && $0.name == projection.name }
    return found?.read(state.app) ?? .none
  }
}
