import Testing

@testable import StoreShell

/// Middlewares that run for one element after the other (R17).
@Suite struct ElementTests {
  private struct PluginFault: Error {
    let text: String
  }

  /// A session with a plugin `p` that has rows, prices by name and one middleware, and writes down what that says.
  private func shell(_ middleware: String, permissions: String = #"["timers"]"#) throws -> Shell {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      local row = record("Row", { field("id", int()), field("n", int()), field("on", bool()) })
      return plugin {
        state = {
          field("rows", list(row)), field("prices", map(int())), field("log", list(text())), field("plain", list(int())),
        },
        actions = {
          { name = "add", args = { field("id", int()) } }, { name = "remove", args = { field("id", int()) } },
          { name = "poke", args = { field("id", int()) } }, { name = "all" },
          { name = "maybe", args = { field("id", optional(int())) } },
          { name = "switch", args = { field("id", int()), field("on", bool()) } },
          { name = "count", args = { field("id", int()), field("by", int()) } },
          { name = "price", args = { field("name", text()), field("to", int()) } },
          { name = "say", args = { field("line", text()) } },
          { name = "nudge", args = { field("id", int()) } },
        },
        reducers = {
          add = function(s, a) table.insert(s.rows, { id = a.id, n = 0, on = false }) end,
          remove = function(s, a) for i, r in ipairs(s.rows) do if r.id == a.id then table.remove(s.rows, i) return end end end,
          switch = function(s, a) s.rows:id(a.id).on = a.on end,
          count = function(s, a) local r = s.rows:id(a.id) r.n = r.n + a.by end,
          price = function(s, a) s.prices[a.name] = a.to end,
          say = function(s, a) table.insert(s.log, a.line) end,
        },
        middleware = { { name = "m", \(middleware) } },
      }
      """.replacing("\\\(middleware)", with: middleware), permissions: permissions)
    let loaded = try shell.type("plugin load \(folder)")
    guard loaded.errors == "" else { throw PluginFault(text: loaded.errors) }
    return shell
  }

  private func said(_ shell: Shell, _ lines: String...) throws -> [String] {
    _ = try shell.type("dispatch p.say - --quiet")
    for line in lines {
      let outcome = try shell.type(line)
      guard outcome.errors == "" else { throw PluginFault(text: outcome.errors) }
    }
    let log = try shell.type("show p.log --as raw").output.split(separator: "\n").map(String.init)
    return Array(log[(log.lastIndex(of: "-") ?? 0)...].dropFirst())
  }

  private static let speaking = """
    on = { "poke", "all", "maybe", "remove", "add" },
    before = function(action, ctx, row) return row.n end,
    after = function(action, ctx, kept, row)
      ctx:dispatch("say", { line = action.name .. " " .. row.id .. " " .. kept .. " " .. row.n }) end,
    """

  @Test func anActionThatNamesOneIsForItAlone() throws {
    let shell = try shell("each = 'rows', \(Self.speaking)")
    _ = try shell.type("dispatch p.add 1", "dispatch p.add 2", "dispatch p.count 2 7")
    #expect(try said(shell, "dispatch p.poke 2 --quiet") == ["p.poke 2 7 7"])
    #expect(try said(shell, "dispatch p.poke 3 --quiet") == [])
    #expect(try said(shell, "dispatch p.maybe id=1 --quiet") == ["p.maybe 1 0 0"])
  }

  @Test func anyOtherIsForAllThatAreThereBeforeIt() throws {
    let shell = try shell("each = 'p.rows', \(Self.speaking)")
    #expect(try said(shell, "dispatch p.all --quiet") == [])
    #expect(try said(shell, "dispatch p.add 4 --quiet", "dispatch p.add 2 --quiet") == [])
    #expect(try said(shell, "dispatch p.all --quiet") == ["p.all 4 0 0", "p.all 2 0 0"])
    #expect(try said(shell, "dispatch p.maybe --quiet") == ["p.maybe 4 0 0", "p.maybe 2 0 0"])
    // Of two with one id the first stands for both.
    _ = try shell.type("dispatch p.add 4 --quiet")
    #expect(try said(shell, "dispatch p.all --quiet") == ["p.all 4 0 0", "p.all 2 0 0"])
  }

  @Test func whoGoesThroughTheActionIsToldOfItsLastValue() throws {
    let shell = try shell("each = 'rows', \(Self.speaking)")
    _ = try shell.type("dispatch p.add 1", "dispatch p.count 1 5")
    #expect(try said(shell, "dispatch p.remove 1 --quiet") == ["p.remove 1 5 5"])
    #expect(try said(shell, "dispatch p.all --quiet") == [])
  }

  @Test func theElementsOfAMapHaveTheirKeys() throws {
    let shell = try shell(
      """
      each = 'prices', by = 'name', on = { "price", "all" },
      after = function(action, ctx, kept, price) ctx:dispatch("say", { line = "price " .. price }) end
      """)
    _ = try shell.type("dispatch p.price a 1", "dispatch p.price b 2")
    #expect(try said(shell, "dispatch p.price a 3 --quiet") == ["price 3"])
    #expect(try said(shell, "dispatch p.price c 4 --quiet") == [], "it is new through this very action")
    #expect(try said(shell, "dispatch p.all --quiet") == ["price 3", "price 2", "price 4"])
  }

  @Test func whatItDispatchesIsForTheSameElement() throws {
    let shell = try shell(
      """
      each = 'rows', on = { "all", "nudge" },
      after = function(action, ctx, kept, row)
        if action.name == "p.all" then ctx:dispatch("count", { by = row.id }) ctx:dispatch("count", { id = 1, by = 100 }) end
        ctx:task("t", function(task) task:sleep(row.id) task:dispatch("count", { by = 10 }) end)
      end
      """)
    _ = try shell.type("dispatch p.add 1", "dispatch p.add 2", "dispatch p.all")
    #expect(try shell.type("show p.rows[id=1].n", "show p.rows[id=2].n").output == "201\n2\n")
    #expect(try shell.type("show shell.effects --as json").output.contains(#"p/m/2/t"#))
    // A key is private to the element: the other's task goes on.
    _ = try shell.type("wait 0.5s", "dispatch p.nudge 1", "wait 0.7s")
    #expect(try shell.type("show p.rows[id=1].n", "show p.rows[id=2].n").output == "201\n2\n")
    #expect(try shell.type("wait 2s", "show p.rows[id=1].n", "show p.rows[id=2].n").output == "211\n12\n")
  }

  @Test func keysOfTwoTypesAreTwo() throws {
    let shell = try shell(
      """
      each = 'rows', supervise = function(row)
        local function pause(task) task:sleep(9) end
        return { [1] = pause, ["1"] = pause, t = pause }
      end
      """)
    let effects = try shell.type("dispatch p.add 7 --quiet", "effects --as raw").output
    #expect(
      effects.split(separator: "\n").map { $0.prefix { $0 != "\t" } }.sorted()
        == ["p/m/7/1 (Int)", "p/m/7/1 (String)", "p/m/7/t"], "\(effects)")
  }

  @Test func tasksAreSupervisedForEach() throws {
    let shell = try shell(
      """
      each = 'rows', supervise = function(row, state)
        if row.on then return { t = function(task)
          while true do task:sleep(1) task:dispatch("count", { by = #state.p.rows }) end
        end } end
      end
      """)
    _ = try shell.type("dispatch p.add 1", "dispatch p.add 2", "wait 2s")
    #expect(try shell.type("effects").output == "(no effects)\n")
    _ = try shell.type("dispatch p.switch 2 true", "wait 2s", "dispatch p.switch 1 true", "wait 1s")
    #expect(try shell.type("show p.rows[id=1].n", "show p.rows[id=2].n").output == "2\n6\n")
    _ = try shell.type("dispatch p.remove 2", "wait 2s")
    #expect(try shell.type("show p.rows", "effects --as raw").errors == "")
    #expect(try shell.type("effects --as json").output.contains("/2/") == false)
    #expect(try shell.type("show p.rows[id=1].n").output != "2\n")
  }

  @Test func elementsOfAnotherModuleNeedItsPermission() throws {
    let middleware = """
      each = 'tasks.items', on = { "tasks.complete" },
      after = function(action, ctx, kept, item)
        ctx:dispatch("say", { line = item.title .. " " .. tostring(item.done) })
      end
      """
    let shell = try shell(middleware, permissions: #"["read:tasks"]"#)
    _ = try shell.type("dispatch tasks.add a", "dispatch tasks.add b")
    #expect(try said(shell, "dispatch tasks.complete 2 --quiet") == ["b true"])
    let fault = #expect(throws: PluginFault.self) { try self.shell(middleware) }
    #expect(fault?.text.contains("needs to read 'tasks'") == true, "\(fault?.text ?? "")")
  }

  @Test func itReplaysAndIsUndoneLikeAnyOther() throws {
    let shell = try shell("each = 'rows', \(Self.speaking)")
    _ = try shell.type("dispatch p.add 1", "dispatch p.add 2", "dispatch p.all")
    let state = try shell.type("show p --as json").output
    let recording = "\(shell.folder)/run.jsonl"
    #expect(try shell.type("export journal \(recording)", "replay \(recording) --verify").status == 0)
    #expect(try shell.type("show p --as json").output == state)
    #expect(try shell.type("undo --quiet", "show p.log --as json").output == "[]\n")
  }

  /// Where it fails for one of them, the others' turn does not come, and the action goes on as after any middleware that fails.
  @Test func aFailureNamesTheMiddleware() throws {
    let shell = try shell(
      """
      each = 'rows', on = { "all" },
      after = function(action, ctx, kept, row)
        if row.id == 2 then error("no such luck") end
        ctx:dispatch("say", { line = tostring(row.id) })
      end
      """)
    _ = try shell.type("dispatch p.add 1", "dispatch p.add 2", "dispatch p.add 3")
    let outcome = try shell.type("dispatch p.all")
    #expect(outcome.errors.contains("middleware 'm' (after)"), "\(outcome.errors)")
    #expect(outcome.errors.contains("no such luck"))
    #expect(try shell.type("show p.log --as raw").output == "1\n")
  }

  @Test(arguments: [
    ("each = 3", "each must be the path of a list or a map, got number 3"),
    ("each = 'nothing'", "'nothing'"),
    ("each = 'p.nothing'", "'p' has no field 'nothing'"),
    ("each = 'plain'", "each must lead to a map, or to a list of records with a field id"),
    ("each = 'rows', by = 4", "by must be the name of an argument, got number 4"),
    ("each = 'rows', by = 'name'", "'name' is never an integer, as what names an element of p.rows is"),
    ("each = 'rows', by = 'nme'", "none of the actions that it hears has the argument 'nme'"),
    ("by = 'name'", "by needs each"),
  ])
  func aRuleThatMeansNothingIsRefused(rule: String, message: String) throws {
    let fault = #expect(throws: PluginFault.self) { try shell("\(rule), after = function() end") }
    #expect(fault?.text.contains(message) == true, "\(fault?.text ?? "")")
  }
}
