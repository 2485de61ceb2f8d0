import Glibc
import StoreHistory
import StoreHost
import Synchronization
import Testing

@testable import StoreShell

/// The time of a store goes on while it is closed, and what is due by it is done once.
@Suite struct StoreTimeTests {
  /// The clock on the wall of a test.
  private final class Wall: Sendable {
    private let time = Mutex(Duration.seconds(1_700_000_000))
    var now: Duration { time.withLock { $0 } }
    func pass(_ seconds: Double) { time.withLock { $0 += .seconds(seconds) } }
    func set(_ seconds: Int) { time.withLock { $0 = .seconds(seconds) } }
  }

  private let wall = Wall()
  /// The time since the machine started.
  private let machine = Wall()
  private let home: Shell
  private let store: String

  init() throws {
    home = try Shell()
    store = "\(home.folder)/a.db"
  }

  /// Opens the store on the real clock or on a virtual one.
  ///
  /// - Parameter machineRuns: whether the clock of the machine's run is known, which passes apart from the wall.
  private func opened(
    _ path: String? = nil, isVirtual: Bool = false, machineRuns: Bool = false
  ) throws -> (Shell, String) {
    let shell = try Shell {
      $0.grants = ["inventory", "keeper"]
      $0.hasVirtualClock = isVirtual
    }
    let (wall, machine) = (wall, machine)
    var plan = JournalPlan(path: path ?? store, durability: .off) { wall.now }
    if machineRuns { plan.bootTime = { machine.now } }
    shell.session.options.journal = plan
    let outcome = shell.outcome { shell.session.openJournal() }
    #expect(outcome.status == 0, "\(outcome)")
    return (shell, outcome.errors)
  }

  private func end(_ shell: Shell) { #expect(shell.outcome { shell.session.endJournal() } == .init()) }

  private func fill(_ shell: Shell) {
    let outcome = shell.run(
      "plugin load inventory", "dispatch inventory.openWarehouse w", "dispatch inventory.addItem s Thing",
      "dispatch inventory.move w s quantity=9")
    #expect(outcome.status == 0, "\(outcome)")
  }

  private func hold(_ shell: Shell, _ id: String) {
    #expect(shell.run("dispatch inventory.hold id=\(id) warehouse=w sku=s quantity=1 --quiet").status == 0)
  }

  private func expired(_ shell: Shell) -> String { shell.run("show inventory.expired").output }

  @Test func timePassesAgainAfterTheWallWasAheadOnce() throws {
    let (first, _) = try opened()
    fill(first)
    end(first)
    wall.pass(400 * 86_400)
    let (ahead, _) = try opened()
    hold(ahead, "h1")
    end(ahead)
    wall.pass(-400 * 86_400)
    let (right, note) = try opened()
    #expect(note.contains("days behind the time of"))
    end(right)
    wall.pass(600)
    let (later, _) = try opened()
    #expect(expired(later) == "0\n")
    end(later)
    wall.pass(400)
    let (last, _) = try opened()
    #expect(expired(last) == "1\n")
    end(last)
  }

  @Test func whatCameDueWhileItWasClosedIsDoneAtOnceInOrder() throws {
    let (first, _) = try opened()
    fill(first)
    hold(first, "h1")
    end(first)
    wall.pass(600)
    let (second, _) = try opened()
    #expect(expired(second) == "0\n")
    hold(second, "a")
    end(second)
    wall.pass(3600)
    let (third, _) = try opened()
    #expect(expired(third) == "2\n")
    let log = third.run("log --all --as raw").output.split(separator: "\n").suffix(2)
    #expect(
      log.map { $0.split(separator: "\t").first { $0.hasPrefix("inventory.") } } == [
        "inventory.expire id=\"h1\"", "inventory.expire id=\"a\"",
      ])
    end(third)
    let (fourth, _) = try opened()
    #expect(expired(fourth) == "2\n")
    end(fourth)
  }

