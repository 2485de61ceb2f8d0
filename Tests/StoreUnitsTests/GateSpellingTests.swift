import FoundationEssentials
import StoreCore
import StoreUnits
import Testing
import TraceSupport

private struct Panel: Equatable, Sendable, CustomStringConvertible {
  enum Mode: String, Sendable { case quiet, debug }

  var gate = GateState.on
  var isOn = true
  var mode = Mode.debug
  var count = 0

  var description: String { "\(count)" }
}

private enum PanelAction: Equatable, Sendable, CustomStringConvertible {
  case x
  case out
  case move(GateState)
  case turn(Bool)
  case mode(Panel.Mode)

  var move: GateState? { if case .move(let state) = self { state } else { nil } }
  var turn: Bool? { if case .turn(let isOn) = self { isOn } else { nil } }
  var mode: Panel.Mode? { if case .mode(let mode) = self { mode } else { nil } }

  var description: String {
    switch self {
    case .x: "x"
    case .out: "out"
    case .move(let state): "move-\(state)"
    case .turn(let isOn): "turn-\(isOn)"
    case .mode(let mode): "mode-\(mode)"
    }
  }
}

private let panel = Reducer<PanelAction, Panel>("panel") { action, panel in
  switch action {
  case .x, .out: panel.count += 1
  case .move(let state): panel.gate = state
  case .turn(let isOn): panel.isOn = isOn
  case .mode(let mode): panel.mode = mode
  }
}

private typealias Panels = Middleware<PanelAction, PanelAction, Panel>

/// A unit that answers every action but its own with one more.
private func echo(_ name: String = "u") -> Panels {
  Panels(name) { action, _, _ in action == .out ? .none : IO { $0.dispatch(.out) } }
}

/// R21, rows 127 to 133, D5.
@Suite struct GateSpellingTests {
  private func trace(_ middleware: Panels, _ actions: [PanelAction], kinds: String = "HX") throws -> [String] {
    let store = try Store(initial: Panel(), reducer: panel, middleware: middleware)
    let trace = TraceLines(kinds)
    trace.listen(to: store)
    for action in actions { store.dispatch(action) }
    return trace.lines
  }

  @Test func byActionEverySpellingOfTheControlMapIsAlike() throws {
    let viaState: [PanelAction] = [.move(.off), .x, .move(.on)]
    let viaBool: [PanelAction] = [.turn(false), .x, .turn(true)]
    let viaMode: [PanelAction] = [.mode(.quiet), .x, .mode(.debug)]
    let spellings: [(String, Panels, [PanelAction])] = [
      ("GateState, key path", echo().gated(control: \.move), viaState),
      ("GateState, closure", echo().gated(control: { $0.move }), viaState),
      ("Bool, key path", echo().gated(control: \.turn), viaBool),
      ("Bool, spelt out", echo().gated(control: \.turn, on: true, off: false), viaBool),
      ("Equatable, key path", echo().gated(control: \.mode, on: .debug, off: .quiet), viaMode),
    ]
    for (name, middleware, actions) in spellings {
      // The echo of the first action, which passes, is action 2.
      let lines = try trace(middleware, [.x] + actions)
      #expect(Array(lines.prefix(2)) == ["H 1 u s=0", "H 2 u s=1"], "\(name)")
      #expect(Array(lines.dropFirst(2)) == ["H 3 u s=2", "X out gate of u", "H 5 u s=3", "H 6 u s=3"], "\(name)")
    }
  }

