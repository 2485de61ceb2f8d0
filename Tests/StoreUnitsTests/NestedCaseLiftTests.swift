import StoreCore
import StoreSchema
import StoreUnits
import Testing

@Schema
private enum LampAction: Equatable, Sendable {
  case toggle, dim(to: Int), row(ElementAction<Int, LampAction.Row>)

  @Schema
  enum Row: Equatable, Sendable { case press }
}

@Schema
private enum RoomAction: Equatable, Sendable { case lamp(LampAction), leave }

@Schema
private enum HouseAction: Equatable, Sendable { case room(RoomAction), sell }

private struct Button: Equatable, Sendable, Identifiable { var id: Int, presses = 0 }

private struct House: Equatable, Sendable {
  var level = 0
  var spare: Int?
  var buttons = [Button(id: 7)]
}

/// Lifts, rules, views and bindings that name a case within a case.
@Suite struct NestedCaseLiftTests {
  private let lamp = Reducer<LampAction, Int>("lamp") { action, level in
    switch action {
    case .toggle: level = level == 0 ? 10 : 0
    case .dim(let to): level = to
    case .row: break
    }
  }
  private let button = Reducer<LampAction.Row, Button>("button") { _, button in button.presses += 1 }

  @Test func reducersAreLiftedByThem() throws {
    let store = try Store<HouseAction, House>(
      initial: House(spare: 1),
      reducer: .compose(
        lamp.lift(action: \.room.lamp, state: \.level), lamp.liftOptional(action: \.room.lamp, state: \.spare),
        button.lift(action: \.room.lamp.row, element: .of(\.buttons)),
        .on(\.room.leave) { house, _ in house.level = -1 }))
    store.dispatch(.room(.lamp(.dim(to: 4))))
    store.dispatch(.room(.lamp(.row(ElementAction(id: 7, action: .press)))))
    store.dispatch(.sell)
    #expect(store.state == House(level: 4, spare: 4, buttons: [Button(id: 7, presses: 1)]))
    store.dispatch(.room(.leave))
    #expect(store.state.level == -1)
  }

  @Test func handlersAndMiddlewaresAreLiftedByThem() throws {
    let noted = Notes()
    let dimming = Middleware<LampAction, LampAction, Int>("dimming") { action, _, _ in
      action == .toggle ? IO { $0.dispatch(.dim(to: 3)) } : .none
    }
    let noting = Middleware<LampAction, Never, Int>("noting") { action, _, _ in
      noted.note("\(action)")
      return .none
    }
    let store = try Store<HouseAction, House>(initial: House()) {
      Handler(reducer: lamp, middleware: dimming).lift(action: \.room.lamp, state: \.level)
      Handler(middleware: noting.lift(input: \.room.lamp, state: \.level))
    }
    store.dispatch(.room(.lamp(.toggle)))
    #expect(store.state.level == 3)
    #expect(noted.all == ["toggle", "dim(to: 3)"])
  }

  @Test func rulesViewsAndBindingsNameThem() throws {
    let store = try Store<HouseAction, House>(
      initial: House(), reducer: lamp.lift(action: \.room.lamp, state: \.level),
      middleware: .bridge(
        "bridge",
        [
          .on(\.room.lamp.dim, dispatch: { $0 > 5 ? .room(.lamp(.toggle)) : nil }),
          .on(\.room.leave, dispatch: .room(.lamp(.dim(to: 1)))),
        ]))
    let view = store.projection(action: \.room.lamp, state: \.level)
    view.dispatch(.dim(to: 9))
    #expect(view.state == 0)
    let level = store.binding(\.level, set: \.room.lamp.dim)
    level.set(2)
    #expect(level.value == 2)
    let inner = store.projection(action: \.room, state: \.self).projection(action: \.lamp, state: \.level)
    inner.binding({ $0 }, set: \.dim).set(5)
    store.dispatch(.room(.leave))
    #expect(inner.state == 1)
  }
}
