import Testing

@testable import StoreShell

/// What is said of mistakes in the Lua of a statement, and where.
@Suite struct LuaErrorTests {
  @Test func luaErrorsNameTheLine() throws {
    let shell = try Shell()
    let error = shell.run("= nil + 1")
    #expect(error.status == 1)
    #expect(error.errors.hasPrefix("-c:1:1: error[lua-error]: "))
    let syntax = shell.run("= 1 +* 2")
    #expect(syntax.errors.hasPrefix("-c:1:1: error[lua-syntax]: "))
    #expect(syntax.status == 2)
    #expect(shell.run("lua error('boom')").errors.contains("boom"))
    #expect(shell.run("= project('nope')").errors.hasPrefix("-c:1:1: error[unknown-path]: there is no module 'nope'\n"))
    #expect(
      shell.run("lua dispatch('tasks.ad')").errors == """
        -c:1:1: error[unknown-action]: unknown action 'tasks.ad'
          lua dispatch('tasks.ad')
          hint: did you mean 'tasks.add'?

        """)
    #expect(shell.run("= select(2, pcall(dispatch, 'tasks.ad'))").output.contains("unknown action 'tasks.ad'"))
  }

  @Test(arguments: [
    ("{}", "tasks.add needs 'title' (String)"), ("{ title = 'x', y = 1 }", "tasks.add has no argument 'y'"),
    ("{ titel = 'x' }", "tasks.add has no argument 'titel' (did you mean 'title'?)"),
    ("{ title = 1 }", "tasks.add: 'title' must be String, got number 1"),
  ])
  func argumentsFromLuaAreToldAsThoseOfACommand(arguments: String, message: String) throws {
    #expect(
      try Shell().run("lua dispatch('tasks.add', \(arguments))").errors
        == "-c:1:1: error[lua-error]: \(message)\n  lua dispatch('tasks.add', \(arguments))\n")
  }

  @Test func whatIsNoNameOfAnActionIsRefused() throws {
    let shell = try Shell()
    for call in ["dispatch()", "dispatch(5)", "dispatch(state)", "dispatch({})", "dispatch(print)"] {
      let errors = shell.run("lua dispatch('tasks.add', { title = 'a' }) \(call)").errors
      #expect(errors.contains("needs the name of an action"), "\(errors)")
    }
  }

  /// An action that was dispatched is found again by its name, and what its name stands for may change meanwhile.
  @Test func actionsFromLuaAreThoseThatThereAre() throws {
    let shell = try Shell()
    let long = "counts_with_a_name_that_lua_does_not_keep_but_once"
    func plugin(_ type: String) -> String {
      let names = ["add", long] + (1...9).map { "add\($0)" }
      let actions = names.map { "{ name = '\($0)', args = { field('n', \(type)) } }" }
      return """
        local function add(s, a) s.rows[#s.rows + 1] = tostring(a.n) end
        local reducers = { add = add, \(long) = add }
        for i = 1, 9 do reducers["add" .. i] = add end
        return plugin { state = { field("rows", list(text())) }, actions = { \(actions.joined(separator: ", ")) },
          reducers = reducers }
        """
    }
    let folder = try shell.plugin("p", plugin("int()"))
    _ = shell.run("plugin load \(folder)")
    let others = "for k = 1, 9 do dispatch('p.add' .. k, { n = k }) end"
    #expect(shell.run("lua for i = 1, 3 do dispatch('p.add', { n = i }) \(others) end") == .init())
    #expect(shell.run("lua for i = 1, 2 do dispatch('p.\(long)', { n = i }) end") == .init())
    #expect(shell.run("= #state.p.rows").output == "32\n")
    #expect(shell.run("lua dispatch('p.add', { n = 'x' })").errors.contains("'n' must be Int"))
    _ = try shell.plugin("p", plugin("text()"))
    #expect(shell.run("plugin reload p").errors == "")
    #expect(shell.run("lua for i = 1, 2 do dispatch('p.add', { n = 'a text that is long ' .. i }) end").errors == "")
    #expect(shell.run("= state.p.rows[#state.p.rows - 1]").output == "\"a text that is long 1\"\n")
    #expect(shell.run("lua dispatch('p.add', { n = 1 })").errors.contains("'n' must be String"))
    #expect(shell.run("plugin unload p").errors == "")
    #expect(shell.run("lua dispatch('p.add', { n = 'x' })").errors.contains("unknown action 'p.add'"))
  }

  @Test func luaErrorsInLongStatementsNameTheirLine() throws {
    let shell = try Shell()
    let script = """

      lua local function fail()
        error({})
      end fail()
      = (function()

        error() end)()
      lua function later()
        error(setmetatable({}, { __tostring = function() return "told" end }))
      end
      = 1
      = later()
      """
    let path = "\(shell.folder)/script.stsh"
    shell.session.options.keepsGoing = true
    #expect(
      try shell.run(script: script).errors == """
        \(path):2:1: error[lua-error]: (error object is a table)
          lua local function fail()
          at \(path):3: in local 'fail'
        \(path):5:1: error[lua-error]: (error object is nil)
          = (function()
          at \(path):7
        \(path):12:1: error[lua-error]: told
          = later()
          at \(path):9
        3 of 5 commands failed

        """)
    #expect(
      try shell.type("lua local x \\\nlocal y = x.z", "lua error(nil)").errors == """
        error[lua-error]: attempt to index a nil value (local 'x')
          at repl:1:2
        error[lua-error]: (error object is nil)

        """)
  }

  /// With its place in the line, and what was probably meant.
  @Test(arguments: [
    ("= fals", 2), ("let q = fals", 8), ("project p = fals", 12), ("watch $(fals)", 8), ("show $(fals)", 7),
    ("plot fals", 5), ("assert fals", 7), ("wait until fals", 11), ("= fals.x", 2), ("assert 1 == fals", 12),
  ])
  func aNameOfNothingIsMarked(line: String, column: Int) throws {
    let errors = try Shell().type(line).errors
    let marked = """
        \(line)
        \(String(repeating: " ", count: column))^~~~
        hint: did you mean 'false'?

      """
    #expect(errors == "error[lua-error]: 'fals' is not defined\n\(marked)")
  }

  @Test func variablesMayHoldNothing() throws {
    let shell = try Shell()
    #expect(try shell.type("let x = nil", "= x", "= arg", "let n = n or 5", "= n").errors == "")
  }

  @Test(arguments: [
    ("show tasks.items where id = 1", "hint: = sets a value; compare with =="),
    ("show tasks.items where title = 'a => b'", "hint: = sets a value; compare with =="),
    ("show tasks.items where id => 1", "hint: => is >= in Lua"),
    ("show tasks.items where id =< 1", "hint: =< is <= in Lua"),
    ("show tasks.items where id != 1", "hint: != is ~= in Lua"),
    ("show tasks.items where id <> 1", "hint: <> is ~= in Lua"),
    ("show tasks.items where done && id == 1", "hint: && is and in Lua"),
    ("show tasks.items where done || id == 1", "hint: || is or in Lua"),
    ("= #state.tasks.items => 1", "hint: => is >= in Lua"),
    (
      "show tasks.items where done > f",
      "hint: after where > compares; after a flag it writes to a file: --as csv > f"
    ),
    (
      "show tasks.items where done > out.csv",
      "hint: after where > compares; after a flag it writes to a file: --as csv > out.csv"
    ),
    (
      "show tasks.items where not done > /tmp/out.csv",
      "hint: after where > compares; after a flag it writes to a file: --as csv > /tmp/out.csv"
    ),
    (
      "show tasks.items where done > > f",
      "hint: after where > compares; after a flag it writes to a file: --as csv > f"
    ),
  ])
  func signsOfConditionsAreExplained(line: String, hint: String) throws {
    #expect(try Shell().type("dispatch tasks.add a --quiet", line).errors.contains(hint))
  }

  /// What Lua says of a condition is marked, and is about no file where none is meant.
  @Test(arguments: ["id + nil > 3", "title > 3", "id > )", "it.id.x.y"])
  func conditionsAreMarked(condition: String) throws {
    let errors = try Shell().type(
      "dispatch tasks.add a --quiet", "show tasks.items where \(condition) --limit 3"
    ).errors
    #expect(
      errors.contains(
        "  show tasks.items where \(condition) --limit 3\n                         ^\(String(repeating: "~", count: condition.utf8.count - 1))\n"
      ) && !errors.contains("writes to a file"), "\(errors)")
  }
}
