import Foundation
import ShellLanguage
import Synchronization
import Testing

@testable import StoreShell

@Suite("Ctrl-C while a plugin runs")
struct InterruptTests {
  private static let chain = """
    return plugin {
      state = { field("n", int()) }, actions = { { name = "go" } },
      reducers = { go = function(s) s.n = s.n + 1 end },
      middleware = { { name = "m", after = function(action, ctx)
        ctx:dispatch("go")
        log.info("went")
      end } },
    }
    """

  private static let long = """
    return plugin {
      state = { field("n", int()) }, actions = { { name = "go" } },
      reducers = { go = function(s)
        s.n = s.n + 1
        while true do pcall(error) end
      end },
    }
    """

  private static let endless = """
    return plugin {
      actions = { { name = "go" } },
      middleware = { { name = "m", before = function()
        log.info("begins")
        while true do end
      end } },
    }
    """

  @Test func whatAnActionHasCausedIsDropped() throws {
    let shell = try Shell()
    let folder = try shell.plugin("chain", Self.chain)
    let editor = ScriptedEditor([
      .line("plugin load \(folder)"), .line("dispatch chain.go"), .line("show chain.n"),
    ])
    let key = InterruptKey()
    editor.key = key
    let heard = DispatchSemaphore(value: 0)
    shell.session.interrupts.relay.set([{ heard.signal() }])
    var count = 0
    shell.session.store.hearing.plugins = { _ in
      count += 1
      guard count == 3 else { return }
      key.press()
      heard.wait()
    }
    let outcome = try shell.outcome { try Prompt(shell.session, on: editor).run() }
    #expect(
      outcome.errors == """

        error[interrupted]: stopped by Ctrl-C
          interrupted before chain.go from \(folder)/init.lua:5; the rest of the queue was dropped
        note: #2 chain.go was applied

        """)
    #expect(outcome.output.hasSuffix("\n3\n"))
    #expect(shell.session.store.loadedPlugins.count == 1, "one Ctrl-C only stops it")
  }

  @Test func aReducerLeavesTheStateAsItWas() throws {
    let shell = try Shell()
    let folder = try shell.plugin("long", Self.long, limits: #"{ "instructions": 20000000 }"#)
    _ = shell.run("plugin load \(folder)")
    let isOver = Mutex(false)
    let interrupts = shell.session.interruptHandlers
    // It begins anew with each call, so that once might be too early.
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while !isOver.withLock({ $0 }) {
        for interrupt in interrupts { interrupt() }
        usleep(1000)
      }
      ended.signal()
    }
    for _ in 0..<3 {
      let outcome = shell.run("dispatch long.go")
      #expect(outcome.errors.contains("error[interrupted]: long: reducer 'long.go' was interrupted\n"))
      #expect(outcome.status == ShellError.interrupted.status)
    }
    isOver.withLock { $0 = true }
    ended.wait()
    #expect(shell.run("show long.n").output == "0\n")
    #expect(shell.run("plugin list --as csv").output.contains(",on,"), "it is no fault of the plugin's")
    let recording = "\(shell.folder)/recording"
    _ = shell.run("export journal \(recording)")
    let replay = shell.run("replay \(recording) --verify")
    #expect(replay.output == "replayed 4 actions, every state matches\n", "how far it came is not known")
  }

  @Test func aResultThatNobodyHasSeenIsNotShown() throws {
    // It closes what the session writes to when it goes.
    let shell = try Shell()
    defer { withExtendedLifetime(shell) {} }
    let session = shell.session
    let key = InterruptKey()
    session.interrupts.descriptor = key.descriptor
    session.interrupts.take = { key.take() }
    func run(_ line: String) throws -> Int32 {
      var reader = StatementReader(Array(line.utf8), grammar: session.grammar)
      reader.finish()
      let statement = try #require(try reader.next())
      session.console.isHolding = true
      key.press()
      return session.run(statement)
    }
    #expect(try run("show counter") == ShellError.interrupted.status)
    #expect(try run("dispatch counter.increment") == 0, "an action that was done is told of")
  }

  @Test(arguments: [("y", 0), ("", 1)])
  func theSecondOneOffersToUnloadThePlugin(answer: String, left: Int) throws {
    let shell = try Shell()
    let folder = try shell.plugin("endless", Self.endless)
    let editor = ScriptedEditor([.line("plugin load \(folder)"), .line("dispatch endless.go"), .line(answer)])
    let key = InterruptKey()
    editor.key = key
    let heard = DispatchSemaphore(value: 0)
    shell.session.interrupts.relay.set([{ heard.signal() }])
    shell.session.store.hearing.plugins = { _ in
      for _ in 0..<2 {
        key.press()
        heard.wait()
      }
    }
    let outcome = try shell.outcome { try Prompt(shell.session, on: editor).run() }
    #expect(outcome.errors.contains("error[interrupted]: stopped by Ctrl-C\n"))
    #expect(
      editor.prompts == ["stsh> ", "stsh> ", "endless went on after Ctrl-C. Unload it? [y]es, [N]o: ", "stsh> "])
    #expect(shell.session.store.loadedPlugins.count == left)
    #expect(outcome.output.contains("#3 shell.unloadPlugin name=\"endless\"\n") == (left == 0))
  }
}
