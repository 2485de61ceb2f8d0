import LuaRuntime
import Testing
@Test func debugRecursion() throws {
  let state = try LuaState(name: "d")
  var depth = 0
  try state.setGlobal("again", .function(try state.makeFunction("again") { call in
    depth += 1
    let argument = call[0]
    if depth < 4 { print(depth, argument, call.count) }
    guard case .function(let function) = argument else { return }
    do { _ = try call.state.call(function, [argument]) } catch { if depth > 0 { print("caught", depth, error); depth = -1000 }; throw error }
  }))
  print(failure(state, "local function f(g) return (again(g)) end return f(f)") as Any, depth)
}