  /// A kill, a gate, a reload and a switched-off plugin: each hold expires once, at its time.
  @Test func aHoldSurvivesWhatMayHappenToIt() throws {
    let (first, _) = try opened()
    fill(first)
    hold(first, "h1")
    let copy = try first.killedCopy(of: store, as: "killed.db")
    end(first)
    wall.pass(300)
    let (second, _) = try opened(copy)
    #expect(second.run("effects").output.contains("inventory/expiry/due  in "))
    #expect(second.run("middleware off inventory.expiry", "middleware on inventory.expiry").status == 0)
    #expect(second.run("plugin disable inventory", "plugin enable inventory").status == 0)
    #expect(second.run("plugin reload inventory").status == 0)
    #expect(expired(second) == "0\n")
    #expect(second.run("show inventory.holds.h1.due --as raw").output.hasPrefix("900"))
    end(second)
    wall.pass(700)
    let (third, _) = try opened(copy)
    #expect(expired(third) == "1\n")
    end(third)
  }

  /// Against a model: holds, gates, reloads, kills and closed hours in any order; each hold expires once, not before its time.
  @Test(arguments: 1...6) func eachHoldExpiresOnceWhateverHappens(seed: UInt64) throws {
    var state = seed
    func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    // Their folders go with them, and the copies in these.
    var shells = [try opened().0]
    var shell: Shell { shells[shells.count - 1] }
    fill(shell)
    #expect(shell.run("dispatch inventory.move w s quantity=1000").status == 0)
    // Everything happens at even hundreds of seconds, and what is due is due at odd ones.
    var now = 0
    var due: [String: Int] = [:]
    var rung: Set<String> = []
    var isShut = false
    func reopen(_ path: String) throws {
      end(shell)
      let closed = 200 * (1 + below(12))
      wall.pass(Double(closed))
      now += closed
      shells.append(try opened(path).0)
    }
    var path = store
    for step in 1...40 {
      let known = due.keys.sorted()
      switch below(10) {
      case 0, 1, 2:
        hold(shell, "h\(step)")
        due["h\(step)"] = now + 900
      case 3 where !known.isEmpty:
        let id = known[below(known.count)]
        #expect(shell.run("dispatch inventory.\(step.isMultiple(of: 2) ? "extend" : "release") \(id)").status == 0)
        due[id] = step.isMultiple(of: 2) ? now + 900 : nil
      case 4:
        isShut.toggle()
        _ = shell.run("middleware \(isShut ? "off" : "on") inventory.expiry")
      case 5: #expect(shell.run("plugin reload inventory").status == 0)
      case 6: _ = shell.run("plugin disable inventory", "plugin enable inventory")
      case 7:
        path = try shell.killedCopy(of: path, as: "killed\(step).db")
        try reopen(path)
      default: try reopen(path)
      }
      if !isShut {
        for (id, time) in due where time <= now { due[id] = rung.insert(id).inserted ? nil : time }
      }
      let left = shell.run("show inventory.holds --json").output
      let ids = due.keys.filter { left.contains("\"\($0)\":") }
      #expect(ids.count == due.count, "seed \(seed), step \(step): \(left)")
      #expect(left.ranges(of: "\"due\":").count == due.count, "seed \(seed), step \(step): \(left)")
      #expect(expired(shell) == "\(rung.count)\n", "seed \(seed), step \(step)")
    }
    // Each is in the log once.
    let told = shell.run("log --action inventory.expire --all --as raw").output.split(separator: "\n")
    #expect(told.count == rung.count)
    end(shell)
  }

