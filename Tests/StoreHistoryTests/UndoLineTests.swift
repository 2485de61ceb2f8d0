import StoreCore
import StoreHistory
import StoreSchema
import Testing

/// What undo and redo find in a log that only grows.
@Suite struct UndoLineTests {
  /// A log of actions written as `a` (the user's own), `t` (a task's), `x` and `y` (two runs of a plugin's command), `c` (caused by the one before), `f` (one that
  /// failed), `d` (one that an interceptor dropped), `e` (one that was dropped and caused by the one before), `L` (a plugin's load) and `o` (what it does at first), and of undos and redos by their targets.
  private struct Log {
    var entries: [LoggedEntry] = []
    var oldest = 0

    init(_ kinds: String = "") { for kind in kinds { add(kind) } }

    mutating func add(_ kind: Character, of statement: Int? = nil, to target: Int? = nil, function: String = "dispatch")
    {
      let number = entries.count + 1
      var source = ActionSource(file: "repl", function: function, line: number, kind: .repl)
      if kind == "t" { source.kind = .effect }
      if kind == "x" || kind == "y" {
        source = ActionSource(
          file: "init.lua", function: "run", line: 3, info: "repl:\(kind)", kind: .plugin, plugin: "p", unit: "go")
      }
      if kind == "c" || kind == "e" { source.cause = number - 1 }
      if kind == "o" { source.line = number - 1 }
      if let statement { source.statement = statement }
      let layout = RecordLayout(name: "", fields: target == nil ? [] : ["to"])
      entries.append(
        LoggedEntry(
          number: number, time: .zero, source: source,
          action: target == nil ? kind == "L" ? "shell.loadPlugin" : "tasks.add" : UndoLine.restoreAction,
          arguments: Record(layout, target.map { [.int($0)] } ?? []), isQuiet: false, changes: [],
          failure: kind == "f" ? "plugin-runtime" : nil, droppedBy: kind == "d" || kind == "e" ? "guard.rules" : nil))
    }

    var line: UndoLine {
      UndoLine(head: entries.count, oldest: oldest) { [entries] in
        entries.indices.contains($0 - 1) ? entries[$0 - 1] : nil
      }
    }

    mutating func undo(_ count: Int = 1) throws -> Int {
      let target = try line.undo(count).target
      add("r", to: target, function: UndoLine.undo)
      return target
    }

    mutating func undo(to number: Int) throws {
      add("r", to: try line.origin(of: number), function: UndoLine.undo)
    }

    mutating func redo(_ count: Int = 1) throws -> Int {
      let target = try line.redo(count).target
      add("r", to: target, function: UndoLine.redo)
      return target
    }
  }

  /// One that was dropped changed nothing by itself; where it caused something that did, it goes with that alone.
  @Test func aDroppedActionIsAStepIfItCausedSomething() throws {
    #expect(try Log("aad").line.place(1) == UndoLine.Step(target: 1, first: 2, later: 0))
    #expect(try Log("aade").line.place(1) == UndoLine.Step(target: 1, first: 2, later: 0))
    for kinds in ["aadc", "aadec", "aafc"] {
      #expect(try Log(kinds).line.place(1) == UndoLine.Step(target: 2, first: 3, later: 1))
      #expect(try Log(kinds).line.place(2) == UndoLine.Step(target: 1, first: 2, later: 1))
    }
    var log = Log("aa")
    #expect(try log.undo() == 1)
    log.add("d")
    #expect(try log.line.redo(1).target == 2)
    log.add("c")
    #expect(throws: HistoryError.self) { try log.line.redo(1) }
  }

  @Test func theLastActionGoesWithAllThatCameAfter() throws {
    #expect(try Log("aaacttc").line.place(1) == UndoLine.Step(target: 2, first: 3, later: 4))
    #expect(try Log("aaacttc").line.place(2) == UndoLine.Step(target: 1, first: 2, later: 5))
    #expect(try Log("aa").line.place(1) == UndoLine.Step(target: 1, first: 2, later: 0))
    // What failed changed nothing that could be taken back.
    #expect(try Log("aaff").line.place(1) == UndoLine.Step(target: 1, first: 2, later: 0))
    #expect(try Log("aatf").line.place(1) == UndoLine.Step(target: 1, first: 2, later: 1))
    // What one run of a command dispatched is one action.
    #expect(try Log("axtcxtc").line.place(1) == UndoLine.Step(target: 1, first: 2, later: 5))
    #expect(try Log("axxyy").line.place(1) == UndoLine.Step(target: 3, first: 4, later: 1))
    #expect(try Log("axxyya").line.place(3) == UndoLine.Step(target: 1, first: 2, later: 4))
    #expect(throws: HistoryError.nothingToUndo(available: 2, oldest: 0)) { try Log("axx").line.undo(3) }
    // What a plugin does at first belongs to its load.
    #expect(try Log("aLo").line.place(1) == UndoLine.Step(target: 1, first: 2, later: 1))
  }

