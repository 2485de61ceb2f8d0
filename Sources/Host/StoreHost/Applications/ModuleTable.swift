import StoreModules
import StoreSchema

/// The modules of an application, from the schemas of its state and its actions.
package struct ModuleTable<Action: SchematicUnion, State: SchematicRecord> {
  package let modules: [Module]
  /// The action types by the positions of module case and action case.
  private let types: [[ActionType]]

  package init(_ application: Application<Action, State>) {
    var types: [[ActionType]] = []
    var modules: [Module] = []
    let cases: [UnionSchema.Case]
    if case .union(let union) = Action.schema.kind { cases = union.cases } else { cases = [] }
    for (position, branch) in cases.enumerated() {
      types.append(Self.actions(of: branch, at: position))
    }
    for field in AppState(application.initial).record.fields {
      let position = cases.firstIndex { $0.name == field.name }
      var projections: [ProjectionType] = []
      for projection in application.projections where projection.module == field.name {
        projections.append(projection.type)
      }
      modules.append(
        Module(
          name: field.name, origin: .swift, schema: field.schema, actions: position.map { types[$0] } ?? [],
          projections: projections))
    }
    // Actions without a slice of their own are a module too.
    for (position, branch) in cases.enumerated() where !modules.contains(where: { $0.name == branch.name }) {
      modules.append(Module(name: branch.name, origin: .swift, schema: nil, actions: types[position]))
    }
    self.types = types
    self.modules = modules
  }

  private static func actions(of branch: UnionSchema.Case, at position: Int) -> [ActionType] {
    switch branch.branch?.kind {
    case .union(let union):
      union.cases.enumerated().map { index, action in
        ActionType(
          module: branch.name, name: action.name, fields: action.fields, documentation: action.documentation,
          position: [position, index], layout: action.layout)
      }
    case .choice(_, let names):
      names.enumerated().map { index, name in
        ActionType(module: branch.name, name: name, fields: [], position: [position, index])
      }
    default: []
    }
  }

  package func action(_ call: ActionCall, isChecked: Bool) throws(SchemaError) -> Action {
    var reader = FieldReader(case: call.type.position[1], payload: call.arguments, isChecked: isChecked)
    do throws(SchemaError) {
      return try Action(schemaCase: call.type.position[0], fields: &reader)
    } catch {
      // Of the way to an argument, the case of the module is no part.
      throw SchemaError(Path(Array(error.path.steps.dropFirst())), error.problem)
    }
  }

  /// The call of a typed action; nil where its module has no actions in the table.
  package func call(_ action: Action) -> ActionCall? {
    let module = types[action.schemaCaseIndex]
    switch action.schemaPayload.first {
    case .string(let name): return module.first { $0.name == name }.map { ActionCall($0, []) }
    case .variant(let variant):
      return module.first { $0.name == variant.name }.map { ActionCall($0, variant.payload.values) }
    default: return nil
    }
  }
}
