import Testing

/// The failure table of the specification, row by row, with the plugins that it names: what the program prints, byte for
/// byte. The two rows about reloading stand in `ReloadTests`.
@Suite("The table of failures")
struct FailureTableTests {
  /// One row.
  struct Row: CustomTestStringConvertible, Sendable {
    /// The plugin, `bad/NAME`.
    let name: String
    let lua: String
    var permissions: [String] = []
    var manifest: String?
    /// The action that fails; nil: loading does.
    var action: String?
    /// Standard error from the location on.
    let errors: String
    /// What the action prints after its number where it is applied all the same; nil: the state is unchanged.
    var applied: String?
    var status: Int32 = 1

    var testDescription: String { name }
  }

  /// A plugin with a count and one reducer, whose body starts on line 4.
  private static func reducing(_ action: String, _ body: String) -> String {
    """
    return plugin {
      state = { field("count", int { min = 0 }) }, actions = { { name = "\(action)" } },
      reducers = { \(action) = function(s)
        \(body)
      end },
    }
    """
  }

  /// A plugin whose one middleware fails on line 4, behind another that works.
  private static func spying(_ body: String) -> String {
    """
    return plugin {
      state = { field("count", int()) }, actions = { { name = "go" }, { name = "seen" } },
      middleware = { { name = "spy", on = { "go" }, after = function(_, ctx)
        \(body)
      end }, { name = "other", on = { "go" }, after = function(_, ctx) ctx:dispatch("seen") end } },
      reducers = { go = function(s) s.count = s.count + 1 end },
    }
    """
  }

  static let rows: [Row] = [
    Row(
      name: "typo", lua: reducing("inc", "s.cuont = s.count + 1"), action: "inc",
      errors:
        "error[plugin-runtime]: typo: reducer 'typo.inc': bad/typo/init.lua:4: typo has no field 'cuont' (did you mean 'count'?)\n"
    ),
    Row(
      name: "wrong", lua: reducing("dec", "s.count = s.count - 1"), action: "dec",
      errors: """
        error[plugin-schema]: wrong: reducer 'wrong.dec' left invalid state: 'wrong.count' must be >= 0, got -1
          hint: state is unchanged

        """),
    Row(
      name: "ret", lua: reducing("inc", "return s.count"), action: "inc",
      errors:
        "error[plugin-runtime]: ret: reducer 'ret.inc' returned a value; change the draft in place and return nothing\n"
    ),
    Row(
      name: "memo", lua: "local seen = {} " + reducing("visit", "seen[#seen + 1] = 1; s.count = #seen"),
      action: "visit",
      errors: """
        error[plugin-impure]: memo: reducer 'memo.visit' changed a captured local; reducers may only change their draft
          hint: keep the value in the plugin's state

        """),
    Row(
      name: "spin", lua: reducing("inc", "while true do end"), action: "inc",
      errors: """
        error[plugin-budget]: spin: reducer 'spin.inc' used more than 200_000 VM instructions and was stopped
          at bad/spin/init.lua:4

        """),
    Row(
      name: "osuse", lua: reducing("mark", "s.count = os.time()"), action: "mark",
      errors:
        "error[plugin-runtime]: osuse: reducer 'osuse.mark': bad/osuse/init.lua:4: 'os' is not part of the plugin sandbox (os is not available; timestamps come in action.meta.at, delays from task:sleep())\n"
    ),
    Row(
      name: "niltrap",
      lua: """
        local function title(list)
          return list[#list + 1].title
        end
        return plugin {
          state = { field("count", int()) }, actions = { { name = "pick" } },
          reducers = { pick = function(s) local t = title({}) s.count = #t end },
        }
        """, action: "pick",
      errors: """
        error[plugin-runtime]: niltrap: reducer 'niltrap.pick': bad/niltrap/init.lua:2: attempt to index a nil value (field '?')
          at bad/niltrap/init.lua:2: in upvalue 'title'

        """),
    Row(
      name: "peek", lua: spying("local x = ctx.state.tasks"), action: "go",
      errors: """
        error[plugin-runtime]: peek: middleware 'spy' (after): bad/peek/init.lua:4: may not read 'tasks' (add "read:tasks" to permissions in plugin.json)
        note: #2 peek.go was applied

        """, applied: "peek.count  0 -> 1"),
    Row(
      name: "writer", lua: spying("ctx.state.writer.count = 7"), action: "go",
      errors: """
        error[plugin-runtime]: writer: middleware 'spy' (after): bad/writer/init.lua:4: state.writer is read-only here; change it by dispatching an action
        note: #2 writer.go was applied

        """, applied: "writer.count  0 -> 1"),
    Row(
      name: "fat", lua: reducing("inc", "s.count = 1 local t = ('x'):rep(1 << 23)"), action: "inc",
      errors: "error[plugin-memory]: fat: reducer 'fat.inc' needed more than 4 MiB and was stopped\n"),
    Row(
      name: "odd", lua: reducing("inc", "s.count = 1 error({})"), action: "inc",
      errors: "error[plugin-runtime]: odd: reducer 'odd.inc': bad/odd/init.lua:4: (error object is a table)\n"),
    Row(
      name: "endless",
      lua: reducing("inc", "error(setmetatable({}, { __tostring = function() while true do end end }))"),
      action: "inc",
      errors:
        "error[plugin-runtime]: endless: reducer 'endless.inc': bad/endless/init.lua:4: (error object is a table)\n"),
    Row(
      name: "told", lua: reducing("inc", "error(setmetatable({}, { __tostring = function() return 'told' end }))"),
      action: "inc", errors: "error[plugin-runtime]: told: reducer 'told.inc': bad/told/init.lua:4: told\n"),
    Row(
      name: "glob", lua: "count = 0\nreturn plugin {}",
      errors: "error[plugin-load]: glob: bad/glob/init.lua:1: plugins may not create globals ('count'); use 'local'\n",
      status: 4),
    Row(
      name: "syn", lua: "return plugin {\n  state = {\n    field(\"count\", int())\n",
      errors: "error[plugin-load]: syn: bad/syn/init.lua:4: '}' expected (to close '{' at line 2) near <eof>\n",
      status: 4),
    Row(
      name: "future", lua: "return plugin {}", manifest: #"{ "name": "future", "version": "0.1.0", "api": 3 }"#,
      errors: "error[plugin-api]: future needs plugin API 3; this shell supports 1\n", status: 4),
    Row(
      name: "badred",
      lua: "return plugin { actions = { { name = \"start\" } }, reducers = { strat = function() end } }",
      errors: """
        error[plugin-schema]: badred: reducer for unknown action 'badred.strat'
          hint: did you mean 'badred.start'?

        """, status: 4),
  ]

