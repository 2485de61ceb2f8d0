import Glibc
import TerminalSupport
import Testing

/// Processes that are killed in the middle of `atomic` leave all of a run, or none of it.
@Suite("All or nothing")
struct AtomicKillTests {
  /// The number of kills: `STSH_ATOMIC_KILLS=500` is the long form.
  private static let kills = getenv("STSH_ATOMIC_KILLS").flatMap { Int(String(cString: $0)) } ?? 21

  /// Each run adds seven to the counter and one task, in five dispatches.
  private static let runs =
    "echo begins\nwait 1ms\n"
    + (1...600).map { number in
      """
      atomic begin
      dispatch counter.increment by=2 --quiet
      dispatch tasks.add "run \(number)" --quiet
      wait 2ms
      lua for i = 1, 2 do dispatch('counter.increment', { by = 2 }) end
      dispatch counter.increment by=1 --quiet
      atomic end
      echo done \(number)

      """
    }.joined()

  private struct Found: Equatable {
    let value: Int
    let tasks: Int

    init(_ outcome: Shell.Outcome) throws {
      let numbers = outcome.output.split(separator: "\n").compactMap { Int($0) }
      guard outcome.status == 0, numbers.count == 2 else { throw ProgramFailure("\(outcome)") }
      (value, tasks) = (numbers[0], numbers[1])
    }
  }

  private static let looks = ["-c", "= state.counter.value", "-c", "= #state.tasks.items"]

  /// A program that runs the script, and the runs that it said were done when it was killed.
  private final class Worker {
    private let running: RunningProgram
    private let output: UnsafeMutablePointer<FILE>

    init(_ shell: Shell, _ arguments: [String]) throws {
      guard let output = tmpfile(), let input = fopen("/dev/null", "r") else { throw ProgramFailure("no file") }
      defer { fclose(input) }
      self.output = output
      running = try shell.start(
        arguments, descriptors: [(0, fileno(input)), (1, fileno(output)), (2, fileno(output))])
    }

    deinit { fclose(output) }

    var done: Int {
      rewind(output)
      let lines = String(decoding: bytes(of: output), as: UTF8.self).split(separator: "\n")
      return lines.count { $0.hasPrefix("done ") }
    }

    /// Waits until it begins.
    func waitForBegin() throws {
      for _ in 0..<6000 {
        rewind(output)
        if !bytes(of: output).isEmpty { return }
        usleep(10_000)
      }
      throw ProgramFailure("it does nothing")
    }

    func kill() throws -> Int {
      Glibc.kill(running.process, SIGKILL)
      _ = try running.waitForEnd()
      return done
    }

    func waitForEnd() throws { _ = try running.waitForEnd() }
  }

  private enum Killed: CaseIterable {
    case program, server, client
  }

  @Test func noHalfOfARunIsLeft() throws {
    var random = SystemRandomNumberGenerator()
    for round in 0..<Self.kills {
      let killed = Killed.allCases[round % 3]
      let shell = try Shell()
      try shell.folder.write("runs.stsh", Self.runs)
      let server = killed == .program ? nil : try Server(shell, "--store", "kept.db")
      let place = server.map { ["--attach", $0.path] } ?? ["--store", "kept.db"]
      let worker = try Worker(shell, place + ["runs.stsh"])
      try worker.waitForBegin()
      usleep(UInt32.random(in: 0..<60_000, using: &random))
      var done = 0
      switch killed {
      case .program, .client: done = try worker.kill()
      case .server:
        _ = try server?.end(by: SIGKILL)
        try worker.waitForEnd()
        done = worker.done
      }
      var found: Found
      if let server, killed == .client {
        // The server notices it a little later.
        repeat {
          found = try Found(shell.run(place + Self.looks))
        } while try shell.run(place + ["-c", "who --as csv"]).output.contains("runs.stsh")
        found = try Found(shell.run(place + Self.looks))
        _ = try server.end(by: SIGTERM)
      } else {
        found = try Found(shell.run(["--store", "kept.db"] + Self.looks))
      }
      #expect(found.value == 7 * found.tasks, "\(killed) \(round): \(found)")
      // What was said to be done is.
      #expect(done <= found.tasks, "\(killed) \(round): \(done) done, \(found)")
      // And so it stays.
      #expect(try Found(shell.run(["--store", "kept.db"] + Self.looks)) == found)
    }
  }

  /// What another name did on top of a run stays behind a kill, with the run, and whoever opens the file is told so once.
  @Test func aKilledRunThatAnotherNameStandsOnStays() throws {
    let shell = try Shell()
    try shell.folder.write("ann.stsh", "atomic begin\ndispatch tasks.add milk --quiet\nwait 1h\natomic end\n")
    let server = try Server(shell, "--store", "kept.db")
    let ann = try Worker(shell, ["--attach", server.path, "--who", "ann", "ann.stsh"])
    try server.waitUntilRuns("wait 1h", shell)
    let bob = ["--attach", server.path, "--who", "bob", "-c", "dispatch tasks.complete id=1 --quiet"]
    #expect(try shell.run(bob) == .init())
    _ = try server.end(by: SIGKILL)
    try ann.waitForEnd()
    let look = ["--store", "kept.db", "-c", "show tasks.items[*].done --as raw"]
    let found = try shell.run(look)
    #expect(found.status == 1 && found.output == "true\n", "\(found)")
    #expect(found.errors.contains("error[atomic-kept]: the run of ann "), "\(found)")
    #expect(found.errors.contains("what stays:\n  #1 tasks.add title=\"milk\"\n"), "\(found)")
    let again = try shell.run(look)
    #expect(again.status == 0 && again.output == "true\n" && again.errors.isEmpty, "\(again)")
  }

  @Test func aFileIsAllOrNothing() throws {
    let shell = try Shell()
    try shell.folder.write("good.stsh", "dispatch counter.increment\ndispatch tasks.add milk --quiet\n")
    try shell.folder.write("bad.stsh", "dispatch counter.increment --quiet\nassert false\ndispatch tasks.add no\n")
    let server = try Server(shell)
    for place in [["--store", "kept.db"], ["--attach", server.path]] {
      let good = try shell.run(["--all-or-nothing"] + place + ["good.stsh"])
      #expect(good == .init(output: "#1 counter.increment\n  counter.value  0 -> 1\n"))
      let bad = try shell.run(["--all-or-nothing"] + place + ["bad.stsh"])
      #expect(bad.status == 3)
      #expect(bad.errors.hasSuffix("note: #4 takes back 1 action, since line 2 failed\n"), "\(bad)")
      #expect(try Found(shell.run(place + Self.looks)) == Found(.init(output: "1\n1\n")))
    }
    #expect(try shell.run("--all-or-nothing", "-c", "= 1").status == 2)
  }
}
