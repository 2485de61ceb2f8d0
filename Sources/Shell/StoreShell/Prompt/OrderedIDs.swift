import StoreSchema

/// The ids of a list that ascend or descend, of which those that begin as typed are found without a look at the others.
struct OrderedIDs {
  private let items: ListOfItems
  private let list: UnsafeRawPointer
  private let count: Int
  private let ascends: Bool

  init(_ items: ListOfItems, _ list: UnsafeRawPointer) {
    (self.items, self.list, count) = (items, list, items.count(list))
    let ends = [0, count - 1].map { Self.key(items, list, $0) }
    ascends = count < 2 || ends[0] < ends[1]
  }

  /// The rows whose ids begin with a text, as runs that follow one another by their ids.
  func rows(beginningWith start: Substring) -> [Range<Int>] {
    guard count > 0 else { return [] }
    guard case .int(let least) = rank(0), case .int(let greatest) = rank(count - 1) else {
      let first = firstRank { $0 < .string(String(start)) }
      let end = firstRank { key in
        if case .string(let text) = key {
          text.utf8.starts(with: start.utf8) || key < .string(String(start))
        } else {
          true
        }
      }
      return [rows(first..<max(first, end))]
    }
    return Self.numbers(beginningWith: start).filter { $0.overlaps(least...greatest) }.map { numbers in
      let first = firstRank { $0 < .int(numbers.lowerBound) }
      return rows(first..<max(first, firstRank { $0 <= .int(numbers.upperBound) }))
    }
  }

  /// The numbers that begin with a text, as ranges of as many digits, in ascending order.
  static func numbers(beginningWith start: Substring) -> [ClosedRange<Int>] {
    if start.isEmpty { return numbers(beginningWith: "-") + [0...0] + positive(1...9) }
    if start == "-" { return negated(positive(1...9)) }
    guard let number = Int(start), "\(number)" == start, number != .min else { return [] }
    if number == 0 { return [0...0] }
    return number > 0 ? positive(number...number) : negated(positive(-number ... -number))
  }

  /// Numbers and those with more digits behind them.
  private static func positive(_ numbers: ClosedRange<Int>) -> [ClosedRange<Int>] {
    var ranges = [numbers]
    while let last = ranges.last {
      let (low, overflows) = last.lowerBound.multipliedReportingOverflow(by: 10)
      guard !overflows else { break }
      let (tens, isTooHigh) = last.upperBound.multipliedReportingOverflow(by: 10)
      let (high, isHigher) = tens.addingReportingOverflow(9)
      ranges.append(low...(isTooHigh || isHigher ? .max : high))
    }
    return ranges
  }

  private static func negated(_ ranges: [ClosedRange<Int>]) -> [ClosedRange<Int>] {
    ranges.reversed().map { (-$0.upperBound) ... -$0.lowerBound }
  }

  // MARK: Ranks

  /// The id that so many others are less than.
  private func rank(_ rank: Int) -> MapKey { Self.key(items, list, ascends ? rank : count - 1 - rank) }

  private static func key(_ items: ListOfItems, _ list: UnsafeRawPointer, _ row: Int) -> MapKey {
    var key: MapKey?
    items.read(list, row) { key = MapKey(items.value($0.field)) }
    // Ids in order are numbers or texts.
    return key ?? .int(0)
  }

  private func firstRank(_ isBefore: (MapKey) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(rank(middle)) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func rows(_ ranks: Range<Int>) -> Range<Int> {
    ascends ? ranks : count - ranks.upperBound..<count - ranks.lowerBound
  }
}
