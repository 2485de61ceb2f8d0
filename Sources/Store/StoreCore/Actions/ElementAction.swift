/// An action for one element of a collection: which element, and what is to be done with it (R17).
///
/// The idea is SwiftRex's, which has one such type for ids and one for indices. Here the lift decides what `ID` is: the
/// element's id, another property's value, its index, or its key in a dictionary.
public struct ElementAction<ID: Hashable, Action>: Identifiable {
  /// The id of the element.
  public var id: ID
  /// The action for the element.
  public var action: Action

  /// Addresses an action to an element.
  @inlinable
  public init(id: ID, action: Action) {
    self.id = id
    self.action = action
  }

  /// Another action for the same element.
  @inlinable
  public func map<Other>(_ transform: (Action) -> Other) -> ElementAction<ID, Other> {
    ElementAction<ID, Other>(id: id, action: transform(action))
  }
}

extension ElementAction: Sendable where ID: Sendable, Action: Sendable {}
extension ElementAction: Equatable where Action: Equatable {}
extension ElementAction: Hashable where Action: Hashable {}
extension ElementAction: Encodable where ID: Encodable, Action: Encodable {}
extension ElementAction: Decodable where ID: Decodable, Action: Decodable {}
