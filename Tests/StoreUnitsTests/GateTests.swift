import TraceSupport
import StoreCore
import StoreSchema
import StoreUnits
import Testing

enum Signal: Equatable, Sendable, CustomStringConvertible {
  case x
  case gate(Int)
  case out

  var control: Int? { if case .gate(let value) = self { value } else { nil } }

  var description: String {
    switch self {
    case .x: "x"
    case .gate(let value): "gate(\(value))"
    case .out: "out"
    }
  }
}

typealias Signals = Middleware<Signal, Signal, Int>

/// A middleware with IO on everything, and a way to send from it at any time.
final class Sender: Sendable {
  private let output = Lock<ActionHandler<Signal>?>(nil)

  func unit(_ name: String) -> Signals {
    Signals(name) { [self] _, _, _ in IO { handler in self.output.withLock { $0 = handler } } }
  }

  func send() { output.withLock { $0 }?.dispatch(.out) }
}

/// R21.
@Suite struct GateTests {
  static let steps = Reducer<Signal, Int>("steps") { action, state in
    switch action {
    case .gate(let value): state = value
    case .x, .out: break
    }
  }

  static let reduced = Reducer<Signal, Int>("all") { _, state in state += 1 }

  @Test func s10GateByAction() throws {
    let plain = Sender().unit("u")
    for (shape, u) in [
      ("flat", plain), ("lifted", plain.lift(input: { $0 }, output: { $0 }, state: { $0 })),
      ("nested", Signals.compose(.identity, Signals.compose(plain, .identity))),
    ] {
      let gate = Gate()
      let store = try Store(
        initial: 0, reducer: GateTests.reduced, middleware: u.gated(by: gate, control: \.control, on: 1, off: 0))
      let trace = TraceLines("HIG")
      trace.listen(to: store)
      for action in [Signal.x, .gate(0), .x, .gate(7), .x, .gate(1), .x] { store.dispatch(action) }
      #expect(
        trace.lines
          == scenario(
            """
            H 1 u s=0 · I 1 u s=1
            G u off · H 2 u s=1 · I 2 u s=2
            H 4 u s=3 · I 4 u s=4
            G u on · H 6 u s=5 · I 6 u s=6
            H 7 u s=6 · I 7 u s=7
            """), "\(shape)")
      #expect(store.state == 7, "\(shape)")
      #expect(gate.isOpen)
      #expect(gate.held == 2)
      #expect(gate.dropped == 0)
    }
  }

  @Test func movingAGateWhereItAlreadyStandsIsNoEvent() throws {
    let gate = Gate(isOpen: false)
    let store = try Store(
      initial: 0, reducer: GateTests.steps,
      middleware: Sender().unit("u").gated(by: gate, control: \.control, on: 1, off: 0))
    let trace = TraceLines("HG")
    trace.listen(to: store)
    for action in [Signal.x, .gate(0), .gate(1), .gate(1)] { store.dispatch(action) }
    #expect(trace.lines == scenario("H 2 u s=0 · G u on · H 3 u s=0 · H 4 u s=1"))
    #expect(gate.held == 1)
  }

  @Test func theControlMapIsEvaluatedOnceAnActionHoweverManyUnitsShareTheGate() throws {
    let evaluated = Lock(0)
    let gate = Gate()
    let units = Signals.compose(Sender().unit("a"), Sender().unit("b"), Sender().unit("c")).gated(
      by: gate,
      control: { action -> Int? in
        evaluated.withLock { $0 += 1 }
        return action.control
      }, on: 1, off: 0)
    let store = try Store(initial: 0, reducer: GateTests.steps, middleware: units)
    let trace = TraceLines("HG")
    trace.listen(to: store)
    store.dispatch(.gate(0))
    store.dispatch(.x)
    #expect(trace.lines == scenario("G a off · H 1 a s=0 · H 1 b s=0 · H 1 c s=0"))
    #expect(evaluated.withLock { $0 } == 2)
    #expect(gate.held == 3)
  }

  @Test func outputPassesOnlyWhileTheGateIsOpenAtThatMoment() throws {
    let (gate, sender) = (Gate(), Sender())
    let store = try Store(
      initial: 0, reducer: GateTests.steps,
      middleware: sender.unit("u").gated(by: gate, control: \.control, on: 1, off: 0))
    let trace = TraceLines("QX")
    trace.listen(to: store)
    store.dispatch(.x)
    sender.send()
    store.dispatch(.gate(0))
    sender.send()
    sender.send()
    store.dispatch(.gate(1))
    sender.send()
    #expect(
      trace.lines
        == scenario("Q 1 x · Q 2 out <1 · Q 3 gate(0) · X out gate of u · X out gate of u · Q 4 gate(1) · Q 5 out <4"))
    #expect(gate.dropped == 2)
  }

  @Test func aGateThatIsShutByItsOwnActionDropsTheOutputOfThatAction() throws {
    let gate = Gate()
    let emitting = Signals("u") { action, _, _ in action == .out ? .none : IO { $0.dispatch(.out) } }
    let store = try Store(
      initial: 0, reducer: GateTests.reduced, middleware: emitting.gated(by: gate, control: \.control, on: 1, off: 0))
    store.dispatch(.gate(0))
    #expect(store.state == 1)
    #expect(gate.dropped == 1)
    store.dispatch(.gate(1))
    #expect(store.state == 3)
  }

  @Test func byStateTheActionThatShutsIsHandledAndTheOneThatOpensIsNot() throws {
    let gate = Gate()
    let emitting = Signals("u") { action, _, _ in action == .out ? .none : IO { $0.dispatch(.out) } }
    let store = try Store(
      initial: 1, reducer: GateTests.steps, middleware: emitting.gated(by: gate, whileState: { $0 == 1 }))
    let trace = TraceLines("QHGX")
    trace.listen(to: store)
    for action in [Signal.x, .gate(0), .x, .gate(1), .x] { store.dispatch(action) }
    #expect(
      trace.lines
        == scenario(
          """
          Q 1 x · H 1 u s=1 · Q 2 out <1 · H 2 u s=1
          Q 3 gate(0) · H 3 u s=1 · X out gate of u
          Q 4 x
          Q 5 gate(1)
          Q 6 x · H 6 u s=1 · Q 7 out <6 · H 7 u s=1
          """))
    #expect(gate.held == 2)
    #expect(gate.dropped == 1)
  }

  @Test func aGateMovedBySomebodyElseCountsOnlyWhatTheUnitWouldAnswer() throws {
    let (gate, sender) = (Gate(), Sender())
    let store = try Store(
      initial: 0, reducer: GateTests.steps,
      middleware: sender.unit("u").gated(by: gate, accepting: { $0.control == nil }))
    let trace = TraceLines("HX")
    trace.listen(to: store)
    for action in [Signal.gate(5), .x] { store.dispatch(action) }
    gate.set(isOpen: false)
    for action in [Signal.gate(6), .x] { store.dispatch(action) }
    sender.send()
    #expect(trace.lines == scenario("H 2 u s=5 · X out gate of u"))
    #expect(gate.held == 1)
    #expect(gate.dropped == 1)
  }

  @Test func outputDroppedOnOtherThreadsIsCountedAndTracedInTheStoresOrder() async throws {
    let (gate, sender) = (Gate(), Sender())
    let store = try Store(
      initial: 0, reducer: GateTests.steps,
      middleware: sender.unit("u").gated(by: gate, control: \.control, on: 1, off: 0))
    let trace = TraceLines("X")
    trace.listen(to: store)
    store.dispatch(.gate(0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<100 {
            sender.send()
            store.dispatch(.x)
          }
        }
      }
    }
    // It stands behind what waits in the queue.
    store.setSpans(nil)
    #expect(store.state == 0)
    #expect(gate.dropped == 800)
    #expect(trace.lines == Array(repeating: "X out gate of u", count: 800))
  }

  @Schema
  struct Panel: Equatable, Sendable { var gate = GateState.off }

  @Test func thePositionOfAGateHasASchema() throws {
    #expect(JSON.text(of: Panel().schemaValue) == "{\"gate\":\"off\"}")
    #expect(try Panel(schemaValue: .map([.string("gate"): .string("on")])).gate.isOpen)
    #expect(throws: SchemaError.self) { try GateState.schema.check(.string("ajar")) }
    #expect(GateState.schema.typeName == "GateState")
  }
}