  /// Writes a plugin with holds, of which the later version gives each a note.
  private func write(version: Int) throws -> String {
    let (field, note, migrate) =
      version == 1
      ? ("", "", "")
      : (
        #", field("note", text())"#, #", note = "new""#,
        #"migrate = function(old) for _, hold in pairs(old.holds) do hold.note = "old" end return old end,"#
      )
    _ = try home.write(
      "keeper/plugin.json",
      #"{"name":"keeper","version":"\#(version).0.0","api":1,"permissions":["timers"]}"#)
    _ = try home.write(
      "keeper/init.lua",
      """
      return plugin {
        state = { field("holds", map(record("Hold", { field("due", number())\(field) }))), field("expired", list(text())) },
        actions = { { name = "hold", args = { field("id", text()) } }, { name = "expire", args = { field("id", text()) } } },
        reducers = {
          hold = function(s, a, meta) s.holds[a.id] = { due = meta.at + 900\(note) } end,
          expire = function(s, a) s.holds[a.id] = nil s.expired[#s.expired + 1] = a.id end,
        },
        middleware = { { name = "expiry", supervise = { over = "holds", at = "due",
          task = function(task, id) task:dispatch("expire", { id = id }) end } } },
        \(migrate)
      }
      """)
    return "\(home.folder)/keeper"
  }

  /// A migration, while the store is open and while it is closed: each hold expires once, at its time.
  @Test(arguments: [true, false]) func aHoldOutlivesAMigration(isOpen: Bool) throws {
    let keeper = try write(version: 1)
    func rung(_ shell: Shell) -> String { shell.run("show keeper.expired --as json").output }
    let (first, _) = try opened()
    #expect(first.run("plugin load \(keeper)", "dispatch keeper.hold a").status == 0)
    if isOpen {
      _ = try write(version: 2)
      let reloaded = first.run("plugin reload keeper", "show keeper.holds.a.note")
      #expect(reloaded.output.hasSuffix("\"old\"\n"), "\(reloaded)")
      #expect(first.run("dispatch keeper.hold b").status == 0)
    }
    end(first)
    if !isOpen { _ = try write(version: 2) }
    wall.pass(600)
    let (second, _) = try opened()
    if !isOpen { #expect(second.run("plugin reload keeper").status == 0) }
    #expect(rung(second) == "[]\n")
    end(second)
    wall.pass(3600)
    for _ in 1...2 {
      let (later, _) = try opened()
      #expect(rung(later) == (isOpen ? "[\"a\",\"b\"]\n" : "[\"a\"]\n"))
      end(later)
      wall.pass(3600)
    }
  }

  /// However many they are: the first statement after an opening finds all of them done, in their order.
  @Test func allThatIsDueIsDoneAtOpening() throws {
    let (first, _) = try opened()
    fill(first)
    let hold =
      "dispatch('inventory.hold', { id = 'h' .. i, warehouse = 'w', sku = 's', quantity = 1 })"
    #expect(
      first.run("dispatch inventory.move w s quantity=1000", "lua for i = 1, 600 do \(hold) end").status == 0)
    end(first)
    wall.pass(3600)
    let (second, _) = try opened()
    #expect(expired(second) == "600\n")
    let log = second.run("log --all --action inventory.expire").output.split(separator: "\n")
    #expect(log.count == 601 && log[600].contains("inventory.expire id=\"h600\""))
    end(second)
  }

  /// The clock on the wall is read to the fraction of a second, so that nothing is done before its time.
  @Test func timePassesByFractionsToo() throws {
    let keeper = try write(version: 1)
    let (first, _) = try opened()
    #expect(first.run("plugin load \(keeper)", "dispatch keeper.hold a").status == 0)
    end(first)
    wall.pass(899.5)
    let (second, _) = try opened()
    #expect(second.run("show keeper.expired --as json").output == "[]\n")
    #expect(second.run("effects").output.contains("keeper/expiry/due  in 0."))
    end(second)
  }

  @Test func aVirtualClockStandsWhereItStood() throws {
    let (first, _) = try opened(isVirtual: true)
    fill(first)
    hold(first, "h1")
    #expect(first.run("wait 10min").status == 0)
    end(first)
    wall.pass(86_400)
    let (second, _) = try opened(isVirtual: true)
    #expect(second.run("effects").output.hasSuffix("inventory/expiry/due  in 300.0s\n"))
    #expect(second.run("wait 299s", "show inventory.expired").output == "0\n")
    #expect(second.run("wait 1s", "show inventory.expired").output == "1\n")
    #expect(second.run("log 1").output.contains("  900.0s  "))
    end(second)
  }

  @Test func aFarJumpAheadWhileItIsOpenIsToldAndMovesNothing() throws {
    let (first, _) = try opened()
    fill(first)
    hold(first, "h1")
    wall.pass(3 * 86_400)
    let outcome = first.outcome { first.session.endJournal() }
    #expect(
      outcome.errors
        == "note: the clock of this machine went ahead by 3 days; the time of \(store) has not\n")
    wall.pass(600)
    let (second, _) = try opened()
    #expect(expired(second) == "0\n")
    end(second)
    wall.pass(400)
    let (third, _) = try opened()
    #expect(expired(third) == "1\n")
    end(third)
  }

  @Test func theTimeNeverGoesBackAndAFarJumpIsTold() throws {
    let (first, _) = try opened()
    fill(first)
    end(first)
    wall.pass(10 * 86_400)
    let (second, notes) = try opened()
    #expect(notes == "")
    hold(second, "h1")
    end(second)
    wall.pass(-5 * 86_400)
    let (third, told) = try opened()
    #expect(told.contains("note: the clock of this machine is 5 days behind the time of "))
    hold(third, "h2")
    #expect(third.run("assert state.inventory.holds.h2.due >= state.inventory.holds.h1.due").status == 0)
    end(third)
  }

