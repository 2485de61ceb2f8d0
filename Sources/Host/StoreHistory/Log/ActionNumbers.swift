/// Numbers of actions, in rising order, as ranges: those that follow one another take no more room than one.
public struct ActionNumbers: Sendable, Equatable {
  /// The ranges, in rising order. None begins where another ends.
  public private(set) var ranges: [ClosedRange<Int>] = []

  /// None.
  public init() {}

  /// True if there is no number.
  public var isEmpty: Bool { ranges.isEmpty }

  /// The numbers, in falling order.
  package var descending: some Sequence<Int> { ranges.reversed().lazy.flatMap { $0.reversed() } }

  /// Adds a number above all that are there.
  package mutating func insert(_ number: Int) {
    if let last = ranges.last {
      guard number > last.upperBound else { return }
      if number == last.upperBound + 1 {
        ranges[ranges.count - 1] = last.lowerBound...number
        return
      }
    }
    ranges.append(number...number)
  }

  /// Whether a number is there.
  public func contains(_ number: Int) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(number)
  }
}
