import StoreSchema

/// A change that a watch has seen, and the action that made it.
struct WatchedChange: Sendable {
  var old: Value
  var new: Value
  var number: Int
  var action: String
  /// The number of changes that it stands for.
  var count = 1
  /// The number of actions that were folded into it: the value was not looked at after each of them.
  var folded = 0

  /// True if it is told by the changes of elements or fields: the value is a collection before and after.
  var isOfElements: Bool {
    switch (old, new) {
    case (.list, .list), (.map, .map), (.record, .record): true
    default: false
    }
  }

  /// Makes one change of it and a later one.
  mutating func absorb(_ later: WatchedChange) {
    (new, number, action) = (later.new, later.number, later.action)
    count += later.count
    folded += later.folded
  }
}
