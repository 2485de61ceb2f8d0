import Testing

@testable import StoreShell

/// `bisect` over a file that another session wrote: of each action only what the condition looks at is read.
@Suite struct BisectionTests {
  private let writer: Shell
  private let reader: Shell

  init() throws {
    let writer = try Shell {
      $0.isQuiet = true
      $0.grants = ["pomodoro"]
    }
    self.writer = writer
    let file = "\(writer.folder)/a.db"
    #expect(writer.openStore(file) == .init())
    var lines = ""
    for turn in 1...18 {
      lines += "dispatch counter.increment by=\(turn % 7)\ndispatch tasks.add title=\"\\\"path\\\":\\\"counter\"\n"
      if turn % 3 == 0 { lines += "dispatch tasks.complete id=\(turn / 2)\ndispatch counter.reset\n" }
      if turn == 4 { lines += "plugin load pomodoro\ndispatch pomodoro.start minutes=1\nwait 6s\n" }
      if turn == 10 { lines += "undo 3\nmiddleware on logger\n" }
      if turn == 14 { lines += "plugin unload pomodoro\nsubstate add cart --value {n=1}\n" }
    }
    #expect(try writer.run(script: lines).errors.contains("error") == false)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let shell = try Shell { $0.grants = ["pomodoro"] }
    #expect(shell.openStore(file) == .init())
    reader = shell
  }

  /// For each of some expressions the first action after which it holds, looked for point by point.
  private func firsts(_ expressions: [String]) throws -> [String: String] {
    var found: [String: String] = [:]
    for number in 1...reader.session.store.live.head {
      _ = reader.run("goto \(number)")
      for expression in expressions where found[expression] == nil {
        if reader.run("= (\(expression)) and 'holds'").output == "\"holds\"\n" { found[expression] = "#\(number) " }
      }
    }
    _ = reader.run("goto head")
    return found
  }

  /// Halving asks some log2(n) times, and finds the turn of what turned once.
  @Test func halvingFindsTheTurn() throws {
    let shell = try Shell { $0.isQuiet = true }
    _ = shell.run("lua for i = 1, 3000 do dispatch('counter.increment') end")
    let found = shell.run("bisect state.counter.value >= 2901")
    #expect(found.output == "#2901 counter.increment  <- -c:1\n")
    #expect(found.errors.hasPrefix("note: found by binary search, checked "))
    let asked = try #require(found.errors.split(separator: " ").compactMap { Int($0) }.first)
    #expect(asked <= 14)
    let missed = shell.run("bisect state.counter.value == 5")
    #expect(missed.status == 1)
    #expect(missed.errors.contains("error[never-held]: state.counter.value == 5 does not hold after #3000"))
    #expect(missed.errors.contains("bisect state.counter.value == 5 --first checks after every action"))
    #expect(shell.run("bisect state.counter.value == 5 --first").output == "#5 counter.increment  <- -c:1\n")
    #expect(shell.run("bisect nothing.there").status == 1)
  }

  @Test func theAnswerIsThatOfALookAtEveryPoint() throws {
    let expressions = [
      "state.counter.value == 9", "#state.tasks.items == 10", "state.counter.value > 5 and #state.tasks.items > 9",
      "#state.tasks.items > 8 and state.counter.value == 0 and state.tasks.items[9].done",
      "state.pomodoro.left == 55",
      "state.counter.value == 6 and #state.tasks.items % 2 == 1 and #state.tasks.items > 12",
      "state.cart.n == 1 and state.counter.value == 2", "project('tasks.summary') == '4 of 12 done'",
    ]
    let expected = try firsts(expressions)
    let state = writer.run("= #state.tasks.items").output
    for expression in expressions {
      let answer = try #require(expected[expression], "\(expression) never holds")
      let found = reader.run("bisect \(expression) --first")
      #expect(found.output.hasPrefix(answer), "\(expression): \(found), expected \(answer)")
      #expect(found.saysNothingBut("checked after every action"))
      // The state that is shown is the present one again.
      #expect(reader.run("= #state.tasks.items").output == state)
    }
  }
}
