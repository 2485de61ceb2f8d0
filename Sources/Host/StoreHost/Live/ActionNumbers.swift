/// Numbers of actions, in rising order, as ranges: those that follow one another take no more room than one.
package struct ActionNumbers {
  private var ranges: [ClosedRange<Int>] = []

  /// None.
  package init() {}

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

  /// Adds a range that stays apart from others, and takes the place of those within it. No range that is there goes beyond it.
  package mutating func insert(apart range: ClosedRange<Int>) {
    while let last = ranges.last, last.lowerBound >= range.lowerBound { ranges.removeLast() }
    ranges.append(range)
  }

  /// Whether a number is there.
  package func contains(_ number: Int) -> Bool { range(holding: number) != nil }

  /// The range that a number stands in; nil: in none.
  package func range(holding number: Int) -> ClosedRange<Int>? {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(number) ? ranges[low] : nil
  }

  /// The lowest number above another one; nil: there is none.
  package func first(after number: Int) -> Int? {
    var first: Int?
    for range in ranges.reversed() {
      guard range.upperBound > number else { break }
      first = max(range.lowerBound, number + 1)
    }
    return first
  }

  /// The highest number; nil: there is none.
  package var last: Int? { ranges.last?.upperBound }
}
