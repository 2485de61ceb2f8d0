import StoreModules
import StoreSchema

package final class ActionTable: Sendable {
  /// The positions of their full names among ``types``.
  package let positions: NamePositions
  package let types: [ActionType]

  /// Makes a table. Of two actions with one name the last stands for it.
  package init(_ types: [ActionType] = []) {
    self.types = Array(Dictionary(types.map { ($0.fullName, $0) }, uniquingKeysWith: { $1 }).values)
    positions = NamePositions(self.types.map(\.fullName))
  }

  package var names: [String] { positions.names }

  package subscript(name: String) -> ActionType? { positions[name].map { types[$0] } }

  /// The action whose full name has those bytes.
  package subscript(name: UnsafeRawBufferPointer) -> ActionType? { positions[name].map { types[$0] } }
}
