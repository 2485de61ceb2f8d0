import LuaRuntime

/// Finds, without running them, the reducers and projections that assign to locals captured from outside. Captured tables
/// show only while a function runs.
struct CaptureScan {
  private let lua: LuaState
  private let definition: PluginDefinition
  private let plugin: String

  init(_ plugin: String, _ definition: PluginDefinition, _ lua: LuaState) {
    self.plugin = plugin
    self.definition = definition
    self.lua = lua
  }

  /// One sentence for each assignment, in the order of the places: reducers by name, lifted reducers, projections, migrate.
  var faults: [String] {
    let reducers = definition.reducers.sorted { $0.key < $1.key }.map { ("reducer '\($0.key)'", $0.value) }
    let lifted = definition.lifted.map { ("reducer '\($0.action.fullName)'", $0.function) }
    let projections = definition.projections.map { ("projection '\(plugin).\($0.type.name)'", $0.function) }
    let migrate = definition.migrate.map { [("migrate", $0)] } ?? []
    return (reducers + lifted + projections + migrate).flatMap { place, watched in
      lua.captureAssignments(of: watched.function).map { assignment in
        "\(place) assigns to the captured local '\(assignment.name)' (\(assignment.chunk):\(assignment.line))"
      }
    }
  }
}
