import StoreCore
import StoreSchema

extension CasePath {
  /// What wraps an element's action together with the element's id.
  @inlinable
  func embeddingElement<ID: SendableMetatype, Action>() -> @Sendable (ID, Action) -> Root
  where Payload == ElementAction<ID, Action> {
    let embed = embed
    return { embed(ElementAction(id: $0, action: $1)) }
  }

  /// What wraps an element's action together with the element's id, as a pair.
  @inlinable
  func embeddingPair<ID, Action>() -> @Sendable (ID, Action) -> Root where Payload == (ID, Action) {
    let embed = embed
    return { embed(($0, $1)) }
  }
}
