import PluginSupport
import Testing

/// S-20 with interceptors and thunks of Lua units, over a module in Lua and one in Swift; `StoreUnitsTests` has it in Swift.
@Suite("Scenarios: interceptors and thunks")
struct InterceptorScenarios {
  /// An interceptor that passes everything on.
  private static func log() throws -> PluginFolder {
    try PluginFolder(
      "l", permissions: ["intercept"],
      lua: """
        local function log(dispatch, get, next)
          return function(action) next(action) end
        end
        return plugin { interceptors = { log } }
        """)
  }

  private static func demo(_ thunk: String = notes) throws -> PluginFolder {
    try PluginFolder(
      "t", permissions: ["read:counter", "dispatch:counter.inc", "dispatch:counter.dec"],
      lua: "return plugin { thunks = { demo = function(_, t) \(thunk) end } }")
  }

  private static let notes = """
    t:dispatch_wait("counter.inc") log.info("note", t:get().counter.count)
    t:dispatch_wait("counter.dec") log.info("note", t:get().counter.count)
    """

  /// Runs a script with the module `counter` in Lua and in Swift, twice each.
  private func record(
    _ script: String, _ plugins: () throws -> [PluginFolder], _ check: (Recording, _ reducer: String) throws -> Void
  ) throws {
    for isLua in [true, false, true, false] {
      if isLua {
        try check(try Recording(script, .empty, plugins: [try Fixture.luaCounter()] + plugins()), "counter")
      } else {
        try check(try Recording(script, Fixture.application(), plugins: plugins()), "count")
      }
    }
  }

  @Test func s20InLua() throws {
    try record("trace on --stable\nthunk demo --quiet\n", { [try Self.log(), try Self.demo()] }) { recording, reducer in
      #expect(
        recording.trace("QBXARCD·")
          == scenario(
            """
            Q 1 thunk:demo
            B 1 log s=0 · B 1 thunk s=0 · Q 2 inc <1 · X 1 taken by thunk · A 1 thunk s=0 · A 1 log s=0 · D 1
            B 2 log s=0 · B 2 thunk s=0 · R 2 \(reducer) 0→1 · C 2 0→1 · A 2 thunk s=1 · A 2 log s=1 · D 2
            note 1
            Q 3 dec <1
            B 3 log s=1 · B 3 thunk s=1 · R 3 \(reducer) 1→0 · C 3 1→0 · A 3 thunk s=0 · A 3 log s=0 · D 3
            note 0
            """))
    }
  }

  @Test func s20WithTheThunkOutside() throws {
    try record("trace on --stable\nthunk demo --quiet\n", { [try Self.demo(), try Self.log()] }) { recording, _ in
      #expect(
        recording.trace("B")
          == scenario("B 1 thunk s=0 · B 2 thunk s=0 · B 2 log s=0 · B 3 thunk s=1 · B 3 log s=1"))
    }
  }

  @Test func s20NextWithAnotherAction() throws {
    let other = {
      try PluginFolder(
        "o", permissions: ["intercept"],
        lua: """
          return plugin { interceptors = { function(_, _, next)
            return function(action)
              if action.name == "counter.inc" then next { name = "counter.dec" } else next(action) end
            end
          end } }
          """)
    }
    try record("trace on --stable\ndispatch counter.inc --quiet\ntrace off\nlog 1\n", { [try other()] }) {
      recording, reducer in
      #expect(recording.trace("QRC") == scenario("Q 1 inc · R 1 \(reducer) 0→-1 · C 1 0→-1"))
      #expect(recording.output.contains("  counter.dec (was counter.inc)  counter.count\n"), "\(recording.output)")
    }
  }

  /// The functions that make a plugin's interceptors are called in the order of the list; a dispatch passes them in that
  /// order too. (Store enhancers, which are built from the right, are Swift's.)
  @Test func s20TheFirstListedIsOutermost() throws {
    let three = {
      try PluginFolder(
        "e", permissions: ["intercept"],
        lua: """
          local function pass(name)
            return function(_, _, next)
              log.info("built", name)
              return function(action) log.info("passes", name) next(action) end
            end
          end
          return plugin { interceptors = { pass "A", pass "B", pass "C" } }
          """)
    }
    try record("dispatch counter.noop --quiet\n", { [try three()] }) { recording, _ in
      #expect(
        recording.trace("·")
          == scenario("built A · built B · built C · passes A · passes B · passes C"))
    }
  }

  @Test func s20DispatchingWhileTheChainIsBuilt() throws {
    let early = try PluginFolder(
      "early", permissions: ["intercept", "dispatch:counter.inc"],
      lua: """
        local function hasty(dispatch, get, next)
          dispatch { name = "counter.inc" }
          return function(action) next(action) end
        end
        return plugin { interceptors = { hasty } }
        """)
    for _ in 1...2 {
      let recording = try Recording("log\n", Fixture.application(), plugins: [early])
      #expect(recording.status == 4)
      #expect(recording.offset == 0)
      #expect(
        recording.errors.contains("early: interceptor 'hasty': ")
          && recording.errors.contains(
            "/init.lua:2: dispatches while the chain is being built; dispatch in answer to an action"),
        "\(recording.errors)")
    }
  }
}
