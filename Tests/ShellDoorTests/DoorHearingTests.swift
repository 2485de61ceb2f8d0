import Glibc
import ShellLanguage
import StandardModules
import StoreCore
import Testing

@testable import ShellDoor
@testable import StoreHost

/// What a conversation hears while it asks nothing.
@Suite struct DoorHearingTests {
  /// What the store, or a task, tells all who share it.
  private static func tell(_ house: House, _ words: (StoreClient) -> Void) {
    let live = house.host.live
    live.turn { for client in live.clients { words(client) } }
  }

  /// A conversation that has said nothing costs no session; one that wants to hear says so.
  @Test func anEmptyRunIsEnoughToHear() throws {
    let house = try House()
    let live = house.host.live
    let (silent, listening) = (try house.client(), try house.client())
    #expect(live.turn { live.clients.isEmpty })
    #expect(try listening.ask(#"{"id":1,"run":""}"#) == #"{"id":1,"status":0}"#)
    #expect(live.turn { live.clients.count } == 1)
    _ = try house.client().ask(#"{"run":"middleware on logger"}"#)
    house.host.store.dispatch(.counter(.increment()))
    #expect(try listening.lines(until: " #2 counter.increment").allSatisfy { $0.contains("\"event\"") })
    withExtendedLifetime(silent) {}
  }

  @Test(arguments: [
    ("text", #"{"output":[{"err":"note: a plugin is off\n"}],"event":"output"}"#),
    ("json", #"{"event":"note","text":"a plugin is off"}"#),
  ])
  func notesWakeTheIdle(form: String, line: String) throws {
    let house = try House()
    let client = try house.client()
    _ = try client.ask(#"{"run":"","form":"\#(form)"}"#)
    Self.tell(house) { $0.hear(note: "a plugin is off") }
    #expect(try client.line() == line)
  }

  @Test(arguments: [
    ("text", #"{"output":[{"err":"error[failed]: it broke\n"}],"event":"output"}"#),
    ("json", #"{"results":[{"ok":false,"error":{"code":"failed","message":"it broke"}}],"event":"output"}"#),
  ])
  func faultsWakeTheIdle(form: String, line: String) throws {
    let house = try House()
    let client = try house.client()
    _ = try client.ask(#"{"run":"","form":"\#(form)"}"#)
    Self.tell(house) { $0.hear(ShellError(code: .failed, message: "it broke")) }
    #expect(try client.line() == line)
    #expect(try client.ask(#"{"run":"= 1"}"#).contains(#""out":"1\n""#))
  }

  /// A note that comes to a failed statement is none of its answer's.
  @Test func notesOfFailedStatementsAreEvents() throws {
    let house = try House()
    let client = try house.client()
    _ = try client.ask(#"{"run":"","form":"json"}"#)
    client.send(#"{"id":2,"run":"wait until false --timeout 300ms","form":"json"}"#)
    Self.tell(house) { $0.hear(note: "a plugin is off") }
    let lines = try client.lines(until: "\"status\"")
    #expect(lines.contains(#"{"event":"note","text":"a plugin is off"}"#))
    #expect(lines.last?.contains("\"ok\":false") == true, "\(lines)")
  }

  /// What is typed by a door is named so.
  @Test func errorsNameTheDoor() throws {
    let house = try House()
    let client = try house.client()
    #expect(try client.ask(#"{"run":"nonsense","form":"json"}"#).contains(#"{"ok":false,"file":"door","line":1,"#))
  }

  // MARK: Watches

  /// What others do in a burst is told action by action.
  @Test(arguments: [
    ("$(state.counter.value)", "'counter.increment'", 300), ("$(state.counter.value)", "'counter.increment'", 900),
    ("twice", "'counter.increment'", 300), ("tasks.items where id > 0 --all", "'tasks.add', { title = 'x' }", 60),
  ])
  func burstsAreToldActionByAction(subject: String, action: String, count: Int) throws {
    let house = try House()
    let client = try house.client()
    _ = try client.ask(#"{"run":"project twice = state.counter.value * 2"}"#)
    _ = try client.ask(#"{"run":"watch \#(subject)","form":"json"}"#)
    let other = try house.client()
    other.send(#"{"run":"lua for i = 1, \#(count) do dispatch(\#(action)) end"}"#)
    var numbers: [Int] = []
    while numbers.last != count {
      let line = try client.line()
      try #require(line.hasPrefix(#"{"event":"watch","id":1,"#) && !line.contains("\"folded\""), "\(line.prefix(200))")
      numbers += line.matches(of: /"action":(\d+)/).compactMap { Int($0.1) }
    }
    #expect(numbers == Array(1...count))
  }

  /// Of more than a session may be told of the last is, with the number of the others.
  @Test(arguments: [
    ("text", "[watch 1] $(state.counter.value)  0 -> 3000  (#3000 counter.increment, 2999 actions folded)"),
    ("json", #""from":0,"to":3000,"action":3000,"folded":2999}"#),
  ])
  func tooManyAreFolded(form: String, line: String) throws {
    let house = try House()
    let client = try house.client()
    _ = try client.ask(#"{"run":"watch $(state.counter.value)","form":"\#(form)"}"#)
    house.host.live.turn { for _ in 0..<3000 { house.host.store.dispatch(.counter(.increment())) } }
    let told = try client.line()
    #expect(told.contains(line), "\(told)")
    house.host.store.dispatch(.counter(.increment()))
    #expect(try client.line().contains("3001"))
  }

  /// So are those that memory has let go of.
  @Test func whatIsForgottenIsFolded() throws {
    let house = try House()
    let client = try house.client()
    _ = try client.ask(#"{"run":"set journal.limit 16"}"#)
    _ = try client.ask(#"{"run":"watch $(state.counter.value)"}"#)
    house.host.live.turn { for _ in 0..<500 { house.host.store.dispatch(.counter(.increment())) } }
    #expect(try client.line().contains("0 -> 500  (#501 counter.increment, 499 actions folded)"))
  }

  /// Who cannot keep up looks now and then, and misses nothing in the end.
  @Test func whoRestsIsToldOfWhatComesThen() throws {
    let house = try House()
    let client = try house.client()
    _ = try client.ask(#"{"run":"watch $(state.counter.value)"}"#)
    house.host.live.turn { for _ in 0..<1500 { house.host.store.dispatch(.counter(.increment())) } }
    #expect(try client.line().contains("0 -> 1500  (#1500 counter.increment, 1499 actions folded)"))
    house.host.store.dispatch(.counter(.increment()))
    #expect(try client.line().contains("1500 -> 1501  (#1501 counter.increment)"))
  }

  /// Several watches are told of together, in the order of the actions: those of paths, of expressions and of own names.
  @Test func severalWatchesAreToldInOrder() throws {
    let house = try House()
    let client = try house.client()
    _ = try client.ask(#"{"run":"project twice = state.counter.value * 2"}"#)
    let subjects = ["counter.value", "$(state.counter.value)", "twice"]
    for subject in subjects { _ = try client.ask(#"{"run":"watch \#(subject)","form":"json"}"#) }
    let count = 300
    house.host.live.turn { for _ in 0..<count { house.host.store.dispatch(.counter(.increment())) } }
    var told: [[Int]] = [[], [], []]
    var last = 0
    while told.contains(where: { $0.last != count }) {
      let line = try client.line()
      let event = try #require(line.firstMatch(of: /"event":"watch","id":(\d).*"action":(\d+)}$/), "\(line)")
      let (watch, number) = (try #require(Int(event.1)), try #require(Int(event.2)))
      told[watch - 1].append(number)
      #expect(number >= last)
      last = number
    }
    for numbers in told { #expect(numbers == Array(1...count)) }
  }

  /// Of more than may wait each of several watches is told its last value.
  @Test(arguments: ["counter.value", "$(state.counter.value)"])
  func eachOfSeveralWatchesEndsAtItsLastValue(subject: String) throws {
    let house = try House()
    let client = try house.client()
    for _ in 0..<3 { _ = try client.ask(#"{"run":"watch \#(subject)","form":"json"}"#) }
    house.host.live.turn { for _ in 0..<2500 { house.host.store.dispatch(.counter(.increment())) } }
    var ended: Set<Substring> = []
    while ended.count < 3 {
      let line = try client.line()
      let event = line.firstMatch(of: /"event":"watch","id":(\d).*"to":2500,"action":2500[,}]/)
      if let event { ended.insert(event.1) }
    }
  }

  /// What takes back an action of another is told as any other.
  @Test(arguments: ["$(state.counter.value)", "twice", "tasks.items where id > 0"])
  func whatTakesBackIsTold(subject: String) throws {
    let house = try House()
    let client = try house.client()
    _ = try client.ask(#"{"run":"project twice = state.counter.value * 2"}"#)
    _ = try client.ask(#"{"run":"watch \#(subject)","form":"json"}"#)
    for round in 0..<3 {
      house.host.store.dispatch(.counter(.increment()))
      house.host.store.dispatch(.tasks(.add(title: "x")))
      _ = try client.line()
      let own = #"{"id":77,"run":"dispatch counter.decrement\ndispatch tasks.remove \#(round + 1)","form":"json"}"#
      client.send(own)
      let lines = try client.lines(until: "\"id\":77")
      #expect(lines.count { $0.contains(#""event":"watch""#) } == 1, "\(lines)")
    }
  }

  /// Where time stands while others act, too, they may act in the middle of a look.
  @Test func whatComesInTheMiddleOfALookIsToldToo() throws {
    let house = try House(clock: VirtualClock())
    let client = try house.client()
    let slow = "(function() local n = 0 for i = 1, 300000 do n = n + i end return state.counter.value end)()"
    for subject in ["$(\(slow))", "$(state.counter.value)"] {
      _ = try client.ask(#"{"run":"watch \#(subject)","form":"json"}"#)
    }
    for number in 1...60 {
      house.host.store.dispatch(.counter(.increment()))
      usleep(UInt32(number % 7) * 3000)
    }
    var ended: Set<Substring> = []
    while ended.count < 2 {
      if let event = try client.line().firstMatch(of: /"id":(\d).*"to":60,/) { ended.insert(event.1) }
    }
  }

  /// An error stands where the action stands after which there was none of the value, and so does what was folded before.
  @Test func errorsOfWatchesStandInOrder() throws {
    let house = try House()
    let client = try house.client()
    let failing = "$(state.counter.value == 2 and error('no') or state.counter.value)"
    for subject in ["counter.value", failing] {
      _ = try client.ask(#"{"run":"watch \#(subject)","form":"json"}"#)
    }
    house.host.live.turn { for _ in 0..<4 { house.host.store.dispatch(.counter(.increment())) } }
    let lines = try (0..<8).map { _ in try client.line() }
    let told = lines.map { $0.contains("\"error\"") ? "error" : String($0.suffix(2).prefix(1)) }
    #expect(told == ["1", "1", "2", "error", "3", "3", "4", "4"], "\(lines)")
  }

  /// A watch that takes long keeps no other one of its conversation from being told of each action.
  @Test func aCostlyWatchIsFoldedAlone() throws {
    let house = try House(watchPatience: .zero)
    let client = try house.client()
    _ = try client.ask(#"{"run":"watch counter.value","form":"json"}"#)
    _ = try client.ask(#"{"run":"watch $(state.counter.value * 2)","form":"json"}"#)
    let count = 400
    house.host.live.turn { for _ in 0..<count { house.host.store.dispatch(.counter(.increment())) } }
    var numbers: [Int] = []
    var end: String?
    while numbers.count < count || end == nil {
      let line = try client.line()
      guard let number = line.firstMatch(of: /"id":1,.*"action":(\d+)}$/).flatMap({ Int($0.1) }) else {
        end = line
        continue
      }
      numbers.append(number)
    }
    #expect(numbers == Array(1...count))
    #expect(end?.hasSuffix(#""from":0,"to":800,"action":400,"folded":399}"#) == true, "\(end ?? "")")
  }

  /// Whoever acts too is told in the order of the actions, and of no value that was before.
  @Test func ownActionsAreToldBehindThoseOfOthers() throws {
    let house = try House()
    let client = try house.client()
    client.send(
      #"{"run":"watch $(state.counter.value)","form":"json"}"#,
      #"{"run":"lua for i = 1, 200 do dispatch('counter.increment') end","form":"json"}"#)
    let thread = try WorkerThread { [host = house.host] in
      for _ in 0..<200 { host.store.dispatch(.counter(.increment())) }
    }
    thread.join()
    var last: Int?
    while last != 400 {
      let line = try client.line()
      for change in line.matches(of: /"from":(\d+),"to":(\d+),"action"/) {
        if let last { #expect(Int(change.1) == last) }
        last = Int(change.2)
      }
    }
  }

  /// A clock that is set is told of at once, to all who listen.
  @Test(arguments: [500_000, -500_000]) func aClockThatIsSetIsToldOf(by seconds: Int) throws {
    let wall = Lock(Duration.zero)
    let house = try House(wallTime: { JournalPlan.systemTime() + wall.withLock { $0 } })
    let (acting, listening) = (try house.client(), try house.client())
    _ = try acting.ask("{\"run\":\"dispatch counter.increment --quiet\"}")
    _ = try listening.ask("{\"run\":\"\"}")
    wall.withLock { $0 = .seconds(seconds) }
    for client in [acting, listening] {
      let told = try client.lines(until: "the clock of this machine")
      #expect(told.count == 1, "\(told)")
    }
    try house.host.close()
  }
}
