import Foundation
import StoreCore

// README 0.8.12, "Middleware Examples" and "EffectMiddleware".

/// An interface with a callback, which a middleware calls in its IO.
func favourites(
  changing change: @escaping @Sendable (UUID, Bool, @escaping @Sendable (Result<Void, any Error>) -> Void) -> Void
) -> Middleware<FavouritesAction, FavouritesAction, [Movie]> {
  Middleware("favourites") { action, _, state in
    guard case .toggleFavourite(let id) = action else { return .none }
    let isFavourite = !state().contains { $0.id == id }  // The state before reducing.
    return IO { output in
      change(id, isFavourite) { result in
        switch result {
        case .success:
          output.dispatch(.changedFavourite(id, isFavourite: isFavourite), info: "callback")
        case .failure(let error):
          output.dispatch(
            .changedFavouriteHasFailed(id, isFavourite: !isFavourite, error: "\(error)"), info: "callback")
        }
      }
    }
  }
}
