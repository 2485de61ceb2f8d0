import StoreSchema

/// What became of a value when the state was brought to another type.
package enum Migration {
  /// Nothing, or the state always had the type that it has.
  case none
  /// It came or changed.
  case changed([Change])
  /// The state before that can no longer be read.
  case unknown
}
