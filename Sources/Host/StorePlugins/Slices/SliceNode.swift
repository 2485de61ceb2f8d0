import StoreSchema

/// A place in a slice that Lua holds an object for: how to get there from its parent, and what stands there. All of it
/// plain words: nodes are looked at several times for each access.
struct SliceNode {
  /// The type of what stands there, unwrapped where it is optional.
  let shape: Unmanaged<SliceShape>
  /// The node that it is a part of; -1: it is the root of a slice.
  let parent: Int
  /// The way from the parent, or to the slice.
  let step: Step
  /// The number of parents that it has, one within the other.
  let depth: Int
  /// The field of the slice that it is, or is within; -1: none.
  let top: Int
  /// The number of the draft that it is a part of; 0: it is a part of the state, read-only.
  let draft: Int
  /// The address of the value, when it was found; nil: it cannot be addressed.
  var address: UnsafeMutableRawPointer?
  /// When it was found: an address holds while addresses of that time do.
  var time: Int
  /// True if the value may be changed there.
  var isMutable: Bool
  /// The generation that its objects carry, so that a kept object is told from an object of a later node with the
  /// number.
  let generation: UInt32
  /// The number that it had in its map then, if it is an entry.
  var entry = 0
  /// True if an entry of it has a node.
  var hasEntries = false
  /// The fate of the node's part of the draft.
  var presence = Presence.inPlace
  /// True if its value was put somewhere in the draft, or moved with its list. Once the node is no longer in place, a
  /// write to it would not reach the value's new place.
  var isElsewhere = false
  /// True if nobody will look for the node at its place any more.
  var isGone: Bool { if case .loose = presence { true } else { false } }

  /// A step inwards.
  enum Step: Equatable {
    /// The slice that the running reducer may change.
    case draft
    /// A module's slice, read-only, by the position of its name.
    case module(Int)
    /// A field of a record, by position from 0.
    case field(Int)
    /// An element of a list, by position from 0.
    case element(Int)
    /// An entry of a map, by the position of its key among those that objects were made for.
    case entry(Int)
  }

  /// The fate of the value that a node stands for: in place, or not.
  enum Presence: Equatable {
    /// The value is where it was.
    case inPlace
    /// The value was overwritten or taken away. The object keeps standing for the old value, as a Lua table would, by
    /// its position among such values. So `a[1], a[2] = a[2], a[1]` and `table.sort` do on a list of records what they
    /// do on plain tables.
    case loose(Int)
    /// The value has a Swift type that changes its parts together only. The object stands for a copy of what was there, by
    /// its position among such copies.
    case whole(Int)
  }
}
