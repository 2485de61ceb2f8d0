import Glibc
import TerminalSupport
import Testing

/// The status that a signal leaves, and the offer that the next start makes.
@Suite("Sessions that a signal ends")
struct SignalledSessionTests {
  private static let offer = "recover it with: stsh --recover"

  private func offers(_ shell: Shell) throws -> Bool {
    let terminal = try shell.prompt("--no-init")
    defer { terminal.type("\u{4}") }
    return terminal.text.contains(Self.offer)
  }

  @Test(arguments: [
    "", "dispatch tasks.add half", "echo $(1 +\r2", "lua print('running') while true do end\r", "wait 1h\r",
  ])
  func areOfferedAgainWhereTheTerminalIsGone(typed: String) throws {
    let shell = try Shell()
    let terminal = try shell.prompt("--no-init")
    try terminal.enter("dispatch tasks.add kept")
    terminal.type(typed)
    terminal.lookOn(milliseconds: 100)
    terminal.hangUp()
    #expect(try terminal.waitForEnd() == 129)
    #expect(try offers(shell))
    #expect(try shell.run("--recover", "-c", "show tasks.items[*].title --as raw").output == "kept\n")
    #expect(try !offers(shell), "what was recovered and left in order is not offered")
  }

  @Test(
    arguments: [(SIGHUP, 129, false), (SIGTERM, 143, false), (SIGQUIT, 131, false), (SIGKILL, 137, true)]
      as [(Int32, Int32, Bool)])
  func areOfferedAgainWhereTheyDidNotEndInOrder(signal: Int32, status: Int32, isOffered: Bool) throws {
    let shell = try Shell()
    let terminal = try shell.prompt("--no-init")
    try terminal.enter("dispatch tasks.add kept")
    terminal.signal(signal)
    #expect(try terminal.waitForEnd() == status)
    #expect(try offers(shell) == isOffered)
  }

  @Test func aStoreOfOnesOwnIsClosedInOrder() throws {
    let shell = try Shell()
    let terminal = try shell.prompt("--no-init", "--store", "a.db")
    try terminal.enter("dispatch counter.increment")
    terminal.hangUp()
    #expect(try terminal.waitForEnd() == 129)
    #expect(try shell.run("--store", "a.db", "-c", "show counter.value") == .init(output: "1\n"))
    #expect(try !offers(shell))
  }

  @Test func aSessionWithoutActionsLeavesNothing() throws {
    let shell = try Shell()
    let terminal = try shell.prompt("--no-init")
    terminal.hangUp()
    #expect(try terminal.waitForEnd() == 129)
    #expect(try !offers(shell))
  }
}
