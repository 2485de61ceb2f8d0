import ShellLanguage
import StoreHost
import StoreSchema
import Testing

@testable import StoreShell

/// `atomic begin` to `atomic end`: all that the lines between dispatch stays, or none of it.
@Suite struct AtomicTests {
  private func value(_ shell: Shell) throws -> String { try shell.type("= state.counter.value").output }

  @Test func whatComesToItsEndStaysAndIsUndoneAsOne() throws {
    let shell = try Shell()
    #expect(
      shell.run(
        "dispatch counter.increment --quiet", "atomic begin", "dispatch counter.increment --quiet",
        "lua for i = 1, 3 do dispatch('counter.increment') end", "atomic end") == .init())
    #expect(try value(shell) == "5\n")
    #expect(shell.run("undo").output.hasPrefix("#6 shell.restore to=1  (takes back source -c: #2-#5)\n"))
    #expect(try value(shell) == "1\n")
    #expect(shell.run("redo --quiet") == .init())
    #expect(try value(shell) == "5\n")
    // What comes behind it is a statement of its own.
    #expect(shell.run("dispatch counter.increment --quiet", "undo --quiet") == .init())
    #expect(try value(shell) == "5\n")
  }

  @Test func aStatementThatFailsTakesAllOfItBack() throws {
    let shell = try Shell()
    let failed = try shell.run(
      script: """
        dispatch counter.increment --quiet
        atomic begin
        dispatch counter.increment by=5 --quiet
        dispatch tasks.add milk --quiet
        assert false
        atomic end

        """)
    #expect(failed.status == 3)
    #expect(failed.errors.contains("note: #4 takes back 2 actions, since line 5 failed; atomic end leaves the run\n"))
    #expect(try value(shell) == "1\n")
    // The run is open still, and dispatches nothing more.
    let refused = try shell.type("dispatch counter.increment")
    #expect(refused.errors.contains("error[not-allowed]: the run was cancelled, and nothing is dispatched"))
    let ended = try shell.type("atomic end")
    #expect(ended.status == 1)
    #expect(ended.errors.contains("error[failed]: the run was cancelled, since line 5 failed"))
    #expect(try shell.type("dispatch counter.increment --quiet") == .init())
    #expect(try value(shell) == "2\n")
    #expect(shell.run("show tasks.items --as json").output == "[]\n")
  }

  @Test func aTryExcusesAFailure() throws {
    let shell = try Shell()
    let outcome = shell.run(
      "atomic begin", "dispatch counter.increment --quiet", "try assert false", "dispatch counter.increment --quiet",
      "atomic end")
    #expect(outcome.status == 0)
    #expect(try value(shell) == "2\n")
  }

  @Test func aRunIsCancelled() throws {
    let shell = try Shell()
    let outcome = shell.run(
      "atomic begin", "dispatch counter.increment --quiet", "dispatch tasks.add milk --quiet", "atomic cancel")
    #expect(outcome.output.hasPrefix("#3 shell.restore without=[1, 2]  (takes back 2 actions)\n"), "\(outcome)")
    #expect(try value(shell) == "0\n")
    #expect(shell.run("atomic begin", "atomic cancel") == .init())
    #expect(shell.run("atomic begin", "atomic end") == .init())
    #expect(shell.run("dispatch counter.increment --quiet", "atomic end").errors.contains("no run has begun"))
    #expect(try value(shell) == "1\n")
  }

  @Test(arguments: [
    "undo", "undo --to 0", "set runaway 10", "middleware on logger", "plugin load pomodoro", "plugin load none",
    "import /none",
  ])
  func whatConcernsAllIsRefused(_ line: String) throws {
    let shell = try Shell { $0.grants = ["pomodoro"] }
    #expect(shell.run("dispatch counter.increment --quiet").status == 0)
    let outcome = try shell.type("atomic begin", "dispatch counter.increment by=4 --quiet", line)
    #expect(outcome.status != 0)
    if !line.contains("none") {
      #expect(outcome.errors.contains("is refused between atomic begin and atomic end"), "\(outcome)")
    }
    // It failed, and took the run back.
    #expect(outcome.errors.contains("note: #3 takes back 1 action, since line"), "\(outcome)")
    #expect(try shell.type("atomic end").status == 1)
    #expect(try value(shell) == "1\n")
    #expect(shell.run("log --json").output.contains("setGate") == false)
  }

  @Test func aRunThatNoLineEndsIsTakenBack() throws {
    let shell = try Shell()
    let outcome = try shell.run(script: "atomic begin\ndispatch counter.increment --quiet\n")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("error[syntax]: a run began on line 1, and no line ends it"))
    #expect(try value(shell) == "0\n")
    let twice = try shell.run(script: "atomic begin\natomic begin\n")
    #expect(twice.errors.contains("a run began on line 1 already"))
  }

  @Test func ofAnothersActionThatStandsOnItAllIsKept() throws {
    let shell = try Shell()
    let other = StoreClient(of: shell.session.store.live)
    #expect(
      try shell.type("atomic begin", "dispatch tasks.add milk --quiet", "dispatch counter.increment --quiet").status
        == 0)
    let complete = try #require(other.action(named: "tasks.complete"))
    _ = other.dispatch(try complete.call([("id", .int(1))]), source: .here())
    let outcome = try shell.type("atomic cancel")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains("error[atomic-kept]: others have acted since, and #3 tasks.complete id=1"), "\(outcome)")
    for line in ["what stays:", "#1 tasks.add title=\"milk\"", "#2 counter.increment"] {
      #expect(outcome.errors.contains("  \(line)\n"), "\(outcome)")
    }
    #expect(try value(shell) == "1\n")
    // It is left all the same.
    #expect(try shell.type("dispatch counter.increment --quiet") == .init())
  }

  /// Others' actions stay.
  @Test func onlyItsOwnActionsGo() throws {
    let shell = try Shell()
    let other = StoreClient(of: shell.session.store.live)
    #expect(try shell.type("atomic begin", "dispatch counter.increment by=5 --quiet").status == 0)
    let add = try #require(other.action(named: "tasks.add"))
    _ = other.dispatch(try add.call([("title", .string("bread"))]), source: .here())
    #expect(try shell.type("dispatch counter.setStep to=3 --quiet").status == 0)
    #expect(
      try shell.type("atomic cancel").output.hasPrefix("#4 shell.restore without=[1, 3]  (takes back 2 actions)\n"))
    #expect(shell.run("show counter").output == "value  0\nstep   1\n")
    #expect(shell.run("show tasks.items[*].title --as raw").output == "bread\n")
  }
}
