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
    for turn in 1...40 {
      lines += "dispatch counter.increment by=\(turn % 7)\ndispatch tasks.add title=\"\\\"path\\\":\\\"counter\"\n"
      if turn % 3 == 0 { lines += "dispatch tasks.complete id=\(turn)\ndispatch counter.reset\n" }
      if turn == 10 { lines += "plugin load pomodoro\ndispatch pomodoro.start minutes=1\nwait 20s\n" }
      if turn == 25 { lines += "undo 3\nmiddleware on logger\n" }
      if turn == 30 { lines += "plugin unload pomodoro\nsubstate add cart --value {n=1}\n" }
    }
    #expect(try writer.run(script: lines).errors.contains("error") == false)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let shell = try Shell { $0.grants = ["pomodoro"] }
    #expect(shell.openStore(file) == .init())
    reader = shell
  }

  /// The first action after which an expression holds, looked for point by point.
  private func first(_ expression: String) throws -> String? {
    let head = reader.session.store.head
    #expect(head > 120)
    for number in 1...head
    where reader.run("goto \(number)", "= (\(expression)) and 'holds'").output.hasSuffix("\"holds\"\n") {
      return "#\(number) "
    }
    return nil
  }

  @Test(arguments: [
    "state.counter.value == 15", "#state.tasks.items == 24", "state.counter.value > 5 and #state.tasks.items > 20",
    "#state.tasks.items > 20 and state.counter.value == 0 and state.tasks.items[21].done",
    "state.pomodoro.left == 45",
    "state.counter.value == 6 and #state.tasks.items % 2 == 1 and #state.tasks.items > 30",
    "state.cart.n == 1 and state.counter.value == 6", "project('tasks.summary') == '4 of 12 done'",
  ])
  func theAnswerIsThatOfALookAtEveryPoint(expression: String) throws {
    let expected = try #require(try first(expression))
    #expect(reader.run("goto head", "bisect \(expression)").output.hasSuffix("\n") == true)
    let found = reader.run("bisect \(expression)")
    #expect(found.output.hasPrefix(expected), "\(found), expected \(expected)")
    #expect(found.errors == "")
    // The state that is shown is the present one again.
    #expect(reader.run("= #state.tasks.items").output == writer.run("= #state.tasks.items").output)
  }
}
