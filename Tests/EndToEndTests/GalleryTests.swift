import TerminalSupport
import Testing

/// The example program: the shell around a store of somebody's own.
@Suite("The gallery")
struct GalleryTests {
  private func run(_ lines: String..., in shell: Shell? = nil) throws -> Shell.Outcome {
    let shell = try shell ?? Shell()
    return try shell.run(program: "Gallery", input: lines.map { $0 + "\n" }.joined())
  }

  @Test func itsModulesStandAtTheTop() throws {
    let outcome = try run("describe", "describe counter")
    #expect(
      outcome.output == """
        module   origin  fields  actions  projections
        counter  swift   3       4        0
        volume   swift   2       3        0
        movies   swift   2       5        1
        module counter (swift)
        state
          count      Int
          direction  Direction  Direction{up, down}
          limit      Int
        actions
          counter.increment
          counter.decrement
          counter.setDirection to:Direction
          counter.setLimit to:Int

        """)
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test func itsReducersSurviveTheEndsOfInt() throws {
    let shell = try Shell()
    let outcome = try shell.run(
      program: "Gallery",
      input: """
        import state ends.json --value '{"counter":{"count":9223372036854775807}}'
        dispatch counter.increment

        """)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("error[out-of-range]: the result of 9223372036854775807 + 1 does not fit Int"))
    let volume = try shell.run(
      program: "Gallery",
      input: """
        import state ends.json --value '{"volume":{"level":-9223372036854775808}}'
        dispatch volume.down 1

        """)
    #expect(volume.errors.contains("error[out-of-range]: the result of -9223372036854775808 - 1 does not fit Int"))
  }

  /// Rows 113 and 114: what is written is an action, and is read once it is reduced.
  @Test func theCounterIsBoundBothWays() throws {
    let outcome = try run("limit := 5", "show limit", "direction := down", "dispatch counter.setLimit 7", "show limit")
    #expect(
      outcome.output == """
        #1 counter.setLimit to=5
          counter.limit  3 -> 5
        5
        #2 counter.setDirection to="down"
          counter.direction  "up" -> "down"
        #3 counter.setLimit to=7
          counter.limit  5 -> 7
        7

        """)
    #expect(outcome.errors == "")
  }

  /// The examples of the shell's own modules are none here.
  @Test func helpIsOfItsOwnStore() throws {
    let outcome = try run("help dispatch", "help thunk", "help let", "help describe", "help bind")
    #expect(outcome.output.contains("for instance\n  dispatch counter.increment\n  dispatch counter.decrement\n"))
    #expect(outcome.output.contains("for instance\n  thunk counter.updateCount times:Int=1\n"))
    #expect(outcome.output.contains("  gallery> let n = 3\n"))
    for foreign in ["stsh>", "tasks", "no module", "counter.step"] { #expect(!outcome.output.contains(foreign)) }
    #expect(outcome.errors == "")
  }

  @Test func aBindingTakesNothingOfAnotherType() throws {
    let outcome = try run("direction := sideways")
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("stdin:1:14: error[type-mismatch]: "))
    #expect(outcome.status == 1)
  }

  /// Rows 108 and 109: the thunk reads, compares, and dispatches or does not; what waits reads the state after.
  @Test func theThunkCountsUpToTheLimit() throws {
    let outcome = try run(
      "thunk counter.updateCount times=9", "show counter.count", "thunk updateCount",
      "dispatch counter.setDirection down --quiet",
      "thunk updateCount --quiet", "show counter.count", "log --all")
    #expect(outcome.errors == "")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "#1 thunk:counter.updateCount times=9" && lines.dropFirst(7).first == "3", "\(lines)")
    #expect(lines.contains("2"))
    // In the answer and in the log, each action of the thunk says where in the program it stands.
    #expect(lines.count { $0.contains("Gallery/Counter.swift:") && $0.contains("counter.increment") } == 6)
    #expect(lines.count { $0.contains("Gallery/Counter.swift:") && $0.contains("counter.decrement") } == 1)
  }

  @Test func theThunksAreListed() throws {
    let outcome = try run("thunk", "thunk counter.updateCuont")
    #expect(
      outcome.output == """
        name                 arguments    summary
        counter.updateCount  times:Int=1  Counts in its direction, up to the limit.

        """)
    #expect(outcome.errors.contains("did you mean 'counter.updateCount'?"))
  }

  /// Rows 93 and 97: reducers run in order, and the last one keeps the bounds.
  @Test func theVolumeKeepsItsBounds() throws {
    let outcome = try run(
      "dispatch volume.toggleMute --quiet", "dispatch volume.up by=99", "dispatch volume.up",
      "dispatch volume.down by=20")
    #expect(
      outcome.output == """
        #2 volume.up by=99
          volume.level  5 -> 10
          volume.isMuted  true -> false
        #3 volume.up by=1  (changed nothing)
        #4 volume.down by=20
          volume.level  10 -> 0

        """)
  }

  /// Rows 37, 38 and 45: what the service gives comes as an action, and so does its refusal.
  @Test func theServiceKeepsTwoFavourites() throws {
    let outcome = try run(
      "dispatch movies.load --quiet", "wait idle", "dispatch movies.setFavourite 1 --quiet",
      "dispatch movies.setFavourite 3", "wait idle", "dispatch movies.setFavourite 4", "wait idle",
      "show movies.favourites", "show movies.problem")
    #expect(
      outcome.output == """
        #4 movies.setFavourite id=3 to=true
          movies.items[id=3].isFavourite  false -> true
        #5 movies.setFavourite id=4 to=true
          movies.items[id=4].isFavourite  false -> true
          #6 movies.refuseFavourite id=4 to=true reason="only 2 favourites are kept" <- Gallery/Movies.swift:77
            movies.items[id=4].isFavourite  true -> false
            movies.problem  + "only 2 favourites are kept"
        The General
        Nosferatu
        "only 2 favourites are kept"

        """)
    #expect(outcome.errors == "")
  }

  @Test func aFilmThatIsNotThereIsRefused() throws {
    let outcome = try run("dispatch movies.setFavourite 9", "wait idle", "show movies.problem")
    #expect(
      outcome.output == """
        #1 movies.setFavourite id=9 to=true  (changed nothing)
          #2 movies.refuseFavourite id=9 to=true reason="there is no film 9" <- Gallery/Movies.swift:77
            movies.problem  + "there is no film 9"
        "there is no film 9"

        """)
    #expect(outcome.status == 0)
  }

  @Test func aShutGateKeepsTheServiceOut() throws {
    let outcome = try run("middleware off movies", "dispatch movies.load", "wait idle", "show movies.items")
    #expect(
      outcome.output == "#1 shell.setGate name=\"movies\" open=false\n#2 movies.load  (changed nothing)\n0 items\n")
  }

  @Test func itsOwnCommandReadsAndDispatches() throws {
    let outcome = try run(
      "tonight", "wait idle", "dispatch movies.setFavourite 2 --quiet", "dispatch movies.setFavourite 3 --quiet",
      "tonight", "tonight minutes=200 --json", "= #_")
    #expect(
      outcome.output == """
        0 items
        id  title      minutes  isFavourite
        3   Nosferatu  94       true
        [{"id":2,"title":"Metropolis","minutes":153,"isFavourite":true},{"id":3,"title":"Nosferatu","minutes":94,"isFavourite":true}]
        2

        """)
    #expect(outcome.errors == "")
  }

  @Test func itsOwnCommandIsChecked() throws {
    let outcome = try run("tonight minutes=late")
    #expect(
      outcome.errors == """
        stdin:1:9: error[type-mismatch]: 'minutes' must be Int, got string "late"
          tonight minutes=late
                  ^~~~~~~~
          hint: usage: tonight minutes:Int=120

        """)
    #expect(outcome.status == 1)
  }

  @Test func itsOwnCommandIsInTheHelp() throws {
    let outcome = try run("help tonight")
    #expect(
      outcome.output.hasPrefix(
        "usage: tonight minutes:Int=120\nlists the favourites that an evening is long enough for\n"))
    #expect(try run("help commands").output.contains("\ntonight "))
    #expect(try run("tonigth").errors.contains("did you mean 'tonight'?"))
  }

  @Test func aPluginStandsBesideItsModules() throws {
    let shell = try Shell()
    try shell.folder.write(
      "loud/plugin.json", #"{ "name": "loud", "version": "0.1.0", "api": 1, "permissions": ["read:volume"] }"#)
    try shell.folder.write(
      "loud/init.lua",
      """
      return plugin {
        state = { field("times", int()) },
        reducers = { ["volume.up"] = function(s) s.times = s.times + 1 end },
      }
      """)
    let outcome = try run(
      "plugin grant ./loud", "plugin load ./loud", "dispatch volume.up", "show loud.times", in: shell)
    #expect(outcome.errors == "")
    #expect(outcome.output.hasSuffix("\n1\n"))
  }

  @Test func aScriptHasArguments() throws {
    let shell = try Shell()
    try shell.folder.write("limit.stsh", "limit := $1\nshow limit\n")
    let outcome = try shell.run(program: "Gallery", "limit.stsh", "8")
    #expect(outcome.output == "#1 counter.setLimit to=8\n  counter.limit  3 -> 8\n8\n")
  }

  @Test func itsTablesFitTheTerminal() throws {
    let terminal = try Shell().prompt(program: "Gallery", prompt: "gallery>", columns: 30)
    try terminal.enter("tonight", prompt: "gallery>")
    try terminal.enter("dispatch movies.setFavourite 1 --quiet", prompt: "gallery>")
    try terminal.enter("tonight", prompt: "gallery>")
    #expect(terminal.text.contains("\ntitle        The General\n"))
  }

  @Test func itsPromptHasItsName() throws {
    let terminal = try Shell().prompt(program: "Gallery", prompt: "gallery>")
    try terminal.enter("limit := 4", prompt: "gallery>")
    terminal.type("toni\t")
    try terminal.wait(for: "the command to be completed") { $0.cursorLine == "gallery> tonight" }
    terminal.type("min\t")
    try terminal.wait(for: "the argument to be completed") { $0.cursorLine == "gallery> tonight minutes=" }
    try terminal.enter("200", prompt: "gallery>")
    try terminal.enter("goto 0", prompt: "gallery @0/3>")
    #expect(terminal.text.contains("#1 counter.setLimit to=4\n  counter.limit  3 -> 4\n"))
  }
}
