import StoreSchema

/// The entries that a look back through a history asks for, as far as that can be told from a run of them as a whole.
public struct WantedEntries {
  private let place: ChangedPlaces.Hashes?
  private let withWholes: Bool
  private var isNamed: ((String) -> Bool)?

  /// All entries.
  public static var all: WantedEntries { WantedEntries(nil, withWholes: true) }

  private init(_ place: ChangedPlaces.Hashes?, withWholes: Bool) { (self.place, self.withWholes) = (place, withWholes) }

  /// Those among them whose actions have a name that is asked for.
  public func named(_ isNamed: @escaping (String) -> Bool) -> WantedEntries {
    var wanted = self
    wanted.isNamed = isNamed
    return wanted
  }

  /// The entries that changed something along a path.
  ///
  /// - Parameter withWholes: true to ask for those, too, that changed more than their changes tell.
  public static func changing(_ path: Path, withWholes: Bool = false) -> WantedEntries {
    WantedEntries(ChangedPlaces.Hashes(path), withWholes: withWholes)
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

  /// True if every run of entries is asked for.
  var areAll: Bool { place == nil }

  /// True if entries of an action may be asked for.
  public func mayBe(of action: String) -> Bool { isNamed?(action) ?? true }
}
