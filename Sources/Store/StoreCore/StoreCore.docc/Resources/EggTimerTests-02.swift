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
}
