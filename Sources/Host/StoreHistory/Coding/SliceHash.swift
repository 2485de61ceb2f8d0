import StoreSchema

/// A hash of all states that the slice of one module has gone through.
///
/// The hash starts from the slice as a whole, and each action adds the bytes of the slice's changes, as ``EntryWriter``
/// writes them. An action thus costs as much as it changed, however large the slice is. Two histories with equal hashes
/// had equal slices after every action, but for chance. The typed difference is a function of the two states. With the
/// first state it determines the second, because it gives the position of every element. A hash of the present state
/// alone would cost a look at all of it, or a hash kept in every node of every collection.
public struct SliceHash: Hashable, Sendable {
  /// The hash.
  public private(set) var value: UInt64

  /// The hash of a slice at the start of a history, or where it arrives in one.
  public init(of slice: Value) {
    var bytes: [UInt8] = []
    JSON.append(slice, to: &bytes)
    var hash = StableHash()
    hash.add(bytes[...])
    value = hash.value
  }

  /// Takes in what an action changed in the slice; nothing changed leaves the hash as it is.
  public mutating func add(_ changes: ArraySlice<Change>) {
    guard !changes.isEmpty else { return }
    var bytes: [UInt8] = []
    EntryWriter.append(changes, to: &bytes)
    var hash = StableHash(continuing: value)
    hash.add(bytes[...])
    value = hash.value
  }

  /// Takes in the bytes of what an action changed in the slice, as they stand between the brackets.
  mutating func add(elements: UnsafeBufferPointer<UInt8>) {
    var hash = StableHash(continuing: value)
    hash.add(UInt8(ascii: "["))
    hash.add(elements)
    hash.add(UInt8(ascii: "]"))
    value = hash.value
  }
}
