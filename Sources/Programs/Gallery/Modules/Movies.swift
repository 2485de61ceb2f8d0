import StoreCore
import StoreSchema

/// The module `movies`: a list of films from a service, some of them favourites.
@Schema
struct Movies: Hashable, Sendable {
  /// The films, in the service's order.
  var items: [Movie] = []
  /// Why the service refused what it was asked last; nil: it did not.
  var problem: String?

  /// A film.
  @Schema
  struct Movie: Hashable, Sendable {
    /// Tells it from all others.
    var id: Int
    /// Its title.
    var title: String
    /// How long it is.
    var minutes: Int
    /// Whether it is one that somebody likes.
    var isFavourite = false
  }

  /// The titles of those that somebody likes.
  var favourites: [String] { items.filter(\.isFavourite).map(\.title) }
}

/// The actions on films.
@Schema
enum MoviesAction: Hashable, Sendable {
  /// Somebody wants the list.
  case load
  /// The service gave the list.
  case loaded(items: [Movies.Movie])
  /// Somebody likes a film, or does no longer.
  case setFavourite(id: Int, to: Bool = true)
  /// The service refused a change, which is taken back.
  case refuseFavourite(id: Int, to: Bool, reason: String)
  /// The service gave no list.
  case failed(reason: String)
}

extension Movies {
  /// The films' reducer. A favourite shows at once, before the service has agreed.
  static let reducer = Reducer<MoviesAction, Movies>("movies") { action, movies in
    switch action {
    case .load: movies.problem = nil
    case .loaded(let items): movies.items = items
    case .setFavourite(let id, let isFavourite):
      movies.problem = nil
      movies.mark(id, isFavourite)
    case .refuseFavourite(let id, let isFavourite, let reason):
      movies.problem = reason
      movies.mark(id, !isFavourite)
    case .failed(let reason): movies.problem = reason
    }
  }

  /// The middleware that speaks to the service, before the service is given to it. An error becomes an action; a
  /// second wish about a film replaces the first.
  static let asking = EffectMiddleware<MovieService, MoviesAction, MoviesAction, Movies>("movies") { action, _, _ in
    switch action {
    case .load:
      .run { context in
        do {
          context.send(.loaded(items: try await context.dependencies.list()))
        } catch {
          context.send(.failed(reason: "\(error)"))
        }
      }.token("load")
    case .setFavourite(let id, let isFavourite):
      .run { context in
        do {
          try await context.dependencies.setFavourite(id, isFavourite)
        } catch {
          context.send(.refuseFavourite(id: id, to: isFavourite, reason: "\(error)"))
        }
      }.token(id)
    case .loaded, .refuseFavourite, .failed: .none
    }
  }

  private mutating func mark(_ id: Int, _ isFavourite: Bool) {
    if let index = items.firstIndex(where: { $0.id == id }) { items[index].isFavourite = isFavourite }
  }
}
