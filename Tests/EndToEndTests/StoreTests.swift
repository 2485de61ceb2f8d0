import Glibc
import TerminalSupport
import Testing

@Suite("Stores on disk")
struct StoreTests {
  @Test(arguments: ["full", "normal", "off"]) func aStoreGoesOnFromWhatItHolds(durability: String) throws {
    let shell = try Shell()
    let first = try shell.run(
      "--store", "a.db", "--durability", durability, "-c", "dispatch counter.increment by=4", "-c",
      "dispatch tasks.add \"Buy milk\"", "--quiet")
    #expect(first == .init())
    let second = try shell.run(
      "--store", "a.db", "-c", "show tasks.items[*].title --as raw", "-c", "dispatch counter.increment")
    #expect(second == .init(output: "Buy milk\n#3 counter.increment\n  counter.value  4 -> 5\n"))
    #expect(names(inFolder: shell.folder.path).filter { $0.hasPrefix("a.db") } == ["a.db"])
  }

  /// In a namespace of times the clocks that count from the start of the machine are others.
  @Test(arguments: ["", "kill -9 $$"]) func theTimeOfAStoreIsThatOfTheMachineInAnyNamespace(end: String) throws {
    let shell = try Shell()
    let said = try shell.runInShell(
      """
      stsh --quiet --store a.db -c 'dispatch counter.increment' -c 'run sh -c "\(end.replacing("$$", with: "\\$PPID"))"'
      unshare --time true 2> /dev/null && away='unshare --time --boottime 1000000 --monotonic 1000000'
      $away stsh --quiet --store a.db -c 'dispatch counter.increment'
      stsh --quiet --store a.db -c 'dispatch counter.increment'
      stsh --quiet --store a.db -c 'assert state.counter.value == 3' --json -c 'log 3'
      """)
    let times = said.output.matches(of: /"at":([0-9.e-]+)/).compactMap { Double($0.output.1) }
    #expect(times.count == 3 && times.allSatisfy { $0 < 1_000 }, "\(said)")
    #expect(!said.output.contains("went back"), "\(said)")
  }

  /// These names mean something else to SQLite.
  @Test(arguments: [":memory:", "file:a.db", "file::memory:?cache=shared"]) func aNameIsThatOfAFile(name: String) throws
  {
    let shell = try Shell()
    #expect(try shell.run("--store", name, "--quiet", "-c", "dispatch counter.increment by=4") == .init())
    #expect(try shell.run("--store", name, "-c", "show counter.value") == .init(output: "4\n"))
    #expect(names(inFolder: shell.folder.path).contains(name))
  }

  @Test(arguments: [
    "export journal a.db", "export state ./a.db-wal", "show counter > a.db", "echo x >> link.db",
    "export state hard.db",
    "show counter > a.db-journal",
  ])
  func nothingIsWrittenOverTheStore(command: String) throws {
    let shell = try Shell()
    _ = try shell.run("--store", "a.db", "-c", "dispatch counter.increment by=4")
    symlink("a.db", "\(shell.folder.path)/link.db")
    link("\(shell.folder.path)/a.db", "\(shell.folder.path)/hard.db")
    let refused = try shell.run("--store", "a.db", "-c", command, "--keep-going", "-c", "dispatch counter.increment")
    #expect(refused.errors.contains("error[store-in-use]: "))
    #expect(refused.errors.contains(" is the file that this session keeps its store in\n"))
    #expect(refused.status == 1)
    #expect(try shell.run("--store", "a.db", "-c", "show counter.value") == .init(output: "5\n"))
    #expect(try shell.run("--store", "a.db", "--transcript", "a.db", "-c", "echo x").status == 2)
  }

