import Dispatch
import StoreCore
import Testing

/// Row 60: one clock for everything timed.
@Suite struct ClockTests {
  @Test func timersRunInTheOrderOfTheirDeadlinesThenOfScheduling() {
    let clock = VirtualClock()
    let ran = Notes<String>()
    for (name, seconds) in [("late", 3), ("first", 1), ("tie", 3), ("second", 2), ("last tie", 3)] {
      clock.schedule(at: .seconds(seconds)) { [unowned clock] in ran.note("\(name) \(clock.now.components.seconds)") }
    }
    clock.advance(by: .seconds(1))
    #expect(ran.all == ["first 1"])
    clock.advance(by: .milliseconds(1999))
    #expect(ran.all == ["first 1", "second 2"])
    clock.advance(by: .milliseconds(1))
    #expect(ran.all == ["first 1", "second 2", "late 3", "tie 3", "last tie 3"])
    #expect(clock.nextDeadline == nil)
  }

  @Test func whatATimerSchedulesRunsInTheSameAdvanceWhereItIsDue() {
    let clock = VirtualClock()
    let ran = Notes<Duration>()
    @Sendable func tick() {
      ran.note(clock.now)
      clock.schedule(after: .seconds(1)) { tick() }
    }
    clock.schedule(after: .seconds(1)) { tick() }
    clock.advance(by: .milliseconds(3500))
    #expect(ran.all == [.seconds(1), .seconds(2), .seconds(3)])
    #expect(clock.now == .milliseconds(3500))
    #expect(clock.nextDeadline == .seconds(4))
  }

  @Test func aNegativeAdvanceMovesNothingButRunsWhatIsDue() {
    let clock = VirtualClock()
    let ran = Notes<Int>()
    clock.advance(by: .seconds(5))
    clock.schedule(at: .seconds(2)) { ran.note(1) }
    clock.schedule(after: .seconds(-3)) { ran.note(2) }
    #expect(ran.all.isEmpty, "never within the call that schedules")
    clock.advance(by: .seconds(-1))
    #expect(ran.all == [1, 2])
    #expect(clock.now == .seconds(5))
  }

  @Test func aCancelledTimerDoesNotRun() {
    let clock = VirtualClock()
    let ran = Notes<Int>()
    let timers = (0..<10).map { index in clock.schedule(at: .seconds(index % 3)) { ran.note(index) } }
    for index in [0, 4, 9] { timers[index].cancel() }
    timers[4].cancel()
    clock.advance(by: .seconds(3))
    #expect(ran.all == [3, 6, 1, 7, 2, 5, 8])
    timers[1].cancel()
  }

  @Test func aTimerMayCancelAnother() {
    let clock = VirtualClock()
    let ran = Notes<Int>()
    let victim = clock.schedule(at: .seconds(2)) { ran.note(2) }
    clock.schedule(at: .seconds(1)) {
      ran.note(1)
      victim.cancel()
    }
    clock.advance(by: .seconds(9))
    #expect(ran.all == [1])
  }

  @Test func aQueueThatGoesLetsGoOfWhatWaitsInIt() {
    final class Held: Sendable {}
    weak var held: Held?
    var timers: [ScheduledTimer] = []
    do {
      let queue = TimerQueue()
      let object = Held()
      held = object
      timers = (1...9).map { queue.schedule(at: .seconds($0)) { withExtendedLifetime(object) {} }.timer }
      #expect(held != nil)
    }
    #expect(held == nil)
    for timer in timers { timer.cancel() }
  }

