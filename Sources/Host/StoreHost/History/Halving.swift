import StoreHistory

extension StoreClient {
  /// One of some actions at which a condition on the state turned to hold, by halving: of a condition that turned once it is the
  /// first after which it holds. It is asked some log2(n) times.
  ///
  /// - Parameter holds: asks the condition of what can be read at the moment.
  package func halve(_ numbers: ClosedRange<Int>, holds: () throws -> Bool) throws -> BisectionAnswer {
    let start = numbers.lowerBound - 1
    var failure: (number: Int, error: any Error)?
    // Where it cannot be said, such as before a plugin was loaded, it does not hold.
    func asked(after number: Int) throws -> Bool {
      try viewing(number) {
        do {
          return try holds()
        } catch {
          if interruption.isRequested() { throw error }
          failure = failure.map { $0.number < number ? $0 : (number, error) } ?? (number, error)
          return false
        }
      }
    }
    guard try asked(after: numbers.upperBound) else {
      // A fault of the condition itself shows at the end.
      if let failure, failure.number == numbers.upperBound { throw failure.error }
      return BisectionAnswer(entry: nil, heldBefore: false, failure: failure)
    }
    let heldBefore = try asked(after: start)
    var (before, after) = (start, numbers.upperBound)
    if heldBefore, try asked(after: numbers.lowerBound) { after = numbers.lowerBound }
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if try asked(after: middle) { after = middle } else { before = middle }
    }
    return BisectionAnswer(
      entry: try theMoment.entry(after), heldBefore: heldBefore, failure: failure)
  }
}
