import StoreCore

/// Choices by random numbers that a seed determines.
extension SeededGenerator {
  /// A number of a range.
  package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Some bytes of any value.
  package mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
    (0..<number(count)).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  /// One of some elements; `choices` must not be empty.
  package mutating func pick<Element>(_ choices: [Element]) -> Element { choices[number(0...(choices.count - 1))] }
}
