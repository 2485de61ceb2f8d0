import StoreSchema

/// The state of the whole program: each field is a module.
@Schema
struct GalleryState: Hashable, Sendable {
  /// A counter with a direction and a limit.
  var counter = Counter()
  /// How loud it is.
  var volume = Volume()
  /// Films, and which of them somebody likes.
  var movies = Movies()
}

/// The actions of the whole program: each case holds the actions of the module with its name.
@Schema
enum GalleryAction: Hashable, Sendable {
  case counter(CounterAction)
  case volume(VolumeAction)
  case movies(MoviesAction)
}
