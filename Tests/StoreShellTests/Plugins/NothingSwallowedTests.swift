import Testing

@testable import StoreShell

/// No action is ever reported as done that was not processed, whichever way it is dispatched.
@Suite struct NothingSwallowedTests {
  /// Counts `add`; fails where `v` is bad or takes too long, drops it where the interceptor is shut, and refuses an odd one on
  /// purpose.
  private static let tally = """
    return plugin {
      state = { field("n", int()), field("shut", bool()) },
      actions = { { name = "add", quiet = true, args = { field("v", text()) } }, { name = "turn" } },
      reducers = {
        add = function(s, a)
          if a.v == "bad" then error("boom") end
          if a.v == "odd" then refuse("odd") end
          while a.v == "long" do end
          s.n = s.n + 1
        end,
        turn = function(s) s.shut = not s.shut end,
      },
      middleware = { { name = "spy", on = { "add" }, after = function(action)
        if action.args.v == "trip" then error("tripped") end
      end } },
      interceptors = { function(dispatch, get, next)
        return function(action)
          if action.name == "tally.add" and get().tally.shut then return end
          next(action)
        end
      end },
      commands = { { name = "put", args = { field("v", text()) },
        run = function(args, cmd) cmd:dispatch("add", { v = args.v }) end } },
    }
    """

  private static let values = ["a", "a", "a", "a", "bad", "odd", "trip", "long"]

  /// A session in which things go wrong, and the ways in which its records are dispatched.
  private struct Run {
    let shell: Shell
    var state: UInt64
    let folder: String

    mutating func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }

    var count: Int { Int(shell.run("show tally.n").output.dropLast()) ?? 0 }

    mutating func disturb() {
      switch below(10) {
      case 0: _ = shell.run("plugin disable tally")
      case 1, 2: _ = shell.run("plugin enable tally")
      case 3: _ = shell.run("dispatch tally.turn")
      case 4: _ = shell.run("middleware \(["on", "off"][below(2)]) tally.spy")
      case 5: _ = shell.run("plugin unload tally")
      case 6, 7: _ = shell.run("plugin load \(folder)")
      case 8: _ = shell.run("wait 1s")
      default: for _ in 1...3 { _ = shell.run("dispatch tally.add bad") }
      }
    }

