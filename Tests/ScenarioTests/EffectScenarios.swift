import PluginSupport
import Testing

/// S-03, S-08 (its third line) and S-15 with tasks of Lua units, alone and beside Swift ones; `StoreCoreTests` has them in
/// Swift.
@Suite("Scenarios: effects in Lua")
struct EffectScenarios {
  @Test func s03() throws {
    let unit = try PluginFolder(
      "m", permissions: ["read:counter", "dispatch:counter.noop", "timers"],
      lua: """
        return plugin {
          state = { field("notes", list(int())) }, actions = { { name = "note", args = { field("n", int()) } } },
          reducers = { note = function(s, a) s.notes[#s.notes + 1] = a.n end },
          middleware = { {
            name = "m", on = { "counter.inc" },
            before = function(_, ctx) return ctx.state.counter.count end,
            after = function(_, ctx, handle)
              local io = ctx.state.counter.count
              ctx:task("later", function(task)
                task:sleep(2)
                for _, n in ipairs { handle, io, ctx.state.counter.count } do task:dispatch("note", { n = n }) end
                task:dispatch("counter.noop")
              end)
            end,
          } },
        }
        """)
    let script = """
      trace on --stable
      dispatch counter.inc
      wait 1s
      dispatch counter.x
      wait 1s
      trace off
      show m.notes --json
      """
    for isLua in [true, false, true, false] {
      let recording =
        isLua
        ? try Recording(script, .empty, plugins: [try Fixture.luaCounter(), unit])
        : try Recording(script, Fixture.application(), plugins: [unit])
      #expect(
        recording.trace("QHIE").filter { !$0.contains(" note ") }.map { $0.split(separator: " s=")[0] }
          == scenario(
            """
            Q 1 inc · H 1 m · I 1 m · E 1 m/later start
            Q 2 x
            Q 6 noop <1 · E 1 m/later done
            """
          ).map { $0[...] })
      #expect(recording.output.hasSuffix("[0,1,2]\n"))
    }
  }

  @Test func s08LineThree() throws {
    let ping = try PluginFolder(
      "ping", permissions: ["timers"],
      lua: """
        -- ping: answers every inc with a noop, later.
        --
        -- Line 20 is named by the scenario.








        local function answer(name)
          return name
        end



        local function later(task)
          task:sleep(1)
          task:dispatch(answer("noop"))
        end

        return plugin { actions = { { name = "inc" }, { name = "noop" } }, middleware = { {
          name = "pong", on = { "inc" }, after = function(_, ctx) ctx:task("later", later) end } } }
        """)
    let recording = try Recording(
      typing: ["dispatch ping.inc --quiet", "wait 1s", "show shell.log[n=3].source --json"], .empty, plugins: [ping])
    #expect(
      recording.output.replacing(ping.path, with: "PING")
        == #"{"file":"PING/init.lua","function":"later","line":20,"info":null,"kind":"effect","plugin":"ping","unit":"pong","cause":2}"#
        + "\n")
  }

  @Test func s15() throws {
    let unit = try PluginFolder(
      "u", permissions: ["timers"],
      lua: """
        return plugin {
          actions = { { name = "search", args = { field("q", text()) } }, { name = "fetch" },
            { name = "found", args = { field("q", text()) } } },
          middleware = { {
            name = "u", on = { "search", "fetch" },
            after = function(action, ctx)
              local token, q = "p", "fetched"
              if action.name == "u.search" then token, q = "s", action.args.q end
              ctx:task(token, function(task)
                task:sleep(3)
                task:dispatch("found", { q = q })
              end)
            end,
          } },
        }
        """)
    let script = """
      trace on --stable
      dispatch u.search q=a
      wait 1s
      dispatch u.search q=b
      wait 3s
      dispatch u.search q=c
      wait 1s
      effects cancel u/u/s
      effects cancel u/u/s
      dispatch u.fetch
      effects cancel u/u/p
      wait 15s
      trace off
      effects
      """
    for isLua in [true, false, true, false] {
      let recording =
        isLua
        ? try Recording(script, .empty, plugins: [unit])
        : try Recording(script, Fixture.application(Fixture.count, Fixture.observer("v")), plugins: [unit])
      #expect(
        recording.trace("QE").filter { $0.hasPrefix("E") || $0.contains("found") }.map {
          $0.replacing(" q=\"b\"", with: "")
        }
          == scenario(
            """
            E 1 u/s start
            E 1 u/s cancel · E 2 u/s start
            Q 3 found <2 · E 2 u/s done
            E 4 u/s start
            E 4 u/s cancel
            E 6 u/p start · E 6 u/p cancel
            """))
      #expect(recording.output.hasSuffix("(no effects)\n"))
      #expect(recording.errors.contains("\nnote: nothing under u/u/s\n"))
      #expect(recording.status == 0)
    }
  }
}
