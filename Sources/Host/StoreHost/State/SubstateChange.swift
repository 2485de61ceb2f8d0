import StoreHistory
import StoreModules
import StoreSchema
import StoreUnits

/// What is done to substates as such (R23), as an action of the shell: no reducer of the application sees it.
package enum SubstateChange: Sendable {
  case add(name: String, schema: Schema, Value, isReplacing: Bool)
  /// Removes substates; without names all of them.
  case reset(names: [String])

  package static let addType = ActionType(
    module: "shell", name: "addSubstate",
    fields: [
      Field("name", String.schema), Field("value", .dynamic(.any)),
      Field("replace", Bool?.schema),
    ],
    documentation: "Adds a substate, or with replace replaces another.")
  package static let resetType = ActionType(
    module: "shell", name: "resetSubstates", fields: [Field("names", [String].schema)],
    documentation: "Removes substates; without names all of them.")

  /// What a recorded action did; nil where it did nothing to substates as such.
  ///
  /// - Throws: `SchemaError` where the recorded value is no longer of the substate's type.
  package init?(_ entry: LoggedEntry, type: (String) -> Schema) throws(SchemaError) {
    let arguments = entry.arguments
    switch (entry.action, arguments["name"], arguments["names"]) {
    case (Self.addType.fullName, .string(let name)?, _):
      let schema = type(name)
      self = .add(
        name: name, schema: schema, try schema.value(fromJSON: arguments["value"] ?? .none),
        isReplacing: arguments["replace"] == .bool(true))
    case (Self.resetType.fullName, _, .list(let names)?):
      self = .reset(names: names.compactMap(\.text))
    default: return nil
    }
  }

  /// Whether the change may be refused.
  package var canFail: Bool {
    if case .add = self { return true }
    return false
  }

  /// The action as the journal names it.
  package var call: ActionCall {
    switch self {
    case .add(let name, _, let value, let isReplacing):
      ActionCall(Self.addType, [.string(name), value, isReplacing ? .bool(true) : .none])
    case .reset(let names): ActionCall(Self.resetType, [.texts(names)])
    }
  }

  /// - Throws: `SubstateError` where a name is taken.
  package func reduce(_ state: inout HostState) throws(SubstateError) {
    switch self {
    case .add(let name, let schema, let value, let isReplacing):
      let slice = PluginSlice(name: name, schema: schema, value: value)
      guard let index = state.substates.firstIndex(where: { $0.name == name }) else {
        return state.substates.append(slice)
      }
      guard isReplacing else { throw .exists(name: name) }
      state.substates[index] = slice
    case .reset(let names): state.substates.removeAll { names.isEmpty || names.contains($0.name) }
    }
  }
}
