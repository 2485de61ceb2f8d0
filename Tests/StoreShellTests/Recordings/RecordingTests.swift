import Platform
import Testing

@testable import StoreShell

/// What happened is written down, and runs again.
@Suite struct RecordingTests {
  static let bag = """
    return plugin {
      state = {
        field("count", int { min = 0, max = 5 }),
        field("mood", enum { "calm", "busy" }),
        field("last", optional(number())),
        field("items", list(record("Item", { field("id", int()), field("tags", list(text())) }))),
        field("stock", map(int())),
      },
      actions = {
        { name = "put", args = { field("id", int()), field("front", optional(bool())) } },
        { name = "take", args = { field("id", int()) } },
        { name = "tick", quiet = true },
      },
      reducers = {
        put = function(s, a, meta)
          local item = { id = a.id, tags = { "t" .. a.id } }
          if a.id % 2 == 0 then table.insert(s.items, 1, item) else s.items[#s.items + 1] = item end
          s.last = meta.at
          s.stock["k" .. a.id] = (s.stock["k" .. a.id] or 0) + 1
          s.mood = "busy"
        end,
        take = function(s, a)
          for i = #s.items, 1, -1 do
            if s.items[i].id == a.id then table.remove(s.items, i) end
          end
          s.stock["k" .. a.id] = nil
          s.last, s.mood = nil, "calm"
        end,
        tick = function(s) s.count = s.count + 1 end,
      },
    }
    """

  /// A session in short: Swift and Lua, a gate, undo.
  private static let session = """
    dispatch tasks.add "Buy milk"
    dispatch tasks.add title="Write report"
    dispatch counter.increment by=4
    plugin load ./FOLDER/pomodoro
    dispatch pomodoro.start minutes=1 task=2
    wait 61s
    undo
    undo --to 9
    middleware on logger
    dispatch counter.setStep to=5 --info 'a "note"'
    middleware off logger

    """

  /// A session that has run `session`, with a plugin folder of its own.
  private static let note =
    "note: a replay runs the reducers of pomodoro alone; plugin reload pomodoro brings the rest of it\n"

  private func recorded() throws -> Shell {
    let shell = try Shell { $0.isQuiet = true }
    try shell.copyPlugin("pomodoro")
    shell.session.options.grants = ["pomodoro"]
    let script = RecordingTests.session.replacing("./FOLDER", with: shell.folder)
    #expect(try shell.run(script: script).status == 0)
    return shell
  }

