import Testing

@testable import StoreShell

/// `supervise = { over, task, reset }`: a task for each entry of a map.
@Suite struct EntryTaskTests {
  private static func lua(reset: String = "") -> String {
    """
    return plugin {
      state = { field("rows", map(record("Row", { field("due", number()), field("note", text()) }))),
        field("done", list(text())) },
      actions = {
        { name = "put", args = { field("id", text()), field("due", number()), field("note", text { default = "" }) } },
        { name = "drop", args = { field("id", text()) } },
        { name = "ring", args = { field("id", text()), field("note", text()) } },
      },
      reducers = {
        put = function(s, a) s.rows[a.id] = { due = a.due, note = a.note } end,
        drop = function(s, a) s.rows[a.id] = nil end,
        ring = function(s, a) s.done[#s.done + 1] = a.id .. a.note s.rows[a.id] = nil end,
      },
      middleware = { { name = "bell", supervise = { over = "rows", \(reset)
        task = function(task, key, row)
          task:sleep_until(row.due)
          task:dispatch("ring", { id = key, note = row.note })
        end } } },
    }
    """
  }

  private func shell(reset: String = "", tasks: Int = 100) throws -> Shell {
    let shell = try Shell { $0.grants = ["alarm"] }
    let folder = try shell.plugin(
      "alarm", Self.lua(reset: reset), permissions: #"["timers"]"#, limits: #"{"tasks": \#(tasks)}"#)
    #expect(shell.run("plugin load \(folder)").status == 0)
    return shell
  }

  private func done(_ shell: Shell) -> String { shell.run("show alarm.done --as json").output }

  @Test func eachEntryHasATaskThatEndsWithIt() throws {
    let shell = try shell()
    _ = shell.run(
      "dispatch alarm.put b 20", "dispatch alarm.put a 10", "dispatch alarm.put c 30", "dispatch alarm.drop c")
    #expect(shell.run("effects").output == "id            wakes\nalarm/bell/b  in 20.0s\nalarm/bell/a  in 10.0s\n")
    #expect(shell.run("wait 15s").status == 0)
    #expect(done(shell) == "[\"a\"]\n")
    #expect(shell.run("wait 1h").status == 0)
    #expect(done(shell) == "[\"a\",\"b\"]\n")
    // A key that comes again has a task again.
    _ = shell.run("dispatch alarm.put a 4000", "wait 1h")
    #expect(done(shell) == "[\"a\",\"b\",\"a\"]\n")
  }

  @Test func whatIsPastIsDueAtOnceTheEarliestFirst() throws {
    let shell = try shell()
    _ = shell.run(
      "middleware off alarm.bell", "dispatch alarm.put a 3", "dispatch alarm.put b 2", "dispatch alarm.put c 1")
    _ = shell.run("wait 10s", "middleware on alarm.bell")
    #expect(done(shell) == "[\"c\",\"b\",\"a\"]\n")
  }

  @Test func anEntryThatChangesLeavesItsTaskAlone() throws {
    let shell = try shell()
    _ = shell.run("dispatch alarm.put a 10 old", "dispatch alarm.put a 90 new", "wait 15s")
    #expect(done(shell) == "[\"aold\"]\n")
  }

  @Test func unlessTheFieldChangesThatResetNames() throws {
    let shell = try shell(reset: "reset = \"due\",")
    _ = shell.run(
      "dispatch alarm.put a 10 old", "dispatch alarm.put a 90 new", "dispatch alarm.put a 90 newer", "wait 15s")
    #expect(done(shell) == "[]\n")
    _ = shell.run("wait 80s")
    #expect(done(shell) == "[\"anew\"]\n")
  }

  private static let timed = """
    return plugin {
      state = { field("rows", map(record("Row", { field("due", number()), field("note", text()) }))), field("done", list(text())) },
      actions = {
        { name = "put", args = { field("id", text()), field("due", number()), field("note", text { default = "" }) } },
        { name = "drop", args = { field("id", text()) } },
        { name = "ring", args = { field("id", text()), field("note", text()) } },
      },
      reducers = {
        put = function(s, a) s.rows[a.id] = { due = a.due, note = a.note } end,
        drop = function(s, a) s.rows[a.id] = nil end,
        ring = function(s, a)
          if a.note == "no" then refuse("not now") end
          s.done[#s.done + 1] = a.id .. a.note s.rows[a.id] = nil
        end,
      },
      middleware = { { name = "bell", supervise = { over = "rows", at = "due",
        task = function(task, key, row) task:dispatch("ring", { id = key, note = row.note }) end } } },
    }
    """

  /// With `at` the tasks start at the times that their entries say; until then one effect waits for all of them.
  @Test func tasksStartAtTheTimesOfTheirEntries() throws {
    let shell = try Shell { $0.grants = ["alarm"] }
    let folder = try shell.plugin("alarm", Self.timed, permissions: #"["timers"]"#, limits: #"{"tasks": 5}"#)
    _ = shell.run(
      "plugin load \(folder)", "dispatch alarm.put b 20", "dispatch alarm.put a 10", "dispatch alarm.put c 30")
    #expect(shell.run("effects").output == "id              wakes\nalarm/bell/due  in 10.0s\n")
    _ = shell.run("dispatch alarm.put b 5 earlier", "dispatch alarm.drop c")
    #expect(shell.run("effects").output == "id              wakes\nalarm/bell/due  in 5.0s\n")
    _ = shell.run("wait 5s")
    #expect(done(shell) == "[\"bearlier\"]\n")
    _ = shell.run("dispatch alarm.put a 50", "wait 20s")
    #expect(done(shell) == "[\"bearlier\"]\n")
    // What is past starts at once, and behind a shut gate when it opens, the earliest first.
    _ = shell.run("dispatch alarm.put d 1")
    #expect(done(shell) == "[\"bearlier\",\"d\"]\n")
    _ = shell.run(
      "middleware off alarm.bell", "dispatch alarm.put e 3", "dispatch alarm.put f 2", "middleware on alarm.bell")
    _ = shell.run("wait 1h")
    #expect(done(shell) == "[\"bearlier\",\"d\",\"f\",\"e\",\"a\"]\n")
    #expect(shell.run("effects").output == "(no effects)\n")
    #expect(shell.run("wait idle").status == 0)
  }

  /// Against a model: random times, changes, removals, undo, gates and waits; each entry rings once, not before its time.
  @Test(arguments: 1...6) func eachEntryRingsOnceAtItsTime(seed: Int) throws {
    let shell = try Shell { $0.grants = ["alarm"] }
    let folder = try shell.plugin("alarm", Self.timed, permissions: #"["timers"]"#, limits: #"{"tasks": 50}"#)
    _ = shell.run("plugin load \(folder)")
    var state = UInt64(seed)
    func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    var due: [String: Int] = [:]
    var rung: [String: Int] = [:]
    var now = 0
    var isShut = false
    func ring() { for (key, time) in due where time <= now && !isShut { rung[key, default: 0] += 1; due[key] = nil } }
    for _ in 1...150 {
      let key = "k\(below(12))"
      switch below(8) {
      case 0, 1, 2, 3:
        let time = now + below(40) - 5
        _ = shell.run("dispatch alarm.put \(key) \(max(time, 0))")
        due[key] = max(time, 0)
      case 4:
        _ = shell.run("dispatch alarm.drop \(key)")
        due[key] = nil
      case 5:
        isShut.toggle()
        _ = shell.run("middleware \(isShut ? "off" : "on") alarm.bell")
      case 6: _ = shell.run("plugin reload alarm")
      default:
        let pause = 1 + below(20)
        for _ in 1...pause {
          now += 1
          ring()
        }
        _ = shell.run("wait \(pause)s")
      }
      ring()
      let done = shell.run("show alarm.done --as raw").output.split(separator: "\n").map(String.init)
      #expect(Dictionary(done.map { ($0, 1) }, uniquingKeysWith: +) == rung, "seed \(seed) at \(now)")
    }
  }

  private static let bar = """
    return plugin {
      state = { field("isShut", bool()) },
      actions = { { name = "shut", args = { field("on", bool()) } } },
      reducers = { shut = function(s, a) s.isShut = a.on end },
      interceptors = { function(dispatch, get, next)
        return function(action)
          if action.name == "alarm.ring" and get().bar.isShut then return end
          next(action)
        end
      end },
    }
    """

  /// A shell with entries that ring, and an interceptor that has them ring or not.
  private func barred(in given: Shell? = nil) throws -> Shell {
    let shell = try given ?? Shell { $0.grants = ["alarm", "bar"] }
    let alarm = try shell.plugin("alarm", Self.timed, permissions: #"["timers"]"#, limits: #"{"tasks": 3}"#)
    let bar = try shell.plugin("bar", Self.bar, permissions: #"["intercept"]"#)
    #expect(shell.run("plugin load \(alarm)", "plugin load \(bar)", "dispatch bar.shut true").status == 0)
    return shell
  }

  /// What an entry asks for is told where it is dropped, and due again as long as the entry is there: after a second, then two,
  /// then four.
  @Test func whatIsDroppedIsDueAgain() throws {
    let shell = try barred()
    _ = shell.run("dispatch alarm.put a 10", "dispatch alarm.put b 10", "dispatch alarm.put c 11")
    let waited = shell.run("wait 15s")
    #expect(waited.errors.contains("alarm.ring was dropped by bar"), "\(waited)")
    #expect(done(shell) == "[]\n")
    #expect(
      shell.run("effects").output
        == "id            wakes\nalarm/bell/a  in 2.0s\nalarm/bell/b  in 2.0s\nalarm/bell/c  in 3.0s\n")
    _ = shell.run("dispatch alarm.drop b", "dispatch bar.shut false", "wait 1h")
    #expect(done(shell) == "[\"a\",\"c\"]\n")
    #expect(shell.run("effects").output == "(no effects)\n")
  }

  /// It gets the entry as it stands then.
  @Test func whatIsRefusedIsDueAgain() throws {
    let shell = try barred()
    _ = shell.run("dispatch bar.shut false", "dispatch alarm.put a 10 no")
    #expect(shell.run("wait 15s").errors.contains("alarm: not now"))
    _ = shell.run("dispatch alarm.put a 10 yes", "wait 1h")
    #expect(done(shell) == "[\"ayes\"]\n")
  }

  /// A place that has become free meanwhile is not lost to others.
  @Test func manyThatAreDroppedWaitForRoom() throws {
    let shell = try barred()
    for id in 1...9 { _ = shell.run("dispatch alarm.put k\(id) 10") }
    _ = shell.run("wait 1min", "dispatch bar.shut false", "wait 1h", "wait 1h")
    #expect(shell.run("= #state.alarm.done", "show alarm.rows --as json").output == "9\n{}\n")
  }

  @Test func whatWasDroppedIsDueWhereTheStoreIsOpenedAgain() throws {
    let shell = try Shell { $0.grants = ["alarm", "bar"] }
    #expect(shell.openStore("\(shell.folder)/a.db").status == 0)
    _ = try barred(in: shell)
    _ = shell.run("dispatch alarm.put a 10", "wait 10s")
    let other = try Shell { $0.grants = ["alarm", "bar"] }
    #expect(other.openStore(try shell.killedCopy(of: "\(shell.folder)/a.db", as: "killed.db")).status == 0)
    _ = other.run("dispatch bar.shut false", "wait 10s")
    #expect(done(other) == "[\"a\"]\n")
  }

  private static let crowd = """
    return plugin {
      state = { field("rows", map(record("Row", { field("due", number()) }))), field("done", int()) },
      actions = {
        { name = "many", args = { field("count", int()), field("due", number()) } },
        { name = "ring", quiet = true, args = { field("id", text()) } },
      },
      reducers = {
        many = function(s, a) for i = 1, a.count do s.rows["m" .. i] = { due = a.due } end end,
        ring = function(s, a) s.done = s.done + 1 s.rows[a.id] = nil end,
      },
      middleware = { { name = "bell", supervise = { over = "rows", at = "due",
        task = function(task, key) task:dispatch("ring", { id = key }) end } } },
    }
    """

  private func crowd(limits: String) throws -> Shell {
    let shell = try Shell {
      $0.grants = ["crowd"]
      $0.isQuiet = true
    }
    let folder = try shell.plugin("crowd", Self.crowd, permissions: #"["timers"]"#, limits: limits)
    #expect(shell.run("plugin load \(folder)", "wait 20s").status == 0)
    return shell
  }

  /// No action causes what the clock starts, also where more is due than one may cause.
  @Test func moreThanOneActionMayCauseAreDueAtOnce() throws {
    let shell = try crowd(limits: #"{"tasks": 5000, "memory": "64MiB", "instructions": 20000000}"#)
    #expect(shell.run("dispatch crowd.many 1200 10") == .init())
    #expect(shell.run("= state.crowd.done", "effects").output == "1200\n(no effects)\n")
    #expect(shell.run("dispatch crowd.many 1200 30", "wait 10s") == .init())
    #expect(shell.run("= state.crowd.done").output == "2400\n")
  }

  @Test func whatMayNotDispatchInThisSecondDoesInAnother() throws {
    let shell = try crowd(limits: #"{"tasks": 5000, "actions": 100, "memory": "64MiB", "instructions": 20000000}"#)
    #expect(shell.run("dispatch crowd.many 450 10", "wait 1h", "= state.crowd.done") == .init(output: "450\n"))
  }

  @Test func theLimitOfTasksIsAnErrorOfTheActionThatAsked() throws {
    let shell = try crowd(limits: #"{"tasks": 10}"#)
    let outcome = shell.run("dispatch crowd.many 15 90")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("crowd: more than 10 tasks"), "\(outcome)")
    #expect(shell.run("wait 1h", "= state.crowd.done").output == "15\n")
  }

  /// Cancelled by hand, the effect that waits for all of them ends those; later ones wait again.
  @Test func cancellingEndsWhatWaitsNow() throws {
    let shell = try crowd(limits: #"{"tasks": 10}"#)
    #expect(shell.run("dispatch crowd.many 2 30", "effects cancel all", "effects").output.hasSuffix("(no effects)\n"))
    #expect(shell.run("dispatch crowd.many 4 40", "wait 1h").status == 0)
    #expect(shell.run("= state.crowd.done").output == "4\n")
  }

  @Test func goingBackStartsAndStopsThem() throws {
    let shell = try shell()
    _ = shell.run("dispatch alarm.put a 10", "dispatch alarm.put b 20", "undo")
    #expect(shell.run("effects").output == "id            wakes\nalarm/bell/a  in 10.0s\n")
    _ = shell.run("redo")
    #expect(shell.run("effects").output.contains("alarm/bell/b"))
    _ = shell.run("plugin disable alarm")
    #expect(shell.run("effects").output == "(no effects)\n")
    _ = shell.run("plugin enable alarm", "wait 30s")
    #expect(done(shell) == "[\"a\",\"b\"]\n")
  }

  /// One more than there may be is refused as an error of the action that asked; the plugin stays on and the others run.
  @Test func atTheLimitOneMoreIsRefused() throws {
    let shell = try shell(tasks: 3)
    for id in ["a", "b", "c"] { #expect(shell.run("dispatch alarm.put \(id) 10 --quiet").status == 0) }
    for id in ["d", "e", "f", "g"] {
      let outcome = shell.run("dispatch alarm.put \(id) 5 --quiet")
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("error[plugin-budget]: alarm: more than 3 tasks"), "\(outcome.errors)")
    }
    #expect(shell.run("show shell.plugins[1].state --as raw").output == "on\n")
    _ = shell.run("wait 1h")
    #expect(shell.run("= #state.alarm.done").output == "7\n")
    #expect(shell.run("show alarm.rows --as json").output == "{}\n")
  }

  @Test(arguments: [
    ("supervise = { over = 1, task = f }", "over must be the path of a map"),
    ("supervise = { over = \"n\", task = f }", "over must lead to a map"),
    ("supervise = { over = \"rows\" }", "task must be a function"),
    ("supervise = { over = \"rows\", task = f, reset = \"x\" }", "reset names no field"),
    ("supervise = { over = \"rows\", task = f, again = 1 }", "'again'"),
    ("supervise = { over = \"rows\", task = f, at = \"due\", reset = \"due\" }", "at cannot be combined with reset"),
    ("supervise = { over = \"rows\", task = f, at = 3 }", "at must be the name of a field"),
    ("each = \"rows\", supervise = { over = \"rows\", task = f }", "cannot be combined with each"),
  ])
  func whatIsNoSuchTableIsRefused(text: String, message: String) throws {
    let shell = try Shell { $0.grants = ["bad"] }
    let folder = try shell.plugin(
      "bad",
      """
      local function f(task) end
      return plugin { state = { field("n", int()), field("rows", map(record("Row", { field("due", number()) }))) },
        middleware = { { name = "m", \(text) } } }
      """, permissions: #"["timers"]"#)
    let outcome = shell.run("plugin load \(folder)")
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }
}
