import StoreCore
import StoreHistory
import StoreSchema
import Testing

/// Which actions are in effect in a log of any undos, redos and returns, beside the sets of all that are after each entry.
@Suite struct EffectWalkTests {
  private struct Log {
    var entries: [LoggedEntry] = []
    /// The restores that were not taken back.
    var restores: Set<Int> = []

    var line: UndoLine {
      UndoLine(head: entries.count, oldest: 0) { [entries] in
        entries.indices.contains($0 - 1) ? entries[$0 - 1] : nil
      }
    }

    mutating func add(_ argument: (name: String, value: Value)? = nil) {
      let number = entries.count + 1
      if argument != nil { restores.insert(number) }
      entries.append(
        LoggedEntry(
          number: number, time: .zero,
          source: ActionSource(file: "repl", function: "dispatch", line: number, kind: .repl),
          action: argument == nil ? "tasks.add" : UndoLine.restoreAction,
          arguments: Record(
            RecordLayout(name: "", fields: argument.map { [$0.name] } ?? []), argument.map { [$0.value] } ?? []),
          isQuiet: false, changes: [], failure: nil))
    }

    mutating func takeBack(_ number: Int) {
      add(("without", .list([.int(number)])))
      restores.remove(number)
    }

    /// The actions that are in effect after an entry, some restores before it being left out.
    func inEffect(after number: Int, without leftOut: Set<Int> = []) -> Set<Int> {
      guard number > 0 else { return [] }
      if leftOut.contains(number) { return inEffect(after: number - 1, without: leftOut) }
      let entry = entries[number - 1]
      if let taken = entry.takenBack {
        let others = inEffect(after: number - 1, without: leftOut.union(taken.filter { isRestore($0) }))
        return others.subtracting(taken)
      }
      guard let target = entry.restoreTarget else {
        return inEffect(after: number - 1, without: leftOut).union([number])
      }
      var found = inEffect(after: target, without: leftOut)
      let passed = leftOut.filter { $0 > target && $0 < number }
      guard !passed.isEmpty else { return found }
      // What the return left as it was follows the restores that it passed over.
      let (before, then) = (inEffect(after: number - 1), inEffect(after: target))
      let now = inEffect(after: number - 1, without: leftOut)
      for action in Set(passed.flatMap { touched(by: $0) })
      where before.contains(action) == then.contains(action) {
        if now.contains(action) { found.insert(action) } else { found.remove(action) }
      }
      return found
    }

    private func isRestore(_ number: Int) -> Bool { entries[number - 1].action == UndoLine.restoreAction }

    private func touched(by restore: Int) -> Set<Int> {
      let entry = entries[restore - 1]
      var found = Set(entry.takenBack ?? entry.restoreTarget.map { Array($0 + 1..<max(restore, $0 + 1)) } ?? [])
      for number in found where isRestore(number) {
        found.remove(number)
        found.formUnion(touched(by: number))
      }
      return found
    }
  }

  @Test(arguments: 1...300)
  func actionsAreInEffectWhateverWentBackOverThem(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var log = Log()
    for _ in 1...24 {
      let inEffect = log.inEffect(after: log.entries.count)
      switch Int.random(in: 0...9, using: &random) {
      case 0...3: log.add()
      case 4...5: if let number = inEffect.sorted().randomElement(using: &random) { log.takeBack(number) }
      case 6: log.add(("to", .int(Int.random(in: 0...log.entries.count, using: &random))))
      default:
        guard let number = log.restores.sorted().randomElement(using: &random) else { continue }
        let planned = try log.line.standing(from: number, leavingOut: [number]) { $0.number == number }
        log.takeBack(number)
        // As it was planned.
        let now = log.inEffect(after: log.entries.count)
        #expect(planned.taken == [number])
        let standing = Set(planned.numbers.descending)
        #expect(standing == now.filter { $0 > planned.point }, "#\(number) of \(log.entries.map(\.arguments))")
        #expect(now.filter { $0 <= planned.point } == log.inEffect(after: planned.point))
      }
      let (line, now) = (log.line, log.inEffect(after: log.entries.count))
      let standing = try line.standing(from: 1) { _ in false }.numbers
      #expect(Set(standing.descending) == now, "\(log.entries.map(\.arguments))")
      #expect((try? line.undo(1).first) == now.max(), "\(log.entries.map(\.arguments))")
      for number in log.entries.filter({ $0.action != UndoLine.restoreAction }).map(\.number) {
        #expect(try (line.restore(takingBack: number) == nil) == now.contains(number), "#\(number)")
      }
    }
  }
}
