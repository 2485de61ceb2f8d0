import Testing

@testable import StoreShell

/// `try` and `time`: commands in front of commands.
@Suite struct PrefixTests {
  @Test func tryGoesOnAndSaysWhatHappened() throws {
    let outcome = try Shell().run(
      "echo $ok $err", "try dispatch tasks.ad x", "echo $ok $(err.code) $(err.message)", "echo $(err.hint)",
      "try dispatch tasks.add milk", "echo $ok $err", "= ok and err == nil")
    #expect(
      outcome
        == .init(
          output: """
            true null
            false unknown-action unknown action 'tasks.ad'
            did you mean 'tasks.add'?
            #1 tasks.add title="milk"
              tasks.nextId  1 -> 2
              tasks.items[id=1]  + { id = 1, title = "milk", done = false }
            true null
            true

            """,
          errors: """
            -c:2:14: error[unknown-action]: unknown action 'tasks.ad'
              try dispatch tasks.ad x
                           ^~~~~~~~
              hint: did you mean 'tasks.add'?

            """))
  }

  @Test func whatFailsUnderTryDoesNotCount() throws {
    let shell = try Shell { $0.keepsGoing = true }
    let outcome = shell.run("try assert false", "try show nowhere", "assert false", "echo end")
    #expect(outcome.status == 3)
    #expect(outcome.errors.hasSuffix("1 of 4 commands failed\n"))
    #expect(outcome.output == "end\n")
  }

  @Test func trySuitsEveryKindOfFailure() throws {
    let shell = try Shell()
    let inner = try shell.write("inner.stsh", "echo in\nassert false\necho never\n")
    let broken = try shell.write("broken.stsh", "echo \"\n")
    let outcome = shell.run(
      "try source \(inner)", "echo $(err.code)", "try source \(broken)", "echo $(err.code)", "try show counter --jsn",
      "echo $(err.code)", "try lua error('boom')", "echo $(err.code)", "try try assert false", "echo $ok",
      "try let x = nope.y", "try wait until false --timeout 1s", "echo $(err.code)")
    #expect(
      outcome.output == "in\nassert-failed\nsyntax\nunknown-flag\nlua-error\nfalse\ntimed-out\n")
    #expect(outcome.status == 0)
  }

  @Test func onlyTheOneCommandIsExcused() throws {
    let shell = try Shell()
    let outer = try shell.write("outer.stsh", "try assert false\nassert 1 == 2\n")
    #expect(shell.run("source \(outer)", "echo never") == shell.run("source \(outer)", "echo never"))
    #expect(shell.run("source \(outer)", "echo never").status == 3)
    #expect(shell.run("source \(outer)", "echo never").output == "")
    #expect(shell.run("try quit 4", "echo never") == .init(status: 4))
  }

  @Test func tryNeedsACommand() throws {
    let outcome = try Shell().run("try")
    #expect(outcome.errors.hasPrefix("-c:1:1: error[missing-argument]: try needs a command\n"))
  }

  @Test func withJSONAFailureUnderTryIsAnObjectLikeAnyOther() throws {
    let shell = try Shell { $0.isJSON = true }
    let outcome = shell.run("try assert false", "echo $ok")
    #expect(
      outcome.output == """
        {"ok":false,"file":"-c","line":1,"error":{"code":"assert-failed","message":"false does not hold","column":1}}
        {"ok":true,"line":2,"data":"false"}

        """)
    #expect(outcome.status == 0)
  }

  @Test func timeIsThatOfTheWallAlsoWhereTheClockIsVirtual() throws {
    let shell = try Shell()
    var seconds = 0
    shell.session.clock.wallTime = {
      seconds += 1
      return .seconds(seconds)
    }
    #expect(shell.run("time wait 10min").output == "1.000s, 0 actions\n")
  }

  @Test func timeCountsActions() throws {
    let shell = try Shell()
    let outcome = shell.run(
      "time lua for i = 1, 3 do dispatch('counter.increment') end", "time wait 2s",
      "time show counter.value > /dev/null",
      "time try assert false")
    #expect(
      outcome.output
        == "0.0 ms, 3 actions\n2.000s, 0 actions\n0.0 ms, 0 actions\n0.0 ms, 0 actions\n")
    #expect(outcome.status == 0)
    let json = try Shell { $0.isJSON = true }
    #expect(
      json.run("time show counter.value").output
        == "{\"ok\":true,\"line\":1,\"data\":{\"result\":0,\"seconds\":0.000,\"actions\":0,\"rate\":null}}\n")
  }

  @Test func timeCountsNoActionsOfEarlierSessions() throws {
    let shell = try Shell { $0.isQuiet = true }
    let store = "\(shell.folder)/a.db"
    #expect(shell.openStore(store) == .init())
    _ = shell.run("dispatch counter.increment", "dispatch counter.increment")
    #expect(shell.session.endJournal() == 0)
    let later = try Shell { $0.isQuiet = true }
    #expect(later.openStore(store) == .init())
    #expect(later.run("time dispatch counter.increment").output == "0.0 ms, 1 action\n")
  }

  @Test func theResultOfTheInnerCommandIsRedirected() throws {
    let shell = try Shell()
    let outcome = shell.run("time echo hello > \(shell.folder)/out", "try echo more >> \(shell.folder)/out")
    #expect(outcome.output == "0.0 ms, 0 actions\n")
    #expect(shell.contents("out") == "hello\nmore\n")
  }
}
