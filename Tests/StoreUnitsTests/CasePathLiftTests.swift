import StoreCore
import StoreSchema
import StoreUnits
import Testing

@Schema
private struct Lamp: Equatable, Sendable {
  var isOn = false
}

@Schema
private enum LampAction: Equatable, Sendable {
  case toggle
  case told(by: Int)
}

@Schema
private struct House: Equatable, Sendable {
  var lamp = Lamp()
  var count = 0
}

@Schema
private enum HouseAction: Equatable, Sendable {
  case lamp(LampAction)
  case leave
}

@Suite struct CasePathLiftTests {
  private let lamp = Reducer<LampAction, Lamp>("lamp") { action, lamp in
    if action == .toggle { lamp.isOn.toggle() }
  }

  @Test func aReducerIsLiftedByACasePathAndAKeyPath() throws {
    let reducer: Reducer<HouseAction, House> = lamp.lift(action: \.lamp, state: \.lamp)
    let store = try Store(initial: House(), reducer: reducer)
    store.dispatch(.leave)
    #expect(store.state == House())
    store.dispatch(.lamp(.toggle))
    #expect(store.state.lamp.isOn)
  }

  @Test func aMiddlewareIsLiftedByCasePaths() throws {
    let teller = Middleware<LampAction, LampAction, Lamp>("teller") { action, _, lamp in
      guard action == .toggle else { return .none }
      return IO { output in output.dispatch(.told(by: lamp().isOn ? 1 : 0)) }
    }
    let counter = Reducer<HouseAction, House>("counter") { action, house in
      if case .lamp(.told(let number)) = action { house.count += number }
    }
    let store = try Store(
      initial: House(), reducer: .compose(lamp.lift(action: \.lamp, state: \.lamp), counter),
      middleware: teller.lift(input: \.lamp, output: \.lamp, state: \.lamp))
    store.dispatch(.lamp(.toggle))
    #expect(store.state == House(lamp: Lamp(isOn: true), count: 1))
  }

  @Test func oneCaseLiftsAMiddlewareInAndOut() throws {
    let teller = Middleware<LampAction, LampAction, Lamp>("teller") { action, _, lamp in
      guard action == .toggle else { return .none }
      return IO { output in output.dispatch(.told(by: lamp().isOn ? 1 : 0)) }
    }
    let counter = Reducer<HouseAction, House>("counter") { action, house in
      if case .lamp(.told(let number)) = action { house.count += number }
    }
    let store = try Store(
      initial: House(), reducer: .compose(lamp.lift(action: \.lamp, state: \.lamp), counter),
      middleware: teller.lift(action: \.lamp, state: \.lamp))
    store.dispatch(.lamp(.toggle))
    #expect(store.state == House(lamp: Lamp(isOn: true), count: 1))
  }

  @Test func theActionAloneIsLiftedWhereTheStateIsTheSame() throws {
    let leaving = Reducer<LampAction, House>("leaving") { action, house in
      if case .told(let by) = action { house.count += by }
    }
    let answering = Middleware<LampAction, LampAction, House>("answering") { action, _, _ in
      action == .toggle ? IO { $0.dispatch(.told(by: 3)) } : .none
    }
    let byCase = Handler<LampAction, House>(reducer: leaving, middleware: answering)
    let byClosure: Reducer<HouseAction, House> = leaving.lift(action: { (action: HouseAction) in action.lamp })
    let failing = Reducer<LampAction, House>.throwing("failing") { action, house, _ in
      guard action != .told(by: 9) else { throw Refusal() }
      house.lamp.isOn.toggle()
    }
    for reducer in [byClosure, leaving.lift(action: \.lamp), byCase.lift(action: \.lamp).reducer] {
      let store = try Store(
        initial: House(), reducer: .compose(reducer, failing.lift(action: \.lamp)),
        middleware: .compose(answering.lift(action: \.lamp)))
      for action in [HouseAction.leave, .lamp(.toggle), .lamp(.told(by: 9))] { store.dispatch(action) }
      #expect(store.state == House(count: 3), "two toggles, and an answer; the last fails and is undone")
    }
    let handler: Handler<HouseAction, House> = byCase.lift(action: \.lamp)
    let store = try Store(initial: House(), reducer: handler.reducer, middleware: handler.middleware)
    store.dispatch(.lamp(.toggle))
    #expect(store.state.count == 3)
  }

  private struct Refusal: Error {}
}
