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
}
