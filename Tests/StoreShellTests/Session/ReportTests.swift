import Platform
import ShellLanguage
import Testing

@testable import StoreShell

/// The report of a run, its status, and the file that it goes to.
@Suite struct ReportTests {
  private static func shell(_ form: String = "tap", to name: String = "report") throws -> Shell {
    let shell = try Shell()
    shell.session.options.report = RunReport(form, path: "\(shell.folder)/\(name)")
    return shell
  }

  private static func report(of shell: Shell, after status: Int32) throws -> String {
    #expect(shell.session.writeReport(after: status) == status)
    return try #require(shell.contents("report")).replacing(shell.folder, with: "FOLDER")
  }

  @Test func aFileThatIsNoReportStays() throws {
    let shell = try Self.shell(to: "script.stsh")
    try shell.write("script.stsh", "dispatch counter.increment\n")
    let refused = shell.outcome { shell.session.prepareReport(besides: []) }
    #expect(refused.status == 2)
    #expect(refused.errors.contains("that file is not a report, and would be replaced"), "\(refused.errors)")
    let read = shell.outcome {
      shell.session.prepareReport(besides: ["\(shell.folder)/./script.stsh"])
    }
    #expect(read.status != 0)
    #expect(shell.contents("script.stsh") == "dispatch counter.increment\n")
    for other in ["<?xml version=\"1.0\"?>\n<project/>", "<?xml version=\"1.0\"?>", "TAP"] {
      try shell.write("script.stsh", other)
      #expect(shell.outcome { shell.session.prepareReport(besides: []) }.status == 2, "\(other)")
    }
    // Of a large file the start tells.
    try shell.write("script.stsh", "secret")
    #expect(truncate("\(shell.folder)/script.stsh", 5 << 30) == 0)
    #expect(shell.outcome { shell.session.prepareReport(besides: []) }.status == 2)
    let suites = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n</testsuites>\n"
    for report in ["", "TAP version 13\n1..0\n", suites] {
      try shell.write("script.stsh", report)
      #expect(shell.outcome { shell.session.prepareReport(besides: []) } == .init())
      #expect(shell.contents("script.stsh") == report)
    }
  }

  @Test func whereItCannotBeWrittenNothingIsDone() throws {
    let shell = try Self.shell(to: "nowhere/report")
    let outcome = shell.outcome { shell.session.prepareReport(besides: []) }
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("error[no-such-file]"), "\(outcome.errors)")
  }

  @Test func aRunThatNeverBeganFailed() throws {
    let shell = try Self.shell()
    let status = try shell.run(script: "dispatch counter.increment\nshow \"open\n").status
    #expect(status == 2)
    let text = try Self.report(of: shell, after: status)
    #expect(text.hasPrefix("TAP version 13\n1..1\nnot ok 1 - FOLDER/script.stsh"), "\(text)")
    let missing = try Self.shell()
    let none = missing.outcome { missing.session.run(file: "\(missing.folder)/none.stsh", arguments: []) }
    #expect(try Self.report(of: missing, after: none.status).contains("not ok 1"))
  }

  @Test func aFailedStepMakesTheStatusWhereverItRan() throws {
    let shell = try Self.shell()
    let outcome = try shell.run(script: "lua command('step one assert false')\necho on\n")
    #expect(outcome.output == "FAIL one\n")
    #expect(outcome.errors.contains(":1:1: error[assert-failed]: a step that failed ends the line\n"))
    #expect(outcome.status == 3)
    #expect(try Self.report(of: shell, after: 3).contains("not ok 1 - one"))
    let tried = try Self.shell()
    let excused = try tried.run(
      script: "lua command('try step one assert false')\ntry lua command('step two assert false')\necho on\n")
    #expect(excused.output == "FAIL one\nFAIL two\non\n")
    #expect(excused.status == 3)
  }

  @Test func aRunThatLeftByAnErrorsStatusFailed() throws {
    let shell = try Self.shell()
    let status = try shell.run(script: "step one quit 3\n").status
    #expect(status == 3)
    #expect(try Self.report(of: shell, after: status).contains("the run ended with status 3"))
  }

  @Test func ofTriesTheLastCounts() throws {
    let shell = try Self.shell()
    _ = shell.run("let tries = 0", "lua function up() tries = tries + 1 return tries >= 3 end")
    #expect(shell.run("retry 5 every 1s step up assert up()").status == 0)
    #expect(try Self.report(of: shell, after: 0) == "TAP version 13\n1..1\nok 1 - up\n")
  }

  @Test func whatEndedTheRunIsNamed() throws {
    let shell = try Self.shell()
    let stop = RunStop()
    shell.session.obey(stop)
    _ = shell.run("lua function stop() return false end")
    stop.stop(.timeOver(.seconds(1)))
    shell.session.noteStep("slow", seconds: 1, .interrupted)
    let text = try Self.report(of: shell, after: 5)
    #expect(text.contains("the run did not end within 1.0s"), "\(text)")
  }

  // MARK: Files that a command names twice

  @Test func whatIsReadIsNotWritten() throws {
    let shell = try Shell()
    let records = #"{"title":"a"}"# + "\n{}\n"
    let file = try shell.write("in.jsonl", records)
    for line in [
      "ingest \(file) --as tasks.add --rejects \(file)",
      "ingest \(file) --as tasks.add --rejects \(shell.folder)/./in.jsonl",
      "ingest \(file) --as tasks.add --keep-going > \(file)", "source \(file) >> \(file)",
    ] {
      let outcome = shell.run(line)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("is a file that this command uses already"), "\(outcome.errors)")
      #expect(shell.contents("in.jsonl") == records)
    }
    #expect(shell.run("= #state.tasks.items").output == "0\n")
  }
}
