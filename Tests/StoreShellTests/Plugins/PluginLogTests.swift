import Testing

@testable import StoreShell

/// `log.info` and `log.warn` of plugins.
@Suite struct PluginLogTests {
  private static let lua = """
    log.info("loading")
    return plugin {
      state = { field("n", int()) },
      actions = { { name = "go" }, { name = "flood", args = { field("n", int()) } }, { name = "impure" } },
      reducers = { go = function() end, flood = function(s, a) s.n = a.n end, impure = function() log.info("x") end },
      projections = { { name = "loud", fn = function() log.warn("x") return 1 end } },
      middleware = {
        { name = "m", on = { "go" }, after = function(action, ctx)
          log.info("saw", action.name, 7, nil, true)
          log.warn("two\\nlines \\27[31m")
        end },
        { name = "f", on = { "flood" }, after = function(action) for i = 1, action.args.n do log.info(i) end end },
      },
    }
    """

  private func shell(limits: String = "{}", json: Bool = false) throws -> (Shell, Shell.Outcome) {
    let shell = try Shell { $0.isJSON = json }
    let folder = try shell.plugin("p", Self.lua)
    try shell.write(
      "p/plugin.json", #"{"name":"p","version":"1","api":1,"permissions":[],"limits":\#(limits)}"#)
    return (shell, try shell.type("plugin load \(folder)"))
  }

  @Test func aLineNamesThePlugin() throws {
    let (shell, loading) = try shell()
    #expect(loading.errors == "[p] loading\n")
    let outcome = try shell.type("dispatch p.go")
    #expect(outcome.errors == "[p] saw p.go 7 nil true\n[p] warning: two\n[p] warning: lines \\u{1b}[31m\n")
    #expect(outcome.output == "#2 p.go  (changed nothing)\n")
    #expect(outcome.status == 0)
  }

  @Test func whatIsNotUTF8IsReplacedWhereverTextIsShown() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "p",
      """
      local shown = setmetatable({}, { __tostring = function() return "\\xff!" end })
      return plugin {
        actions = { { name = "go" }, { name = "no" } },
        reducers = { go = function() end, no = function() refuse("not \\xc3") end },
        middleware = { { name = "m", on = { "go" }, after = function() log.info("\\xc3", shown) end } },
        commands = { { name = "say", run = function(_, cmd) cmd:print("a\\xc3", 7, shown) end } },
      }
      """)
    _ = try shell.type("plugin load \(folder)")
    #expect(try shell.type("dispatch p.go").errors == "[p] \u{fffd} \u{fffd}!\n")
    #expect(try shell.type("p say").output == "a\u{fffd} 7 \u{fffd}!\n")
    #expect(try shell.type("dispatch p.no").errors.hasPrefix("error[refused]: p: not \u{fffd}\n"))
  }

  @Test func isHeardOfAPluginThatAStoreBringsBack() throws {
    let shell = try Shell()
    let folder = try shell.plugin("p", Self.lua)
    let store = "\(shell.folder)/a.db"
    #expect(shell.openStore(store) == .init())
    #expect(try shell.type("plugin load \(folder)").errors == "[p] loading\n")
    _ = shell.outcome { shell.session.endJournal() }
    let migrate = "migrate = function(old, from) log.info('from', from) return { n = old.n, m = 1 } end,\n"
    let changed = Self.lua.replacing("field(\"n\", int())", with: "field(\"n\", int()), field(\"m\", int())")
      .replacing("  middleware = {", with: "  \(migrate)  middleware = {")
    try shell.write("p/init.lua", changed)
    try shell.write("p/plugin.json", #"{"name":"p","version":"2","api":1,"permissions":[]}"#)
    let next = try Shell()
    #expect(next.openStore(store).errors.hasPrefix("[p] loading\n[p] from 1.2.3\nnote: its state has a new type now"))
    #expect(try next.type("dispatch p.go").errors.hasPrefix("[p] saw p.go 7 nil true\n"))
    _ = next.outcome { next.session.endJournal() }
  }

  @Test func asEventsWithJSON() throws {
    let (shell, _) = try shell(json: true)
    let outcome = try shell.type("dispatch p.go")
    #expect(
      outcome.output.split(separator: "\n").prefix(2) == [
        #"{"event":"said","plugin":"p","level":"info","text":"saw p.go 7 nil true"}"#,
        #"{"event":"said","plugin":"p","level":"warn","text":"two"}"#,
      ])
    #expect(outcome.errors == "")
  }

  @Test func linesASecondAreBoundedAndWhatIsDroppedIsSaid() throws {
    let (shell, _) = try shell(limits: #"{"log_lines":3}"#)
    let flood = try shell.type("dispatch p.flood n=5 --quiet")
    // One was said while it was loaded, within the same second.
    #expect(flood.errors == "[p] 1\n[p] 2\n[p] warning: 3 lines were dropped, more than 3 in a second\n")
    #expect(
      try shell.type("dispatch p.flood n=1 --quiet").errors
        == "[p] warning: 1 line was dropped, more than 3 in a second\n")
    #expect(try shell.type("wait 1s", "dispatch p.flood n=3 --quiet").errors == "[p] 1\n[p] 2\n[p] 3\n")
  }

  @Test func whatIsDroppedIsNotLookedAt() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "p",
      """
      local text = setmetatable({}, { __tostring = function() error("looked at") end })
      return plugin {
        actions = { { name = "go" } },
        middleware = { { name = "m", after = function() for i = 1, 100 do log.info(i) end log.info(text) end } },
      }
      """)
    let outcome = try shell.type("plugin load \(folder)", "dispatch p.go --quiet")
    #expect(outcome.status == 0)
    #expect(outcome.errors.hasSuffix("[p] 100\n[p] warning: 1 line was dropped, more than 100 in a second\n"))
  }

  @Test func aLongLineIsCutAndNotDropped() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "p",
      """
      return plugin {
        actions = { { name = "line" }, { name = "lines" } },
        middleware = {
          { name = "one", on = { "line" }, after = function() log.info(("x"):rep(200000)) end },
          { name = "two", on = { "lines" }, after = function() log.info(("x"):rep(200000) .. "\\ny") end },
        },
      }
      """)
    let line = "[p] \(String(repeating: "x", count: 2000))…\n"
    #expect(try shell.type("plugin load \(folder)", "dispatch p.line --quiet").errors == line)
    #expect(
      try shell.type("wait 2s", "dispatch p.lines --quiet").errors
        == line + "[p] warning: 1 line was dropped, more than 100 in a second\n")
  }

  @Test func aFloodIsBoundedByDefault() throws {
    let (shell, _) = try shell()
    let flood = try shell.type("dispatch p.flood n=1000 --quiet")
    #expect(flood.errors.split(separator: "\n").count == 100)
    #expect(flood.errors.hasSuffix("[p] warning: 901 lines were dropped, more than 100 in a second\n"))
  }

  @Test func anEndlessFloodEndsInThePluginsError() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "p",
      """
      local long = ("x"):rep(1 << 20) .. ("\\n"):rep(1 << 16)
      return plugin { actions = { { name = "go" } },
        middleware = { { name = "m", after = function() while true do log.warn(long) end end } } }
      """)
    _ = try shell.type("plugin load \(folder)")
    let outcome = try shell.type("dispatch p.go")
    #expect(outcome.errors.contains("error[plugin-budget]: p: middleware 'm' (after) "))
    #expect(outcome.errors.utf8.count < 10_000)
    #expect(outcome.errors.contains(" lines were dropped, more than 100 in a second\n"))
  }

  /// What is dropped costs next to nothing while a plugin is loaded, too.
  @Test func aFloodWhileLoadingIsNoReasonToStop() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "p",
      """
      local long = ("x"):rep(1 << 15)
      for i = 1, 10000 do log.warn(long) end
      return plugin { actions = { { name = "go" } } }
      """)
    let outcome = try shell.type("plugin load \(folder)")
    #expect(outcome.status == 0)
    #expect(outcome.errors.hasSuffix("[p] warning: 9900 lines were dropped, more than 100 in a second\n"))
  }

  @Test func pureFunctionsMayNotSayAnything() throws {
    let (shell, _) = try shell()
    let reducer = try shell.type("dispatch p.impure")
    #expect(reducer.errors.contains("reducer 'p.impure': "))
    #expect(reducer.errors.contains(": log.info is not possible in a reducer\n"))
    let projection = try shell.type("show p.loud")
    #expect(projection.errors.contains(": log.warn is not possible in a projection\n"))
  }

  @Test func theLimitHasACeiling() throws {
    let (_, loading) = try shell(limits: #"{"log_lines":100000}"#)
    #expect(loading.errors.contains("\"limits.log_lines\" must be a whole number in 1...1000"), "\(loading.errors)")
  }

  @Test func tablesAreWrittenWithWhatTheyHold() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "p",
      """
      local within = {} within.within = within
      return plugin { actions = { { name = "go", args = { field("n", int()) } } },
        middleware = { { name = "m", after = function(action) log.info(action.args, { 1, "x" }, {}, within) end } },
        commands = { { name = "say", run = function(_, cmd)
          cmd:print({ a = { true } }, nil) log.warn({ [function() end] = 1 }) end },
          { name = "flood", run = function(_, cmd)
            local t = {} for i = 1, 1000 do t[i] = { i } end
            while true do cmd:print(t) end end } } }
      """)
    _ = try shell.type("plugin load \(folder)")
    #expect(try shell.type("dispatch p.go 7 --quiet").errors == "[p] { n = 7 } { 1, \"x\" } {} table\n")
    #expect(
      try shell.type("p say") == .init(output: "{ a = { true } } nil\n", errors: "[p] warning: table\n"))
    // Its instructions or its time, whichever a machine with other work ends first.
    #expect(try shell.type("p flood").errors.hasPrefix("error[plugin-budget]: p: command 'p flood' "))
  }
}
