import StoreSchema

// What the samples of Reducer take as given.

@Schema
enum VolumeAction: Equatable, Sendable { case louder, quieter, toggleMute }

@Schema
struct VolumeState: Equatable, Sendable {
  var isMute = false
  var volume = 50
}

@Schema
enum NumberAction: Equatable, Sendable { case increment, decrement, half }

@Schema
enum AppAction: Equatable, Sendable {
  case prism1(Outer)

  @Schema
  enum Outer: Equatable, Sendable { case prism2(Inner) }

  @Schema
  enum Inner: Equatable, Sendable { case prism3(VolumeAction), other }
}

struct AppState: Equatable, Sendable {
  var property1 = Property()

  struct Property: Equatable, Sendable { var property2 = VolumeState() }

  init() {}
}
