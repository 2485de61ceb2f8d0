import Foundation
import StoreCore

// README 0.8.12, "EffectMiddleware": what the effect depends on is given when the unit is built.

typealias FavouritesAPI = @Sendable (UUID, Bool) async throws -> Void

let favouritesEffects = EffectMiddleware<FavouritesAPI, FavouritesAction, FavouritesAction, [Movie]>("favourites") {
  action, _, state in
  guard case .toggleFavourite(let id) = action else { return .none }
  let isFavourite = !state().contains { $0.id == id }
  return .run(
    { context in
      try await context.dependencies(id, isFavourite)
      context.send(.changedFavourite(id, isFavourite: isFavourite))
    }, failure: { .changedFavouriteHasFailed(id, isFavourite: !isFavourite, error: "\($0)") }
  ).token(id)
}
