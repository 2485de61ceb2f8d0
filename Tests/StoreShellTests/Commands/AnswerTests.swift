import Glibc
import Platform
import StoreHost
import Testing

@testable import StoreShell

/// What the answer to an action says: what it changed, what it caused, what it took back.
@Suite struct AnswerTests {
  /// A plugin with an action that others follow: one of its middleware dispatches `rollback`, or `tick` many times.
  private static let lua = """
    return plugin {
      state = { field("phase", text()), field("ticks", int()) },
      actions = {
        { name = "start" }, { name = "rollback" }, { name = "echo" }, { name = "many", args = { field("n", int()) } },
        { name = "tick", quiet = true }, { name = "fail" }, { name = "faulty" }, { name = "step" },
      },
      reducers = {
        start = function(s) s.phase = "running" end,
        rollback = function(s) s.phase = "idle" end,
        tick = function(s) s.ticks = s.ticks + 1 end,
        step = function(s) s.ticks = s.ticks + 1 end,
        fail = function() error("no") end,
      },
      middleware = {
        { name = "watchdog", on = { "start" }, after = function(_, ctx) ctx:dispatch("deploy.rollback") end },
        { name = "second", on = { "rollback" }, after = function(_, ctx) ctx:dispatch("deploy.echo") end },
        { name = "loop", on = { "many" }, after = function(action, ctx)
          for i = 1, action.args.n do ctx:dispatch("deploy.tick") end
          for i = 1, action.args.n do ctx:dispatch("deploy.step") end
        end },
        { name = "trip", on = { "faulty" }, after = function(_, ctx) ctx:dispatch("deploy.fail") end },
      },
    }
    """

  private func shell(_ adjust: (inout SessionOptions) -> Void = { _ in }) throws -> Shell {
    let shell = try Shell(adjust)
    let folder = try shell.plugin("deploy", Self.lua)
    #expect(shell.run("plugin load \(folder)").status == 0)
    return shell
  }

