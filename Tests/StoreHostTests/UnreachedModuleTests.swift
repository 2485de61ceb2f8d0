import StoreCore
import StoreSchema
import StoreUnits
import Testing

@testable import StoreHost

@Schema private struct Lamp: Equatable, Sendable { var isOn = false }
@Schema private enum LampAction: Equatable, Sendable { case toggle, dim(level: Int) }
@Schema private struct Gate: Equatable, Sendable { var opened = 0 }
@Schema private enum GateAction: Equatable, Sendable { case open, wait(Duration), name(String) }
@Schema private struct House: Equatable, Sendable {
  var lamp = Lamp()
  var gate = Gate()
}
@Schema private enum HouseAction: Equatable, Sendable { case lamp(LampAction), gate(GateAction) }

@Schema private struct Post: Equatable, Sendable {
  var height: Int
  var made: Material
}
@Schema private enum Material: Equatable, Sendable { case wood, stone(weight: Int) }
@Schema private struct Fence: Equatable, Sendable { var posts: [Post] = [] }
@Schema private enum FenceAction: Equatable, Sendable { case add(Post), change(post: Post, to: Material) }
@Schema private struct Yard: Equatable, Sendable { var fence = Fence() }
@Schema private enum YardAction: Equatable, Sendable { case fence(FenceAction) }

/// A module whose actions reach no part of the application is named at the start.
@Suite struct UnreachedModuleTests {
  private typealias HouseReducer = Reducer<HouseAction, House>
  private typealias HouseMiddleware = Middleware<HouseAction, HouseAction, House>

  private static let lamp = Reducer<LampAction, Lamp>("lamp") { _, lamp in lamp.isOn.toggle() }
    .lift(action: \HouseAction.Cases.lamp, state: \House.lamp)
  private static let gate = Reducer<GateAction, Gate>("gate") { _, gate in gate.opened += 1 }
  private static let asked = Middleware<GateAction, GateAction, Gate>("asked") { _, _, _ in .none }
  private static let note =
    "no reducer or middleware takes the actions of 'gate'; lift one: .lift(action: \\.gate, state: \\.gate)"

  private func host(_ reducer: HouseReducer, _ middleware: HouseMiddleware = .identity) throws -> StoreHost<
    HouseAction, House
  > {
    try StoreHost(
      Application(initial: House(), reducer: reducer, middleware: middleware), clock: VirtualClock(), program: "house")
  }

  @Test func itIsNamedOnce() throws {
    let host = try host(Self.lamp)
    #expect(host.notes == [Self.note])
    #expect(StoreClient(of: host.live).takeNotes() == [Self.note])
    #expect(StoreClient(of: host.live).takeNotes() == [])
    try host.close()
  }

  /// Also where interceptors see all actions, which may be all that some are for.
  @Test func itIsNamedBesideInterceptors() throws {
    let passing = Interceptor<HouseAction, House>("passing") { action, _, _, next in next(action) }
    let host = try StoreHost(
      Application(initial: House(), reducer: Self.lamp, interceptors: [passing]), clock: VirtualClock(),
      program: "house")
    let note = Self.note.replacing("'gate';", with: "'gate', interceptors alone do;")
    #expect(host.notes == [note])
    try host.close()
  }

  /// Also where all of its actions need records.
  @Test func itIsNamedWhereItsActionsNeedRecords() throws {
    let host = try StoreHost(
      Application<YardAction, Yard>(initial: Yard(), reducer: .identity), clock: VirtualClock(), program: "yard")
    #expect(host.notes.count == 1 && host.notes[0].hasPrefix("no reducer or middleware takes the actions of 'fence'"))
    try host.close()
  }

  @Test func otherMiddlewareIsNoPartOfIt() throws {
    let lit: HouseMiddleware = Middleware<LampAction, LampAction, Lamp>("lit") { _, _, _ in .none }
      .lift(input: \.lamp, output: \.lamp, state: \.lamp)
    let stating = HouseMiddleware.supervising("stating") { (_: House) in [] }
    let host = try host(Self.lamp, lit.appending(stating))
    #expect(host.notes == [Self.note])
    try host.close()
  }

  @Test func aPartThatMayTakeThemIsEnough() throws {
    let direct = Self.gate.lift(action: \HouseAction.Cases.gate, state: \House.gate)
    let inSteps = Self.gate.lift(action: { (action: GateAction?) in action }).lift(
      action: { (action: HouseAction) -> GateAction?? in if case .gate(let gate) = action { gate } else { nil } },
      state: \House.gate)
    let whole = HouseReducer("whole") { _, house in house.gate.opened += 1 }
    let opening = Self.gate.lift(
      action: { (action: HouseAction) in if case .gate(.open) = action { .open } else { nil } }, state: \House.gate)
    for reducer in [direct, inSteps, whole, opening] {
      let host = try host(Self.lamp.appending(reducer))
      #expect(host.notes == [])
      try host.close()
    }
    let all = HouseMiddleware("all") { _, _, _ in .none }
    let lifted: HouseMiddleware = Self.asked.lift(input: \.gate, output: \.gate, state: \.gate)
    for middleware in [lifted, all] {
      let host = try host(Self.lamp, middleware)
      #expect(host.notes == [])
      try host.close()
    }
  }
}