  /// What one statement asked for is one action, whoever reads the log, and whatever others did meanwhile.
  @Test func aStatementIsOneStep() throws {
    var log = Log("a")
    for statement in [nil, 2, nil, 4] { log.add("a", of: statement) }
    #expect(try log.line.place(1) == UndoLine.Step(target: 3, first: 4, later: 1))
    #expect(try log.line.place(2) == UndoLine.Step(target: 1, first: 2, later: 3))
    #expect(try log.line.place(3) == UndoLine.Step(target: 0, first: 1, later: 4))
    // Another party's statement, #5 and #8, ended behind one, #6 and #7, that ran at the same time.
    log = Log("aaaaa")
    for statement in [nil, 6, 5] { log.add("a", of: statement) }
    #expect(try log.line.place(1) == UndoLine.Step(target: 4, first: 5, later: 3, isAlone: false, others: [6, 7]))
    #expect(try log.line.place(2) == UndoLine.Step(target: 4, first: 5, later: 3))
    #expect(try log.line.place(3) == UndoLine.Step(target: 3, first: 4, later: 4))
  }

  /// What a line tells of a log is the same where the runs of statements are known, and fewer actions are read.
  @Test(arguments: 0..<60) func aRunThatIsKnownIsNotRead(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var log = Log()
    for _ in 0..<14 {
      switch Int.random(in: 0..<9, using: &random) {
      case 0: log.add("a")
      case 1: log.add("t")
      case 2: log.add("f")
      case 3: if let target = try? log.line.undo(1).target { log.add("r", to: target, function: UndoLine.undo) }
      case 4: if let target = try? log.line.redo(1).target { log.add("r", to: target, function: UndoLine.redo) }
      case 5:
        // Two statements that run at the same time.
        let first = log.entries.count + 1
        log.add("a")
        log.add("a")
        for _ in 0..<Int.random(in: 0..<20, using: &random) {
          log.add("a", of: first + Int.random(in: 0...1, using: &random))
        }
      default:
        let first = log.entries.count + 1
        log.add("a")
        for _ in 0..<Int.random(in: 0..<40, using: &random) { log.add("a", of: first) }
      }
    }
    let entries = log.entries
    /// The actions whose statement is another's.
    let foreign = Set(entries.map { $0.source.statement ?? $0.number }.filter { _ in Bool.random(using: &random) })
    func isForeign(_ entry: LoggedEntry) -> Bool { foreign.contains(entry.source.statement ?? entry.number) }
    var (read, readWithRuns) = (0, 0)
    let slow = UndoLine(head: entries.count, oldest: log.oldest) { number in
      read += 1
      return entries.indices.contains(number - 1) ? entries[number - 1] : nil
    }
    let quick = UndoLine(
      head: entries.count, oldest: log.oldest,
      run: { entry in
        guard let statement = entry.source.statement else { return nil }
        let other = entries[..<(entry.number - 1)].last { $0.number != statement && $0.source.statement != statement }
        return max(statement, (other?.number ?? 0) + 1)
      }
    ) { number in
      readWithRuns += 1
      return entries.indices.contains(number - 1) ? entries[number - 1] : nil
    }
    for count in 1...6 {
      #expect((try? slow.undo(count)) == (try? quick.undo(count)))
      #expect((try? slow.undo(count, isForeign: isForeign)) == (try? quick.undo(count, isForeign: isForeign)))
      #expect((try? slow.redo(count)) == (try? quick.redo(count)))
      #expect((try? slow.redo(count, isForeign: isForeign)) == (try? quick.redo(count, isForeign: isForeign)))
    }
    #expect(readWithRuns <= read)
  }

