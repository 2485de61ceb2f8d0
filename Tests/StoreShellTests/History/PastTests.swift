import Testing

@testable import StoreShell

/// R27: looking at the past changes nothing, and nothing there can be changed.
@Suite struct PastTests {
  private static let refusal = """
    error[not-at-head]: the store shows #1 of 3; dispatching from the past would fork history
      hint: `goto head` returns to the present; `undo --to 1` makes #1 the present

    """

  private func shell() throws -> Shell {
    let shell = try Shell { $0.grants = ["pomodoro"] }
    _ = try shell.type(
      "dispatch tasks.add milk --quiet", "plugin load pomodoro", "dispatch pomodoro.start minutes=1 task=1 --quiet")
    return shell
  }

  @Test func thePastIsRead() throws {
    let shell = try shell()
    #expect(shell.session.prompt == "stsh> ")
    #expect(try shell.type("goto 1").output == "viewing #1 of 3 (read-only)\n")
    #expect(shell.session.prompt == "stsh @1/3> ")
    #expect(try shell.type("show tasks.summary", "= #state.tasks.items").output == "\"0 of 1 done\"\n1\n")
    #expect(try shell.type("describe").output.split(separator: "\n").count == 3)
    #expect(try shell.type("show pomodoro").errors.contains("there is no module 'pomodoro'"))
    #expect(try shell.type("log").output.split(separator: "\n").count == 2)
    #expect(try shell.type("plugin list").output.contains("pomodoro") == false)
    #expect(try shell.type("middleware").output.split(separator: "\n").count == 2)
    #expect(
      try shell.type("goto 2", "pomodoro status", "show pomodoro.phase").output.hasSuffix("idle 00:00\n\"idle\"\n"))
    #expect(try shell.type("goto #0", "show tasks.nextId").output == "viewing #0 of 3 (read-only)\n1\n")
    #expect(try shell.type("goto head", "pomodoro status").output == "at head (#3)\nwork 01:00 on milk\n")
    #expect(shell.session.prompt == "stsh> ")
    #expect(try shell.type("goto head").output == "at head (#3)\n")
  }

  @Test(arguments: [
    "dispatch counter.increment", "undo", "redo", "middleware on logger", "set emit never",
    "set runaway 4", "set plugin.purity always", "set journal.limit 9", "set plugin.watch on", "plugin reload pomodoro",
    "plugin load pomodoro",
    "plugin unload pomodoro",
    "plugin disable pomodoro", "effects cancel all", "wait 1s", "wait idle", "wait until state.counter.value == 1",
    "lua dispatch('counter.increment')",
  ])
  func whateverWouldChangeSomethingIsRefused(line: String) throws {
    let shell = try shell()
    _ = try shell.type("goto 1")
    let outcome = try shell.type(line)
    if ["plugin disable pomodoro", "plugin reload pomodoro"].contains(line) {
      // It is not loaded there.
      #expect(outcome.errors.hasPrefix("error["))
    } else {
      #expect(outcome.errors == Self.refusal)
    }
    #expect(outcome.status == 1)
    #expect(try shell.type("goto head", "effects").output.contains("pomodoro/clock/ticks"))
    #expect(shell.session.store.live.head == 3)
    #expect(
      try shell.type("show shell.settings[1].value", "show shell.plugins[1].state").output
        == "\"whenDifferent\"\n\"on\"\n")
    #expect(try shell.type("dispatch counter.increment --quiet", "show counter.value").output == "1\n")
  }

  @Test func whatIsShownBecomesThePresent() throws {
    let shell = try shell()
    #expect(try shell.type("goto 1", "undo --to 9").errors.hasPrefix("error[out-of-range]"))
    #expect(shell.session.prompt == "stsh @1/3> ", "a command that failed changes nothing")
    #expect(try shell.type("skip #1", "undo --to 1").errors.hasPrefix("error[not-at-head]"))
    let outcome = try shell.type("goto 1", "undo --to 1")
    #expect(outcome.output == "viewing #1 of 3 (read-only)\n#4 shell.restore to=1\n" && outcome.status == 0)
    #expect(shell.session.prompt == "stsh> ")
    #expect(try shell.type("effects", "plugin list", "redo --quiet", "effects").output.contains("clock/ticks"))
  }

  @Test func anIngestIsRefused() throws {
    let shell = try shell()
    let file = try shell.write("tasks.jsonl", "{\"title\":\"x\"}\n")
    _ = try shell.type("goto 1")
    #expect(try shell.type("ingest \(file) --as tasks.add").errors.contains("not-at-head"))
    #expect(shell.session.store.live.head == 3)
  }

  @Test func aWatchFollowsThePresent() throws {
    let shell = try shell()
    _ = try shell.type("watch counter.value", "goto 1")
    #expect(
      try shell.type("watch tasks.summary").errors
        == "error[not-at-head]: the store shows #1 of 3; a watch follows the present\n  hint: `goto head` returns to the present\n"
    )
    #expect(try shell.type("goto 2", "goto head").errors == "")
    #expect(try shell.type("dispatch counter.increment --quiet").errors.hasPrefix("[watch 1] counter.value  0 -> 1"))
  }

  @Test func timersGoOn() throws {
    let shell = try Shell {
      $0.grants = ["pomodoro"]
      $0.hasVirtualClock = false
    }
    _ = try shell.type("plugin load pomodoro", "dispatch pomodoro.start minutes=1 --quiet", "goto 1")
    let clock = shell.session.clock
    let due = try #require(clock.nextDeadline)
    #expect(try #require(clock.untilNext) <= due)
    let before = shell.session.store.live.head
    while clock.clock.now < due {}
    shell.session.runDue()
    #expect(shell.session.store.live.head > before)
    #expect(try shell.type("show pomodoro").errors.contains("pomodoro") == false)
  }

  @Test func oneValueOfThePast() throws {
    let shell = try shell()
    #expect(try shell.type("show pomodoro.phase --at 2", "show pomodoro.phase").output == "\"idle\"\n\"work\"\n")
    #expect(
      try shell.type("show --at 0 --as json").output
        == "{\"counter\":{\"value\":0,\"step\":1},\"tasks\":{\"nextId\":1,\"items\":[]}}\n")
    #expect(try shell.type("show pomodoro.left --at 1").errors.contains("there is no module 'pomodoro'"))
    #expect(try shell.type("show counter --at 9").errors.contains("there is no #9: the last action is #3"))
    #expect(try shell.type("goto 3", "show tasks.nextId --at 0", "show tasks.nextId").output.hasSuffix("1\n2\n"))
  }

  @Test func pointsAreCompared() throws {
    let shell = try shell()
    #expect(
      try shell.type("diff 0 1").output
        == "tasks.nextId  1 -> 2\ntasks.items[id=1]  + { id = 1, title = \"milk\", done = false }\n")
    #expect(
      try shell.type("diff 1 0").output
        == "tasks.nextId  2 -> 1\ntasks.items[id=1]  - { id = 1, title = \"milk\", done = false }\n")
    #expect(try shell.type("diff").output.split(separator: "\n").first == "pomodoro.phase  \"idle\" -> \"work\"")
    #expect(try shell.type("diff 2").output == (try shell.type("diff").output))
    #expect(try shell.type("diff 1 2", "diff #3 #3").output == "no change\nno change\n")
    let item = #"{"id":1,"title":"milk","done":false}"#
    #expect(
      try shell.type("diff 0 1 --as json", "diff 1 0 --as jsonl", "diff 0 1 --as raw").output == """
        [{"op":"replace","path":"tasks.nextId","from":1,"to":2},{"op":"add","path":"tasks.items[id=1]","to":\(item)}]
        {"op":"replace","path":"tasks.nextId","from":2,"to":1}
        {"op":"remove","path":"tasks.items[id=1]","from":\(item)}
        replace\ttasks.nextId\t1\t2
        add\ttasks.items[id=1]\t-\t{ id = 1, title = "milk", done = false }

        """)
    #expect(try shell.type("goto 1", "diff").output.contains("tasks.nextId  1 -> 2"))
    #expect(try Shell().type("diff").output == "no change\n")
  }

  @Test func numbersMayBearTheirSign() throws {
    let shell = try shell()
    #expect(try shell.type("goto #1 # one").output == "viewing #1 of 3 (read-only)\n")
    #expect(try shell.type("goto head # 1", "echo a #1").output == "at head (#3)\na\n")
    #expect(try shell.type("undo --to #2 --quiet", "diff #2 #3", "why #3 # three").output.hasPrefix("pomodoro.phase"))
    #expect(try shell.type("show counter.value #1").output == "0\n")
  }
}
