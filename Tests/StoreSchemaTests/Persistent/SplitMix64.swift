/// The SplitMix64 generator (Steele, Lea, Flood, 2014): the same seed gives the same operations on every machine.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// An element with heap storage that counts how often it is copied on write, to show which operations leave it alone.
struct Payload: Equatable, Comparable, Hashable {
  private final class Box {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  private var box: Box
  private(set) var copies = 0

  init(_ number: Int) { box = Box(number) }

  var number: Int {
    get { box.number }
    set {
      if !isKnownUniquelyReferenced(&box) {
        box = Box(box.number)
        copies += 1
      }
      box.number = newValue
    }
  }

  static func == (left: Self, right: Self) -> Bool { left.number == right.number }
  static func < (left: Self, right: Self) -> Bool { left.number < right.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
