import StoreCore
import StoreSchema
import Synchronization
import Testing

@testable import StoreShell

/// Watches at a pace, in forms, and of expressions; plots of lists.
@Suite struct WatchFormTests {
  /// A clock that time passes by, whose timers nobody runs.
  private final class BusyClock: StoreClock {
    private let time = Mutex(Duration.zero)
    private let timers = TimerQueue()
    var now: Duration { time.withLock { $0 } }
    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
    func schedule(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> ScheduledTimer {
      timers.schedule(at: deadline, body).0
    }
  }

  /// The pace holds in a statement that takes long, too, in which no timer comes.
  @Test func aBusyWatchKeepsItsPace() throws {
    let (clock, shell) = (BusyClock(), try Shell())
    let watch = PacedWatch(try #require(WatchPace("2/s")), clock: clock, live: shell.session.store.live)
    var told: [(Value, Int)] = []
    for number in 1...25 {
      let change = WatchedChange(old: .int(number - 1), new: .int(number), number: number, action: "a.b")
      watch.take(change) { told.append(($0.new, $0.count)) }
      clock.pass(.milliseconds(100))
    }
    #expect(told.map(\.0) == [1, 6, 11, 16, 21].map { .int($0) })
    #expect(told.map(\.1) == [1, 5, 5, 5, 5])
  }

  @Test func aWatchAtAPaceTellsTheLastOfMany() throws {
    let shell = try Shell()
    _ = try shell.type("watch counter.value --max 2/s")
    let first = try shell.type("lua for i = 1, 50 do dispatch('counter.increment') end")
    #expect(first.errors == "[watch 1] counter.value  0 -> 1  (#1 counter.increment)\n")
    #expect(
      try shell.type("wait 500ms").errors == "[watch 1] counter.value  1 -> 50  (#50 counter.increment, 49 changes)\n")
    #expect(try shell.type("wait 10s").errors == "")
    #expect(try shell.type("dispatch counter.increment --quiet").errors.hasPrefix("[watch 1] counter.value  50 -> 51"))
  }

  @Test(arguments: ["0/s", "x/s", "2", "2/h", "-1/s"])
  func whatIsNoPaceIsRefused(pace: String) throws {
    let errors = try Shell().run("watch counter.value --max \(pace)").errors
    #expect(errors.contains("--max takes a number up to 1000 a second"))
  }

  @Test func anExpressionIsWatched() throws {
    let shell = try Shell()
    #expect(try shell.type("watch $(#state.tasks.items * 2)").output == "watch 1: $(#state.tasks.items * 2) = 0\n")
    #expect(
      try shell.type("dispatch tasks.add x --quiet").errors
        == "[watch 1] $(#state.tasks.items * 2)  0 -> 2  (#1 tasks.add)\n")
    #expect(try shell.type("dispatch counter.increment --quiet").errors == "")
    #expect(try shell.type("watch").output == "id  path\n1   $(#state.tasks.items * 2)\n")
    #expect(try shell.type("watch $(state.nothing.there)").status == 1)
  }

  @Test func aWatchShowsTheWholeInAForm() throws {
    let shell = try Shell()
    _ = try shell.type("dispatch tasks.add a --quiet", "watch tasks.items --as table")
    #expect(
      try shell.type("dispatch tasks.add b --quiet").errors == """
        [watch 1] tasks.items  (#2 tasks.add)
        id  title  done
        1   a      false
        2   b      false

        """)
  }

  @Test func nothingIsDrawnAgainWithoutATerminal() throws {
    let outcome = try Shell().run("show counter --every 1s")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("error[not-allowed]: --every needs a terminal"))
    #expect(try Shell().run("show counter --every soon").errors.contains("--every takes"))
  }

  @Test func listsAreDrawn() throws {
    let shell = try Shell { $0.isUTF8 = false }
    #expect(shell.run("plot { 1, 1, 1 }").output == "1 ***\n  1 3\n")
    let records = "lua rows = { { t = 'mon', a = 1, b = 2 }, { t = 'tue', a = 1, b = 2 }, { t = 'wed', a = 1, b = 2 } }"
    #expect(
      shell.run(records, "plot rows --x t --y a,b").output == "a\n1 ***\n  mon wed\nb\n2 ***\n  mon wed\n")
    #expect(shell.run(records, "plot rows --y c").errors.contains("an element has no field 'c'"))
    #expect(shell.run("plot state.counter.value --y a").errors.contains("--x and --y are for a list or a map"))
    #expect(shell.run("plot { 1 } --y a --over 3").errors.contains("--over is for a value over actions"))
  }

  @Test func aPictureIsWrittenForItsName() throws {
    let shell = try Shell()
    let outcome = shell.run(
      "lua rows = { { x = 0, y = 1 }, { x = 5, y = 3 }, { x = 10, y = 2 } }",
      "plot rows --x x --y y > \(shell.folder)/p.svg", "plot state.counter.value --over 10 > \(shell.folder)/q.SVG")
    #expect(outcome == .init())
    let picture = try #require(shell.contents("p.svg"))
    #expect(picture.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
    #expect(picture.contains("M70.0 ") && picture.contains("L425.0 ") && picture.hasSuffix("</svg>\n"))
    #expect(shell.contents("q.SVG")?.contains("#0") == true)
  }
}
