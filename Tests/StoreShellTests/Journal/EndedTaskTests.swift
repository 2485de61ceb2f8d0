import Testing

@testable import StoreShell

/// Supervised tasks that have come to their end stay so where a store is opened again.
@Suite struct EndedTaskTests {
  private let first: Shell
  private let store: String
  private let folder: String

  private static func code(_ task: String) -> String {
    """
    return plugin {
      state = { field("on", bool()), field("n", int()) },
      actions = { { name = "go" }, { name = "halt" }, { name = "hit" } },
      reducers = { go = function(s) s.on = true end, halt = function(s) s.on = false end,
        hit = function(s) s.n = s.n + 1 end },
      middleware = { { name = "m", supervise = function(state)
        if state.p.on then return { [1] = function(task) \(task) end, ["1"] = function(task) task:sleep(3600) end } end
      end } },
    }
    """
  }

  init() throws {
    first = try Shell { $0.grants = ["p"] }
    store = "\(first.folder)/a.db"
    folder = try first.plugin("p", Self.code(#"task:dispatch("hit")"#), permissions: #"["timers"]"#)
    #expect(first.openStore(store) == .init())
    #expect(first.run("plugin load \(folder)", "dispatch p.go --quiet", "show p.n").output.hasSuffix("\n1\n"))
  }

  private func end(_ shell: Shell) { #expect(shell.outcome { shell.session.endJournal() }.errors == "") }

  /// Another session on the store, after some commands.
  private func reopened(_ commands: String...) throws -> (Shell, Shell.Outcome) {
    let shell = try Shell { $0.grants = ["p"] }
    #expect(shell.openStore(store).status == 0)
    return (shell, shell.outcome { shell.session.run(commands: commands) })
  }

  /// Tasks whose keys differ in type alone are two.
  @Test func itIsLeftAloneWhileOthersGoOn() throws {
    end(first)
    for _ in 1...2 {
      let (shell, outcome) = try reopened("show p.n", "effects --as raw")
      #expect(outcome == .init(output: "1\np/m/1\tin 3600.0s\t-\t0.0s\n"))
      end(shell)
    }
  }

  @Test func aSessionThatWasKilledKeepsItToo() throws {
    first.session.store.live.settleJournal()
    // The file as it is while the session goes on.
    let copy = "\(first.folder)/b.db"
    for suffix in ["", "-wal"] { #expect(first.run("echo x | cp \(store)\(suffix) \(copy)\(suffix)").status == 0) }
    let shell = try Shell { $0.grants = ["p"] }
    #expect(shell.openStore(copy).errors.contains("ended unexpectedly"))
    #expect(shell.run("show p.n") == .init(output: "1\n"))
    end(shell)
    end(first)
  }

  @Test func onceItsKeyWasMissingItRunsAgain() throws {
    end(first)
    let (second, outcome) = try reopened("dispatch p.halt --quiet", "dispatch p.go --quiet", "show p.n")
    #expect(outcome == .init(output: "2\n"))
    end(second)
    let (third, again) = try reopened("middleware off p.m", "show p.n")
    #expect(again.output.hasSuffix("\n2\n"))
    end(third)
    let (fourth, open) = try reopened("show p.n", "middleware on p.m", "show p.n")
    // What it does is that of whoever stated it.
    #expect(open.output == "2\n#8 shell.setGate name=\"p.m\" open=true\n3\n")
    end(fourth)
  }

  @Test func otherCodeBeginsAnew() throws {
    end(first)
    try first.write("p/init.lua", Self.code(#"task:dispatch("hit") task:dispatch("hit")"#))
    let (second, outcome) = try reopened("show p.n")
    #expect(outcome.output == "3\n")
    end(second)
  }

  @Test func oneThatFailedStaysEnded() throws {
    try first.write("p/init.lua", Self.code(#"error("no")"#))
    #expect(first.run("plugin reload p").errors.contains("task 'p/m/1' failed"))
    end(first)
    let (second, outcome) = try reopened("show p.n")
    #expect(outcome == .init(output: "1\n"))
    end(second)
  }
}