  /// A clock that was wrong is set right while the store is open, and the program ends without a word: the file has followed.
  @Test(arguments: [53 * 365, -53 * 365, 3, -3])
  func aClockThatIsSetMovesNothingHoweverTheProgramEnds(days: Int) throws {
    let (first, _) = try opened()
    fill(first)
    hold(first, "h1")
    first.session.store.live.settleJournal()
    wall.pass(Double(days) * 86_400)
    let held = first.run("dispatch inventory.hold id=h2 warehouse=w sku=s quantity=1 --quiet")
    first.session.store.live.settleJournal()
    #expect(
      held.errors + first.run("echo").errors
        == "note: the clock of this machine went \(days > 0 ? "ahead" : "back") by \(abs(days)) days; "
        + "the time of \(store) has not\n")
    // As the file is where the program is killed.
    let copy = "\(home.folder)/copy.db"
    for suffix in ["", "-wal"] { try home.write("copy.db\(suffix)", Self.bytes(store + suffix)) }
    let (second, notes) = try opened(copy)
    #expect(!notes.contains("behind the time"), "\(notes)")
    #expect(expired(second) == "0\n")
    end(second)
    wall.pass(901)
    let (third, _) = try opened(copy)
    #expect(expired(third) == "2\n")
    end(third)
    end(first)
  }

  /// A clock that is set while the store is closed moves no timer, whether the program was killed or ended in order: the clock of the
  /// machine's run tells how long the store was closed.
  @Test(arguments: [53 * 365, -53 * 365, 3, -3, 0], [true, false])
  func aClockThatIsSetWhileItIsClosedMovesNothing(days: Int, isKilled: Bool) throws {
    let (first, _) = try opened(machineRuns: true)
    fill(first)
    hold(first, "h1")
    let copy = isKilled ? try first.killedCopy(of: store, as: "killed.db") : store
    end(first)
    wall.pass(Double(days) * 86_400 + 600)
    machine.pass(600)
    let (second, notes) = try opened(copy, machineRuns: true)
    let told = notes.split(separator: "\n").filter { $0.contains("clock of this machine") }
    let expected =
      days == 0
      ? []
      : [
        "note: the clock of this machine went \(days > 0 ? "ahead" : "back") by \(abs(days)) days; the time of \(copy) has not"
      ]
    #expect(told.map(String.init) == expected)
    #expect(expired(second) == "0\n")
    end(second)
    // It has gone on while nobody had it open, and does from here on, by the machine's clock or by the wall.
    wall.pass(301)
    machine.pass(301)
    let (third, silence) = try opened(copy, machineRuns: isKilled)
    #expect(silence == "")
    #expect(expired(third) == "1\n")
    end(third)
  }

  /// A session that only looks leaves the file as it is, and the next finds the right time all the same.
  @Test func aLookBehindASetClockMovesNothing() throws {
    let (first, _) = try opened(machineRuns: true)
    fill(first)
    hold(first, "h1")
    end(first)
    for days in [400.0, -400, 20] {
      wall.pass(days * 86_400)
      machine.pass(200)
      let (look, _) = try opened(machineRuns: true)
      #expect(look.run("show inventory.holds.h1.sku").output == "\"s\"\n")
      end(look)
    }
    machine.pass(301)
    wall.pass(301)
    let (last, _) = try opened(machineRuns: true)
    #expect(expired(last) == "1\n")
    end(last)
  }

  /// Behind another start of the machine its clock says nothing.
  @Test(arguments: [true, false]) func theWallTellsWhereTheMachineWasStartedAnew(isKilled: Bool) throws {
    let (first, _) = try opened(machineRuns: true)
    fill(first)
    hold(first, "h1")
    let copy = isKilled ? try first.killedCopy(of: store, as: "killed.db") : store
    end(first)
    wall.pass(901)
    try home.alter(copy, "UPDATE meta SET value = 'another' WHERE name = 'boot'")
    let (second, notes) = try opened(copy, machineRuns: true)
    #expect(!notes.contains("clock of this machine"), "\(notes)")
    #expect(expired(second) == "1\n")
    end(second)
  }

  /// It is looked for without anything to write, too.
  @Test func aClockThatIsSetWhileNothingIsWrittenIsFollowed() throws {
    let (first, _) = try opened()
    fill(first)
    hold(first, "h1")
    first.session.store.live.settleJournal()
    wall.pass(400 * 86_400)
    let journal = try #require(first.session.store.live.turn { first.session.store.live.journal?.journal })
    let end = ContinuousClock.now + .seconds(60)
    while !journal.hasTrouble, .now < end { usleep(20_000) }
    #expect(first.run("echo").errors.contains("went ahead by 400 days"))
    for suffix in ["", "-wal"] { try home.write("copy.db\(suffix)", Self.bytes(store + suffix)) }
    let (second, _) = try opened("\(home.folder)/copy.db")
    #expect(expired(second) == "0\n")
    self.end(second)
    self.end(first)
  }

  /// A day that a month does not have is no moment.
  @Test(arguments: ["2026-02-30", "2023-02-29", "2026-04-31 10:00", "2026-11-31T10:00:00Z"])
  func noMonthHasMoreDaysThanItHas(text: String) {
    #expect(home.run("log --since \"\(text)\"").errors.contains("--since takes a time such as "), "\(text)")
    #expect(home.run("log --since \"2024-02-29\"", "log --since \"2024-02-29T10:00:00Z\"").errors == "")
  }

  /// Whatever a clock says, a store opens, is written and is looked at: before 1970, at the ends of four-digit years, and at those of
  /// the system's time.
  @Test(arguments: [-62_167_219_201, -1, 0, 253_402_300_800, 9_223_372_037, .max / 1000, .max, .min])
  func noTimeOfAClockEndsTheProgram(seconds: Int) throws {
    let (first, _) = try opened()
    fill(first)
    hold(first, "h1")
    wall.set(seconds)
    hold(first, "h2")
    for statement in ["log", "log --since 1h", "log --until 2026-01-01", "why inventory.holds.h2", "log --as json"] {
      #expect(first.run(statement).status == 0, "\(statement)")
    }
    _ = first.outcome { first.session.endJournal() }
    let (second, _) = try opened()
    #expect(second.run("dispatch counter.increment --quiet", "log", "effects").status == 0)
    _ = second.outcome { second.session.endJournal() }
    wall.set(1_700_000_000)
    let (third, _) = try opened()
    #expect(third.run("show counter.value").output == "1\n")
    #expect(third.run("log --all").status == 0)
    _ = third.outcome { third.session.endJournal() }
  }

  /// A leap is told as far as it is one: beyond a century nobody counts days.
  @Test(arguments: [(86_400 * 3, "3 days"), (86_400 * 36_525, "36525 days"), (1 << 40, "more than 100 years")])
  func aLeapIsToldAsFarAsItGoes(seconds: Int, text: String) throws {
    let (shell, _) = try opened()
    wall.set(1_700_000_000 + seconds)
    let outcome = shell.run("dispatch counter.increment --quiet", "wait 10ms", "dispatch counter.increment --quiet")
    let ended = shell.outcome { shell.session.endJournal() }
    #expect((outcome.errors + ended.errors).contains("the clock of this machine went ahead by \(text); the time of "))
  }

  /// What is cancelled by hand stays so, in this store and in one that is opened again; an entry that comes anew waits again.
  @Test(arguments: ["effects cancel inventory/expiry/due", "effects cancel all"])
  func tasksThatAreCancelledStaySo(cancel: String) throws {
    let (first, _) = try opened(isVirtual: true)
    fill(first)
    hold(first, "h1")
    hold(first, "h2")
    #expect(first.run(cancel).status == 0)
    hold(first, "h3")
    #expect(first.run("wait 1h", "show inventory.holds").output.contains("h1"))
    #expect(expired(first) == "1\n")
    end(first)
    for _ in 1...2 {
      let (later, _) = try opened(isVirtual: true)
      #expect(later.run("effects").output == "(no effects)\n")
      #expect(later.run("wait 1h").status == 0)
      #expect(expired(later) == "1\n")
      end(later)
    }
    let (last, _) = try opened(isVirtual: true)
    #expect(last.run("dispatch inventory.release h1 --quiet").status == 0)
    hold(last, "h1")
    #expect(last.run("wait 1h").status == 0)
    #expect(expired(last) == "2\n")
    end(last)
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 24)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }
}
