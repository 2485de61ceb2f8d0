import Dispatch
import PluginSupport
import StoreCore
import Synchronization
import Testing

/// S-09: dispatch from another thread.
///
/// The unit that blocks is Swift's, as in the scenario: a Lua unit waits for nothing but the store's clock. Around it
/// stand reducers and middlewares of both kinds; `StoreCoreTests` has the scenario in Swift alone.
@Suite("Scenarios: other threads")
struct QueueScenarios {
  /// A Swift unit that hands its output to other threads, which use it while its handle of `inc` is open.
  private final class Latch: Sendable {
    private let output = Mutex<ActionHandler<CountStateAction>?>(nil)
    private let opened = DispatchSemaphore(value: 0)
    private let entered = DispatchSemaphore(value: 0)
    private let seen = Mutex<[Int]>([])

    /// The states that the handle saw once it was open again.
    var statesSeen: [Int] { seen.withLock { $0 } }

    func unit() -> CountMiddleware {
      CountMiddleware("m") { action, _, state in
        if action == .counter(.inc) {
          self.entered.signal()
          self.opened.wait()
          self.seen.withLock { $0.append(state().counter.count) }
        }
        return IO { output in self.output.withLock { $0 = output } }
      }
    }

    /// Waits for the handle, lets workers dispatch `x`, each as often as is said, and opens the latch when all of their
    /// calls returned.
    func work(workers: Int, each: Int) {
      DispatchQueue(label: "workers").async {
        self.entered.wait()
        let output = self.output.withLock { $0 }
        DispatchQueue.concurrentPerform(iterations: workers) { _ in
          for _ in 0..<each { output?.dispatch(.counter(.x)) }
        }
        self.opened.signal()
      }
    }
  }

  /// A Lua reducer of the Swift count that adds nothing, so that both kinds reduce every action.
  private static func luaReducer() throws -> PluginFolder {
    try PluginFolder(
      "r", permissions: ["reduce:counter"],
      lua: """
        local function keep(s) s.count = s.count + 1 s.count = s.count - 1 end
        return plugin { lifted = { { at = "counter", on = "counter.inc", reduce = keep },
          { at = "counter", on = "counter.x", reduce = keep } } }
        """)
  }

  private let script = """
    dispatch counter.noop --quiet
    watch counter.count
    trace on --stable
    dispatch counter.inc --quiet
    wait until state.counter.count == 3
    trace off
    """

  @Test func s09WithLuaAndSwift() throws {
    for _ in 1...2 {
      let latch = Latch()
      latch.work(workers: 1, each: 2)
      let recording = try Recording(
        script, Fixture.application(Fixture.count, latch.unit()),
        plugins: [try Self.luaReducer(), try Fixture.luaObserver("v")])
      #expect(latch.statesSeen == [0])
      #expect(
        recording.trace("HRCNID").filter { !$0.hasPrefix("N 0") }
          == scenario(
            """
            H 2 m s=0 · H 2 v s=0 · R 2 count 0→1 · R 2 r 1→1 · C 2 0→1 · N 2 w1 1 · I 2 v s=1 · I 2 m s=1 · D 2
            H 3 m s=1 · H 3 v s=1 · R 3 count 1→2 · R 3 r 2→2 · C 3 1→2 · N 3 w1 2 · I 3 v s=2 · I 3 m s=2 · D 3
            H 4 m s=2 · H 4 v s=2 · R 4 count 2→3 · R 4 r 3→3 · C 4 2→3 · N 4 w1 3 · I 4 v s=3 · I 4 m s=3 · D 4
            """))
    }
  }

  @Test func s09EightThreadsLoseNothing() throws {
    let latch = Latch()
    latch.work(workers: 8, each: 1000)
    let recording = try Recording(
      "set runaway 10000\ndispatch counter.noop --quiet\ndispatch counter.inc --quiet\n"
        + "wait until state.counter.count == 8001\nshow counter.count\n",
      Fixture.application(Fixture.count, latch.unit()), plugins: [try Self.luaReducer(), try Fixture.luaObserver("v")])
    #expect(recording.output.hasSuffix("\n8001\n"))
    #expect(recording.errors == "")
  }
}
