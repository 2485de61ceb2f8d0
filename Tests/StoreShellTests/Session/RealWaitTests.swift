import StandardModules
import StoreCore
import StoreHost
import Testing

@testable import StoreShell

/// Waits of scripts on the real clock for what nothing can bring about.
@Suite struct RealWaitTests {
  private static let stuck = "false was still false, and nothing waits for the clock"

  private func shell(_ adjust: (inout SessionOptions) -> Void = { _ in }) throws -> Shell {
    try Shell {
      $0.hasVirtualClock = false
      adjust(&$0)
    }
  }

  @Test func endAtOnce() throws {
    let outcome = try shell().run("wait until false")
    #expect(outcome.errors == "-c:1:1: error[timed-out]: \(Self.stuck)\n  wait until false\n")
    #expect(outcome.status == 5)
    let sourcing = try shell()
    try sourcing.write("inner.stsh", "wait until false\n")
    #expect(sourcing.run("source \(sourcing.folder)/inner.stsh").status == 5)
  }

  @Test func lastAsLongAsTheyAreTold() throws {
    #expect(try shell().run("wait until false --timeout 20ms").errors.contains("false was still false after 20ms"))
    #expect(try shell().run("wait 20ms") == .init())
  }

  @Test func mayBeEndedByWhatLuaReads() throws {
    let shell = try shell { $0.allowsUnsafeLua = true }
    let mark = "\(shell.folder)/mark"
    let command = "(sleep 0.2; touch \(mark)) >/dev/null &"
    #expect(shell.run("echo x | \(command)", "wait until io.open('\(mark)')") == .init())
  }

  @Test func mayBeEndedByUnitsOfTheApplication() throws {
    var application = Application<StandardAction, StandardState>.hosted
    application = Application(
      initial: StandardState(), reducer: StandardState.reducer,
      middleware: .effects("outside") { _, _, _ in .none })
    let shell = try Shell(over: { try Session(application, options: $0, console: $1) })
    shell.session.options.hasVirtualClock = false
    #expect(shell.session.store.live.mayHearOfOthers)
    #expect(try !self.shell().session.store.live.mayHearOfOthers)
  }
}