  @Test func byStateEverySpellingIsAlike() throws {
    let viaState: [PanelAction] = [.move(.off), .x, .move(.on), .x]
    let viaBool: [PanelAction] = [.turn(false), .x, .turn(true), .x]
    let viaMode: [PanelAction] = [.mode(.quiet), .x, .mode(.debug), .x]
    let spellings: [(String, Panels, [PanelAction])] = [
      ("GateState, key path", echo().gated(whileState: \.gate), viaState),
      ("GateState, closure", echo().gated(whileState: { $0.gate }), viaState),
      ("Bool, key path", echo().gated(whileState: \.isOn), viaBool),
      ("Bool, closure", echo().gated(whileState: { $0.isOn }), viaBool),
      ("Equatable, key path", echo().gated(whileState: \.mode, is: .debug), viaMode),
    ]
    for (name, middleware, actions) in spellings {
      // The action that shuts is handled, its output dropped; the one that opens is not handled.
      #expect(
        try trace(middleware, actions) == ["H 1 u s=0", "X out gate of u", "H 4 u s=1", "H 5 u s=2"], "\(name)")
    }
  }

  @Test func gateBeforeLiftingSeesLocalActionsAndAfterLiftingGlobalOnes() throws {
    let local = Middleware<Bool, Never, Int>("u") { _, _, _ in .none }
    let before = local.gated(control: { $0 ? nil : GateState.off })
      .lift(input: \PanelAction.turn, to: PanelAction.self, state: { (panel: Panel) in panel.count })
    // turn(false) is the local control action: forwarded, and shuts the gate for what follows.
    #expect(try trace(before, [.turn(true), .turn(false), .turn(true), .x]) == ["H 1 u s=0", "H 2 u s=0"])
    let after = local.lift(input: \PanelAction.turn, to: PanelAction.self, state: { (panel: Panel) in panel.count })
      .gated(control: \.move)
    // The control action is none of the unit's own: it moves the gate, and the unit is skipped.
    #expect(
      try trace(after, [.turn(true), .move(.off), .turn(true), .move(.on), .turn(false)], kinds: "HG")
        == ["H 1 u s=0", "G u off", "G u on", "H 5 u s=0"])
  }

  @Test func gatingACompositionGatesAllPartsAndGatingEachFirstControlsThemApart() throws {
    let together = Panels.compose(echo("a"), echo("b")).gated(control: \.turn)
    #expect(
      try trace(together, [.turn(false), .x], kinds: "HX") == [
        "H 1 a s=0", "H 1 b s=0", "X out gate of b", "X out gate of a",
      ])
    let apart = Panels.compose(echo("a").gated(control: \.turn), echo("b").gated(control: \.move))
    #expect(
      try trace(apart, [.turn(false), .move(.off), .x, .turn(true), .x], kinds: "H").filter { !$0.contains("out") }
        .map { String($0.prefix(5)) } == ["H 1 a", "H 1 b", "H 2 b", "H 3 b", "H 5 a", "H 6 a", "H 7 a", "H 8 a"]
    )
  }

  @Test func gatesNestAndOutputPassesOnlyWhereAllAreOpen() throws {
    let (inner, outer) = (Gate(), Gate())
    let nested = echo().gated(by: inner, control: \.turn).gated(by: outer, control: \.move)
    let actions: [PanelAction] = [.move(.off), .turn(false), .x, .move(.on), .turn(false), .x, .turn(true), .x]
    #expect(
      try trace(nested, actions)
        == [
          // The outer gate's control action is plain to the inner one, which is open.
          "H 1 u s=0", "X out gate of u",
          // 2 and 3 are plain to the outer gate: the inner one hears nothing, so it is still open.
          "H 4 u s=1", "H 5 u s=1",
          // 6 shuts the inner one, 7 is held back by it, 8 opens it.
          "H 6 u s=2", "X out gate of u", "H 8 u s=3", "H 9 u s=3", "H 10 u s=4", "H 11 u s=5",
        ])
    #expect(outer.held == 2)
    #expect(outer.dropped == 1)
    #expect(inner.held == 1)
    #expect(inner.dropped == 1)
  }

  /// D5: what the IO of an old control action emits late does not move the gate.
  @Test func lateOutputNeverMovesTheGate() throws {
    let outputs = Lock<[ActionHandler<PanelAction>]>([])
    let keeping = Panels("u") { _, _, _ in IO { output in outputs.withLock { $0.append(output) } } }
    let gate = Gate()
    let store = try Store(initial: Panel(), reducer: panel, middleware: keeping.gated(by: gate, control: \.turn))
    let trace = TraceLines("XG")
    trace.listen(to: store)
    store.dispatch(.turn(false))
    store.dispatch(.turn(true))
    let (whenOff, whenOn) = outputs.withLock { ($0[0], $0[1]) }
    whenOff.dispatch(.out)
    #expect(gate.state == .on)
    store.dispatch(.turn(false))
    whenOn.dispatch(.out)
    #expect(gate.state == .off)
    #expect(gate.dropped == 1)
    #expect(trace.lines == ["G u off", "G u on", "G u off", "X out gate of u"])
    #expect(store.state.count == 1)
  }

  /// R21 and R33.
  @Test func longLivedEffectsRunOnlyWhileTheGateIsOpen() throws {
    let living = Panels(units: [
      MiddlewareUnit(name: "u") { attachment in
        attachment.supervise { [Supervised("tick") { context in try? await context.sleep(for: .seconds(1000)) }] }
        return { _, _ in nil }
      }
    ])
    let gatings: [(String, Panels)] = [
      ("by action", living.gated(control: \.turn)), ("by state", living.gated(whileState: \.isOn)),
    ]
    for (name, middleware) in gatings {
      let store = try Store(initial: Panel(), reducer: panel, middleware: middleware, clock: VirtualClock())
      let trace = TraceLines("E")
      trace.listen(to: store)
      for action in [PanelAction.x, .turn(false), .x, .turn(true)] { store.dispatch(action) }
      #expect(trace.lines.map { $0.split(separator: " ").last } == ["cancel", "start"], "\(name) \(trace.lines)")
    }
  }

  @Test func aControlActionOfOneStoreIsNotTakenForAPlainOneOfAnother() throws {
    let gate = Gate()
    let shared = echo().gated(by: gate, control: \.turn)
    let first = try Store(initial: Panel(), reducer: panel, middleware: shared)
    let second = try Store(initial: Panel(), reducer: panel, middleware: shared)
    first.dispatch(.mode(.quiet))
    #expect(gate.isOpen)
    second.dispatch(.turn(false))
    #expect(!gate.isOpen)
  }

  @Test func aGateStateIsItsNameInFiles() throws {
    #expect(GateState.allCases.map(\.rawValue) == ["on", "off"])
    #expect(GateState(rawValue: "off") == .off)
    #expect(Set(GateState.allCases + [.on]).count == 2)
    for state in GateState.allCases {
      #expect(Gate(state).state == state)
      #expect(GateState(isOpen: state.isOpen) == state)
    }
    let saved = try JSONEncoder().encode(GateState.allCases)
    #expect(String(decoding: saved, as: UTF8.self) == #"["on","off"]"#)
    #expect(try JSONDecoder().decode([GateState].self, from: saved) == GateState.allCases)
  }
}
