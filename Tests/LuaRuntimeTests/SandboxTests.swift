import LuaRuntime
import Testing

@Suite struct SandboxTests {
  let state: LuaState

  init() throws { state = try LuaState() }

  @Test func missingLibrariesSayWhy() {
    #expect(
      failure(state, "\nlocal t = os.time()")?.message
        == "t.lua:2: 'os' is not part of the plugin sandbox (os is not available; timestamps come in action.meta.at, delays from task:sleep())"
    )
    for name in ["io", "debug", "package", "require", "print", "xpcall", "dofile", "loadfile", "collectgarbage"] {
      let message = failure(state, "return \(name)")?.message ?? ""
      #expect(message.hasPrefix("t.lua:1: '\(name)' is not part of the plugin sandbox ("))
    }
    for name in ["math.random", "math.randomseed", "string.dump"] {
      let message = failure(state, "return \(name)")?.message ?? ""
      #expect(message.hasPrefix("t.lua:1: '\(name)' is not part of the plugin sandbox ("))
    }
    #expect(failure(state, "return cuont")?.message == "t.lua:1: undefined global 'cuont'")
    #expect(
      failure(state, "return integer()")?.message
        == "t.lua:1: undefined global 'integer' (whole numbers have the type int())")
    #expect(
      failure(state, "sleep(1)")?.message
        == "t.lua:1: undefined global 'sleep' (it is a method of a task: task:sleep(1))")
    #expect(
      failure(state, "return string()")?.message
        == "t.lua:1: attempt to call the library 'string' (texts have the type text())")
    #expect(failure(state, "table()")?.message.hasPrefix("t.lua:1: attempt to call the library 'table' (") == true)
    #expect(failure(state, "math()")?.message == "t.lua:1: attempt to call a table value (global 'math')")
    let expected = [
      "float", "boolean", "str", "array", "choice", "dispatch", "state", "action", "meta", "ctx", "cmd", "task", "wait",
      "wait_for", "project",
      "dispatch_wait", "equals",
    ]
    for name in expected {
      #expect(failure(state, "return \(name)")?.message.hasPrefix("t.lua:1: undefined global '\(name)' (") == true)
    }
  }

  /// Plugins round as sessions do: their errors about decimals say so.
  @Test func pluginsRound() {
    #expect(failure(state, "error(tostring(round(decimal('10') / 3, 2)), 0)")?.message == "3.33")
  }

  @Test func globalsCannotBeMadeOrChanged() {
    let expected = "t.lua:1: plugins may not create globals ('count'); use 'local'"
    #expect(failure(state, "count = 1")?.message == expected)
    #expect(failure(state, "function count() end")?.message == expected)
    #expect(failure(state, "rawset(_G, 'count', 1)")?.message == expected)
    for attack in [
      "string = {}", "pairs = nil", "string.format = nil", "rawset(string, 'format', nil)", "_G.x = 1",
      "setmetatable(_G, {})", "setmetatable(string, {})", "table.insert(_G, 1)", "table.insert(string, 1)",
      "_ENV.math.pi = 3", "math.pi = 3", "table.move({1}, 1, 1, 1, math)", "table.sort(setmetatable(_G, nil))",
      "local s = getmetatable('').__index s.rep = nil", "load('x = 1')()",
    ] {
      #expect(failure(state, attack) != nil, "\(attack)")
    }
    #expect(failure(state, "assert(math.pi > 3 and string.format and pairs and ('x'):rep(2) == 'xx')") == nil)
  }

  @Test func globalsCanBeReadAndWalked() throws {
    #expect(
      try run(state, "return rawget(_G, 'pairs') == pairs, rawget(string, 'rep') == string.rep") == [
        .boolean(true), .boolean(true),
      ])
    let names = try evaluate(
      state, "local n = {} for k in pairs(_G) do n[#n + 1] = k end return table.concat(n, ' ')")
    #expect(
      names
        == .string(
          "_G _VERSION assert coroutine decimal error getmetatable ipairs load math next pairs pcall rawequal rawget rawlen rawset round select setmetatable string table tonumber tostring type utf8"
        ))
  }

  @Test func globalNamesForCompletion() throws {
    try state.setGlobal("answer", .integer(1))
    #expect(state.globalNames.contains("answer") && state.globalNames.contains("math"))
    let session = try LuaState(sandbox: .session)
    _ = try run(session, "mine = 1 math = 2")
    #expect(session.globalNames.filter { ["mine", "math"].contains($0) } == ["math", "mine"])
    #expect(try LuaState(sandbox: .unrestricted).globalNames.contains("os"))
  }

  @Test func namesOfALibraryAndOfATable() throws {
    guard case .table(let string) = state.global("string") else { return #expect(Bool(false)) }
    #expect(string.names.contains("rep") && !string.names.contains("dump"))
    guard case .table(let own) = try run(state, "return {b = 1, a = 2, 3, [1.5] = 4}").first else {
      return #expect(Bool(false))
    }
    #expect(own.names == ["a", "b"])
  }

  @Test func loadIsTextWithTheSandboxAsEnvironment() throws {
    #expect(try run(state, "return load('return math.pi > 3')()") == [.boolean(true)])
    #expect(try run(state, "return load('return x', 'c', 't', {x = 5})()") == [.integer(5)])
    #expect(
      try run(state, "local n = 0 return load(function() n = n + 1 return ({'return ', '7'})[n] end)()") == [
        .integer(7)
      ])
    #expect(try run(state, "return load('x =')").first == .nil)
    #expect(try run(state, "return load('\\27Lua')").first == .nil)
    #expect(try run(state, "return load('\\27Lua', 'c', 'b')").first == .nil)
    #expect(try run(state, "return load('\\27Lua', 'c', 'bt')").first == .nil)
    #expect(try run(state, "return load('return 1', 'c', 'b')").first == .nil)
    #expect(try run(state, "return load('return 1', 'c', 'bt')()") == [.integer(1)])
    #expect(try run(state, "return load(function() return true end)").first == .nil)
    #expect(failure(state, "return load('return os', 'c', 'b')()") != nil)
  }

  @Test func metatables() throws {
    for key in ["__gc", "__mode"] {
      #expect(failure(state, "setmetatable({}, {\(key) = 'k'})")?.message == "t.lua:1: plugins may not use '\(key)'")
    }
    #expect(
      try run(state, "local t = setmetatable({}, {__index = {a = 1}}) return t.a, getmetatable(t).__index.a") == [
        .integer(1), .integer(1),
      ])
    #expect(failure(state, "setmetatable(setmetatable({}, {__metatable = 1}), {})") != nil)
    #expect(try run(state, "return getmetatable('')") == [.boolean(false)])
  }

  @Test(arguments: ["m.__mode = 'k'", "rawset(m, '__' .. 'mode', 'v')"])
  func aTableThatBecomesWeakLaterEndsTheState(change: String) throws {
    let kept = try run(state, "local m = {} local t = setmetatable({}, m) \(change) return t")
    withExtendedLifetime(kept) { state.collectGarbage() }
    for _ in 1...2 {
      let error = failure(state, "return 1")
      #expect(error?.kind == .runtime)
      #expect(error?.message == "plugins may not use '__mode'")
    }
  }

  @Test func metatablesThatChangeLaterStayUsable() throws {
    let kept = try run(
      state, "local m = {} local t = setmetatable({}, m) m.__index = { a = 1 } return function() return t.a end")
    for _ in 1...3 {
      state.collectGarbage()
      #expect(try state.call(#require(kept.first?.asFunction)) == [.integer(1)])
    }
  }

  @Test func noAddresses() throws {
    for (source, expected) in [
      ("tostring({})", "table"), ("tostring(print_)", "nil"), ("tostring(pairs)", "function"),
      ("tostring(coroutine.create(function() end))", "thread"), ("string.format('%s', {})", "table"),
      ("string.format('%10s|', {})", "     table|"), ("tostring(setmetatable({}, {__name = 'Point'}))", "Point"),
      ("string.format('%s %d %s', pairs, 3, nil)", "function 3 nil"), ("tostring(1.5)", "1.5"),
      ("string.format('%s', setmetatable({}, {__tostring = function() return 'me' end}))", "me"),
    ] {
      #expect(try run(state, "local print_ return \(source)") == [.string(expected)], "\(source)")
    }
    #expect(failure(state, "return string.format('%p', {})") != nil)
    #expect(failure(state, "return string.format('%-20p', 'x')") != nil)
  }

  @Test func sessionsKeepTheirGlobals() throws {
    let session = try LuaState(sandbox: .session)
    _ = try run(session, "x = 5 function double(n) return n * 2 end")
    #expect(try run(session, "return double(x), unknown, _G.x") == [.integer(10), .nil, .integer(5)])
    #expect(session.global("x") == .integer(5))
    try session.setGlobal("x", .integer(6))
    #expect(try run(session, "return x") == [.integer(6)])
    #expect(failure(session, "return os")?.message.contains("'os' is not part of the session's sandbox") == true)
    #expect(failure(session, "string.rep = nil") != nil)
  }

  /// A float would lose digits of them.
  @Test(arguments: [LuaState.Sandbox.plugin, .session, .unrestricted])
  func textsOfManyDigitsAreNoNumbers(sandbox: LuaState.Sandbox) throws {
    let state = try LuaState(sandbox: sandbox)
    for text in ["12345678901234567890123.45 * 10", "1 + 9223372036854775808", "-12345678901234567890123"] {
      let code = text.replacing(#/[\d.]{15,}/#) { "'\($0.output)'" }
      #expect(failure(state, "return \(code)")?.message.contains("has more digits than a number holds") == true)
    }
    #expect(
      try run(state, "return '1000000000000000000000' * 1 == 1e21, '0x10' + 1, '9007199254740993' + 0, '0.30' * 2")
        == [.boolean(true), .integer(17), .integer(9_007_199_254_740_993), .number(0.6)])
  }

  @Test func statesDoNotShareAnything() throws {
    let other = try LuaState(sandbox: .unrestricted)
    _ = try run(other, "string.rep = nil getmetatable('').__index = nil")
    #expect(try run(state, "return ('x'):rep(2)") == [.string("xx")])
  }
}
