extension Plugin {
  /// Finds, without running them, the reducers, projections and `migrate` that assign to locals captured from outside:
  /// one sentence for each assignment. The look at their code happens once, so that such a plugin is not even loaded;
  /// captured tables show only while a function runs.
  var captureFaults: [String] {
    let reducers = definition.reducers.sorted { $0.key < $1.key }.map { ("reducer '\($0.key)'", $0.value) }
    let lifted = definition.lifted.map { ("reducer '\($0.action.fullName)'", $0.function) }
    let projections = definition.projections.map { ("projection '\(module.name).\($0.type.name)'", $0.function) }
    let migrate = definition.migrate.map { [("migrate", $0)] } ?? []
    return (reducers + lifted + projections + migrate).flatMap { place, watched in
      machine.lua.captureAssignments(of: watched.function).map { assignment in
        "\(place) assigns to the captured local '\(assignment.name)' (\(assignment.chunk):\(assignment.line))"
      }
    }
  }
}
