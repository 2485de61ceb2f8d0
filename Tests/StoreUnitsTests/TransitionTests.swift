import StoreCore
import StoreUnits
import Testing
import TraceSupport

private enum Phase: String, Sendable { case idle, busy, done }

private struct Machine: Equatable, Sendable, CustomStringConvertible {
  var phase = Phase.idle
  var other = 0

  var description: String { "\(phase)/\(other)" }
}

private enum Event: Equatable, Sendable {
  case go(Phase)
  case touch
  case note(String)
}

private let machine = Reducer<Event, Machine>("machine") { event, machine in
  switch event {
  case .go(let phase): machine.phase = phase
  case .touch: machine.other += 1
  case .note: break
  }
}

private typealias Rule = TransitionRule<Event, Machine>

/// R24, rows 160 and 161, D6.
@Suite struct TransitionTests {
  private func queued(_ rules: [Rule], _ events: [Event]) throws -> [String] {
    let store = try Store(initial: Machine(), reducer: machine, middleware: .transitions("machine", rules))
    let trace = TraceLines("Q")
    trace.listen(to: store)
    for event in events { store.dispatch(event) }
    return trace.lines
  }

  @Test func aRuleFiresOnceAtTheActionThatMadeTheTransition() throws {
    let rule = Rule.on(\.phase, from: .value(.idle), to: .value(.busy), dispatch: .note("started"))
    let lines = try queued([rule], [.touch, .go(.busy), .touch, .go(.busy), .go(.idle), .touch, .go(.busy)])
    #expect(lines.filter { $0.contains("note") } == [#"Q 3 note("started") <2"#, #"Q 9 note("started") <8"#])
  }

  /// D6: `to` is compared, and a value that stays where it was is no transition.
  @Test func bothEndsMustMatch() throws {
    let rule = Rule.on(\.phase, from: .value(.idle), to: .value(.busy), dispatch: .note("x"))
    #expect(try queued([rule], [.go(.done), .go(.busy), .go(.idle), .go(.idle), .touch, .note("y")]).count == 6)
    let same = Rule.on(\.phase, from: .value(.idle), to: .value(.idle), dispatch: .note("x"))
    #expect(try queued([same], [.go(.idle), .touch, .go(.busy), .go(.idle)]).count == 4)
  }

  @Test func anyFiresOnEveryChangeAndOnNothingElse() throws {
    let rule = Rule.on(\.phase, dispatch: { .note("\($0)-\($1)") })
    let lines = try queued([rule], [.touch, .go(.idle), .go(.busy), .touch, .go(.done), .go(.done), .go(.idle)])
    #expect(
      lines.filter { $0.contains("note") } == [
        #"Q 4 note("idle-busy") <3"#, #"Q 7 note("busy-done") <6"#, #"Q 10 note("done-idle") <9"#,
      ])
  }

  @Test func endsMayBePredicatesAndTheWatchedValueAClosure() throws {
    let rules = [
      Rule.on({ $0.other / 2 }, from: .matching { $0 > 0 }, dispatch: { .note("half \($0) \($1)") }),
      Rule.on(\.other, to: .matching { $0.isMultiple(of: 3) }, dispatch: { before, after in .note("three \(after)") }),
      Rule.on(\.other, dispatch: { before, _ in before == 4 ? .note("four") : nil }),
    ]
    let lines = try queued(rules, Array(repeating: .touch, count: 6))
    #expect(
      lines.compactMap { line in line.split(separator: "\"").dropFirst().first.map(String.init) }
        == ["three 3", "half 1 2", "four", "half 2 3", "three 6"])
  }

  @Test func severalRulesFireInTheirOrderAndTheirActionsCanMakeTransitions() throws {
    let rules = [
      Rule.on(\.phase, from: .value(.idle), dispatch: .note("left idle")),
      Rule.on(\.phase, to: .value(.busy), dispatch: .go(.done)),
      Rule.on(\.phase, to: .value(.done), dispatch: .note("done")),
    ]
    let store = try Store(initial: Machine(), reducer: machine, middleware: .transitions("machine", rules))
    let order = Lock<[String]>([])
    store.setRecorder { record in
      order.withLock { $0.append("\(record.context.number)<\(record.context.source.cause ?? 0) \(record.after)") }
    }
    store.dispatch(.go(.busy))
    #expect(order.withLock { $0 } == ["1<0 busy/0", "2<1 busy/0", "3<1 done/0", "4<3 done/0"])
  }

  @Test func theSourceIsTheRulesPlaceAndTheCauseTheAction() throws {
    let line = #line + 1
    let rule = Rule.on(\.phase, to: .value(.busy), dispatch: .note("x"))
    let store = try Store(initial: Machine(), reducer: machine, middleware: .transitions("machine", [rule]))
    let sources = Lock<[ActionSource]>([])
    store.setRecorder { record in sources.withLock { $0.append(record.context.source) } }
    store.dispatch(.touch)
    store.dispatch(.go(.busy))
    let source = try #require(sources.withLock { $0 }.last)
    #expect(source.file == "StoreUnitsTests/TransitionTests.swift")
    #expect(source.function == #function)
    #expect(source.line == line)
    #expect(source.cause == 2)
    #expect(source.kind == .code)
  }

  @Test func aTransitionThatFailsFiresNothing() throws {
    struct Refused: Error {}
    let failing = Reducer<Event, Machine>.throwing("failing") { event, _, _ in
      if event == .go(.busy) { throw Refused() }
    }
    let rule = Rule.on(\.phase, dispatch: .note("x"))
    let store = try Store(
      initial: Machine(), reducer: .compose(machine, failing), middleware: .transitions("machine", [rule]))
    let trace = TraceLines("QI")
    trace.listen(to: store)
    store.dispatch(.go(.busy))
    store.dispatch(.touch)
    #expect(trace.lines.allSatisfy { !$0.contains("note") })
    #expect(store.state == Machine(phase: .idle, other: 1))
  }

  @Test func aValueThatAnotherReducerPutsBackIsNoTransition() throws {
    let back = Reducer<Event, Machine>("back") { _, machine in machine.phase = .idle }
    let rule = Rule.on(\.phase, dispatch: .note("x"))
    let store = try Store(
      initial: Machine(), reducer: .compose(machine, back), middleware: .transitions("machine", [rule]))
    let trace = TraceLines("Q")
    trace.listen(to: store)
    store.dispatch(.go(.busy))
    #expect(trace.lines.count == 1)
  }

  @Test func whereNoRuleCanStartThereIsNoIO() throws {
    let rule = Rule.on(\.phase, from: .value(.done), dispatch: .note("x"))
    let store = try Store(initial: Machine(), reducer: machine, middleware: .transitions([rule]))
    let trace = TraceLines("HI")
    trace.listen(to: store)
    store.dispatch(.go(.done))
    store.dispatch(.touch)
    #expect(trace.lines == ["H 1 transitions s=idle/0", "H 2 transitions s=done/0", "I 2 transitions s=done/1"])
  }
}