  @Test func anAnswerListsWhatAnActionCaused() throws {
    let shell = try shell()
    #expect(
      try shell.type("dispatch deploy.start").output == """
        #2 deploy.start
          deploy.phase  "" -> "running"
          #3 deploy.rollback <- plugin:deploy/watchdog
            deploy.phase  "running" -> "idle"
          #4 deploy.echo <- plugin:deploy/second  (changed nothing)

        """)
    #expect(try shell.type("dispatch deploy.start --quiet").output == "")
    // Others' actions, and those that it did not cause, are not listed.
    #expect(try shell.type("dispatch deploy.step").output == "#8 deploy.step\n  deploy.ticks  0 -> 1\n")
  }

  @Test func manyAreFoldedAndQuietOnesAreALine() throws {
    let shell = try shell()
    let output = try shell.type("dispatch deploy.many n=12").output
    let lines = output.split(separator: "\n")
    #expect(lines.first == "#2 deploy.many n=12  (changed nothing)")
    #expect(lines.contains("  #3-14 deploy.tick x12 <- plugin:deploy/loop"))
    #expect(lines.contains("  #15 deploy.step <- plugin:deploy/loop"))
    #expect(lines.contains("    deploy.ticks  12 -> 13"))
    #expect(lines.last == "  ... 3 more, log --cause 2" || lines.last == "  … 3 more, log --cause 2", "\(output)")
    #expect(!output.contains("#24 "))
    // The log says all of them, and no other.
    let log = try shell.type("log --cause 2").output.split(separator: "\n").dropFirst()
    #expect(log.count == 24 - 12 + 1)
    #expect(log.first?.contains("deploy.tick x12") == true && log.last?.hasPrefix("#26 ") == true, "\(log)")
    #expect(try shell.type("log --cause 2 --all").output.split(separator: "\n").count == 25)
    #expect(try shell.type("log --cause 25").output.split(separator: "\n").count <= 1)
    #expect(try shell.type("log --cause x").errors.contains("number of an action"))
  }

  @Test func theLogFollowsCausesOfCauses() throws {
    let shell = try shell()
    _ = try shell.type("dispatch deploy.start --quiet", "dispatch deploy.start --quiet")
    let rows = try shell.type("log --cause 2").output.split(separator: "\n").dropFirst()
    #expect(rows.map { $0.prefix(2) } == ["#3", "#4"], "\(rows)")
  }

  @Test func whatWentWrongInItIsListedToo() throws {
    let outcome = try shell().type("dispatch deploy.faulty")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("  #3 deploy.fail <- plugin:deploy/trip  (failed: deploy: "), "\(outcome)")
  }

  @Test func dataHasWhatAnActionCaused() throws {
    let shell = try shell { $0.isJSON = true }
    let output = shell.run("dispatch deploy.start").output
    #expect(
      output.contains(
        #""data":{"id":2,"action":"deploy.start","changes":[{"op":"replace","path":"deploy.phase","from":"","to":"#
          + #""running"}],"caused":[{"id":3,"action":"deploy.rollback","args":{},"source":"plugin:deploy/watchdog","#
          + #""changes":[{"op":"replace","path":"deploy.phase","from":"running","to":"idle"}]},"#
          + #"{"id":4,"action":"deploy.echo","args":{},"source":"plugin:deploy/second","changes":[]}]}"#), "\(output)")
    #expect(!shell.run("dispatch deploy.step").output.contains("caused"))
  }

  @Test func anActionThatChangedNothingSaysSo() throws {
    let shell = try Shell()
    #expect(
      try shell.type("dispatch counter.increment by=0").output == "#1 counter.increment by=0  (changed nothing)\n")
    #expect(try shell.type("dispatch counter.increment by=0 --quiet").output == "")
    // What cannot be done is refused.
    #expect(
      try shell.type("dispatch tasks.complete id=99")
        == .init(errors: "error[failed]: there is no to-do 99\n", status: 1))
    #expect(try shell.type("dispatch tasks.remove id=99").errors == "error[failed]: there is no to-do 99\n")
    _ = try shell.type("dispatch tasks.add milk --quiet", "dispatch tasks.complete 1 --quiet")
    #expect(try shell.type("dispatch tasks.complete 1").output.hasSuffix("(changed nothing)\n"))
  }

  // MARK: Watches

  @Test func aWatchOfAListTellsItsElements() throws {
    let shell = try Shell()
    _ = try shell.type("dispatch tasks.add a --quiet", "dispatch tasks.add b --quiet", "watch tasks.items")
    #expect(
      try shell.type("dispatch tasks.add c --quiet").errors
        == "[watch 1] tasks.items[id=3]  + { id = 3, title = \"c\", done = false }  (#3 tasks.add)\n")
    #expect(
      try shell.type("dispatch tasks.complete 2 --quiet").errors
        == "[watch 1] tasks.items[id=2].done  false -> true  (#4 tasks.complete)\n")
    #expect(
      try shell.type("dispatch tasks.remove 1 --quiet").errors
        == "[watch 1] tasks.items[id=1]  - { id = 1, title = \"a\", done = false }  (#5 tasks.remove)\n")
  }

  @Test func aWatchOfARecordTellsItsFields() throws {
    let shell = try Shell()
    _ = try shell.type("watch counter")
    #expect(
      try shell.type("dispatch counter.setStep 5 --quiet").errors
        == "[watch 1] counter.step  1 -> 5  (#1 counter.setStep)\n"
    )
  }

  @Test func manyChangesAreASum() throws {
    let shell = try Shell()
    _ = try shell.type("dispatch tasks.add a --quiet", "watch tasks.items")
    let loop =
      "lua for i = 1, 1500 do dispatch('tasks.add', { title = 't' }) end for i = 2, 4 do "
      + "dispatch('tasks.complete', { id = i }) end dispatch('tasks.remove', { id = 1 })"
    let errors = try shell.type(loop).errors
    let lines = errors.split(separator: "\n")
    // The first are told one by one; the clock stands still, so all others are one.
    #expect(lines.count == 21, "\(errors.suffix(300))")
    #expect(lines[0] == "[watch 1] tasks.items[id=2]  + { id = 2, title = \"t\", done = false }  (#2 tasks.add)")
    #expect(
      lines[20]
        == "[watch 1] tasks.items  1,480 elements added, 1 removed, 3 changed  (#1505 tasks.remove, 1484 changes)")
    // The next statement is told one by one again.
    #expect(
      try shell.type("dispatch tasks.complete 9 --quiet").errors.contains("tasks.items[id=9].done  false -> true"))
    // One action with many changes.
    #expect(
      try shell.type("undo --to 1").errors
        == "[watch 1] tasks.items  1 element added, 1,500 removed  (#1507 shell.restore)\n")
  }

  @Test func aWatchMayTellAll() throws {
    let shell = try Shell()
    _ = try shell.type("watch tasks.items --all")
    let loop = "lua for i = 1, 50 do dispatch('tasks.add', { title = 't' }) end"
    #expect(try shell.type(loop).errors.split(separator: "\n").count == 50)
    #expect(try shell.type("undo --quiet").errors.split(separator: "\n").count == 50)
  }

  @Test func aSumIsToldWithinASecond() throws {
    let shell = try Shell()
    _ = try shell.type("watch tasks.items")
    let loop = "for i = 1, 50 do dispatch('tasks.add', { title = 't' }) end "
    let waited = try shell.type("lua \(loop) command('wait 1s') \(loop) command('wait 1s') command('echo done')")
    #expect(waited.errors.split(separator: "\n").count { $0.contains("30 elements added") } == 2, "\(waited.errors)")
  }

  @Test func eventsHaveDifferencesOrTheirSum() throws {
    let shell = try Shell { $0.isJSON = true }
    let lines = shell.run(
      "watch tasks.items", "dispatch tasks.add a --quiet",
      "lua for i = 1, 30 do dispatch('tasks.add', { title = 't' }) end"
    ).output.split(separator: "\n")
    #expect(
      lines.contains(
        #"{"event":"watch","id":1,"path":"tasks.items","differences":[{"op":"add","path":"tasks.items[id=1]","to":{"#
          + #""id":1,"title":"a","done":false}}],"action":1}"#), "\(lines)")
    #expect(
      lines.contains(
        #"{"event":"watch","id":1,"path":"tasks.items","differences":[{"op":"add","path":"tasks.items[id=2]","to":{"#
          + #""id":2,"title":"t","done":false}}],"action":2}"#))
    _ = shell.run("dispatch tasks.add z --quiet")
    let undone = shell.run("undo --to 1 --quiet").output
    #expect(
      undone.contains(
        #"{"event":"watch","id":1,"path":"tasks.items","added":0,"removed":31,"changed":0,"action":33}"#), "\(undone)")
  }

  // MARK: Undo and redo

  @Test func undoAndRedoSayInDataWhatTheyReturn() throws {
    let shell = try Shell {
      $0.isJSON = true
      $0.who = "ann"
    }
    _ = shell.run("dispatch tasks.add milk", "dispatch counter.increment by=4")
    #expect(
      shell.run("undo").output.contains(
        #""data":{"id":3,"action":"shell.restore","args":{"to":1},"who":"ann","changes":[{"op":"replace","path":"#
          + #""counter.value","from":4,"to":0}],"takesBack":[{"id":2,"action":"counter.increment","args":{"by":4},"#
          + #""who":"ann"}]}"#))
    #expect(
      shell.run("redo").output.contains(
        #""bringsBack":[{"id":2,"action":"counter.increment","args":{"by":4},"who":"ann"}]}"#))
    #expect(
      shell.run("undo --to 0").output.contains(
        #""takesBack":[{"id":1,"last":4,"count":4,"action":"tasks.add","args":{"title":"milk"},"who":"ann"}]}"#))
  }

  @Test func aLongUndoIsCutOnAScreen() throws {
    let file = "/tmp/stsh-long-undo-\(getpid())"
    let descriptor = open(file, O_RDWR | O_CREAT, 0o600)
    defer {
      close(descriptor)
      unlink(file)
    }
    let shell = try Shell {
      $0.isUTF8 = true
    } over: { options, _ in
      try Session(.hosted, options: options, console: Console(output: descriptor, width: { 100 }))
    }
    let loop = "lua for i = 1, 300 do dispatch('tasks.add', { title = 't' }) end"
    _ = shell.run(loop, "undo")
    let lines = String(decoding: try Files.read(file), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 22, "\(lines)")
    #expect(lines.last == "  … 281 more changes; diff 300 301 shows all of them")
    // A file gets all.
    #expect(try Shell().run(loop, "undo").output.split(separator: "\n").count == 302)
  }
}