    /// Dispatches some records in one of the ways.
    ///
    /// - Returns: the number that were reported as done.
    mutating func dispatch() throws -> (way: Int, done: Int) {
      let values = (0..<1 + below(6)).map { _ in NothingSwallowedTests.values[below(NothingSwallowedTests.values.count)]
      }
      let way = below(8)
      switch way {
      case 0, 1, 2:
        // What stands although something went wrong beside it says so by a note.
        shell.session.options.isQuiet = way == 1
        defer { shell.session.options.isQuiet = false }
        let command = way == 2 ? "tally put" : "dispatch tally.add"
        return (
          way,
          values.count { value in
            let outcome = shell.run("\(command) \(value)")
            if (outcome.output + outcome.errors).contains("dropped by") { return false }
            return !outcome.errors.contains("error[") || outcome.errors.contains("was applied")
              || outcome.errors.contains("tripped")
          }
        )
      case 3:
        shell.session.options.isJSON = true
        defer { shell.session.options.isJSON = false }
        return (
          way,
          values.count { value in
            let line = shell.run("dispatch tally.add \(value)").output
            return !line.contains("droppedBy") && (line.hasPrefix("{\"ok\":true") || line.contains("\"data\":{"))
          }
        )
      case 4, 5:
        let file = try shell.write("records.jsonl", values.map { "{\"v\":\"\($0)\"}\n" }.joined())
        let outcome = shell.run("ingest \(file) --as tally.add\(way == 4 ? "" : " --keep-going")")
        if let told = outcome.output.split(separator: " ").dropFirst().first { return (way, try #require(Int(told))) }
        // It ended by an error, which tells how many were ingested.
        let told = outcome.errors.split(separator: "\n").first { $0.contains(" ingested") }
        return (way, told.flatMap { Int($0.split(separator: " ")[0]) } ?? 0)
      case 6:
        let list = values.map { "\"\($0)\"" }.joined(separator: ", ")
        let loop = """
          lua n = 0; for _, v in ipairs { \(list) } do \
          local ok, done = pcall(dispatch, "tally.add", { v = v }); if ok and done then n = n + 1 end end; print(n)
          """
        return (way, try #require(Int(shell.run(loop).output.dropLast())))
      default:
        let lines = values.map { "try dispatch tally.add \($0)\necho $ok\n" }.joined()
        let outcome = try shell.run(script: lines)
        let beside = outcome.errors.ranges(of: "was applied").count
        return (way, outcome.output.ranges(of: "true\n").count + beside)
      }
    }
  }

  @Test(arguments: 1...12) func whatIsReportedAsDoneWasProcessed(seed: UInt64) throws {
    let shell = try Shell { $0.grants = ["tally"] }
    // So few actions a second that its command comes to its limit too.
    let limits = #"{"instructions": 20000, "actions": 6}"#
    let folder = try shell.plugin("tally", Self.tally, permissions: #"["intercept"]"#, limits: limits)
    _ = shell.run("plugin load \(folder)")
    var run = Run(shell: shell, state: seed, folder: folder)
    for step in 1...40 {
      if run.below(2) == 0 { run.disturb() }
      let before = run.count
      let (way, done) = try run.dispatch()
      #expect(run.count - before == done, "seed \(seed), step \(step), way \(way)")
    }
    // As a script it comes to the same.
    #expect(shell.run("export journal \(shell.folder)/run.stsh --as stsh").output.hasPrefix("wrote "))
    let other = try Shell {
      $0.grants = ["tally"]
      $0.keepsGoing = true
    }
    let again = other.outcome { other.session.run(file: "\(shell.folder)/run.stsh", arguments: []) }
    #expect(!again.errors.contains("assert-failed"), "\(again.errors)")
    #expect(other.run("show --as json").output == shell.run("show --as json").output)
  }

  @Test func anActionOfAPluginThatIsOffIsAnErrorWhereverItComesFrom() throws {
    let shell = try Shell()
    let file = try shell.write("e.jsonl", "{}\n{}\n")
    let off = try shell.plugin(
      "off",
      """
      return plugin { state = { field("n", int()) }, actions = { { name = "add" } },
        reducers = { add = function(s) s.n = s.n + 1 end } }
      """)
    _ = shell.run("plugin load \(off)", "plugin disable off")
    let sentence = "error[plugin-off]: off is off; off.add was not processed"
    shell.session.options.isQuiet = true
    for command in ["dispatch off.add", "lua dispatch(\"off.add\")"] {
      let outcome = shell.run(command)
      #expect(outcome.status == 1)
      #expect(outcome.errors.hasPrefix("-c:1:1: \(sentence)"), "\(outcome.errors)")
      #expect(outcome.errors.hasSuffix("hint: plugin enable off\n"))
    }
    let ingested = shell.run("ingest \(file) --as off.add")
    #expect(ingested.status == 1)
    #expect(ingested.errors.contains("error[plugin-off]: \(file):1: off is off; off.add was not processed"))
    #expect(ingested.errors.contains("0 records before it were ingested"))
    #expect(shell.run("try dispatch off.add", "echo $ok").output == "false\n")
    shell.session.options.isJSON = true
    #expect(shell.run("dispatch off.add").output.contains(#"{"ok":false,"#))
  }

  /// What another plugin dispatches fails too, and is told of.
  @Test func anActionThatAnotherPluginDispatchesIsToldOf() throws {
    let shell = try Shell { $0.grants = ["sender"] }
    let off = try shell.plugin("off", "return plugin { actions = { { name = \"add\" } } }")
    let sender = try shell.plugin(
      "sender",
      """
      return plugin { actions = { { name = "go" } }, middleware = { { name = "m", on = { "go" },
        after = function(_, ctx) ctx:dispatch("off.add") end } } }
      """, permissions: #"["dispatch:off.add"]"#)
    _ = shell.run("plugin load \(off)", "plugin load \(sender)", "plugin disable off")
    let outcome = shell.run("dispatch sender.go")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("error[plugin-off]: off is off; off.add was not processed"))
    #expect(shell.run("show shell.plugins[*].state --as raw").output == "off\non\n")
  }
}
