import StoreTesting
import Testing

@Suite struct EggTimerTests {
  private let world = EggTimerWorld(ring: {}, remember: { _ in })

  @Test func noMoreThanTenMinutes() throws {
    var timer = EggTimer()
    try EggTimer.reducer.reduce(.add(seconds: 900), &timer)
    #expect(timer.seconds == 600)
  }

  @Test func itTicksUntilItStops() throws {
    let handler = EggTimer.handler(world)
    let store = try TestStore(
      initial: EggTimer(seconds: 2), reducer: handler.reducer, middleware: handler.middleware)
    store.send(.start) { $0.isRunning = true }
    store.advance(by: .seconds(1))
    store.receive(.tick) { $0.seconds = 1 }
    store.advance(by: .seconds(1))
    store.receive(.tick) {
      $0.seconds = 0
      $0.isRunning = false
    }
    store.finish()
  }

  @Test func onlyTheLastTimeIsRemembered() throws {
    let handler = EggTimer.handler(world)
    let store = try TestStore(initial: EggTimer(), reducer: handler.reducer, middleware: handler.middleware)
    store.send(.add(seconds: 60)) { $0.seconds = 60 }
    store.advance(by: .milliseconds(300))
    store.send(.add(seconds: 60)) { $0.seconds = 120 }
    store.advance(by: .milliseconds(500))
    store.receive(.remembered(seconds: 120)) { $0.remembered = 120 }
    store.finish()
  }
}
