import Testing

@testable import StoreShell

/// What a plugin keeps of an interceptor or an action is of no use to its other functions.
@Suite struct KeptFunctionTests {
  /// What reducers and middlewares may do is theirs alone: replay would know nothing of it.
  @Test(arguments: [
    "reducers = { go = function() D(\"o\") end }",
    "middleware = { { name = \"m\", on = { \"go\" }, before = function() D(\"o\") end } }",
  ])
  func itsDispatchIsOfNoUseToOthers(_ part: String) throws {
    let shell = try Shell { $0.grants = ["leak"] }
    let folder = try shell.plugin(
      "leak",
      """
      local D
      return plugin { actions = { { name = "go" }, { name = "o" } },
        interceptors = { function(dispatch, _, next) D = dispatch return function(action) next(action) end end }, \(part) }
      """, permissions: #"["intercept"]"#)
    _ = try shell.type("plugin load \(folder)")
    #expect(
      try shell.type("dispatch leak.go").errors.contains("an interceptor's dispatch is for the interceptor alone"))
    #expect(try shell.type("log --as raw").output.contains("leak.o") == false)
  }

  /// An action whose reducers failed is held for nobody.
  @Test func anActionThatWasKeptIsDispatchedByNoTask() throws {
    let shell = try Shell { $0.grants = ["late"] }
    let folder = try shell.plugin(
      "late",
      """
      local kept
      return plugin {
        state = { field("n", int()), field("open", bool()) },
        actions = { { name = "go" }, { name = "pay" }, { name = "unlock" }, { name = "t" } },
        reducers = {
          pay = function(s) if not s.open then refuse("locked") end s.n = s.n + 1 end,
          unlock = function(s) s.open = true end,
        },
        middleware = {
          { name = "m", on = { "go", "pay" }, before = function(a) kept = kept or a return 1 end, after = function() end },
          { name = "s", on = { "t" }, after = function(_, ctx)
              ctx:task("k", function(task) task:sleep(1) task:dispatch(kept) end)
            end },
        },
      }
      """, permissions: #"["timers"]"#)
    _ = try shell.type("plugin load \(folder)")
    for command in ["dispatch late.go", "dispatch late.pay", "dispatch late.unlock", "dispatch late.t"] {
      _ = try shell.type(command)
    }
    #expect(try shell.type("wait 2s").errors.contains("was valid only during the call that gave it"))
    #expect(try shell.type("show late.n").output == "0\n")
  }
}
