import StoreCore
import StoreSchema

extension CasePath {
  /// Gives the function that wraps an element's action together with the element's id.
  @inlinable
  func embeddingElement<ID: SendableMetatype, Action>() -> @Sendable (ID, Action) -> Root
  where Payload == ElementAction<ID, Action> {
    let embed = embed
    return { embed(ElementAction(id: $0, action: $1)) }
  }

  /// Gives the function that wraps an element's action together with the element's id, as a pair.
  @inlinable
  func embeddingPair<ID, Action>() -> @Sendable (ID, Action) -> Root where Payload == (ID, Action) {
    let embed = embed
    return { embed(($0, $1)) }
  }
}
