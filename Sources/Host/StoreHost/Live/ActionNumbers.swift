/// Numbers of actions, in rising order, as ranges: those that follow one another take no more room than one.
package struct ActionNumbers {
  private var ranges: [ClosedRange<Int>] = []

  /// None.
  package init() {}

  /// True if there is no number.
  package var isEmpty: Bool { ranges.isEmpty }

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
  package func contains(_ number: Int) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(number)
  }
}
