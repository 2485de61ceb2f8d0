import StoreCore
import StoreUnits
import Testing

/// S-10: a gate that actions move.
@Suite("Scenarios: gates")
struct GateScenarios {
  private static let reducer = CountReducer("count") { _, state in state.count += 1 }

  private func gated(_ gate: Gate) -> CountMiddleware {
    Fixture.observer("u").gated(
      by: gate,
      control: { action in
        guard case .counter(.gate(let value)) = action else { return nil }
        return value
      }, on: 1, off: 0)
  }

  private let script = """
    trace on --stable
    dispatch counter.x
    dispatch counter.gate v=0
    dispatch counter.x
    dispatch counter.gate v=7
    dispatch counter.x
    dispatch counter.gate v=1
    dispatch counter.x
    trace off
    show counter.count
    """

  private let expected = scenario(
    """
    H 1 u · I 1 u
    G u off · H 2 u · I 2 u
    H 4 u · I 4 u
    G u on · H 6 u · I 6 u
    H 7 u · I 7 u
    """)

  /// The lines of the unit, without what it sees.
  private func lines(_ recording: Recording, of unit: String = "u") -> [String] {
    recording.trace("HIG").filter { $0.split(separator: " ").contains(Substring(unit)) }.map { line in
      line.split(separator: " ").filter { !$0.hasPrefix("s=") }.joined(separator: " ")
    }
  }

  @Test func s10InSwift() throws {
    for _ in 1...2 {
      let gate = Gate()
      let recording = try Recording(script, Fixture.application(Self.reducer, gated(gate)))
      #expect(lines(recording) == expected)
      #expect(recording.trace("R").count == 7)
      #expect(recording.output.hasSuffix("7\n"))
      #expect(gate.isOpen)
      #expect(gate.held == 2)
      #expect(gate.dropped == 0)
    }
  }

  /// A Lua unit beside the gated one sees every action, and the gated one's lines are the same.
  @Test func s10WithUnitsOfBothKinds() throws {
    for _ in 1...2 {
      let gate = Gate()
      let recording = try Recording(
        script, Fixture.application(Self.reducer, gated(gate)), plugins: [try Fixture.luaObserver("v")])
      #expect(lines(recording) == expected)
      #expect(lines(recording, of: "v") == (1...7).flatMap { ["H \($0) v", "I \($0) v"] })
      #expect(gate.held == 2)
    }
  }

  /// API 1 gives a Lua unit no gate by action: the shell's toggle moves it, as its own action, at the commit, and is
  /// never forwarded to the unit that it names. So `gate(7)` is a plain action, and the lines 2 and 6 of the unit are
  /// missing; the rest is as in the scenario.
  @Test func s10InLuaWithTheShellsToggle() throws {
    let script = """
      trace on --stable
      dispatch counter.x
      middleware off u.u
      dispatch counter.x
      dispatch counter.gate v=7
      dispatch counter.x
      middleware on u.u
      dispatch counter.x
      trace off
      show shell.middleware[name="u.u"] --json
      """
    for swift in [true, false, true, false] {
      var plugins = [try Fixture.luaObserver("u")]
      let recording: Recording
      if swift {
        recording = try Recording(script, Fixture.application(), plugins: plugins)
      } else {
        plugins.insert(try Fixture.luaCounter(), at: 0)
        recording = try Recording(script, .empty, plugins: plugins)
      }
      #expect(lines(recording) == scenario("H 1 u · I 1 u · G u off · G u on · H 7 u · I 7 u"))
      #expect(recording.trace("G") == ["G u off", "G u on"])
      #expect(recording.output.contains(#""gate":"on""#), "\(recording.output)")
      #expect(recording.output.contains(#""seen":2"#))
      #expect(recording.output.contains(#""held":3,"dropped":0"#))
    }
  }

  @Test func aToggleMovesTheGateAtItsCommit() throws {
    let script = "trace on --stable\nmiddleware off u\nmiddleware off u\nmiddleware on u\n"
    let recording = try Recording(script, Fixture.application(Fixture.count, Fixture.observer("u")))
    #expect(
      recording.trace("QHIGD")
        == scenario(
          """
          Q 1 setGate name="u" open=false · G u off · D 1
          Q 2 setGate name="u" open=false · D 2
          Q 3 setGate name="u" open=true · G u on · D 3
          """))
  }
}
