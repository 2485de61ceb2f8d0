import StoreHistory
import StoreSchema

/// Substates that an import brought: what a recorded action says of its changes leaves out what arrived, so they stand among
/// its arguments.
package enum ImportedSubstates {
  private static let record = RecordSchema(
    name: "Substate", fields: [Field("name", String.schema), Field("value", .dynamic(.any))])

  /// The argument by which an import tells the substates that it added.
  package static let field = Field("substates", .dynamic(.optional(.dynamic(.list(.dynamic(.record(record)))))))

  /// What the argument is for some substates of a state; none where there are none.
  package static func argument(_ names: [String], in state: HostState) -> Value {
    guard !names.isEmpty else { return .none }
    let added = state.substates.filter { names.contains($0.name) }
    return .list(PersistentList(added.map { .record(Record(record.layout, [.string($0.name), $0.value])) }))
  }

  /// The substates that a recorded action added as an import, in their order.
  package static func added(by entry: LoggedEntry) -> [(name: String, value: Value)] {
    guard entry.action == ShellAction.Types.importState.fullName, entry.failure == nil,
      case .list(let added)? = entry.arguments[field.name]
    else { return [] }
    return added.compactMap { substate in
      guard case .record(let substate) = substate, case .string(let name)? = substate["name"] else { return nil }
      return (name, substate["value"] ?? .none)
    }
  }
}

extension HostState {
  /// Takes over the substates that a recorded import added.
  ///
  /// - Throws: `SchemaError` where a recorded value is no longer of the substate's type.
  package mutating func takeSubstates(importedBy entry: LoggedEntry, type: (String) -> Schema) throws(SchemaError) {
    let added = ImportedSubstates.added(by: entry)
    guard !added.isEmpty else { return }
    let members = PersistentMap(added.map { (MapKey.string($0.name), $0.value) })
    addSubstates(added.map(\.name), in: members, type: type)
    try setSlices(fromJSON: .map(members), isPartial: true)
  }
}
