import Testing

@testable import StoreShell

/// What tasks do while a store's file is opened.
@Suite struct ReopenedTaskTests {
  private let writer: Shell
  private let store: String

  init() throws {
    writer = try Shell { $0.grants = ["p"] }
    store = "\(writer.folder)/a.db"
    let folder = try writer.plugin(
      "p",
      """
      return plugin {
        state = { field("n", int()) }, actions = { { name = "hit" } },
        reducers = { hit = function(s) s.n = s.n + 1 end },
        middleware = { { name = "m", supervise = function(state)
          return { t = function(task)
            task:dispatch("hit")
            task:sleep(1000)
          end }
        end } },
      }
      """, permissions: #"["timers"]"#)
    #expect(writer.openStore(store) == .init())
    #expect(writer.run("plugin load \(folder)", "show p.n").output.hasSuffix("\n1\n"))
  }

  private func end(_ shell: Shell) { #expect(shell.outcome { shell.session.endJournal() } == .init()) }

  private func reopened() throws -> Shell {
    let shell = try Shell { $0.grants = ["p"] }
    #expect(shell.openStore(store) == .init())
    return shell
  }

  private func log(_ shell: Shell) -> [Substring] {
    shell.run("log --as raw").output.split(separator: "\n").map { $0.split(separator: "\t")[3] }
  }

  @Test func whatATaskDispatchesAtOnceIsRecorded() throws {
    end(writer)
    let second = try reopened()
    #expect(second.run("show p.n", "show p.n --at 2").output == "2\n1\n")
    #expect(log(second).suffix(2) == ["p.hit", "p.hit"])
    end(second)
    let third = try reopened()
    #expect(third.run("show p.n --at 1", "show p.n --at 2", "show p.n --at 3", "show p.n").output == "0\n1\n2\n3\n")
    #expect(log(third).suffix(3) == ["p.hit", "p.hit", "p.hit"])
    #expect(third.run("dispatch counter.increment", "undo --quiet", "show p.n").output.hasSuffix("\n3\n"))
    let recording = "\(writer.folder)/j.jsonl"
    #expect(third.run("export journal \(recording)", "replay \(recording) --verify").status == 0)
    end(third)
  }

  @Test(arguments: [("middleware off p.m", "middleware on p.m"), ("plugin disable p", "plugin enable p")])
  func noneRunsBehindAShutGateAndTheyBeginWhenItOpens(shut: String, open: String) throws {
    #expect(writer.run(shut).status == 0)
    end(writer)
    let second = try reopened()
    #expect(second.run("show p.n", "effects").output == "1\n(no effects)\n")
    #expect(second.run(open, "show p.n", "effects --as raw").output.hasSuffix("\n2\np/m/t\tin 1000.0s\t#4\t0.0s\n"))
    end(second)
  }

  @Test func whatIsUnloadedWithItsGateShutComesBackSo() throws {
    #expect(writer.run("middleware off p.m", "plugin unload p", "undo").status == 0)
    #expect(writer.run("show p.n", "effects").output == "1\n(no effects)\n")
    #expect(writer.run("middleware on p.m", "show p.n").output.hasSuffix("\n2\n"))
    end(writer)
  }
}