  @Test(arguments: 0..<20)
  func theQueueIsASortByDeadlineAndOrder(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let queue = TimerQueue()
    var model: [(deadline: Duration, order: Int, number: Int, timer: ScheduledTimer)] = []
    let ran = Notes<Int>()
    var expected: [Int] = []
    for number in 0..<500 {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0 where !model.isEmpty:
        model.remove(at: Int.random(in: 0..<model.count, using: &generator)).timer.cancel()
      case 1:
        let limit = Duration.seconds(Int.random(in: 0..<30, using: &generator))
        while let due = queue.takeFirst(dueBy: limit) { due.body() }
        let due = model.filter { $0.deadline <= limit }
          .sorted { ($0.deadline, $0.order) < ($1.deadline, $1.order) }
        expected += due.map(\.number)
        for one in due { #expect(!one.timer.postpone(to: .seconds(99)), "it waits no longer") }
        model.removeAll { $0.deadline <= limit }
      case 2 where !model.isEmpty:
        let index = Int.random(in: 0..<model.count, using: &generator)
        let deadline = Duration.seconds(Int.random(in: 0..<40, using: &generator))
        let isLater = deadline >= model[index].deadline
        #expect(model[index].timer.postpone(to: deadline) == isLater)
        if isLater { (model[index].deadline, model[index].order) = (deadline, number) }
        #expect(model[index].timer.deadline == model[index].deadline)
      default:
        let deadline = Duration.seconds(Int.random(in: 0..<40, using: &generator))
        model.append((deadline, number, number, queue.schedule(at: deadline) { ran.note(number) }.timer))
      }
      #expect(queue.nextDeadline == model.map(\.deadline).min())
      #expect(queue.isEmpty == model.isEmpty)
    }
    #expect(ran.all == expected)
  }

  @Test func runGoesOnUntilNobodyWaitsOrTheLimitIsReached() {
    let clock = VirtualClock()
    let ran = Notes<Duration>()
    clock.schedule(at: .seconds(1)) { clock.schedule(after: .seconds(10)) { ran.note(clock.now) } }
    #expect(clock.run())
    #expect(clock.now == .seconds(11))
    @Sendable func tick() { clock.schedule(after: .seconds(1)) { tick() } }
    tick()
    #expect(!clock.run(atMost: 100))
    #expect(clock.now == .seconds(111))
  }

  @Test func sleepersWakeInOrderAndACancelledOneThrows() async {
    let clock = VirtualClock()
    let outcome = Notes<String>()
    let sleeper = Task {
      do {
        try await clock.sleep(for: .seconds(5))
        outcome.note("slept")
      } catch {
        outcome.note("cancelled")
      }
    }
    while clock.nextDeadline == nil { await Task.yield() }
    sleeper.cancel()
    await sleeper.value
    #expect(outcome.all == ["cancelled"])
    #expect(clock.nextDeadline == nil, "nothing waits on its behalf any more")
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      do {
        try await clock.sleep(for: .seconds(5))
      } catch {
        outcome.note("cancelled before")
      }
    }
    await late.value
    #expect(outcome.all == ["cancelled", "cancelled before"])
    try? await clock.sleep(for: .seconds(-5))
    #expect(clock.now == .zero, "a negative sleep does not wait")
  }

  @Test func aHostDrivesARealClock() {
    let wakes = Notes<Int>()
    let clock = RealClock(driver: .host(wake: { wakes.note(1) }))
    let ran = Notes<String>()
    clock.schedule(after: .seconds(3_600)) { ran.note("in an hour") }
    clock.schedule(after: .seconds(7_200)) { ran.note("in two hours") }
    #expect(wakes.all.count == 1, "the second is no earlier")
    clock.schedule(at: .zero) {
      ran.note("now")
      clock.schedule(after: .seconds(1_800)) { ran.note("in half an hour") }
    }
    #expect(wakes.all.count == 2)
    #expect(clock.nextDeadline == .zero)
    clock.runDue()
    #expect(ran.all == ["now"])
    #expect(wakes.all.count == 3)
    #expect(clock.nextDeadline.map { $0 > .seconds(1_000) && $0 < .seconds(3_000) } == true)
  }

  @Test func aRealClockRunsOnAThreadOfItsOwn() {
    let clock = RealClock()
    let fired = DispatchSemaphore(value: 0)
    let far = clock.schedule(after: .seconds(3_600)) { fired.signal() }
    clock.schedule(at: .zero) { fired.signal() }
    fired.wait()
    clock.schedule(after: .microseconds(50)) { fired.signal() }
    fired.wait()
    far.cancel()
    #expect(clock.nextDeadline == nil)
  }
}