  /// A report or a transcript takes the place of no store, also where that is only about to be made.
  @Test(arguments: ["a.db", "./a.db-wal", "a.db-shm", "a.db-journal", "link.db"])
  func noFileOfTheProgramTakesThePlaceOfTheStore(file: String) throws {
    let shell = try Shell()
    symlink("a.db", "\(shell.folder.path)/link.db")
    for value in 1...2 {
      let report = try shell.run("--store", "a.db", "--report", "tap", file, "-c", "dispatch counter.increment")
      #expect(report.errors.contains("is the file that this session keeps its store in"), "\(report)")
      #expect(report.status == 1)
      let transcript = try shell.run("--store", "a.db", "--transcript", file, "-c", "dispatch counter.increment")
      #expect(
        transcript.errors.contains("--transcript \(file): that file is a store; name another file"), "\(transcript)")
      #expect(transcript.status == 2)
      #expect(try shell.run("--store", "a.db", "--quiet", "-c", "dispatch counter.increment") == .init())
      #expect(try shell.run("--store", "a.db", "-c", "show counter.value").output == "\(value)\n")
    }
  }

  /// A store is no file to write results into when nobody has it open, either.
  @Test(arguments: [
    "export state a.db", "export journal ./a.db-wal", "show counter > a.db", "show counter >> link.db",
    "echo x > a.db-journal",
  ])
  func aClosedStoreIsNotReplaced(command: String) throws {
    let shell = try Shell()
    _ = try shell.run("--store", "a.db", "-c", "dispatch counter.increment by=4")
    symlink("a.db", "\(shell.folder.path)/link.db")
    let refused = try shell.run("-c", command)
    #expect(refused.errors.contains("error[not-allowed]: "), "\(refused)")
    #expect(refused.errors.contains(" is the file of a store, and would be replaced\n"), "\(refused)")
    #expect(refused.status == 1)
    #expect(try shell.run("--transcript", "a.db", "-c", "echo x").status == 2)
    #expect(try shell.run("--store", "a.db", "-c", "show counter.value") == .init(output: "4\n"))
  }

  /// SQLite would take what has such a name for its own, and remove it.
  @Test(arguments: ["a.db-journal", "a.db-shm"], [true, false])
  func whatIsNoPartOfAStoreStays(file: String, isThere: Bool) throws {
    let shell = try Shell()
    if isThere { _ = try shell.run("--store", "a.db", "-c", "dispatch counter.increment by=4") }
    try shell.folder.write(file, "precious\n")
    let refused = try shell.run("--store", "a.db", "-c", "dispatch counter.increment")
    #expect(refused.errors.contains("\(file) is no part of a store, and would be removed; move it away"), "\(refused)")
    #expect(refused.status != 0)
    #expect(contents(ofFile: "\(shell.folder.path)/\(file)") == "precious\n")
    #expect((access("\(shell.folder.path)/a.db", F_OK) == 0) == isThere)
  }

  @Test func settingsAndGatesAreRestored() throws {
    let shell = try Shell()
    _ = try shell.run("--store", "a.db", "-c", "middleware on logger", "-c", "set runaway 77", "-c", "set emit always")
    let outcome = try shell.run("--store", "a.db", "-c", "middleware", "-c", "show shell.settings --as raw")
    #expect(outcome.output.contains("logger  on"))
    #expect(outcome.output.contains("runaway\t77\t"))
    #expect(outcome.output.contains("emit\talways\t"))
  }

  @Test func aFailedActionChangesNothingAndIsKept() throws {
    let shell = try Shell()
    try shell.folder.write("spoil/plugin.json", #"{"name": "spoil", "version": "0.1.0", "api": 1}"#)
    try shell.folder.write(
      "spoil/init.lua",
      """
      return plugin {
        state = { field("n", int()) }, actions = { { name = "breaks" } },
        reducers = { breaks = function(s) s.n = 1; error("no") end },
      }
      """)
    _ = try shell.run(
      "--keep-going", "--store", "a.db", "-c", "plugin load ./spoil", "-c", "dispatch spoil.breaks", "-c",
      "dispatch counter.increment")
    let outcome = try shell.run("--store", "a.db", "-c", "show counter.value", "-c", "dispatch counter.increment")
    #expect(outcome.output.hasPrefix("1\n#4 "), "\(outcome)")
  }

  /// Not the process that made the file, and also while the one that has it has written nothing.
  @Test func theRefusalNamesTheProcessThatHasTheFile() throws {
    let shell = try Shell()
    #expect(try shell.run("--store", "a.db", "-c", "dispatch counter.increment --quiet").status == 0)
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let output = try #require(tmpfile())
    defer { fclose(output) }
    let holder = try shell.start(
      ["--store", "a.db"], descriptors: [(0, ends[0]), (1, fileno(output)), (2, fileno(output))])
    close(ends[0])
    // It has the file before it reads.
    let statement = Array("echo here\n".utf8)
    #expect(write(ends[1], statement, statement.count) == statement.count)
    while lseek(fileno(output), 0, SEEK_END) == 0 { sched_yield() }
    let refused = try shell.run("--store", "a.db", "-c", "show counter")
    close(ends[1])
    #expect(try holder.waitForEnd() == 0)
    #expect(refused.errors.contains("(process \(holder.process))"), "\(refused)")
  }

  @Test func whoeverWantsToWriteTooIsRefusedAndMayRead() throws {
    let shell = try Shell()
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let output = try #require(tmpfile())
    defer { fclose(output) }
    let writer = try shell.start(
      ["--store", "a.db"], descriptors: [(0, ends[0]), (1, fileno(output)), (2, fileno(output))])
    close(ends[0])
    let statement = Array("dispatch counter.increment by=3\n".utf8)
    #expect(write(ends[1], statement, statement.count) == statement.count)
    // What was printed is in the file.
    while lseek(fileno(output), 0, SEEK_END) == 0 { sched_yield() }
    let second = try shell.run("--store", "a.db", "-c", "show counter.value")
    #expect(second.output == "")
    #expect(second.status == 1)
    #expect(
      second.errors == """
        error[store-in-use]: a.db is in use by another session (process \(writer.process))
          hint: to look at it meanwhile: stsh --store a.db --read-only

        """)
    let reader = try shell.run("--store", "a.db", "--read-only", "-c", "show counter.value")
    #expect(
      reader
        == .init(
          output: "3\n", errors: "note: a.db is open read-only: what happens from here on is kept in memory only\n"))
    for file in ["a.db", "a.db-wal", "a.db-shm", "a.db-journal"] {
      for command in ["export journal \(file)", "show counter > \(file)"] {
        let refused = try shell.run("-c", command)
        #expect(
          refused.errors.contains("error[store-in-use]: \(file) is the file that another session keeps its store in"))
      }
    }
    close(ends[1])
    #expect(try writer.waitForEnd() == 0)
    #expect(try shell.run("--store", "a.db", "-c", "show counter.value").output == "3\n")
  }

  @Test func whatIsNoStoreIsLeftAlone() throws {
    let shell = try Shell()
    try shell.folder.write("a.db", "hello\n")
    let outcome = try shell.run("--store", "a.db", "-c", "show counter.value")
    #expect(outcome == .init(errors: "error[store-unreadable]: a.db is not a journal\n", status: 1))
    #expect(contents(ofFile: shell.folder.path + "/a.db") == "hello\n")
  }

  @Test func aFullDiskIsToldOnceAndTheSessionGoesOnInMemory() throws {
    let shell = try Shell()
    let lines = String(repeating: "dispatch counter.increment\n", count: 3000) + "show counter.value\n"
    try shell.folder.write("many.stsh", lines)
    let outcome = try shell.limited(to: 100, ["--quiet", "--store", "a.db", "many.stsh"])
    #expect(outcome.output == "3000\n")
    #expect(outcome.status == 1)
    let notes = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("note: ") }
    // The thread that writes may come to the limit after the last statement; then the end alone says so.
    #expect(notes.count <= 1)
    #expect(outcome.errors.contains("error[store-failed]: cannot write a.db after #"), "\(outcome.errors)")
    let last = outcome.errors.split(separator: "#").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
    let kept = try shell.run("--store", "a.db", "-c", "show counter.value")
    #expect(Int(kept.output.dropLast()) == last)
    #expect(kept.status == 0)
  }

  @Test(arguments: [false, true]) func whatIsToldOfAtDurabilityFullIsOnTheDisk(asJSON: Bool) throws {
    let shell = try Shell()
    try shell.folder.write("many.stsh", String(repeating: "dispatch counter.increment\n", count: 3000))
    let flags = ["--durability", "full"] + (asJSON ? ["--json"] : [])
    let outcome = try shell.limited(to: 300, flags + ["--store", "a.db", "many.stsh", "2>&1"])
    let lines = outcome.output.split(separator: "\n")
    let sentence = (asJSON ? #"{"event":"note","text":""# : "note: ") + "cannot write a.db after #"
    let note = try #require(lines.firstIndex { $0.hasPrefix(sentence) }, "\(outcome)")
    let last = try #require(Int(lines[note].dropFirst(sentence.count).prefix { $0.isNumber }))
    #expect(last > 0)
    #expect(note / (asJSON ? 1 : 2) <= last)
    #expect(lines[note].hasSuffix("; from now on everything is kept in memory only" + (asJSON ? #""}"# : "")))
  }

  @Test func aPluginIsLoadedAgainWithItsTasks() throws {
    let shell = try Shell()
    let pomodoro = Shell.packageFolder + "/plugins/pomodoro"
    _ = try shell.run(
      "--clock", "virtual", "--grant", "pomodoro", "--store", "a.db", "-c", "plugin load \(pomodoro)", "-c",
      "dispatch pomodoro.start minutes=1", "-c", "wait 10s")
    let refused = try shell.run("--clock", "virtual", "--store", "a.db", "-c", "show pomodoro.left")
    #expect(refused.status == 4)
    #expect(
      refused.errors == """
        error[plugin-grant]: a.db needs the plugin 'pomodoro': pomodoro asks for read:tasks, dispatch:tasks.complete, \
        timers; not granted
          hint: plugin grant pomodoro, or run with --grant pomodoro; the file is as it was; to look at it without the \
        plugin: stsh --store a.db --read-only

        """)
    let reader = try shell.run("--store", "a.db", "--read-only", "-c", "plugin list --as raw")
    #expect(reader.output.contains("\tnot loaded\t"), "\(reader)")
    let again = try shell.run(
      "--clock", "virtual", "--grant", "pomodoro", "--store", "a.db", "-c", "show pomodoro.left", "-c", "wait 10s",
      "-c", "show pomodoro.left", "-c", "plugin list")
    #expect(again.output.hasPrefix("50\n40\nname"), "\(again)")
    #expect(again.status == 0)
  }

  @Test func thePastOfAStoreCanBeWalkedAndWrittenDown() throws {
    let shell = try Shell()
    let pomodoro = Shell.packageFolder + "/plugins/pomodoro"
    _ = try shell.run(
      "--clock", "virtual", "--grant", "pomodoro", "--store", "a.db", "-c", "dispatch counter.increment by=3", "-c",
      "plugin load \(pomodoro)", "-c", "dispatch pomodoro.start minutes=1", "-c", "wait 10s", "-c",
      "substate add cart --value {n=1}", "-c", "set runaway 500")
    let outcome = try shell.run(
      "--clock", "virtual", "--grant", "pomodoro", "--store", "a.db", "-c", "goto 5", "-c", "show pomodoro.left", "-c",
      "goto 1", "-c", "describe", "-c", "goto head", "-c", "undo 3", "-c", "why counter.value", "-c",
      "export journal a.jsonl")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(
      outcome.output == """
        viewing #5 of 15 (read-only)
        58
        viewing #1 of 15 (read-only)
        module   origin  fields  actions  projections
        counter  swift   2       4        0
        tasks    swift   2       3        2
        at head (#15)
        #16 shell.restore to=2  (takes back 3 statements, #3-#15: pomodoro.start, shell.addSubstate, shell.set)
          pomodoro.phase  "work" -> "idle"
          pomodoro.left  50 -> 0
          pomodoro.length  1 -> 0
        #1 counter.increment by=3  <- -c:1
          counter.value  0 -> 3
        wrote 16 actions to a.jsonl

        """)
    #expect(
      try shell.run("-c", "replay a.jsonl --verify")
        == .init(
          output: "replayed 16 actions, every state matches\n",
          errors: "note: a replay runs the reducers of pomodoro alone; plugin reload pomodoro brings the rest of it\n"))
    let redone = try shell.run(
      "--clock", "virtual", "--grant", "pomodoro", "--store", "a.db", "-c", "redo --quiet", "-c", "show cart.n", "-c",
      "wait 5s", "-c", "show pomodoro.left")
    #expect(redone.output.hasSuffix("1\n45\n"), "\(redone)")
  }

  @Test func aPluginThatIsGoneRunsAsTheStoreKeepsIt() throws {
    let shell = try Shell()
    try shell.folder.write("here/plugin.json", #"{"name": "here", "version": "0.1.0", "api": 1}"#)
    try shell.folder.write("here/init.lua", "return plugin { state = { field(\"n\", int()) } }\n")
    _ = try shell.run("--store", "a.db", "-c", "plugin load ./here", "-c", "dispatch counter.increment")
    #expect(rename(shell.folder.path + "/here", shell.folder.path + "/gone") == 0)
    let outcome = try shell.run("--store", "a.db", "-c", "show here.n", "-c", "undo --to 1", "-c", "redo")
    #expect(outcome.status == 0)
    #expect(outcome.errors.hasPrefix("note: here is no longer in /"))
    #expect(outcome.errors.hasSuffix("/here; it runs as the file keeps it\n"))
    #expect(rename(shell.folder.path + "/gone", shell.folder.path + "/here") == 0)
    #expect(try shell.run("--store", "a.db", "-c", "show counter.value") == .init(output: "1\n"))
  }

  /// A name may have any character but one; on a terminal it moves nothing.
  @Test func aNameWithControlCharactersIsEscapedInNotes() throws {
    let shell = try Shell()
    for name in ["./a\u{1B}[31mred.db", "./b\r\u{7}.db", "./c\u{202E}x.db"] {
      _ = try shell.run("--store", name, "-c", "dispatch counter.increment")
      let errors = try shell.run("--store", name, "--read-only", "-c", "log").errors
      #expect(errors.contains("is open read-only") && !errors.contains(name), "\(errors.debugDescription)")
    }
  }

  @Test func anEditedPluginTakesOverItsStateOrKeepsTheStoreShut() throws {
    let shell = try Shell()
    try shell.folder.write("here/plugin.json", #"{"name": "here", "version": "0.1.0", "api": 1}"#)
    try shell.folder.write("here/init.lua", "return plugin { state = { field(\"n\", int { default = 7 }) } }\n")
    _ = try shell.run("--store", "a.db", "-c", "plugin load ./here", "-c", "dispatch counter.increment")
    try shell.folder.write("here/init.lua", "return plugin { state = { field(\"n\", text()) } }\n")
    let refused = try shell.run("--store", "a.db", "-c", "show here.n")
    #expect(refused.status != 0)
    #expect(
      refused.errors == """
        error[store-schema]: a.db: its state does not fit the type declared now
          'here.n' must be String, got number 7
          hint: give new fields a default, keep the old ones, and give plugins a migrate(); the file is as it was; \
        to look at it without the plugin: stsh --store a.db --read-only

        """)
    try shell.folder.write(
      "here/init.lua",
      "return plugin { state = { field(\"n\", int()), field(\"more\", bool { default = true }), field(\"most\", int()) } }\n"
    )
    let outcome = try shell.run("--store", "a.db", "-c", "show here --as json", "-c", "dispatch counter.increment")
    #expect(
      outcome.output == "{\"n\":7,\"more\":true,\"most\":0}\n#3 counter.increment\n  counter.value  1 -> 2\n",
      "\(outcome)")
    #expect(outcome.errors == "note: its state has a new type now; a copy of the file as it was is a.db.before-2\n")
    #expect(try shell.run("--store", "a.db", "-c", "show here.n").output == "7\n")
  }

  @Test func whereThereIsNoRoomForTheCopyOfAnotherTypeTheFileStaysAsItIs() throws {
    let shell = try Shell()
    try shell.folder.write("here/plugin.json", #"{"name": "here", "version": "0.1.0", "api": 1}"#)
    try shell.folder.write("here/init.lua", "return plugin { state = { field(\"n\", int()) } }\n")
    let title = String(repeating: "x", count: 2000)
    try shell.folder.write(
      "many.stsh", "plugin load ./here\n" + String(repeating: "dispatch tasks.add \(title)\n", count: 50))
    #expect(try shell.run("--quiet", "--store", "a.db", "many.stsh").status == 0)
    let before = try #require(contents(ofFile: shell.folder.path + "/a.db"))
    try shell.folder.write(
      "here/init.lua", "return plugin { state = { field(\"n\", int()), field(\"more\", bool()) } }\n")
    let names = names(inFolder: shell.folder.path)
    let refused = try shell.limited(to: 50, ["--store", "a.db", "-c", "show\\ here.n"])
    #expect(refused.status == 1)
    #expect(
      refused.errors.hasPrefix(
        "error[store-failed]: cannot bring a.db to the types that are declared now: a.db.before-51 cannot be written: "),
      "\(refused)")
    #expect(refused.errors.contains("  hint: there must be room for a copy; the file is as it was\n"))
    #expect(EndToEndTests.names(inFolder: shell.folder.path) == names)
    #expect(contents(ofFile: shell.folder.path + "/a.db") == before)
    let outcome = try shell.run("--store", "a.db", "-c", "show here.n")
    #expect(
      outcome
        == .init(
          output: "0\n", errors: "note: its state has a new type now; a copy of the file as it was is a.db.before-51\n")
    )
  }

  @Test func whatRunsNothingWritesNothing() throws {
    let shell = try Shell()
    try shell.folder.write("bad.stsh", "echo \"open\n")
    #expect(try shell.run("--store", "new.db", "--check", "-c", "dispatch counter.increment") == .init())
    #expect(try shell.run("--store", "new.db", "bad.stsh").status == 2)
    #expect(try shell.run("-c", "echo there", "--store", "new.db", "--read-only").status == 2)
    // What a store holds is known to a check, which leaves it as it is.
    try shell.folder.write("v/plugin.json", #"{"name":"v","version":"1.0.0","api":1}"#)
    try shell.folder.write(
      "v/init.lua", "return plugin { state = { field('n', int()) }, actions = {}, reducers = {} }\n")
    #expect(try shell.run("--store", "old.db", "-c", "plugin load ./v").status == 0)
    let check = try shell.run("--store", "old.db", "--check", "-c", "show v.n", "-c", "plugin unload v")
    #expect(check == .init())
    #expect(try shell.run("--store", "old.db", "-c", "show v.n") == .init(output: "0\n"))
  }

  @Test func aFolderIsNoStore() throws {
    let shell = try Shell()
    try shell.folder.write("folder/x", "")
    for flags in [[], ["--read-only"]] {
      let outcome = try shell.run(["--store", "folder", "-c", "show counter.value"] + flags)
      #expect(outcome == .init(errors: "error[store-unreadable]: cannot open folder: Is a directory\n", status: 2))
    }
  }

  /// A run that only reads shrinks no file, and one whose time is over leaves it as it was.
  @Test func compactingObeysTheRun() throws {
    let shell = try Shell()
    _ = try shell.run("--store", "a.db", "-c", "lua for i = 1, 20000 do dispatch('tasks.add', { title = 'x' }) end")
    let reading = try shell.run("--store", "a.db", "--read-only", "-c", "compact a.db")
    #expect(reading.status == 1 && reading.errors.contains("error[not-allowed]: this run only reads"), "\(reading)")
    for time in [1, 20, 50] {
      let late = try shell.run("--timeout", "\(time)ms", "-c", "compact a.db")
      #expect(late.status == 5 ? late.output == "" : late.errors == "", "\(late)")
    }
    let kept = try shell.run(
      "--store", "a.db", "-c", "= #state.tasks.items", "-c", "undo --to 7 --quiet", "-c", "= #state.tasks.items")
    #expect(kept.output == "20000\n7\n", "\(kept)")
  }

  @Test func killsAtRandomMomentsLoseNothing() throws {
    let shell = try Shell()
    let torture = Shell.packageFolder + "/scripts/torture"
    let outcome = try shell.run("-c", "echo go | \(torture) --kills 3 --seed 5 --stsh \(try Launch.path(of: "stsh"))")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("9 kills; "), "\(outcome)")
  }
}

extension Shell {
  /// Runs the program where files may have no more than that many KiB. The shell that sets the limit is started by another run
  /// of the program, whose status says whether all was well.
  fileprivate func limited(to size: Int, _ arguments: [String]) throws -> Outcome {
    let program = try Launch.path(of: "stsh")
    let command = "ulimit -f \(size * 2); exec \(program) \(arguments.joined(separator: " "))"
    return try run("-c", "echo go | \(command)")
  }
}
