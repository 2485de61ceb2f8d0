import StoreSchema

/// A change that a watch has seen, and the action that made it.
struct WatchedChange: Sendable {
  var old: Value
  let new: Value
  let number: Int
  let action: String
  /// The number of changes that it stands for.
  var count = 1
  /// The number of actions that were folded into it: the value was not looked at after each of them.
  var folded = 0
}
