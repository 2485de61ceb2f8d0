import Foundation
import StoreSchema
import StoreSchemaFoundation

// The actions and the state of README 0.8.12, "Action" and "State". With `@Schema` beside: case paths, and all that a shell
// needs.

@Schema enum AppAction: Equatable, Sendable {
  case started
  case movie(MovieAction)
  case cast(CastAction)
}

@Schema enum MovieAction: Equatable, Sendable {
  case requestMovieList
  case gotMovieList(movies: [Movie])
  case movieListResponseError(MovieResponseError)
  case selectMovie(id: UUID)
}

@Schema enum CastAction: Equatable, Sendable {
  case requestCastList(movieId: UUID)
  case gotCastList(movieId: UUID, cast: [Person])
  case castListResponseError(CastResponseError)
  case selectPerson(id: UUID)
}

@Schema struct AppState: Equatable, Sendable {
  var appLifecycle = AppLifecycle.foregroundActive
  var movies: Loadable<[Movie]> = .neverLoaded
  var currentFilter = MovieFilter()
  var selectedMovie: UUID?
}

@Schema struct MovieFilter: Equatable, Sendable {
  var stringFilter: String?
  var yearMin: Int?
  var yearMax: Int?
  var ratingMin: Int?
  var ratingMax: Int?
}

@Schema enum AppLifecycle: Equatable, Sendable {
  case backgroundActive
  case backgroundInactive
  case foregroundActive
  case foregroundInactive
}

@Schema enum Loadable<T: Schematic & Equatable & Sendable>: Equatable, Sendable {
  case neverLoaded
  case loading
  case loaded(T)
}
