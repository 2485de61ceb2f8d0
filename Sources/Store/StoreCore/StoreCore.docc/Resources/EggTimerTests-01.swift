import StoreTesting
import Testing

@Suite struct EggTimerTests {
  @Test func noMoreThanTenMinutes() throws {
    var timer = EggTimer()
    try EggTimer.reducer.reduce(.add(seconds: 900), &timer)
    #expect(timer.seconds == 600)
  }
}
