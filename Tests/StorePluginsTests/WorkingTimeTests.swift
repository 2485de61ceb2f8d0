import Glibc
import LuaRuntime
import PluginSupport
import StoreCore
import StoreModules
import StoreSchema
import Testing

@testable import StorePlugins

/// How long a plugin may work for one dispatch and all that it caused.
@Suite struct WorkingTimeTests {
  private func context(_ number: Int, root: Int) -> ActionContext {
    ActionContext(number: number, source: .here(), time: .zero, root: root)
  }

  @Test func longCallsForOneDispatchAddUp() throws {
    let lua = LuaCaller(try LuaState())
    let time = WorkingTime()
    #expect(!time.isOver(context(1, root: 1), lua))
    // Of the first long call it is not known what it was for.
    lua.worked = 12_000
    #expect(!time.isOver(context(2, root: 1), lua))
    lua.worked += 8000
    #expect(!time.isOver(context(3, root: 1), lua))
    lua.worked += 4000
    #expect(time.isOver(context(4, root: 1), lua))
    #expect(time.isOver(context(5, root: 1), lua))
    #expect(!time.isOver(context(6, root: 6), lua))
    #expect(lua.worked == 0)
  }

  /// Only what is looked at is measured: the clock is read then anyway.
  @Test func shortCallsCountNothing() throws {
    let state = try LuaState(limits: LuaState.Limits(instructions: 100_000_000, memory: 4 << 20, milliseconds: 10_000))
    let lua = LuaCaller(state)
    guard case .function(let short) = try state.call(try state.load("return function() end", chunkName: "t")).first,
      case .function(let long) = try state.call(
        try state.load("return function() for i = 1, 1e7 do end end", chunkName: "t")
      ).first
    else { return #expect(Bool(false)) }
    lua.worked = 0
    _ = try state.call(short)
    #expect(lua.worked == 0)
    _ = try state.call(long)
    #expect(lua.worked > 0)
  }

  /// What others do behind `next` takes none of the plugin's own time.
  @Test func whatAnInterceptorWaitsForIsNotItsWork() throws {
    let bench = try Bench()
    let plugin = try bench.load(
      PluginFolder(
        "p", permissions: ["intercept"],
        lua: """
          return plugin { interceptors = { function(_, _, next) return function(action)
            for _ = 1, 3000 do end next(action) for _ = 1, 3000 do end end end } }
          """))
    try plugin.interceptors.build(view: bench.view)
    try plugin.interceptors.intercept(
      0, ActionCall(Bench.add, [.string("x"), .bool(false)]), context(1, root: 1), view: bench.view, emit: { _, _ in },
      next: { _ in usleep(30_000) })
    #expect(plugin.machine.caller.worked == 0)
  }
}
