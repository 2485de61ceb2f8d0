import Synchronization

/// The source of films, and the keeper of who likes them: a program reaches it over a network, a test makes it up.
struct MovieService: Sendable {
  /// All films.
  var list: @Sendable () async throws -> [Movies.Movie]
  /// Keeps that a film is liked, or is no longer.
  var setFavourite: @Sendable (_ id: Int, _ isFavourite: Bool) async throws -> Void

  /// Why a service refused something, in a sentence.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }
}

extension MovieService {
  /// A service without a network: it knows four films, and fails where somebody wants more favourites than it keeps.
  static func small(keeping limit: Int) -> MovieService {
    let shelf = Shelf(limit: limit)
    return MovieService(
      list: { shelf.movies.withLock { $0 } }, setFavourite: { id, isFavourite in try shelf.set(id, isFavourite) })
  }

  private final class Shelf: Sendable {
    let movies = Mutex([
      Movies.Movie(id: 1, title: "The General", minutes: 79), Movies.Movie(id: 2, title: "Metropolis", minutes: 153),
      Movies.Movie(id: 3, title: "Nosferatu", minutes: 94), Movies.Movie(id: 4, title: "Sunrise", minutes: 94),
    ])
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func set(_ id: Int, _ isFavourite: Bool) throws {
      try movies.withLock { movies in
        guard let index = movies.firstIndex(where: { $0.id == id }) else {
          throw Refusal(description: "there is no film \(id)")
        }
        guard !isFavourite || movies[index].isFavourite || movies.count(where: \.isFavourite) < limit else {
          throw Refusal(description: "only \(limit) favourites are kept")
        }
        movies[index].isFavourite = isFavourite
      }
    }
  }
}
