import StoreCore
import StoreSchema
import StoreUnits
import Testing

@Schema
private struct Lamp: Equatable, Sendable {
  var isOn = false
  var told = 0
}

@Schema
private enum LampAction: Equatable, Sendable {
  case toggle
  case tell(by: Int)
}

@Schema
private struct House: Equatable, Sendable {
  var left = Lamp()
  var right = Lamp()
}

@Schema
private enum HouseAction: Equatable, Sendable {
  case left(LampAction)
  case right(LampAction)
  case leave
}

/// Row 59 and row 48 by case path: one declaration lifts a handler, and a reader before it is built.
@Suite struct HandlerCasePathLiftTests {
  private let lamp = Reducer<LampAction, Lamp>("lamp") { action, lamp in
    switch action {
    case .toggle: lamp.isOn.toggle()
    case .tell(let number): lamp.told += number
    }
  }

  /// Answers each toggle by its dependency where the lamp is on.
  private func teller(_ name: String) -> MiddlewareReader<Int, LampAction, LampAction, Lamp> {
    MiddlewareReader { number in
      Middleware(name) { action, _, lamp in
        guard action == .toggle else { return .none }
        return IO { output in if lamp().isOn { output.dispatch(.tell(by: number)) } }
      }
    }
  }

  @Test func aHandlerIsLiftedByOneCasePathAndOneKeyPath() throws {
    let store = try Store(initial: House()) {
      Handler(reducer: lamp, middleware: teller("l").inject(1)).lift(
        action: \HouseAction.Cases.left, state: \House.left)
      Handler(reducer: lamp, middleware: teller("r").inject(2)).lift(action: \HouseAction.Cases.right, state: \.right)
    }
    store.dispatch(.leave)
    #expect(store.state == House())
    for action in [HouseAction.right(.toggle), .left(.toggle), .left(.toggle)] { store.dispatch(action) }
    #expect(store.state == House(left: Lamp(told: 1), right: Lamp(isOn: true, told: 2)))
  }

  @Test func aReaderIsLiftedByCasePathsBeforeItIsBuilt() throws {
    let left: MiddlewareReader<Int, HouseAction, HouseAction, House> = teller("l").lift(
      input: \.left, output: \.right, state: \.left)
    let store = try Store(initial: House()) {
      lamp.lift(action: \HouseAction.left, state: \House.left)
      lamp.lift(action: \HouseAction.right, state: \House.right)
      left.inject(7)
    }
    store.dispatch(.left(.toggle))
    #expect(store.state == House(left: Lamp(isOn: true), right: Lamp(told: 7)))
  }
}
