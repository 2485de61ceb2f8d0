import StoreCore
import StoreSchema

/// The element that the output of a middleware is for: an action that leaves out the argument gets the id there (R17).
struct AddressedElement {
  let argument: String
  let id: Value
}

/// The key of a task of one element, which is private to it.
struct ElementKey: Hashable, Sendable, CustomStringConvertible, TokenOfParts {
  let id: Value
  let key: EffectToken

  /// The element and the key, as listings show them.
  var description: String { "\(element)/\(key)" }

  /// The same, with the type of the key.
  var textWithType: String { "\(element)/\(key.textWithType)" }

  private var element: String {
    switch id {
    case .string(let text): text
    case .int(let number): "\(number)"
    default: "\(id)"
    }
  }
}
