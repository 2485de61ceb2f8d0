import Foundation
import Platform
import StandardModules
import StoreCore
import StoreHistory
@testable import StoreHost
import StoreSchema
import Testing

@testable import ShellDoor
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

  /// `log`, `why`, `follow`, a recording and `SELECT * FROM log` tell the same of who and when: where the clock of the machine is set
  /// back, behind a restart, and to readers in other time zones.
  @Test func allThatTellAgree() throws {
    let place = try SharedPluginTests.Place()
    let hour = 3_600_000
    let noon = 1_764_331_199_995  // 2025-11-28 11:59:59.995 UTC
    do {
      let host = try place.open()
      host.live.wallTime = { noon }
      let ann = try place.come(host, "ann@pts/3")
      ann.say("plugin load \(place.folder)/shop", "dispatch shop.new --info 'for tea'", "dispatch shop.due 1 60")
      host.store.dispatch(.counter(.increment()), as: "order-17")
      host.store.dispatch(.counter(.increment()))
      host.live.wallTime = { noon + 999 }
      ann.say("wait 2min")
      host.live.wallTime = { noon - hour }
      try place.come(host, "bob@pts/2").say("lua for i = 1, 3 do dispatch('counter.increment') end")
      let told = try allAgree(at: host, place)
      #expect(told.map(\.when) == [noon, noon, noon, noon, noon, noon + 999] + Array(repeating: noon - hour, count: 3))
      #expect(told.map(\.who?.first) == ["a", "a", "a", "o", "S", nil, "b", "b", "b"])
      try host.close()
    }
    let host = try place.open()
    host.live.wallTime = { noon + 24 * hour }
    try place.come(host, "ann@pts/3").say("dispatch counter.increment")
    host.live.wallTime = { noon - 24 * hour }
    host.store.dispatch(.counter(.increment()))
    let told = try allAgree(at: host, place)
    #expect(told.count == 11)
    let cleo = try place.come(host, "cleo")
    func numbers(_ line: String) throws -> [Int] {
      try Self.list(cleo.say("\(line) --all --json").output).map { try $0.int("id") }
    }
    #expect(try numbers("log --who ann@*") == told.filter { $0.who == "ann@pts/3" }.map(\.number))
    #expect(try numbers("log --since 2025-11-28T11:30:00Z") == [1, 2, 3, 4, 5, 6, 10])
    #expect(try numbers("log --until 2025-11-28T11:30:00Z") == [7, 8, 9, 11])
    let recorded = try Conversation(with: Self.host(), who: "dora")
    recorded.session.options.grants = ["shop"]
    #expect(recorded.say("replay \(place.folder)/run.jsonl --verify").status == 0)
    #expect(try Self.list(recorded.say("log --all --json").output).map(Told.init(listed:)) == told)
    try host.close()
  }

  /// What a source of the log tells of an action.
  private struct Told: Equatable {
    let number: Int
    let when: Int?
    let user: String?
    let who: String?

    init(_ entry: LoggedEntry) {
      (number, when, user, who) = (entry.number, entry.wallTime, entry.source.user, entry.source.who)
    }

    /// An action of `log --json` or `why --json`.
    init(listed value: Value) throws {
      (number, when, user, who) = (try value.int("id"), try? value.int("when"), value.text("user"), value.text("who"))
    }

    /// An entry of `follow` or of a recording. The code of the owner has no name but its place, as the protocol says.
    init(entry value: Value) throws {
      let source = try #require(value.member("source"))
      let place = source.text("kind") == "code" ? try "\(source.text("file") ?? ""):\(source.int("line"))" : nil
      (number, when) = (try value.int("id"), try? value.int("when"))
      (user, who) = (source.text("user"), source.text("who") ?? place)
    }

    /// A row of `SELECT number, time, user, who FROM log`.
    init(_ row: Row) throws {
      let time: String? = try row.checkedIfPresent(1)
      number = try row.checked(0)
      when = try time.map { time in
        let seconds = try Date("\(time.prefix(19))Z", strategy: .iso8601).timeIntervalSince1970
        return try Int(seconds) * 1000 + #require(Int(time.dropFirst(20).dropLast()))
      }
      (user, who) = (try row.checkedIfPresent(2), try row.checkedIfPresent(3))
    }
  }

  private static func list(_ json: String) throws -> [Value] {
    guard case .list(let values) = try JSON.value(of: json) else { return [] }
    return Array(values)
  }

  /// Compares what all tell, and gives it.
  private func allAgree(at host: Host, _ place: SharedPluginTests.Place) throws -> [Told] {
    let door = try Door(host, at: .unix("\(place.folder)/door"), allow: [.all])
    defer { door.close() }
    let reader = try place.come(host, "eve")
    let told = try Self.entries(host).map(Told.init)
    #expect(try Self.list(reader.say("log --all --json").output).map(Told.init(listed:)) == told)
    let reasons = try told.map { try #require(Self.list(reader.say("why #\($0.number) --json").output).first) }
    #expect(try reasons.map(Told.init(listed:)) == told)
    #expect(try followed(door, upTo: told.count) == told)
    let file = "\(place.folder)/run.jsonl"
    #expect(reader.say("export journal \(file)").errors == "")
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").dropFirst()
    #expect(try lines.map { try Told(entry: JSON.value(of: String($0))) } == told)
    let rows = try DatabaseQueue(path: "\(place.folder)/shop.db").use { database in
      try Row.fetchAll(database, sql: "SELECT number, time, user, who FROM log ORDER BY number")
    }
    #expect(try rows.map(Told.init) == told)
    for offset in [0, 19_800, -12_600] {
      reader.session.person.clock = LocalTime(ReaderClock(offset: offset))
      let listed = reader.say("log --all").output.split(separator: "\n")
      for action in told {
        let time = try Date(timeIntervalSince1970: Double(#require(action.when) / 1000 + offset))
          .formatted(
            .iso8601.dateTimeSeparator(.space).timeSeparator(.colon).year().month().day().time(
              includingFractionalSeconds: false))
        let row = try #require(listed.first { $0.hasPrefix("#\(action.number) ") })
        #expect(row.contains("  \(time.suffix(8))  ") && row.contains(action.who ?? "  -  "), "\(row)")
        let reason = reader.say("why #\(action.number)").output.prefix { $0 != "\n" }
        #expect(reason.contains(", \(time)") && reason.contains(action.who ?? "plugin:shop"), "\(reason) \(time)")
      }
    }
    return told
  }

  /// What a client is told that follows the log: what is left out of the first event, the log has.
  private func followed(_ door: Door, upTo head: Int) throws -> [Told] {
    let client = try DoorClient(at: door.address)
    func message() throws -> DoorMessage {
      while true {
        if let message = client.takeMessage() { return message }
        try #require(client.wait(atMost: .seconds(60)).hasArrived)
        try client.takeArrived()
      }
    }
    try client.send { JSON.append("{\"follow\":1" as StaticString, to: &$0) }
    #expect(try message().number("head") == head)
    let event = try message()
    var entries = event.list("entries")
    if let count = event.number("folded") {
      try client.send { JSON.append(bare: "{\"log\":1,\"to\":\(count)", to: &$0) }
      entries = try message().list("entries") + entries
    }
    return try entries.map(Told.init(entry:))
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

extension Value {
  fileprivate func int(_ name: String) throws -> Int { try #require(member(name)?.number) }

  fileprivate func text(_ name: String) -> String? { if case .string(let text)? = member(name) { text } else { nil } }
}
