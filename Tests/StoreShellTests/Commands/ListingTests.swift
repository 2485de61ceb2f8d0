import Glibc
import Testing

@testable import StoreShell

/// `log`, `watch`, `describe`, `middleware`, `plugin`, `set` and `trace`.
@Suite struct ListingTests {
  /// An index means the item that stands there now.
  @Test(arguments: ["[1]", "[-2]", "[id=1]"]) func logFindsChangesOfAnItem(selector: String) throws {
    let shell = try Shell { $0.isQuiet = true }
    _ = shell.run("dispatch tasks.add a", "dispatch tasks.add b", "dispatch tasks.complete 1")
    let log = shell.run("log --changed tasks.items\(selector).done --as csv").output
    #expect(log.contains("tasks.complete") && !log.contains("\"\"b\"\""), "\(log)")
  }

  @Test func quietActionsAreFolded() throws {
    let shell = try TickingPlugin.shell()
    _ = try shell.type("dispatch ticking.go", "dispatch counter.increment")
    let lines = try shell.type("log").output.split(separator: "\n").map {
      $0.split(separator: "  ").map { $0.drop { $0 == " " } }
    }
    #expect(
      lines == [
        ["n", "at", "source", "action", "changed"],
        ["#1", "0.0s", "repl:1", "shell.loadPlugin name=\"ticking\" version=\"1.2.3\"", "-"],
        ["#2", "0.0s", "repl:2", "ticking.go", "-"],
        ["#3-5", "0.0s", "plugin:ticking/m", "ticking.tick x3", "ticking.n"],
        ["#6", "0.0s", "repl:3", "counter.increment", "counter.value"],
      ])
    let all = try shell.type("log --all --action ticking.*").output.split(separator: "\n")
    #expect(all.count == 5)
    #expect(all[2].hasPrefix("#3  0.0s  plugin:ticking/m  ticking.tick  ticking.n"))
    #expect(try shell.type("log 1").output.split(separator: "\n").count == 2)
    #expect(try shell.type("log --changed counter").output.split(separator: "\n").count == 2)
    #expect(try shell.type("log --changed counter.step").output.split(separator: "\n").count == 1)
    #expect(try shell.type("log --changed ticking.n").output.split(separator: "\n").count == 2)
    #expect(try shell.type("log --action *.increment").output.contains("#6"))
    #expect(try shell.type("log --action counter").output.split(separator: "\n").count == 1)
  }

  @Test func theLogShowsTwentyLinesUnlessTold() throws {
    let shell = try Shell()
    _ = try shell.type("lua for i = 1, 30 do dispatch('counter.increment') end")
    #expect(try shell.type("log").output.split(separator: "\n").count == 21)
    #expect(try shell.type("log").output.contains("#11 "))
    #expect(try shell.type("log 25").output.split(separator: "\n").count == 26)
    #expect(try shell.type("log --all").output.split(separator: "\n").count == 31)
    #expect(try shell.type("log 3 --all").output.split(separator: "\n").count == 4)
  }

  @Test func aFailedActionIsLoggedWithoutChanges() throws {
    let shell = try TickingPlugin.shell()
    let bad = try shell.plugin(
      "bad",
      "return plugin { state = { field('n', int { min = 0 }) }, actions = { { name = 'dec' } }, reducers = { dec = function(s) s.n = s.n - 1 end } }"
    )
    _ = try shell.type("plugin load \(bad)")
    let outcome = try shell.type("dispatch bad.dec")
    #expect(outcome.output == "")
    #expect(outcome.status == 1)
    #expect(outcome.errors.hasPrefix("error[plugin-schema]: bad: "))
    #expect(try shell.type("log --action bad.*").output.contains("bad.dec  failed: bad: "))
    #expect(try shell.type("show bad.n").output == "0\n")
  }

  @Test func watchersPrintChangesUntilTheyStop() throws {
    let shell = try Shell()
    let outcome = try shell.type(
      "watch counter.value", "watch tasks.items[id=1].done", "dispatch counter.increment --quiet",
      "dispatch tasks.add a --quiet", "dispatch tasks.complete 1 --quiet", "dispatch counter.setStep 1 --quiet",
      "watch",
      "watch stop 1", "dispatch counter.increment --quiet", "dispatch tasks.remove 1 --quiet", "watch stop all", "watch"
    )
    #expect(outcome.status == 0)
    #expect(
      outcome.errors == """
        error[unknown-path]: 'tasks.items' has no item with id = 1
          watch tasks.items[id=1].done
                ^~~~~~~~~~~~~~~~~~~~~~
        [watch 1] counter.value  0 -> 1  (#1 counter.increment)

        """)
    #expect(outcome.output.hasPrefix("watch 1: counter.value = 0\nid  path\n1   counter.value\n"))
    #expect(outcome.output.utf8.count { $0 == 0x0A } <= 4)
  }

  @Test func watchesAndLogLinesAreEventsInJSON() throws {
    let shell = try Shell { $0.isJSON = true }
    let outcome = shell.run("watch counter.value", "middleware on logger", "dispatch counter.increment")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.contains(#"{"event":"watch","id":1,"path":"counter.value","from":0,"to":1,"action":2}"#))
    #expect(
      lines.contains {
        $0.hasPrefix(#"{"event":"log","id":2,"action":"counter.increment","source":"-c:3","user":""#)
          && $0.hasSuffix(#"","changes":[{"op":"replace","path":"counter.value","from":0,"to":1}]}"#)
      })
    #expect(outcome.errors == "")
  }

  @Test func aWatchOfAProjectionAndOfAListing() throws {
    let shell = try TickingPlugin.shell()
    let outcome = try shell.type(
      "watch ticking.double", "watch tasks.summary", "dispatch ticking.tick --quiet", "dispatch tasks.add a --quiet")
    #expect(outcome.output == "watch 1: ticking.double = 0\nwatch 2: tasks.summary = \"0 of 0 done\"\n")
    #expect(
      outcome.errors
        == "[watch 1] ticking.double  0 -> 2  (#2 ticking.tick)\n[watch 2] tasks.summary  \"0 of 0 done\" -> \"0 of 1 done\"  (#3 tasks.add)\n"
    )
  }

  @Test func describeShowsAllOfAModule() throws {
    let shell = try TickingPlugin.shell()
    #expect(
      try shell.type("describe ticking").output == """
        module ticking (lua)
        state
          n  Int  >= 0
        actions
          ticking.go
          ticking.tick
        projections
          ticking.double  Int
        commands
          ticking say  says it
          ticking row  gives a row
        middleware
          ticking.m

        """)
    let csv = try shell.type("describe --as csv").output
    #expect(
      csv.replacing("\r\n", with: "\n")
        == "module,origin,fields,actions,projections\ncounter,swift,2,4,0\ntasks,swift,2,3,2\nticking,lua,1,2,1\n")
  }

  @Test func describeShowsWhatAPluginDoesBesideItsModule() throws {
    let shell = try Shell { $0.grants = ["helper"] }
    let folder = try shell.plugin(
      "helper",
      """
      return plugin {
        lifted = { { at = "counter", on = "counter.double", args = {}, reduce = function(s) s.value = s.value * 2 end } },
        bridges = { { from = "tasks.add", to = "counter.increment" } },
        transitions = { { at = "counter.value", to = 100, dispatch = "counter.reset" } },
        interceptors = { function(dispatch, get, next) return function(action) next(action) end end },
        thunks = { fill = { args = { field("upTo", int()) }, run = function() end } },
      }
      """,
      permissions:
        #"["read:tasks","read:counter","reduce:counter","dispatch:counter.increment","dispatch:counter.reset","intercept"]"#
    )
    let outcome = try shell.type("plugin load \(folder) > /dev/null", "describe helper")
    #expect(outcome.errors == "")
    #expect(
      outcome.output == """
        module helper (lua)
        lifted reducers
          counter.double on counter
        bridges
          tasks.add -> counter.increment
        transitions
          counter.value -> counter.reset
        interceptors
          helper.interceptor1
        thunks
          helper.fill upTo:Int

        """)
  }

  /// The authors' own words: what an action is for, and its arguments.
  @Test func helpExplainsAnAction() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "cafe",
      """
      return plugin { state = { field("cups", int(), "How many there are.") },
        actions = { { name = "brew", doc = "Makes coffee.", args = {
          field("cups", int { default = 2 }, "How many."), field("strong", bool()) } } } }
      """)
    let outcome = try shell.type("plugin load \(folder) > /dev/null", "help cafe.brew")
    #expect(
      outcome.output == """
        usage: dispatch cafe.brew cups:Int=2 strong:Bool
        Makes coffee.
        arguments
          cups  How many.
        describe cafe shows its state

        """)
    let module = try shell.type("describe cafe --json").output
    #expect(module.contains(#""doc":"How many there are.""#) && module.contains(#""doc":"Makes coffee.""#))
    #expect(try shell.type("help cafe.brw").errors.contains("did you mean 'cafe.brew'?"))
    #expect(try shell.type("plugin stubs \(shell.folder)").status == 0)
    #expect(shell.contents("types/store.lua")?.contains("---Makes coffee.\n---@alias cafe.brew ") == true)
  }

  @Test func aModuleAndAWatchAreValuesToo() throws {
    let shell = try TickingPlugin.shell()
    let module = """
      {"module":"ticking","origin":"lua","state":[{"name":"n","type":"Int","detail":">= 0","doc":null}],\
      "actions":[{"name":"ticking.go","arguments":[],"doc":null},{"name":"ticking.tick","arguments":[],"doc":null}],\
      "projections":[{"name":"ticking.double","type":"Int"}],\
      "commands":[{"name":"ticking say","summary":"says it"},{"name":"ticking row","summary":"gives a row"}]}
      """
    #expect(try shell.type("describe ticking --as json").output == module + "\n")
    #expect(
      try shell.type("describe counter --as lua").output.contains(#"arguments = { { name = "by", type = "Int?""#))
    #expect(
      try shell.type("watch counter --json", "echo $_ > /dev/null").output
        == #"{"id":1,"path":"counter","value":{"value":0,"step":1}}"# + "\n")
    shell.session.options.isJSON = true
    let answers = try shell.type("describe ticking", "watch ticking.n").output.split(separator: "\n")
    #expect(answers.contains { $0.hasSuffix(#""data":\#(module)}"#) })
    #expect(answers.contains { $0.hasSuffix(#""data":{"id":2,"path":"ticking.n","value":0}}"#) })
  }

  @Test func gatesMoveAndCount() throws {
    let shell = try TickingPlugin.shell()
    let outcome = try shell.type(
      "dispatch ticking.go --quiet", "middleware off ticking.m", "dispatch ticking.go --quiet", "show ticking.n",
      "show shell.middleware[name=ticking.m].gate")
    #expect(outcome.output == "#6 shell.setGate name=\"ticking.m\" open=false\n0\n\"off\"\n")
    #expect(try shell.type("show shell.middleware[*].name --as json").output == "[\"logger\",\"ticking.m\"]\n")
  }

  @Test func theShellsListingsAreProjections() throws {
    let shell = try TickingPlugin.shell()
    _ = try shell.type("dispatch tasks.add milk --quiet")
    #expect(try shell.type("show shell.log[2].args.title").output == "\"milk\"\n")
    #expect(try shell.type("show shell.log[2].changed[1]").output == "\"tasks.nextId\"\n")
    #expect(try shell.type("show shell.log[2].source.kind").output == "\"repl\"\n")
    #expect(try shell.type("show shell.plugins[name=ticking].version").output == "\"1.2.3\"\n")
  }

  @Test func settingsChangeAndSayWhereTheyAre() throws {
    let shell = try Shell()
    #expect(
      try shell.type("set output json", "show counter", "set output").output == "{\"value\":0,\"step\":1}\n\"json\"\n")
    let outcome = try shell.type(
      "set output auto", "set emit never", "set runaway 5", "watch counter.value", "dispatch counter.increment --quiet")
    #expect(outcome.errors == "")
    #expect(
      try shell.type("show shell.settings[*].value --as json").output
        == "[\"never\",\"on\",\"on\",\"100000, 64MiB\",\"auto\",\"1000000\",\"20000000\",\"1000\",\"268435456\",\"1000000\","
        + "\"sampled\",\"off\",\"5\",\"50\",\"off\"]\n"
    )
    #expect(shell.session.store.live.recent().count == 3)
  }

  @Test func aRunawayIsStopped() throws {
    let shell = try Shell { $0.grants = ["loop"] }
    let folder = try shell.plugin(
      "loop",
      "return plugin { actions = { { name = 'go' } }, middleware = { { name = 'm', after = function(_, ctx) ctx:dispatch('loop.go') end } } }",
      permissions: "[\"dispatch:loop.go\"]")
    let outcome = try shell.type("plugin load \(folder)", "set runaway 10", "dispatch loop.go")
    #expect(outcome.errors.hasPrefix("error[runaway]: "))
    #expect(outcome.status == 1)
    #expect(try shell.type("dispatch counter.increment").status == 0)
  }

  @Test func tracesOfTheSameRunAreTheSame() throws {
    func trace() throws -> String {
      let shell = try TickingPlugin.shell()
      return try shell.type(
        "trace on --stable", "dispatch ticking.go --quiet", "dispatch counter.reset --quiet", "trace off",
        "dispatch counter.reset --quiet"
      ).errors
    }
    let text = try trace()
    #expect(try trace() == text)
    #expect(text.hasPrefix("Q 2 ticking.go\n"))
    #expect(text.contains("Q 3 ticking.tick <2\n"))
    #expect(!text.contains("ms "))
    #expect(text.hasSuffix("D 6\n"))
  }

  /// A row has room for more than the places that an action changed.
  @Test func ofManyPlacesThatAnActionChangedTheFirstAreNamed() throws {
    let shell = try Shell()
    _ = try shell.type("lua for i = 1, 9 do dispatch('tasks.add', { title = 'x' }) end", "undo")
    #expect(try shell.type("log 1").output.hasSuffix("  tasks.nextId, tasks.items[id=1], … 8 more\n"))
    shell.session.options.isUTF8 = false
    #expect(try shell.type("log 1").output.hasSuffix("  tasks.nextId, tasks.items[id=1], ... 8 more\n"))
    #expect(
      try shell.type("help echo").output.hasPrefix(
        "usage: echo WORD...\nprints words, with variables and $(...) replaced\n"))
    #expect(try shell.type("show $nothing").errors.hasSuffix("hint: set it with: let nothing = ...\n"))
  }

  /// A person is told that no line was found; a file gets lines alone.
  @Test func linesThatAreNotFoundAreSpokenOf() throws {
    let shell = try Shell()
    #expect(
      try shell.type("echo a", "history zzz", "history yyy --last 3").output.hasSuffix(
        "a\n(no lines)\n(no lines)\n"))
    #expect(try shell.type("history xxx > \(shell.folder)/lines").output == "")
    #expect(shell.contents("lines") == "")
    #expect(try shell.type("history www --as json").output == "[]\n")
  }

  /// What goes to a file has the same form at any width.
  @Test(arguments: [
    "help set", "help", "help tasks.add", "set --help", "help not-skipped", "describe tasks.add", "help tasks",
  ])
  func helpInAFileIsTheSameAtAnyWidth(line: String) throws {
    let texts = try [nil, 40, 60, 200].map { width in
      let shell = try Shell(over: { options, _ in
        try Session(.hosted, options: options, console: Console(output: open("/dev/null", O_WRONLY), width: { width }))
      })
      _ = try shell.type("\(line) > \(shell.folder)/help")
      return shell.contents("help")
    }
    #expect(texts[0]?.isEmpty == false && Set(texts).count == 1, "\(texts)")
  }

  /// A screen shows the first changes of an action, and counts the others; a file gets all.
  @Test func manyChangesAreCounted() throws {
    let shown = tmpfile()
    defer { fclose(shown) }
    let shell = try Shell(over: { options, _ in
      try Session(.hosted, options: options, console: Console(output: fileno(shown), width: { 120 }))
    })
    _ = try shell.type(
      "lua for i = 1, 1500 do dispatch('tasks.add', { title = 'a' }) end", "undo", "redo > \(shell.folder)/all")
    let lines = try #require(Shell.contents("/dev/fd/\(fileno(shown))")).split(separator: "\n")
    #expect(lines.count == 22)
    #expect(lines[0] == "#1501 shell.restore to=0  (takes back lua: #1-#1500)")
    #expect(lines[21] == "  … 1481 more changes; diff 1500 1501 shows all of them")
    #expect(shell.contents("all")?.split(separator: "\n").count == 1502)
  }
}