  private func shell(_ row: Row) throws -> Shell {
    let shell = try Shell()
    let asked = row.permissions.map { "\"\($0)\"" }.joined(separator: ", ")
    try BrokenPlugin.write(
      row.name, row.lua, to: shell,
      manifest: row.manifest
        ?? #"{ "name": "\#(row.name)", "version": "0.1.0", "api": 1, "permissions": [\#(asked)] }"#)
    return shell
  }

  /// What stands between the first line and the rest: the statement that failed.
  private func errors(of row: Row, statement: String, line: Int) -> String {
    var lines = row.errors.split(separator: "\n").map(String.init)
    lines[0] = "stdin:\(line):1: \(lines[0])"
    lines.insert("  \(statement)", at: 1)
    return lines.map { $0 + "\n" }.joined()
  }

  @Test(arguments: rows)
  func isAsTheSpecificationHasIt(row: Row) throws {
    let load = "plugin load bad/\(row.name)"
    guard let action = row.action else {
      // Another plugin loads all the same.
      let outcome = try shell(row).run(
        "--keep-going", "--quiet", input: "\(load)\nplugin load catalog\nplugin list --as raw\necho here\n")
      #expect(outcome.errors == errors(of: row, statement: load, line: 1) + "1 of 4 commands failed\n")
      #expect(outcome.output.hasPrefix("catalog\t"))
      #expect(outcome.output.hasSuffix("\nhere\n"))
      #expect(outcome.status == row.status)
      return
    }
    let statement = "dispatch \(row.name).\(action)"
    let outcome = try shell(row).run(
      "--keep-going", "--quiet",
      input: "\(load)\n\(statement)\nshow \(row.name).count\ndispatch counter.increment\nshow counter.value\n")
    #expect(outcome.errors == errors(of: row, statement: statement, line: 2) + "1 of 5 commands failed\n")
    #expect(outcome.output == "\(row.applied == nil ? 0 : 1)\n1\n")
    #expect(outcome.status == row.status)
  }

  /// "the action was committed: its entry is printed"; the failure of another is the log's.
  @Test(arguments: rows.filter { $0.action != nil })
  func theLogSaysWhatBecameOfTheAction(row: Row) throws {
    let name = "\(row.name).\(row.action ?? "")"
    let outcome = try shell(row).run(
      "--keep-going", "--clock", "virtual",
      input:
        "plugin load bad/\(row.name)\ndispatch \(name)\nlog\nplugin list --as raw\n")
    if let applied = row.applied {
      #expect(outcome.output.contains("\n#2 \(name)\n  \(applied)\n"), "\(outcome.output)")
    } else {
      #expect(!outcome.output.contains("\n#2 \(name)"), "\(outcome.output)")
      #expect(outcome.output.contains(" failed: \(row.name): "), "\(outcome.output)")
    }
    #expect(outcome.output.contains("\n\(row.name)\t0.1.0\tbad/\(row.name)\ton\t"), "\(outcome.output)")
  }

  @Test func moreTasksThanTheLimit() throws {
    let shell = try Shell()
    try BrokenPlugin.write(
      "crowd",
      """
      return plugin {
        actions = { { name = "go" } }, reducers = { go = function() end },
        middleware = { { name = "m", after = function(_, ctx)
          for i = 1, 5000 do ctx:task("t" .. i, function(task) task:sleep(1) end) end
        end } },
      }
      """, to: shell,
      manifest: #"{ "name": "crowd", "version": "0.1.0", "api": 1, "permissions": ["timers"] }"#)
    let outcome = try shell.run(
      "--clock", "virtual", "--grant", "crowd", "--keep-going", "--quiet",
      input: "plugin load bad/crowd\ndispatch crowd.go\nshow shell.effects --json\n")
    #expect(
      outcome.errors.hasPrefix("stdin:2:1: error[plugin-budget]: crowd: more than 4 tasks\n"), "\(outcome.errors)")
    #expect(outcome.errors.hasSuffix("note: #2 crowd.go was applied\n1 of 3 commands failed\n"))
  }
}
