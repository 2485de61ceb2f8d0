import StoreSchema

/// The entries that a look back through a history asks for, as far as that can be told from a run of them as a whole.
public struct WantedEntries {
  private let place: ChangedPlaces.Hashes?
  private let withWholes: Bool

  /// All entries.
  public static var all: WantedEntries { WantedEntries(place: nil, withWholes: true) }

  /// The entries that changed something along a path.
  ///
  /// - Parameter withWholes: true to ask for those, too, that changed more than their changes tell.
  public static func changing(_ path: Path, withWholes: Bool = false) -> WantedEntries {
    WantedEntries(place: ChangedPlaces.Hashes(path), withWholes: withWholes)
  }

  /// True if there may be one among the entries of a run.
  func mayBe(in places: ChangedPlaces, endsWhole: Bool) -> Bool {
    guard let place else { return true }
    return withWholes && endsWhole || places.mayMeet(place)
  }

  /// True if the same holds of a run whose places were encoded.
  func mayBe(inEncoded places: UnsafeRawBufferPointer, endsWhole: Bool) -> Bool {
    guard let place else { return true }
    return withWholes && endsWhole || ChangedPlaces.mayMeet(place, encoded: places)
  }

  /// True if every entry is asked for.
  var areAll: Bool { place == nil }
}