  @Test func undosAndRedosGoBackAndForth() throws {
    var log = Log("aaaa")
    #expect(try log.undo() == 3)
    #expect(try log.undo() == 2)
    #expect(try log.redo() == 3)
    #expect(try log.redo() == 4)
    #expect(throws: HistoryError.nothingToRedo(available: 0)) { try log.redo() }
    #expect(try log.undo() == 3)
    #expect(try log.undo(2) == 1)
    #expect(try log.undo() == 0)
    #expect(throws: HistoryError.nothingToUndo(available: 0, oldest: 0)) { try log.undo() }
    #expect(try log.redo(2) == 3)
    #expect(try log.redo() == 4)
    #expect(throws: HistoryError.nothingToRedo(available: 0)) { try log.redo() }
    #expect(try log.undo(4) == 0)
    #expect(throws: HistoryError.nothingToRedo(available: 1)) { try log.redo(2) }
    #expect(try log.redo() == 4)
    #expect(throws: HistoryError.nothingToUndo(available: 4, oldest: 0)) { try log.undo(5) }
  }

  @Test func anActionOfOnesOwnEndsWhatCanBeRedone() throws {
    var log = Log("aaa")
    #expect(try log.undo() == 2)
    log.add("t")
    // A task's does not.
    #expect(try log.line.redo(1).target == 3)
    log.add("a")
    #expect(throws: HistoryError.nothingToRedo(available: 0)) { try log.redo() }
    // The line is now 1, 2, then the task's and one's own: what was undone is passed over.
    #expect(try log.undo() == 5)
    #expect(try log.line.place(1) == UndoLine.Step(target: 1, first: 2, later: 1))
  }

  /// With the first and the last action of each, whatever stands between and behind them.
  @Test func aStepNamesItsStatements() throws {
    func texts(_ step: UndoLine.Step) -> [String] {
      step.statements.map { "\($0.first)-\($0.last): \($0.count)" } + ["\(step.first)-\(step.last)"]
    }
    var log = Log("a")
    for statement in [nil, 2, nil, 4] { log.add("a", of: statement) }
    log.add("t")
    #expect(try texts(log.line.undo(1)) == ["4-5: 2", "4-6"])
    #expect(try texts(log.line.undo(3)) == ["1-1: 1", "2-3: 2", "4-5: 2", "1-6"])
    #expect(try texts(Log("axxtyy").line.undo(2)) == ["2-3: 2", "5-6: 2", "2-6"])
    // A statement that ran while another did.
    log = Log("aaaaa")
    for statement in [nil, 6, 5] { log.add("a", of: statement) }
    #expect(try texts(log.line.undo(2)) == ["6-7: 2", "5-8: 2", "5-8"])
  }

  @Test func theTranscriptOfTheSpecification() throws {
    var log = Log("aaaaaa" + String(repeating: "t", count: 60) + "c")
    #expect(try log.line.place(1) == UndoLine.Step(target: 5, first: 6, later: 61))
    #expect(try log.undo() == 5)
    try log.undo(to: 30)
    #expect(try log.redo() == 5)
    // A restore of a restore names the original point.
    try log.undo(to: 69)
    #expect(log.entries.last?.restoreTarget == 30)
    try log.undo(to: 70)
    #expect(log.entries.last?.restoreTarget == 5)
  }

  @Test func whatIsNoLongerKeptEndsTheLine() throws {
    var log = Log("aaaaa")
    log.oldest = 3
    #expect(try log.undo(2) == 3)
    #expect(throws: HistoryError.nothingToUndo(available: 0, oldest: 3)) { try log.undo() }
  }

  @Test func aRestoreToWhatIsNoLongerKeptStandsForItself() throws {
    var log = Log("aaa")
    #expect(try log.undo() == 2)
    log.oldest = 4
    log.add("a")
    #expect(try log.undo() == 4)
    #expect(try log.line.origin(of: 4) == 4)
    #expect(try log.redo() == 5)
    #expect(throws: HistoryError.nothingToUndo(available: 1, oldest: 4)) { try log.undo(2) }
  }
}

extension UndoLine {
  /// The step of an undo, whatever its statements are.
  fileprivate func place(_ count: Int) throws -> Step {
    let step = try undo(count)
    return Step(
      target: step.target, first: step.first, later: step.later, isAlone: step.isAlone, others: step.others)
  }
}
