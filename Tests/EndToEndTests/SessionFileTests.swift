import Glibc
import TerminalSupport
import Testing

@Suite("Sessions at the prompt")
struct SessionFileTests {
  private func sessions(_ shell: Shell) -> [String] {
    names(inFolder: shell.folder.path + "/home/.local/state/stsh/sessions").sorted()
  }

  @Test func aSessionInWhichNothingHappensLeavesNothing() throws {
    let shell = try Shell()
    let terminal = try shell.prompt()
    try terminal.enter("show counter.value")
    #expect(sessions(shell) == [])
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
    #expect(sessions(shell) == [])
  }

  @Test func aSessionThatEndsInOrderIsNotSpokenOf() throws {
    let shell = try Shell()
    let terminal = try shell.prompt()
    try terminal.enter("dispatch counter.increment")
    terminal.type("\u{4}")
    #expect(try terminal.waitForEnd() == 0)
    #expect(sessions(shell).count == 1)
    #expect(try shell.prompt().screen.lines == ["stsh>"])
    let nothing = try shell.run("--recover", "-c", "echo x")
    #expect(nothing.status == 2)
    #expect(
      nothing.errors == """
        error[nothing-to-recover]: there is no session at the prompt that ended unexpectedly
          hint: to open a store of your own again: --store FILE

        """)
  }

  @Test func asManySessionsAreKeptAsTheSettingSays() throws {
    let shell = try Shell()
    for number in 1...4 {
      let terminal = try shell.prompt()
      if number == 4 { try terminal.enter("set sessions.keep 2") }
      try terminal.enter("dispatch counter.increment by=\(number)")
      terminal.type("\u{4}")
      #expect(try terminal.waitForEnd() == 0)
      #expect(sessions(shell).count == min(number, number == 4 ? 2 : 4))
    }
    let last = try #require(sessions(shell).last)
    let path = shell.folder.path + "/home/.local/state/stsh/sessions/" + last
    #expect(try shell.run("--store", path, "-c", "show counter.value").output == "4\n")
  }

  @Test(arguments: [(SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func aSignalEndsTheConversationInOrder(signal: Int32, status: Int32) throws {
    let shell = try Shell()
    let terminal = try shell.prompt()
    try terminal.enter("dispatch counter.increment by=5")
    terminal.type("dispatch half a li")
    terminal.signal(signal)
    #expect(try terminal.waitForEnd() == status)
    #expect(sessions(shell).count == 1)
    // A wait, and Lua that would not end by itself: whether they have begun or not.
    for endless in ["wait 1000s", "lua while true do end"] {
      let busy = try shell.prompt()
      try busy.enter("dispatch counter.increment --quiet")
      busy.type(endless + "\n")
      busy.signal(signal)
      #expect(try busy.waitForEnd() == status)
    }
    #expect(sessions(shell).allSatisfy { $0.hasSuffix(".db") })
    #expect(try shell.prompt().screen.lines == ["stsh>"])
  }

  /// A terminal that is closed ends the input and sends SIGHUP, in any order and more than once.
  @Test func hangingUpWhileTheSessionEndsTakesNothingOfIt() throws {
    let shell = try Shell()
    let terminal = try shell.prompt()
    try terminal.enter("dispatch counter.increment")
    terminal.type("\u{4}")
    for _ in 1...40 {
      terminal.signal(SIGHUP)
      usleep(500)
    }
    #expect([0, 129].contains(try terminal.waitForEnd()))
    #expect(sessions(shell).allSatisfy { $0.hasSuffix(".db") })
    #expect(try shell.prompt().screen.lines == ["stsh>"])
  }

  @Test func aSessionThatWasKilledIsToldOfOnceAndRecovered() throws {
    let shell = try Shell()
    let terminal = try shell.prompt()
    try terminal.enter("dispatch counter.increment by=5")
    try terminal.enter("dispatch tasks.add \"Buy milk\"")
    terminal.signal(SIGKILL)
    _ = try terminal.waitForEnd()
    let id = try #require(sessions(shell).first { $0.hasSuffix(".db") }).dropLast(3)
    let next = try shell.prompt()
    #expect(
      next.screen.lines == [
        "session \(id) ended unexpectedly after #2; recover it with: stsh --recover", "stsh>",
      ])
    #expect(try shell.prompt().screen.lines == ["stsh>"])
    let recovered = try shell.prompt("--recover")
    try recovered.enter("show tasks.items[id=1].title")
    try recovered.enter("dispatch counter.increment")
    #expect(
      recovered.screen.lines == [
        "note: session \(id) ended unexpectedly after #2", "stsh> show tasks.items[id=1].title",
        "\"Buy milk\"", "stsh> dispatch counter.increment", "#3 counter.increment", "  counter.value  5 -> 6", "stsh>",
      ])
    recovered.type("\u{4}")
    #expect(try recovered.waitForEnd() == 0)
    #expect(try shell.prompt().screen.lines == ["stsh>"])
    #expect(sessions(shell).filter { $0.hasPrefix(id) } == ["\(id).db", "\(id).told"])
  }

  /// What a person allowed for a session that was killed is asked for again, by the command that recovers it.
  @Test func aRecoveredSessionAsksForItsPluginsPermissions() throws {
    let shell = try Shell()
    try BrokenPlugin.write(
      "asking", "return plugin { state = { field('n', int()) } }", to: shell,
      manifest: #"{ "name": "asking", "version": "0.1.0", "api": 1, "permissions": ["timers"] }"#)
    let question = "Allow? [y]es for this session, [a]lways, [N]o:"
    let terminal = try shell.prompt("-p", "bad/asking", prompt: question)
    try terminal.enter("y")
    try terminal.enter("dispatch counter.increment")
    terminal.signal(SIGKILL)
    _ = try terminal.waitForEnd()
    let recovered = try shell.prompt("--recover", prompt: question)
    try recovered.enter("y")
    try recovered.enter("show asking.n")
    #expect(recovered.screen.lines.suffix(2) == ["0", "stsh>"])
    let refused = try shell.prompt("-p", "bad/asking", prompt: question)
    refused.type("\u{3}")
    #expect(try refused.waitForEnd() == 4)
  }
}
