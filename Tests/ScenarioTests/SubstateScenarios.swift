import PluginSupport
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import Testing

/// What S-21 keeps under a name.
@Schema
struct Basket: Equatable {
  var n: Int
}

/// What a basket does.
@Schema
enum BasketAction: Equatable {
  case inc
}

/// S-21: dynamic substates.
///
/// A substate is Swift's own or any value: a plugin declares none. So Lua stands beside it, as the application's
/// reducers and as what hears of every action.
@Suite("Scenarios: substates")
struct SubstateScenarios {
  private static func application<Action, State>(over other: Application<Action, State>) -> Application<Action, State> {
    Application(
      initial: other.initial, reducer: other.reducer,
      substates: [
        ApplicationSubstate("cart", Reducer<BasketAction, Basket>("cart") { _, cart in cart.n += 1 })
      ])
  }

  private let script = """
    trace on --stable
    substate add cart --value '{"n":1}'
    show cart.n
    try substate add cart --value '{"n":1}'
    show cart.n
    substate add cart --value '{"n":5}' --replace
    show cart.n
    dispatch cart.inc --quiet
    show cart.n
    substate reset cart
    try dispatch cart.inc --quiet
    dispatch counter.inc --quiet
    substate reset
    trace off
    show shell.log[*].source.kind --json
    """

  private func expect(_ recording: Recording, _ comment: Comment, count: String = "count") {
    #expect(recording.status == 0, comment)
    let lines = recording.output.split(separator: "\n")
    #expect(lines.filter { Int($0) != nil } == ["1", "1", "5", "6"], comment)
    let kinds = Array(repeating: "\"batch\"", count: 8).joined(separator: ",")
    #expect(recording.output.hasSuffix("\(kinds)]\n"), comment)
    // What the substates' own actions do is the shell's doing; of the application's reducers only the last one's is there.
    let trace = recording.trace("RF").map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
    #expect(
      trace
        == scenario(
          """
          R 1 shell
          F 2 substate
          R 3 shell
          R 4 cart
          R 5 shell
          R 7 \(count)
          R 8 shell
          """), comment)
    #expect(recording.trace("U") == ["U 6", "U 8"], comment)
    #expect(recording.errors.contains("error[unknown-substate]: no substate cart\n"), comment)
  }

  @Test func s21() throws {
    for _ in 1...2 {
      expect(try Recording(script, Self.application(over: Fixture.application())), "in Swift")
      expect(
        try Recording(
          script, Self.application(over: .empty), plugins: [try Fixture.luaCounter(), try Fixture.luaObserver("v")]),
        "in Lua", count: "counter")
      expect(
        try Recording(script, Self.application(over: Fixture.application()), plugins: [try Fixture.luaObserver("v")]),
        "mixed")
    }
  }
}
