import LuaRuntime
import Testing

@Suite struct ErrorTests {
  let state: LuaState

  init() throws { state = try LuaState() }

  @Test func nilInAHelper() throws {
    let source = """
      local function title(t)
        local i = 1 return t[i].title
      end
      return function() local s = title({}) end
      """
    let reducer = try #require(
      try state.call(state.load(source, chunkName: "bad/niltrap/init.lua")).first?.asFunction)
    let error = #expect(throws: LuaError.self) { try state.call(reducer) }
    #expect(error?.kind == .runtime)
    #expect(error?.message == "bad/niltrap/init.lua:2: attempt to index a nil value (field '?')")
    #expect(error?.chunk == "bad/niltrap/init.lua")
    #expect(error?.line == 2)
    #expect(error?.detail == "attempt to index a nil value (field '?')")
    #expect(error?.traceback.map(\.description) == ["bad/niltrap/init.lua:2: in upvalue 'title'"])
  }

  @Test func mistakesOfTheCodeAreKnown() throws {
    let session = try LuaState(sandbox: .session)
    #expect(failure(session, "return tasks.items")?.mistake == .misuse(kind: "global", name: "tasks"))
    #expect(failure(session, "local t = {} t:go()")?.mistake == .misuse(kind: "method", name: "go"))
    #expect(failure(session, "local t = {} return t.a.b")?.mistake == .misuse(kind: "field", name: "a"))
    #expect(failure(session, "return math.random()")?.mistake == .outsideSandbox)
    // What a text says decides nothing.
    #expect(failure(session, "error(\"attempt to index a nil value (global 'tasks')\")")?.mistake == nil)
    #expect(failure(session, "error(\"'os' is not part of the plugin sandbox\")")?.mistake == nil)
    #expect(failure(session, "return 1 < {}")?.mistake == nil)
    #expect(failure(session, "return (")?.mistake == .unfinished)
    #expect(failure(session, "return $n")?.mistake == .strayDollar)
    #expect(failure(session, "error('near <eof>')")?.mistake == nil)
  }

  @Test func endlessLoopNamesItsLine() throws {
    let reducer = try #require(
      try state.call(state.load("return function()\n\n\n while true do end end", chunkName: "bad/spin/init.lua"))
        .first?.asFunction)
    let error = #expect(throws: LuaError.self) { try state.call(reducer) }
    #expect(error?.kind == .instructions)
    #expect(error?.message == "bad/spin/init.lua:4: used more than 200000 VM instructions")
    #expect(error?.line == 4)
    #expect(error?.traceback == [])
  }

  @Test func syntax() {
    let error = #expect(throws: LuaError.self) {
      try state.load("\nlocal x = {\n  a = 1\n", chunkName: "bad/syn/init.lua")
    }
    #expect(error?.kind == .syntax)
    #expect(error?.message == "bad/syn/init.lua:4: '}' expected (to close '{' at line 2) near <eof>")
    #expect(error?.isIncomplete == true)
    let other = #expect(throws: LuaError.self) { try state.load("x ==", chunkName: "s") }
    #expect(other?.isIncomplete == false)
    let string = #expect(throws: LuaError.self) { try state.load("x = [[abc", chunkName: "s") }
    #expect(string?.isIncomplete == true)
  }

  @Test func longChunkNamesAreShownInFull() throws {
    let name = String(repeating: "long/", count: 30) + "init.lua"
    let error = #expect(throws: LuaError.self) {
      try state.call(state.load("local function f() error('here') end\nf()", chunkName: name))
    }
    #expect(error?.message == "\(name):1: here")
    #expect(error?.traceback.map(\.description) == ["\(name):1: in local 'f'"])
  }

  @Test func hostErrorsComeBackAsThemselves() throws {
    try state.setGlobal("refuse", .function(state.makeFunction { _ in throw Refusal(reason: "no") }))
    let error = failure(state, "refuse()")
    #expect(error?.underlying as? Refusal == Refusal(reason: "no"))
    #expect(error?.message.hasPrefix("t.lua:1: ") == true)
    #expect(failure(state, "pcall(refuse) error('other')")?.underlying == nil)
    #expect(failure(state, "local _, e = pcall(refuse) error(e, 0)")?.underlying is Refusal)
    #expect(try run(state, "return pcall(refuse)").first == .boolean(false))
  }

  @Test func failuresDoNotOutliveTheirCall() throws {
    try state.setGlobal("near", .function(state.makeFunction { _ in throw LuaFailure("bad") }))
    #expect(try run(state, "return pcall(near)") == [.boolean(false), .string("t.lua:1: bad")])
    #expect(failure(state, "error('t.lua:1: bad', 0)")?.underlying == nil)
  }

  @Test func failuresHaveThePlaceOfTheCaller() throws {
    try state.setGlobal("near", .function(state.makeFunction { _ in throw LuaFailure("bad") }))
    #expect(failure(state, "\nnear()")?.message == "t.lua:2: bad")
    #expect(try run(state, "return pcall(near)") == [.boolean(false), .string("t.lua:1: bad")])
  }

  @Test func errorsOfNestedCallsKeepTheirKind() throws {
    let inner = try state.load("error({})", chunkName: "inner.lua")
    try state.setGlobal("nested", .function(state.makeFunction { call in _ = try call.state.call(inner) }))
    #expect(failure(state, "nested()")?.kind == .notText)
    #expect(failure(state, "nested()")?.underlying is LuaError)
  }

  @Test func errorObjectsThatAreNotText() throws {
    #expect(failure(state, "error({})")?.message == "t.lua:1: (error object is a table)")
    #expect(failure(state, "error({})")?.kind == .notText)
    #expect(failure(state, "error()")?.message == "t.lua:1: (error object is nil)")
    #expect(failure(state, "error(42)")?.message == "t.lua:1: 42")
    #expect(
      failure(state, "error(setmetatable({}, {__tostring = function() return 'shown' end}))")?.message
        == "t.lua:1: shown")
    for body in ["while true do end", "error('again')", "return {}", "error({})"] {
      let error = failure(state, "error(setmetatable({}, {__tostring = function() \(body) end}))")
      #expect(error?.kind == .notText)
      #expect(error?.message == "t.lua:1: (error object is a table)", "\(body)")
    }
    #expect(try run(state, "return 1") == [.integer(1)])
  }

  @Test func bytecodeIsRefused() throws {
    let open = try LuaState(sandbox: .unrestricted)
    // The mark at its start is what tells bytecode; the rest need not be whole.
    let text = #"return (string.dump(function() end):gsub("[\128-\255]", "?"))"#
    let dumped = try #require(try evaluate(open, text).asText)
    #expect(throws: LuaError.self) { try state.load(dumped, chunkName: "b") }
    #expect(throws: LuaError.self) { try open.load(dumped, chunkName: "b") }
  }

  @Test func unrestrictedStatesHaveEverything() throws {
    let open = try LuaState(sandbox: .unrestricted)
    #expect(try run(open, "x = 1 return type(os.time()), x") == [.string("number"), .integer(1)])
    try open.setGlobal("x", .integer(2))
    #expect(open.global("x") == .integer(2))
  }

  /// The hook is all that ends a loop: no code takes it away.
  @Test func unrestrictedCodeKeepsTheHook() throws {
    let open = try LuaState(limits: LuaState.Limits(instructions: 100_000), sandbox: .unrestricted)
    #expect(failure(open, "debug.sethook()")?.message.contains("debug.sethook cannot be called here") == true)
    for code in [
      "pcall(debug.sethook) while true do end",
      "coroutine.wrap(function() pcall(debug.sethook) end)() while true do end",
    ] {
      #expect(failure(open, code)?.kind == .instructions)
    }
  }
}
