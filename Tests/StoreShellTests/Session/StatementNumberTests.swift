import Testing

@testable import StoreShell

/// Actions are logged with the number of their statement, however many lines it has (R12).
@Suite struct StatementNumberTests {
  private static let chunk = "lua do\n  dispatch('counter.increment')\n\n  dispatch('counter.increment')\nend"

  private func sources(_ shell: Shell) -> [String] {
    shell.session.store.live.recent().map { "\($0.source.file):\($0.source.line)" }
  }

  @Test func aScriptSaysTheFirstLine() throws {
    let shell = try Shell()
    _ = try shell.run(script: "echo one\n\n\(Self.chunk)\ndispatch tasks.add \"a\nb\"\n", named: "c.stsh")
    #expect(sources(shell).map { $0.split(separator: "/").last } == ["c.stsh:3", "c.stsh:3", "c.stsh:8"])
    let input = try Shell()
    _ = try input.run(input: Array("echo one\n\(Self.chunk)\n".utf8))
    #expect(sources(input) == ["stdin:2", "stdin:2"])
  }

  /// All statements of one `-c` have its ordinal.
  @Test func aCommandSaysItsOrdinal() throws {
    let shell = try Shell()
    _ = shell.run("echo one\n\(Self.chunk)\ndispatch counter.increment", "dispatch counter.increment")
    #expect(sources(shell) == ["-c:1", "-c:1", "-c:1", "-c:2"])
    #expect(shell.run("echo a\nshow nowhere").errors.hasPrefix("-c:1:6: error[unknown-path]"))
  }

  @Test func anAliasAndAProjectionSayTheLineThatWasTyped() throws {
    let shell = try Shell()
    _ = try shell.type("alias twice = lua for i = 1, 2 do dispatch('counter.increment') end", "echo a", "twice")
    #expect(sources(shell) == ["repl:3", "repl:3"])
    #expect(try shell.type("why #1").output.contains("<- repl:3\n"))
  }
}
