/// The source of order and chance: it decides what comes first where nothing else does (R39). That is so for timers that are due
/// at the same moment, for what several threads brought while the store was busy, and for threads that wait for their turn. All
/// else follows from the order of enqueueing (R1).
///
/// A clock and a store that are given the same source can be led into any order, and into the same one again. The idea is that of
/// systematic concurrency testing (Musuvathi and others, CHESS, 2008).
public protocol StoreOrder: Sendable {
  /// Chooses one of several that stand in the order in which they came.
  ///
  /// - Parameter count: how many there are, at least two.
  /// - Returns: from 0 to below the count; what is out of range counts as the nearest.
  func choose(among count: Int) -> Int
}

extension StoreOrder {
  /// The choice among some; one that is out of range counts as the nearest.
  package func chosen(among count: Int) -> Int { count > 1 ? min(max(choose(among: count), 0), count - 1) : 0 }
}

/// Choices by chance that a seed determines, or choices that were made before; all are recorded.
public final class RecordedOrder: StoreOrder {
  private struct Course {
    var given: ArraySlice<Int>
    var random: SeededGenerator?
    var made: [Int] = []

    mutating func choose(among count: Int) -> Int {
      if let choice = given.popFirst() { return min(max(choice, 0), count - 1) }
      guard var random else { return 0 }
      defer { self.random = random }
      return Int.random(in: 0..<count, using: &random)
    }
  }
  private let course: Lock<Course>

  /// Choices that a seed determines.
  public init(seed: UInt64) { course = Lock(Course(given: [], random: SeededGenerator(seed: seed))) }

  /// Choices that were made before, as ``choices`` gave them; behind them, what came first comes first.
  public init(repeating choices: [Int]) { course = Lock(Course(given: choices[...])) }

  /// The choices so far.
  public var choices: [Int] { course.withLock { $0.made } }

  /// Chooses one of several, and records which.
  public func choose(among count: Int) -> Int {
    course.withLock { course in
      let choice = course.choose(among: count)
      course.made.append(choice)
      return choice
    }
  }
}