  @Test func aRecordingBeginsBehindTheLastReturnToWhatIsNoLongerKept() throws {
    let shell = try Shell { $0.isQuiet = true }
    _ = shell.run("set journal.limit 5", "dispatch counter.increment by=7")
    for _ in 0..<5 { _ = shell.run("dispatch counter.increment") }
    _ = shell.run("undo --to 4", "dispatch counter.increment", "dispatch counter.increment", "undo 2")
    let file = "\(shell.folder)/run.jsonl"
    let outcome = shell.run("export journal \(file)")
    #expect(outcome.output == "wrote 3 actions to \(file)\n")
    #expect(
      outcome.errors
        == "note: #1 to #8 are left out: #8 returns to a point before #6, and they are no longer kept\n")
    let other = try Shell()
    #expect(other.run("replay \(file) --verify").output == "replayed 3 actions, every state matches\n")
    #expect(other.run("show counter.value").output == "9\n")
  }

  @Test func aRecordingRunsAgainInAnotherSession() throws {
    let shell = try recorded()
    let file = "\(shell.folder)/run.jsonl"
    #expect(shell.run("export journal \(file)").output == "wrote 71 actions to \(file)\n")
    let other = try Shell()
    #expect(
      other.run("replay \(file) --verify")
        == .init(output: "replayed 71 actions, every state matches\n", errors: Self.note))
    #expect(other.run("show --as json").output == shell.run("show --as json").output)
    #expect(other.run("log --all").output == shell.run("log --all").output)
    #expect(other.run("diff 3 8").output == shell.run("diff 3 8").output)
    // It goes on from there.
    #expect(other.run("dispatch counter.increment").output == "#72 counter.increment\n  counter.value  4 -> 9\n")
    #expect(other.run("export journal \(shell.folder)/again.jsonl").errors == "")
    let lines = try #require(shell.contents("run.jsonl")).split(separator: "\n")
    let again = try #require(shell.contents("again.jsonl")).split(separator: "\n")
    #expect(lines.dropFirst() == again[1..<lines.count])
  }

  @Test func aReplayedPluginHasItsReducersAlone() throws {
    let shell = try recorded()
    let file = "\(shell.folder)/run.jsonl"
    #expect(shell.run("export journal \(file)").errors == "")
    let other = try Shell()
    // Nothing is granted, and nothing ticks.
    #expect(other.run("replay \(file) --to 20").output == "replayed 20 actions\n")
    let beyond = try Shell { $0.grants = ["pomodoro"] }.run("replay \(file) --verify --to 999")
    #expect(beyond.errors.contains("error[out-of-range]: there is no #999: the last action is #"), "\(beyond)")
    #expect(beyond.status == 1)
    #expect(
      other.run("show pomodoro.left", "wait 10s", "show pomodoro.left", "effects").output == "45\n45\n(no effects)\n")
    #expect(other.run("dispatch pomodoro.tick").output == "#21 pomodoro.tick\n  pomodoro.left  45 -> 44\n")
  }

  @Test func watchersAreToldOnce() throws {
    let shell = try recorded()
    let file = "\(shell.folder)/run.jsonl"
    #expect(shell.run("export journal \(file)").errors == "")
    let other = try Shell(joined: true)
    #expect(
      other.run("watch counter.value", "replay \(file)").output == """
        watch 1: counter.value = 0
        [watch 1] counter.value  0 -> 4  (#71 shell.setGate)
        replayed 71 actions

        """ + Self.note)
  }

  @Test func anActionThatTheEditedVersionNoLongerHasIsToldSo() throws {
    let shell = try Shell()
    func plugin(_ action: String) throws -> String {
      try shell.plugin("p", "return plugin { actions = { { name = '\(action)' } } }")
    }
    let file = "\(shell.folder)/run.jsonl"
    #expect(shell.run("plugin load \(try plugin("go"))", "dispatch p.go", "export journal \(file)").errors == "")
    _ = try plugin("went")
    #expect(
      try Shell().run("replay \(file)").errors == """
        -c:1:1: error[bad-recording]: \(file):3: unknown action 'p.go'
          replay \(file)
          hint: p has changed since the recording (p)

        """)
  }

  @Test func anEditedReducerDiverges() throws {
    let shell = try recorded()
    let file = "\(shell.folder)/run.jsonl"
    #expect(shell.run("export journal \(file)").errors == "")
    let text = try #require(shell.contents("pomodoro/init.lua"))
    try shell.write("edited/init.lua", text.replacing("s.left = s.left - 1", with: "s.left = s.left - 2"))
    try shell.write("edited/plugin.json", try #require(shell.contents("pomodoro/plugin.json")))
    let other = try Shell()
    let message = """
      -c:1:1: error[replay-diverged]: \(file): state after #6 pomodoro.tick differs from the recording
        COMMAND
        #6 pomodoro.tick  <- plugin:pomodoro/clock
        caused by #5 pomodoro.start minutes=1 task=2  <- \(shell.folder)/script.stsh:5
        recorded  pomodoro.left  60 -> 59
        now       pomodoro.left  60 -> 58
        hint: pomodoro has changed since the recording (PLACE)

      """
    func expected(_ command: String, _ place: String) -> Shell.Outcome {
      let errors = message.replacing("COMMAND", with: command).replacing("PLACE", with: place)
      return .init(errors: errors, status: 1)
    }
    let with = "replay \(file) --with \(shell.folder)/edited"
    #expect(other.run(with) == expected(with, "\(shell.folder)/edited"))
    #expect(other.run("show counter.value").output == "0\n")
    try shell.write("pomodoro/init.lua", try #require(shell.contents("edited/init.lua")))
    #expect(other.run("replay \(file) --verify") == expected("replay \(file) --verify", "pomodoro"))
    #expect(other.run("log").output == "(no actions)\n")
    // Without a comparison the edited logic simply runs.
    #expect(other.run("replay \(file) --to 20", "show pomodoro.left").output == "replayed 20 actions\n30\n")
  }

  @Test func aSessionWithActionsOfItsOwnOnlyCompares() throws {
    let shell = try recorded()
    let file = "\(shell.folder)/run.jsonl"
    #expect(shell.run("export journal \(file)").errors == "")
    let refused = shell.run("replay \(file)")
    #expect(refused.errors.hasPrefix("-c:1:1: error[not-fresh]: replay replaces the history"))
    #expect(refused.status == 1)
    let before = shell.run("log --all").output
    #expect(shell.run("replay \(file) --verify").output == "replayed 71 actions, every state matches\n")
    #expect(shell.run("log --all").output == before)
  }

  @Test func aFailedActionFailsAgain() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("bag", RecordingTests.bag)
    _ = shell.run("plugin load \(folder)")
    for _ in 0..<9 { _ = shell.run("try dispatch bag.tick") }
    let log = shell.run("log --all").output
    #expect(log.contains("failed: bag: ") && log.contains("shell.faultPlugin"))
    let file = "\(shell.folder)/run.jsonl"
    #expect(shell.run("export journal \(file)").errors == "")
    let other = try Shell()
    #expect(other.run("replay \(file) --verify").errors == "")
    #expect(other.run("log --all").output == log)
    // One that fails no longer is told of.
    try shell.write("bag/init.lua", RecordingTests.bag.replacing("max = 5", with: "max = 9"))
    #expect(
      try Shell().run("replay \(file) --verify").errors.contains(
        "  recorded  failed: plugin-schema\n  now       applied\n"))
  }

  @Test func whatFollowsARunawayHasTheNextNumbersAndIsReplayed() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin(
      "loop",
      """
      return plugin {
        actions = { { name = "go" } },
        reducers = { go = function() end },
        middleware = { { name = "m", after = function(_, ctx) ctx:dispatch("loop.go") end } },
      }
      """)
    let file = "\(shell.folder)/run.jsonl"
    let outcome = shell.run(
      "plugin load \(folder)", "set runaway 5", "try dispatch loop.go", "dispatch counter.increment", "undo",
      "undo --to 8", "export journal \(file)")
    #expect(outcome.errors.contains("error[runaway]"))
    #expect(shell.session.store.live.recent().map(\.number) == Array(1...11))
    #expect(try Shell().run("replay \(file) --verify").output == "replayed 11 actions, every state matches\n")
  }

  @Test func aNumberThatNoActionHasStandsForTheOneBefore() throws {
    let shell = try Shell { $0.isQuiet = true }
    let file = "\(shell.folder)/run.jsonl"
    _ = shell.run(
      "dispatch counter.increment by=2", "dispatch counter.increment by=3", "undo", "export journal \(file)")
    var text = try #require(shell.contents("run.jsonl"))
    // As earlier versions of the program wrote it after a runaway: #2 to #4 were dropped.
    for (number, moved) in [(3, 6), (2, 5)] { text = text.replacing("\"id\":\(number),", with: "\"id\":\(moved),") }
    try shell.write("run.jsonl", text.replacing("\"to\":1}", with: "\"to\":4}"))
    let other = try Shell()
    #expect(other.run("replay \(file) --verify").errors == "")
    #expect(other.run("show counter.value").output == "2\n")
  }

  @Test func aSliceThatStartsOtherwiseDiverges() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("bag", RecordingTests.bag)
    let file = "\(shell.folder)/run.jsonl"
    #expect(shell.run("plugin load \(folder)", "export journal \(file)").status == 0)
    try shell.write("bag/init.lua", RecordingTests.bag.replacing(#"{ "calm", "busy" }"#, with: #"{ "busy", "calm" }"#))
    let outcome = try Shell().run("replay \(file) --verify")
    #expect(outcome.errors.contains("state after #1 shell.loadPlugin differs"))
  }
}

extension Shell {
  /// Copies a shipped plugin into the session's folder.
  func copyPlugin(_ name: String) throws {
    for file in ["plugin.json", "init.lua"] {
      try write("\(name)/\(file)", try Files.read("\(Shell.package)/plugins/\(name)/\(file)"))
    }
  }
}
