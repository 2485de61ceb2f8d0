import StoreCore
import StoreModules
import StoreSchema

/// The reducer of a substate that may come and go (R23): it stands ready whether or not `substate add` has made one of its
/// name.
///
/// The idea is RxState's, as in StoreUnits; here substates have names, and values of any type with a schema.
public struct ApplicationSubstate: Sendable {
  package let name: String
  package let schema: Schema
  package let actions: [ActionType]
  /// The reducer in the shell's root.
  package let reducer: Reducer<HostAction, HostState>
  /// Whether the reducer is told when an action happened.
  package let takesContext: Bool
  package let action: @Sendable (ActionCall) throws(SchemaError) -> AppAction

  /// Declares what the substates of a name are and how they are reduced.
  ///
  /// - Parameters:
  ///   - name: the substate's name, which its actions and paths start with.
  ///   - reducer: changes the substate, while there is one of that name.
  public init<Action: SchematicUnion, State: Schematic>(_ name: String, _ reducer: Reducer<Action, State>) {
    self.name = name
    // A slice holds the run-time form.
    schema = State.schema.dynamic
    var cases: [ActionType] = []
    if case .union(let union) = Action.schema.kind {
      cases = union.cases.map {
        ActionType(
          module: name, name: $0.name, fields: $0.fields, documentation: $0.documentation, layout: $0.layout)
      }
    } else if case .choice(_, let names) = Action.schema.kind {
      cases = names.map { ActionType(module: name, name: $0, fields: []) }
    }
    actions = cases
    takesContext = reducer.takesContext
    self.reducer = reducer.lift(
      action: { (action: HostAction) in
        action.kind == .substate && action.call.type.module == name ? action.typed.typed() : nil
      },
      modify: { (state: inout HostState, body) in
        guard let index = state.substates.firstIndex(where: { $0.name == name }) else { return }
        var local = try State(schemaValue: state.substates[index].value)
        try body(&local)
        state.substates[index].value = local.schemaValue
      }
    ).taking(kinds: { $0.kind == .substate })
    action = { (call) throws(SchemaError) in
      let value: Value =
        call.type.fields.isEmpty
        ? .string(call.type.name) : .variant(Variant(name: call.type.name, payload: call.record))
      return AppAction(try Action(schemaValue: value))
    }
  }
}
