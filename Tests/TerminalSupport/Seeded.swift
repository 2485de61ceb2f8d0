/// Random numbers that a seed determines, the same on every machine (SplitMix64, by Steele, Lea and Flood).
public struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  /// Starts at a seed.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number of a range.
  public mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Some bytes of any value.
  public mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
    (0..<number(count)).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  /// One of some elements; `choices` must not be empty.
  public mutating func pick<Element>(_ choices: [Element]) -> Element { choices[number(0...(choices.count - 1))] }
}
