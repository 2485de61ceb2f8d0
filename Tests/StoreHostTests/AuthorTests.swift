import Platform
import StandardModules
import StoreCore
import StoreHistory
@testable import StoreHost
import StoreSchema
import Testing

@testable import StoreShell

/// Who did what, and when: in the entry, the file, recordings, lists and for code.
@Suite struct AuthorTests {
  private typealias Host = StoreHost<StandardAction, StandardState>

  private static func host(_ clock: any StoreClock = RealClock(), file: String? = nil) throws -> Host {
    let application = Application(initial: StandardState(), reducer: StandardState.reducer)
    guard let file else { return try Host(application, clock: clock, program: "stsh") }
    return try Host(application, clock: clock, program: "stsh", journal: JournalPlan(path: file))
  }

  private static func entries(_ host: Host) throws -> [LoggedEntry] {
    try StoreClient(of: host.live).entries(1...max(host.live.head, 1))
  }

  @Test func anEntrySaysWhoDidItUnderWhichName() throws {
    let host = try Self.host()
    let ann = try Conversation(with: host, who: "ann@pts/3")
    let script = try Conversation(with: host)
    ann.say("dispatch tasks.add milk --info 'for tea' --quiet")
    script.say("dispatch counter.increment --quiet")
    host.store.dispatch(.counter(.increment()), as: "order-17")
    let line = #line + 1
    host.store.dispatch(.counter(.increment()))
    host.store.dispatch(.counter(.increment()), as: "no name")
    let entries = try Self.entries(host)
    let user = SystemUser.current
    #expect(entries.map(\.source.user) == [user, user, user, nil, nil])
    #expect(
      entries.map(\.source.who) == [
        "ann@pts/3", ConversationName.atTerminal(of: user), "order-17", "\(#fileID):\(line)",
        "\(#fileID):\(line + 1)",
      ])
    #expect(entries[0].source.info == "for tea")
    #expect(host.live.names.areSeveral)
  }

  @Test func timesOfDayAreRealOrMissing() throws {
    let before = TimeOfDay.now()
    let host = try Self.host()
    let ann = try Conversation(with: host, who: "ann")
    ann.say("dispatch counter.increment --quiet")
    host.live.wallTime = { 1_764_338_587_123 }
    ann.say("dispatch counter.increment --quiet")
    let times = try Self.entries(host).map(\.wallTime)
    #expect((before...TimeOfDay.now()).contains(try #require(times[0])))
    #expect(times[1] == 1_764_338_587_123)
    // Without a file and a door nobody comes back later.
    #expect(ann.say("log").output.hasPrefix("n   at"))
    let still = try Self.host(VirtualClock())
    try Conversation(with: still, who: "ann").say("dispatch counter.increment --quiet")
    #expect(try Self.entries(still).map(\.wallTime) == [nil])
  }

  /// The file, a recording, `log`, `why` and what a plugin of SQL reads agree, also behind a restart and where the clock was set back.
  @Test func allThatTellAgree() throws {
    var template = Array("/tmp/stsh-author-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
      for name in ["s.db", "s.db-wal", "s.db-shm", "s.db.lock", "run.jsonl", "a.jsonl", "b.jsonl"] {
        unlink("\(folder)/\(name)")
      }
      rmdir(folder)
    }
    let file = "\(folder)/s.db"
    let hour = 3_600_000
    let noon = 1_764_331_200_000
    func act(_ who: String, at time: Int, _ lines: String...) throws -> String {
      let host = try Self.host(file: file)
      defer { try? host.close() }
      host.live.wallTime = { time }
      return try Conversation(with: host, who: who).say(lines).output
    }
    _ = try act("ann@pts/3", at: noon, "dispatch tasks.add milk --quiet")
    _ = try act("bob@pts/2", at: noon - hour, "dispatch tasks.add bread --quiet")
    let seen = try act(
      "cleo", at: noon + hour, "log --json", "log --since 2025-11-28T11:30:00Z",
      "log --until 2025-11-28T11:30:00Z --json",
      "log --who ann@* --json", "why tasks.items[id=2].title", "export journal \(folder)/run.jsonl",
      "show shell.log --as json")
    #expect(seen.contains(#""when":\#(noon),"user":"\#(SystemUser.current)","who":"ann@pts/3""#), "\(seen)")
    #expect(seen.contains(#""when":\#(noon - hour),"user":"\#(SystemUser.current)","who":"bob@pts/2""#))
    let host = try Self.host()
    let reader = try Conversation(with: host, who: "dora")
    #expect(reader.say("replay \(folder)/run.jsonl --verify").status == 0)
    let entries = try Self.entries(host)
    #expect(entries.map(\.wallTime) == [noon, noon - hour])
    #expect(entries.map(\.source.who) == ["ann@pts/3", "bob@pts/2"])
    #expect(host.live.names.areSeveral)
  }

  /// Recordings of the same actions are the same with `--stable`, whoever made them and whenever.
  @Test func stableRecordingsCompare() throws {
    let recordings = try ["ann", "bob"].map { name in
      let conversation = try Conversation(with: Self.host(), who: name)
      conversation.say("dispatch counter.increment --quiet", "dispatch tasks.add milk --quiet")
      #expect(conversation.say("export journal -").output.contains(#""who":"\#(name)""#))
      return conversation.say("export journal - --stable").output
    }
    #expect(recordings[0] == recordings[1])
    #expect(!recordings[0].contains("who"))
  }

  @Test func readersClocksShowTheirOwnTime() {
    let moment = 1_764_338_587_123  // 2025-11-28 14:03:07 UTC
    let zone = LocalTime(ReaderClock(offset: 19_800))
    #expect(zone.clock(of: moment) == "19:33:07")
    #expect(LocalTime(ReaderClock(offset: 39_600)).date(of: moment) == "2025-11-29")
    #expect(zone.moment("2025-11-28 19:33:07", now: 0) == moment / 1000 * 1000)
    #expect(zone.moment("19:33", now: moment) == (moment / 1000 - 7) * 1000)
    #expect(zone.moment("2025-11-28T14:03:07Z", now: 0) == moment / 1000 * 1000)
    #expect(zone.moment("2025-11-28", now: moment) == 1_764_268_200_000)
    for text in ["", "10", "10:", "25:00", "10:60", "2025-13-01", "2025-11-28 x", "x 10:00", "2d"] {
      #expect(zone.moment(text, now: moment) == nil, "\(text)")
    }
  }

  /// A clock that is read in winter tells what it showed in summer.
  @Test func readersClocksKnowSummerFromWinter() {
    let berlin = LocalTime(
      ReaderClock(
        steps: [(0, 3600), (1_774_746_000, 7200), (1_792_890_000, 3600)].map { .init(from: $0.0, offset: $0.1) }))
    let summer = 1_783_000_000_000  // 2026-07-02 13:46:40 UTC
    #expect(berlin.clock(of: summer) == "15:46:40")
    #expect(berlin.clock(of: 1_795_960_000_000) == "14:46:40")
    #expect(berlin.moment("2026-07-02 15:46:40", now: 1_795_960_000_000) == summer)
    #expect(berlin.moment("2026-10-25 01:59", now: 0) == 1_792_886_340_000)
    #expect(berlin.moment("2026-10-25 03:00", now: 0) == 1_792_893_600_000)
  }
}
