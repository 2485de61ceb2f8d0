/// The positions of names, such as those of commands and actions, which are looked up by their bytes with every line. These names are
/// nobody's input, so a hash that anybody can foresee is good enough.
package final class NamePositions: Sendable {
  package let names: [String]
  /// The bytes of all names, one behind the other.
  private let bytes: [UInt8]
  /// The names in the first free place from the one that the hash of each names on. At least half is free.
  private let places: [Place]

  private struct Place {
    /// The position of the name, from 1; 0: free.
    var position: Int32 = 0
    var start: Int32 = 0
    var count: Int32 = 0
  }

  /// Makes a table of some names; of one that stands there twice the first position counts.
  package init(_ names: [String]) {
    let bytes = names.flatMap(\.utf8)
    var count = 4
    while count < names.count * 2 { count *= 2 }
    var places = Array(repeating: Place(), count: count)
    var start = 0
    for index in names.indices {
      var name = names[index]
      let free = name.withUTF8 { Self.place(of: UnsafeRawBufferPointer($0), places, bytes) }
      let length = name.utf8.count
      if places[free].position == 0 {
        places[free] = Place(
          position: Int32(truncatingIfNeeded: index + 1), start: Int32(truncatingIfNeeded: start),
          count: Int32(truncatingIfNeeded: length))
      }
      start += length
    }
    (self.names, self.bytes, self.places) = (names, bytes, places)
  }

  /// The position of a name among ``names``; nil: it is none of them.
  package subscript(name: String) -> Int? {
    var name = name
    return name.withUTF8 { self[UnsafeRawBufferPointer($0)] }
  }

  /// The position of the name that has those bytes; nil: none has.
  package subscript(name: UnsafeRawBufferPointer) -> Int? {
    let position = places[Self.place(of: name, places, bytes)].position
    return position == 0 ? nil : Int(position) - 1
  }

  /// The place of a name, or the one where it would go.
  private static func place(of name: UnsafeRawBufferPointer, _ places: [Place], _ bytes: [UInt8]) -> Int {
    let mask = places.count - 1
    var index = hash(name) & mask
    while true {
      let place = places[index]
      if place.position == 0 { return index }
      if Int(place.count) == name.count {
        let isSame = bytes.withUnsafeBytes { bytes in
          guard let own = bytes.baseAddress, let first = name.baseAddress else { return true }
          return hasSameBytes(own + Int(place.start), first, name.count)
        }
        if isSame { return index }
      }
      index = (index + 1) & mask
    }
  }

  /// A hash of the first and the last eight bytes.
  private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
    var hash = UInt64(truncatingIfNeeded: name.count)
    if name.count < 8 {
      for byte in name { hash = hash &* 0x100_0000_01b3 ^ UInt64(byte) }
    } else {
      hash ^= name.loadUnaligned(as: UInt64.self) &* 0x9e37_79b9_7f4a_7c15
      hash ^= name.loadUnaligned(fromByteOffset: name.count - 8, as: UInt64.self)
    }
    return Int(truncatingIfNeeded: (hash &* 0xbf58_476d_1ce4_e5b9) >> 32)
  }
}
