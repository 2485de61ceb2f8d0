/// Goes back along the entries of a log that are in effect: over those that were taken back alone, and from a return to a point to
/// that point.
///
/// A return leaves as they are the actions that are in effect neither at its point nor right before it. So if a restore that it passes
/// over is taken back later, what only that one had taken back is in effect again, though it stands before the return.
struct EffectWalk {
  /// The number that is looked at.
  private(set) var position: Int
  /// The numbers that restores in effect took back.
  private(set) var gone: Set<Int> = []
  /// The actions that are in effect though a restore in effect passed over them or took them back.
  private var back: Set<Int> = []
  /// Those of them that are still to be looked at before ``point``, in rising order.
  private var passed: [Int] = []
  /// The point of the return that passed over them.
  private var point = 0
  /// True while an action is looked at that a return passed over.
  private(set) var isAmongPassed = false
  /// Which actions were in effect right after an entry, as far as it was asked for, by the number of that.
  private var known: [Int: [Int: Bool]] = [:]
  private let entry: (Int) throws -> LoggedEntry?

  /// - Parameter entry: gives the entry of a number.
  init(from position: Int, _ entry: @escaping (Int) throws -> LoggedEntry?) {
    (self.position, self.entry) = (position, entry)
  }

  /// True if actions came back that a return had passed over.
  var hasRevived: Bool { !back.isEmpty }

  /// True if an entry is not in effect.
  func isGone(_ number: Int) -> Bool { gone.contains(number) && !back.contains(number) }

  /// True if an action is in effect though a return passed over it.
  func isBack(_ number: Int) -> Bool { back.contains(number) }

  /// Leaves out what the entry that is looked at took back.
  mutating func leaveOut(_ numbers: some Sequence<Int>) { gone.formUnion(numbers) }

  /// Goes on to the entry before.
  mutating func goOn() {
    guard isAmongPassed else { return position -= 1 }
    if let next = passed.popLast() { position = next } else { (position, isAmongPassed) = (point, false) }
  }

  /// Goes on to a number, over entries of which the caller knows enough.
  mutating func skip(to number: Int) { position = number }

  /// Goes on from the point that the entry returned to which is looked at, and before it with what is back in between.
  ///
  /// - Parameter restores: the restores in between that are left out though no entry took them back.
  /// - Returns: the least number of an action that is in effect or not because of them; nil: there is none.
  @discardableResult
  mutating func goOn(to target: Int, leavingOut restores: Set<Int> = []) throws -> Int? {
    let between = target + 1..<max(position, target + 1)
    let leftOut = restores.isEmpty ? gone : gone.union(restores)
    var least: Int?
    if case let undone = try self.restores(leftOut, in: between), !undone.isEmpty {
      // What was taken back since, or was found before, is decided.
      let actions = try touched(by: undone).filter { !gone.contains($0) && !back.contains($0) }
      let open = try actions.subtracting(changed(actions, from: target, to: position - 1))
      let now = try inEffect(open, at: position - 1, without: leftOut)
      back.formUnion(now)
      gone.formUnion(open.subtracting(now))
      least = open.min()
    }
    passed = back.numbers(in: between).sorted()
    (point, isAmongPassed) = (target, true)
    goOn()
    return least
  }

  /// Those of some numbers in a range that are restores.
  private func restores(_ numbers: Set<Int>, in range: Range<Int>) throws -> [Int] {
    try numbers.numbers(in: range).filter { try entry($0)?.isRestore ?? false }
  }

  /// The actions that restores may have taken back or brought back, directly or by others.
  private func touched(by restores: [Int]) throws -> Set<Int> {
    var (found, passed, open): (Set<Int>, Set<Int>, [Int]) = ([], [], restores)
    while let number = open.popLast() {
      guard let entry = try entry(number) else { continue }
      let numbers = entry.takenBack ?? entry.restoreTarget.map { Array($0 + 1..<max(number, $0 + 1)) } ?? []
      for number in numbers where found.insert(number).inserted {
        guard try self.entry(number)?.isRestore ?? false else { continue }
        passed.insert(number)
        open.append(number)
      }
    }
    return found.subtracting(passed)
  }

  /// Those of some actions that are in effect after one of two entries alone.
  private mutating func changed(_ actions: Set<Int>, from first: Int, to last: Int) throws -> Set<Int> {
    try recorded(actions, after: first).symmetricDifference(recorded(actions, after: last))
  }

  /// Those of some actions that were in effect right after an entry.
  private mutating func recorded(_ actions: Set<Int>, after number: Int) throws -> Set<Int> {
    let asked = actions.filter { known[number]?[$0] == nil }
    if !asked.isEmpty {
      let found = try inEffect(asked, at: number, without: [])
      for action in asked { known[number, default: [:]][action] = found.contains(action) }
    }
    return actions.filter { known[number]?[$0] ?? false }
  }

  /// Those of some actions that are in effect at a point, some entries before it being left out.
  private mutating func inEffect(_ actions: Set<Int>, at point: Int, without leftOut: Set<Int>) throws -> Set<Int> {
    guard let least = actions.min() else { return [] }
    var (open, gone, found, position) = (actions, leftOut, Set<Int>(), point)
    while position >= least, !open.isEmpty {
      guard !gone.contains(position), let entry = try entry(position) else {
        position -= 1
        continue
      }
      if let numbers = entry.takenBack {
        open.subtract(numbers)
        gone.formUnion(numbers)
      } else if let target = entry.restoreTarget {
        let undone = try restores(gone, in: target + 1..<max(position, target + 1))
        guard !undone.isEmpty else {
          position = target
          continue
        }
        let asked = try touched(by: undone).intersection(open)
        let own = try asked.subtracting(changed(asked, from: target, to: position - 1))
        found.formUnion(try inEffect(open.subtracting(own), at: target, without: gone))
        open = own
      } else if open.remove(position) != nil {
        found.insert(position)
      }
      position -= 1
    }
    return found
  }
}

extension Set<Int> {
  /// Those of its numbers that lie in a range.
  fileprivate func numbers(in range: Range<Int>) -> [Int] {
    range.count < count ? range.filter(contains) : filter(range.contains)
  }
}
