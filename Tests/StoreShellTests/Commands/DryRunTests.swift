import StandardModules
import StoreHost
import StoreUnits
import Testing

@testable import StoreShell

/// `dispatch --dry-run`: what an action would do, while nothing happens.
@Suite struct DryRunTests {
  private static let lua = """
    return plugin {
      state = { field("phase", text()), field("ticks", int()), field("due", map(int())) },
      actions = {
        { name = "start" }, { name = "rollback" }, { name = "fail" }, { name = "faulty" },
        { name = "many", args = { field("n", int()) } }, { name = "tick" }, { name = "spin" },
      },
      reducers = {
        start = function(s) s.phase = "running"; s.due.a = 5 end,
        rollback = function(s) s.phase = "idle" end,
        tick = function(s) s.ticks = s.ticks + 1 end,
        fail = function() error("no") end,
        spin = function() while true do end end,
      },
      middleware = {
        { name = "watchdog", on = { "start" }, after = function(_, ctx)
          ctx:dispatch("deploy.rollback")
          ctx:task("later", function(task) task:dispatch("tick") end)
        end },
        { name = "loop", on = { "many" }, after = function(action, ctx)
          for i = 1, action.args.n do ctx:dispatch("deploy.tick") end
        end },
        { name = "trip", on = { "faulty" }, after = function() error("tripped") end },
        { name = "clock", supervise = function()
          return { always = function(task) task:dispatch("tick") end }
        end },
      },
    }
    """

  private func shell(_ adjust: (inout SessionOptions) -> Void = { _ in }) throws -> Shell {
    let shell = try Shell {
      $0.grants = ["deploy"]
      adjust(&$0)
    }
    let folder = try shell.plugin("deploy", Self.lua, permissions: #"["timers"]"#)
    #expect(try shell.type("plugin load \(folder)", "wait 1s").status == 0)
    return shell
  }

  @Test func changesAreShownAndNotMade() throws {
    let shell = try Shell()
    let outcome = try shell.type("dispatch tasks.add title=\"Buy milk\" --dry-run", "show tasks.items", "log")
    #expect(
      outcome.output == """
        #1 tasks.add title="Buy milk"  (dry run)
          tasks.nextId  1 -> 2
          tasks.items[id=1]  + { id = 1, title = "Buy milk", done = false }
        0 items
        (no actions)

        """, "\(outcome)")
    #expect(shell.session.store.live.head == 0)
  }

  @Test func middlewaresOfPluginsRunAndTasksDoNot() throws {
    let shell = try shell()
    let head = shell.session.store.live.head
    let answer = try shell.type("dispatch deploy.start --dry-run").output
    #expect(
      answer == """
        #\(head + 1) deploy.start  (dry run)
          deploy.phase  "" -> "running"
          deploy.due.a  + 5
          #\(head + 2) deploy.rollback <- plugin:deploy/watchdog
            deploy.phase  "running" -> "idle"
          would start deploy.watchdog/later

        """, "\(answer)")
    #expect(shell.session.store.live.head == head)
    // The same as it then is.
    let real = try shell.type("dispatch deploy.start").output
    let told = answer.replacing("  (dry run)", with: "").replacing("  would start deploy.watchdog/later\n", with: "")
    #expect(real.hasPrefix(told), "\(real)")
  }

  @Test func nothingIsLeftOut() throws {
    let shell = try shell()
    #expect(try shell.type("set journal.limit 10").status == 0)
    let lines = try shell.type("dispatch deploy.many n=30 --dry-run").output.split(separator: "\n")
    #expect(lines.count == 61, "\(lines)")
  }

  @Test func anActionThatWouldFailFails() throws {
    let shell = try shell()
    let head = shell.session.store.live.head
    let failed = try shell.type("dispatch deploy.fail --dry-run")
    #expect(failed.status == 1 && failed.errors.contains("no") && failed.output == "", "\(failed)")
    let faulty = try shell.type("dispatch deploy.faulty --dry-run")
    #expect(faulty.status == 1 && faulty.output.contains("(dry run)") && faulty.errors.contains("tripped"), "\(faulty)")
    #expect(try shell.type("dispatch tasks.complete 9 --dry-run").status == 1)
    #expect(try shell.type("dispatch tasks.ad x --dry-run").errors.contains("tasks.add"))
    // No strike, no fault of the plugin that runs.
    #expect(try shell.type("plugin list").output.contains("deploy"))
    #expect(shell.session.store.live.head == head)
    // Lua that does not end is stopped as where it runs.
    #expect(try shell.type("dispatch deploy.spin --dry-run").status == 1)
  }

  @Test func middlewaresInSwiftAreNamed() throws {
    nonisolated(unsafe) var ran = 0
    let application = Application<StandardAction, StandardState>(
      initial: StandardState(), reducer: StandardState.reducer,
      middleware: .logger("audit") { _ in ran += 1 })
    let shell = try Shell(over: { try Session(application, options: $0, console: $1) })
    let answer = try shell.type("dispatch counter.increment --dry-run").output
    #expect(answer == "#1 counter.increment  (dry run)\n  counter.value  0 -> 1\n  left out: audit\n", "\(answer)")
    #expect(ran == 0)
    #expect(
      try shell.type("middleware off audit", "dispatch counter.increment --dry-run").output.contains("left out")
        == false)
  }

  @Test func itWorksInThePast() throws {
    let shell = try Shell()
    _ = try shell.type("dispatch counter.increment by=5 --quiet", "dispatch counter.increment by=5 --quiet")
    let answer = try shell.type("goto 1", "dispatch counter.increment by=2 --dry-run").output
    #expect(answer.hasSuffix("#2 counter.increment by=2  (dry run)\n  counter.value  5 -> 7\n"), "\(answer)")
  }

  @Test func dataTellsThatItIsADryRun() throws {
    let shell = try shell { $0.isJSON = true }
    let head = shell.session.store.live.head
    let answer = shell.run("dispatch deploy.start --dry-run").output
    #expect(answer.contains(#""data":{"dryRun":{"id":\#(head + 1),"action":"deploy.start","changes":["#), "\(answer)")
    #expect(answer.contains(#""tasks":["deploy.watchdog/later"]}"#), "\(answer)")
  }

  @Test func aRightToOtherActionsIsNone() throws {
    let shell = try Shell { $0.rights = Rights([.read, .dispatch("counter.*")]) }
    #expect(try shell.type("dispatch counter.increment --dry-run").status == 0)
    #expect(try shell.type("dispatch tasks.add x --dry-run").errors.contains("not-allowed"))
  }
}
