import StoreSchema

/// The part of a history that memory no longer holds, such as a journal on disk.
public protocol OlderEntries<State>: AnyObject {
  /// The state that the history is about.
  associatedtype State: Sendable

  /// The oldest number whose state can be made; 0: the initial state.
  var oldest: Int { get }
  /// The number before the oldest entry that can be read: where the state had another type once, entries go back further than
  /// states.
  var oldestEntry: Int { get }

  /// Hands out entries in order.
  ///
  /// - Parameters:
  ///   - numbers: the numbers to visit; missing ones are passed over.
  ///   - body: returns false to end the visit.
  /// - Throws: the errors of `body`, and the error that kept the entries from being read.
  func visit(_ numbers: ClosedRange<Int>, _ body: (LoggedEntry) throws -> Bool) throws

  /// Hands out entries in order; those whose actions are not asked for may be passed over.
  func visit(_ numbers: ClosedRange<Int>, _ wanted: WantedEntries, _ body: (LoggedEntry) throws -> Bool) throws

  /// Hands out in order what entries changed.
  ///
  /// - Parameters:
  ///   - numbers: the numbers to visit; missing ones are passed over.
  ///   - body: returns false to end the visit. A step is valid until it returns.
  /// - Throws: the errors of `body`, and the error that kept the entries from being read.
  func visitChanges(_ numbers: ClosedRange<Int>, _ body: (HistoryStep) throws -> Bool) throws

  /// The latest numbers up to one among whose entries there may be one that is asked for, not more than so many; nil: there
  /// are none.
  func numbers(upTo number: Int, _ wanted: WantedEntries, most: Int) throws -> ClosedRange<Int>?

  /// The state at a number or at one shortly before, after which the changes of the entries tell all that happened.
  /// Every entry that ``LoggedEntry/isWhole`` marks has such a state, unless ``tellsAll(_:)``.
  ///
  /// - Returns: nil where the history does not go back that far.
  func snapshot(atOrBefore number: Int) throws -> (number: Int, state: State)?

  /// Adds to a state what an entry that ``LoggedEntry/isWhole`` marks does not tell, where that is little.
  ///
  /// - Returns: false, and the state is as it was, where it takes the state that was written after the entry.
  func addUntold(of entry: LoggedEntry, to state: inout State) throws -> Bool

  /// True if the file says that the changes of an entry tell all, though ``LoggedEntry/isWhole`` marks it.
  func tellsAll(_ entry: LoggedEntry) throws -> Bool
}

extension OlderEntries {
  /// As far back as states go.
  public var oldestEntry: Int { oldest }

  /// The state that was written tells it.
  public func addUntold(of entry: LoggedEntry, to state: inout State) -> Bool { false }

  /// No file says so of any.
  public func tellsAll(_ entry: LoggedEntry) -> Bool { false }

  /// The next numbers back, whatever is asked for.
  public func numbers(upTo number: Int, _ wanted: WantedEntries, most: Int) -> ClosedRange<Int>? {
    number > oldestEntry ? max(oldestEntry + 1, number - most + 1)...number : nil
  }

  /// Hands out all of them.
  public func visit(_ numbers: ClosedRange<Int>, _ wanted: WantedEntries, _ body: (LoggedEntry) throws -> Bool) throws {
    try visit(numbers, body)
  }

  /// Hands out in order what entries changed, by way of the entries.
  public func visitChanges(_ numbers: ClosedRange<Int>, _ body: (HistoryStep) throws -> Bool) throws {
    try visit(numbers) { try body(HistoryStep($0)) }
  }
}
