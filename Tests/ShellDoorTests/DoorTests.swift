import Dispatch
import Foundation
import Glibc
import Platform
import ShellLanguage
import StandardModules
import StoreCore
@testable import StoreHost
import StoreSchema
import StoreShell
import Testing

@testable import ShellDoor

/// What is spoken at a door.
@Suite struct DoorTests {
  @Test func aDoorSaysWhoIsThere() throws {
    let house = try House([.read, .dispatch("tasks.*")])
    let hello = try Client(house.door.address).line()
    let store = house.host.live.identity.withLock { $0 }
    #expect(
      hello == "{\"door\":1,\"program\":\"stsh\",\"process\":\(getpid()),\"allow\":[\"read\",\"dispatch:tasks.*\"],"
        + "\"prompt\":\"stsh> \",\"store\":\"\(store)\",\"head\":0,\"user\":\"\(SystemUser.current)\",\"who\":\"\(SystemUser.current)/door:1\"}"
    )
  }

  @Test func aStatementIsAnswered() throws {
    let house = try House()
    let client = try house.client()
    #expect(
      try client.ask("{\"id\":1,\"run\":\"dispatch counter.increment by=4\"}")
        == "{\"id\":1,\"output\":[{\"out\":\"#1 counter.increment by=4\\n  counter.value  0 -> 4\\n\"}],\"status\":0}")
    #expect(house.host.store.withState { $0.counter.value } == 4)
    #expect(
      try client.ask("{\"id\":\"b\",\"run\":\"show counter.value\",\"form\":\"json\"}")
        == "{\"id\":\"b\",\"results\":[{\"ok\":true,\"line\":1,\"data\":4}],\"status\":0}")
    #expect(
      try client.ask("{\"run\":\"dispatch counter.incremnt\"}")
        == "{\"output\":[{\"err\":\"error[unknown-action]: unknown action 'counter.incremnt'\\n  dispatch counter.incremnt\\n"
        + "           ^~~~~~~~~~~~~~~~\\n  hint: did you mean 'counter.increment'?\\n\"}],\"status\":1}")
  }

  /// R36.
  @Test func sourcesSayWhoItWas() throws {
    let house = try House()
    let client = try house.client()
    client.send("{\"run\":\"echo hello\"}", "{\"run\":\"dispatch counter.increment --info test\"}")
    _ = try (client.line(), client.line())
    let entries = try client.ask("{\"log\":1}")
    #expect(entries.contains("\"kind\":\"remote\""))
    #expect(entries.contains("\"file\":\"door\""))
    #expect(entries.contains("\"line\":2"))
    #expect(entries.contains("\"info\":\"test\""))
    #expect(entries.contains("\"user\":\"\(SystemUser.current)\",\"who\":\"\(SystemUser.current)/door:1\""))
    #expect(entries.contains(#/"when":\d{13},/#))
  }

  @Test func aClientNamesItself() throws {
    let house = try House()
    let (ann, bob) = (try house.client(), try house.client())
    let user = SystemUser.current
    #expect(
      try ann.ask(#"{"id":1,"who":"ann@pts/3","chosen":true}"#) == #"{"id":1,"user":"\#(user)","who":"ann@pts/3"}"#)
    _ = try ann.ask(#"{"run":"dispatch tasks.add milk --quiet"}"#)
    _ = try bob.ask(#"{"run":"dispatch tasks.add bread --quiet"}"#)
    #expect(try bob.ask(#"{"log":1,"by":"ann@*"}"#).components(separatedBy: "\"action\":").count == 2)
    // A name is shown with the user where it begins otherwise, and only where there are several.
    let log = try bob.ask(#"{"run":"log"}"#)
    #expect(log.contains("ann@pts/3 (\(user))") && log.contains("\(user)/door:2"), "\(log)")
    #expect(try bob.ask(#"{"run":"why #1"}"#).contains(" by ann@pts/3 (\(user)), "))
    #expect(try bob.ask(#"{"run":"log --who ann@* --json","form":"json"}"#).contains(#""who":"ann@pts/3""#))
    #expect(try bob.ask(#"{"run":"who"}"#).contains("ann@pts/3 (\(user))"))
    for name in ["", "a b", "main.swift:36", "repl:3", "daemon", "ünï", String(repeating: "x", count: 65)] {
      #expect(try ann.ask(#"{"who":"\#(name)"}"#).contains(#""code":"not-allowed""#), "\(name)")
    }
  }

  /// Whose action another takes back is told at once; a script is not.
  @Test func aPersonHearsOfAnUndoByAnother() throws {
    let house = try House()
    let (ann, script, bob) = (try house.client(), try house.client(), try house.client())
    _ = try ann.ask(#"{"who":"ann"}"#)
    _ = try bob.ask(#"{"who":"bob"}"#)
    _ = try ann.ask(#"{"run":"dispatch tasks.add milk --quiet"}"#)
    _ = try script.ask(#"{"run":"dispatch tasks.add bread --quiet","file":"a.stsh"}"#)
    #expect(try bob.ask(#"{"run":"undo"}"#).contains("nothing-to-undo"))
    _ = try bob.ask(#"{"run":"undo --any 2 --quiet"}"#)
    #expect(try ann.lines(until: "took back").last?.contains("took back your #1 tasks.add") == true)
    #expect(try script.ask(#"{"run":"echo done","file":"a.stsh"}"#).contains("took back") == false)
  }

  /// Who has given a name is at the store, before any statement: nobody else takes their earlier work back as their own.
  @Test func whoHasGivenANameIsThere() throws {
    let house = try House()
    func come(_ name: String) throws -> Client {
      let client = try house.client()
      _ = try client.ask(#"{"who":"\#(name)","chosen":true}"#)
      return client
    }
    let live = house.host.live
    do { _ = try come("cat").ask(#"{"run":"dispatch counter.increment by=511 --quiet"}"#) }
    for _ in 0..<2000 where live.turn({ !live.clients.isEmpty }) { usleep(5000) }
    let (bob, others) = (try come("bob"), [try come("ann"), try come("cat")])
    let answer = try bob.ask(#"{"run":"undo"}"#)
    #expect(answer.contains("nothing-to-undo") && answer.contains("undo --any takes back #1"), "\(answer)")
    #expect(try bob.ask(#"{"run":"who --as csv"}"#).contains("ann"))
    #expect(try others[1].ask(#"{"run":"undo"}"#).contains("takes back #1 counter.increment"))
  }

  /// What the door lets a client dispatch, it may take back; what another dispatched, only by all rights.
  @Test func undoNeedsTheRightsOfWhatGoes() throws {
    let house = try House([.read, .dispatch("tasks.*")])
    let (ann, bob) = (try house.client(), try house.client())
    _ = try ann.ask(#"{"run":"dispatch tasks.add milk --quiet"}"#)
    for line in ["undo --any", "undo --to 0", "undo #1"] {
      #expect(try bob.ask(#"{"run":"\#(line)"}"#).contains("not-allowed"), "\(line)")
    }
    #expect(try ann.ask(#"{"run":"undo"}"#).contains("takes back #1 tasks.add"))
    #expect(try ann.ask(#"{"run":"redo"}"#).contains("brings back #1 tasks.add"))
  }

  @Test func aLogIsFollowedUntilItIsInterrupted() throws {
    let house = try House()
    let (ann, bob) = (try house.client(), try house.client())
    ann.send(#"{"id":1,"run":"log --follow --json","form":"json"}"#)
    while try bob.ask(#"{"run":"who --json","form":"json"}"#).contains("log --follow") == false {}
    _ = try bob.ask(#"{"run":"dispatch tasks.add milk --quiet"}"#)
    #expect(try ann.lines(until: "tasks.add").last?.contains(#""data":{"id":1,"#) == true)
    ann.send(#"{"id":2,"interrupt":true}"#)
    let lines = try ann.lines(until: #""id":1"#) + ann.lines(until: #""id":2"#)
    #expect(lines.contains { $0.contains(#""id":1"#) && $0.contains(#""status":0"#) }, "\(lines)")
  }

  @Test func conversationsSeeEachOther() throws {
    let house = try House()
    let (one, two) = (try house.client(), try house.client())
    #expect(try one.ask("{\"id\":1,\"watch\":\"counter.value\"}").contains("\"status\":0"))
    _ = try two.ask("{\"run\":\"watch counter.value\"}")
    house.host.store.dispatch(.counter(.increment()))
    #expect(
      try one.line()
        == "{\"event\":\"watch\",\"id\":1,\"path\":\"counter.value\",\"from\":0,\"to\":1,\"action\":1}")
    #expect(
      try two.line()
        == "{\"output\":[{\"err\":\"[watch 1] counter.value  0 -> 1  (#1 counter.increment)\\n\"}],\"event\":\"output\"}"
    )
    _ = try two.ask("{\"run\":\"let x = 5\"}")
    #expect(try one.ask("{\"run\":\"echo $x\"}").contains("unknown-variable"))
  }

  @Test func statementsMayComeInParts() throws {
    let house = try House()
    let client = try house.client()
    #expect(
      try client.ask("{\"run\":\"lua for i = 1, 3 do\\n\",\"more\":true}") == "{\"status\":0,\"open\":\"lua> \"}")
    #expect(
      try client.ask("{\"run\":\"dispatch('counter.increment') end\\n\",\"more\":true}")
        == "{\"status\":0,\"prompt\":\"stsh> \",\"head\":3}")
    #expect(house.host.store.withState { $0.counter.value } == 3)
    #expect(try client.ask("{\"run\":\"echo \\\"a\\n\",\"more\":true}").contains("\"open\""))
    #expect(try client.ask("{\"run\":\"echo b\\n\",\"more\":true,\"anew\":true}").contains("{\"out\":\"b\\n\"}"))
    #expect(try client.ask("{\"run\":\"echo \\\"a\"}").contains("is never closed"))
  }

  @Test func scriptsAreCheckedBeforeTheyRun() throws {
    let house = try House()
    let client = try house.client()
    let answer = try client.ask(
      "{\"run\":\"echo first\\necho \\\"oops\",\"file\":\"a.stsh\",\"script\":true}")
    #expect(!answer.contains("{\"out\""))
    #expect(answer.contains("a.stsh:2:6: error[syntax]"))
    #expect(answer.hasSuffix("\"status\":2}"))
    // Results come before a statement that may take long.
    client.send(
      "{\"run\":\"nonsense\\nnonsense\\necho $1\",\"file\":\"b.stsh\",\"script\":true,\"keepGoing\":true,\"arguments\":[\"x\"]}"
    )
    let other = try client.lines(until: "\"status\"").joined()
    #expect(other.contains("{\"out\":\"x\\n\"}"))
    #expect(other.contains("2 of 3 commands failed"))
    #expect(other.hasSuffix("\"status\":1}"))
    #expect(try client.ask("{\"run\":\"quit 4\"}") == "{\"status\":4,\"quit\":4}")
    #expect(try client.rest() == [])
  }

  @Test func valuesAreReadAtEveryPoint() throws {
    let house = try House([.read])
    for number in 1...5 { house.host.store.dispatch(.tasks(.add(title: "\(number)"))) }
    let client = try house.client()
    #expect(try client.ask("{\"read\":\"tasks.nextId\",\"at\":2}") == "{\"value\":3}")
    #expect(try client.ask("{\"read\":\"tasks.items[*].title\",\"from\":2,\"count\":2}").contains("[\"2\",\"3\"]"))
    #expect(try client.ask("{\"read\":\"tasks.none\"}").contains("\"code\":\"unknown-path\""))
    #expect(try client.ask("{\"read\":\"tasks.nextId\",\"at\":99}").contains("\"error\""))
    let page = try client.ask("{\"log\":2,\"count\":2,\"action\":\"tasks.*\",\"changed\":\"tasks.items\"}")
    #expect(page.contains("{\"id\":2,") && page.contains("{\"id\":3,") && page.hasSuffix("\"next\":4}"))
    #expect(try client.ask("{\"time\":true}").hasSuffix("\"oldest\":0,\"head\":5}"))
    #expect(try client.ask("{\"help\":\"show\"}").contains("prints the state"))
    #expect(try client.ask("{\"complete\":\"show tasks.nex\"}").contains("{\"text\":\"tasks.nextId\""))
  }

  @Test func aTreeIsReadByItsParts() throws {
    let house = try House([.read])
    for number in 1...300 { house.host.store.dispatch(.tasks(.add(title: "task \(number)"))) }
    let client = try house.client()
    #expect(
      try client.ask("{\"parts\":\"tasks\"}")
        == "{\"type\":\"Tasks\",\"count\":2,\"parts\":[{\"name\":\"nextId\",\"path\":\"tasks.nextId\",\"type\":\"Int\",\"value\":301},"
        + "{\"name\":\"items\",\"path\":\"tasks.items\",\"type\":\"[Task]\",\"count\":300,\"opens\":true,\"value\":["
        + (1...8).map { _ in "\"{…}\"" }.joined(separator: ",") + "]}]}")
    let page = try client.ask("{\"parts\":\"tasks.items\",\"from\":299,\"count\":1}")
    #expect(page.contains("\"count\":300,\"next\":300"))
    #expect(page.contains("\"path\":\"tasks.items[id=299]\"") && page.contains("\"title\":\"task 299\""))
    let found = try client.ask("{\"parts\":\"tasks.items\",\"find\":\"TASK 30\"}")
    #expect(found.contains("\"count\":2,") && found.contains("[id=30]") && found.contains("[id=300]"))
    #expect(try client.ask("{\"parts\":\"\",\"at\":1}").contains("\"items\":\"[1]\""))
    #expect(try client.ask("{\"parts\":\"tasks.nextId\"}") == "{\"type\":\"Int\",\"count\":0,\"parts\":[]}")
    #expect(try client.ask("{\"parts\":\"tasks.none\"}").contains("unknown-path"))
  }

  @Test func theLogIsSearchedFromItsEnd() throws {
    let house = try House([.read])
    for number in 1...600 { house.host.store.dispatch(number == 100 ? .counter(.reset) : .tasks(.add(title: "a"))) }
    let client = try house.client()
    let newest = try client.ask("{\"log\":1,\"newest\":true,\"count\":2}")
    #expect(
      newest.hasPrefix("{\"entries\":[{\"id\":600,") && newest.contains("{\"id\":599,")
        && newest.hasSuffix("\"next\":598}"))
    let before = try client.ask("{\"log\":1,\"to\":598,\"newest\":true,\"action\":\"counter.*\"}")
    #expect(before.contains("{\"id\":100,") && !before.contains("\"next\""))
    #expect(try client.ask("{\"log\":1,\"failed\":true}") == "{\"entries\":[]}")
    #expect(try client.ask("{\"log\":600,\"source\":\"code\"}").contains("{\"id\":600,"))
    #expect(try client.ask("{\"log\":1,\"source\":\"repl:*\"}") == "{\"entries\":[]}")
  }

  /// A look at what the log had and has no longer says from where on it has all.
  @Test func aLookAtWhatIsNoLongerKeptSaysSo() throws {
    let house = try House()
    let client = try house.client()
    #expect(try client.ask(#"{"log":1}"#) == #"{"entries":[]}"#)
    #expect(try client.ask(#"{"follow":1}"#) == #"{"head":0}"#)
    #expect(try client.ask(#"{"follow":false}"#) == #"{"head":0}"#)
    _ = try client.ask(#"{"run":"set journal.limit 1"}"#)
    for _ in 0..<600 { house.host.store.dispatch(.counter(.increment())) }
    let (oldest, head) = house.host.live.turn { (house.host.live.oldestEntry + 1, house.host.live.head) }
    #expect(oldest > 300 && oldest <= head)
    let log = try client.ask(#"{"log":1,"count":1}"#)
    #expect(log.hasPrefix(#"{"entries":[{"id":\#(oldest),"#) && log.contains(#""oldest":\#(oldest)"#), "\(log)")
    #expect(try client.ask(#"{"log":1,"newest":true,"count":1}"#).contains(#""oldest":\#(oldest)"#))
    #expect(try !client.ask(#"{"log":\#(oldest),"count":1}"#).contains("oldest"))
    #expect(try client.ask(#"{"follow":1}"#) == #"{"head":\#(head),"oldest":\#(oldest)}"#)
    _ = try client.line()
    #expect(try client.ask(#"{"follow":true}"#) == #"{"head":\#(head)}"#)
    #expect(try client.ask(#"{"read":"counter.value","at":1}"#).contains("not-kept"))
    #expect(try client.ask(#"{"parts":"counter","at":1}"#).contains("not-kept"))
    let told = try client.ask(#"{"run":"log --action nothing"}"#)
    #expect(told.contains("the history goes back to #\(oldest)"), "\(told)")
  }

  @Test func theLogIsSearchedForAText() throws {
    let house = try House()
    let client = try house.client()
    for line in ["tasks.add MILK", "tasks.add Bread", "counter.increment by=63", "counter.increment by=7"] {
      _ = try client.ask("{\"run\":\"dispatch \(line)\",\"quiet\":true}")
    }
    // An argument, a value that was written, and one that was there before.
    for (text, numbers) in [("milk", [1]), ("Bread", [2]), ("63", [3, 4]), ("70", [4]), ("INCREMENT", [3, 4])] {
      let answer = try client.ask("{\"log\":1,\"find\":\"\(text)\"}")
      #expect(answer.matches(of: /\{"id":(\d+),"at"/).compactMap { Int($0.1) } == numbers, "\(text): \(answer)")
    }
    #expect(try client.ask("{\"log\":1,\"find\":\"butter\"}") == "{\"entries\":[]}")
  }

  @Test func aListenerMayStop() throws {
    let house = try House([.read])
    let client = try house.client()
    _ = try client.ask("{\"follow\":true}")
    #expect(try client.ask("{\"follow\":false}") == "{\"head\":0}")
    house.host.store.dispatch(.counter(.increment()))
    #expect(try client.ask("{\"read\":\"counter.value\"}") == "{\"value\":1}")
  }

  @Test func theTimesOfPhasesAreTold() throws {
    let house = try House([.read])
    let client = try house.client()
    _ = try client.ask("{\"run\":\"trace on --times\",\"form\":\"json\"}")
    house.host.store.dispatch(.counter(.increment()))
    let event = try client.line()
    #expect(event.hasPrefix("{\"event\":\"times\",\"action\":1,\"seconds\":"))
    #expect(event.contains("{\"phase\":\"reduce\",") && event.contains("{\"phase\":\"commit\","))
    #expect(try client.ask("{\"run\":\"trace\",\"form\":\"json\"}").contains("\"data\":\"on\""))
    _ = try client.ask("{\"run\":\"trace off\",\"form\":\"json\"}")
    house.host.store.dispatch(.counter(.increment()))
    #expect(try client.ask("{\"read\":\"counter.value\"}") == "{\"value\":2}")
    // Each conversation has its own.
    let other = try house.client()
    _ = try other.ask("{\"run\":\"trace on --times\",\"form\":\"json\"}")
    _ = try client.ask("{\"run\":\"trace on --times\",\"form\":\"json\"}")
    _ = try other.ask("{\"run\":\"trace off\",\"form\":\"json\"}")
    house.host.store.dispatch(.counter(.increment()))
    #expect(try client.line().hasPrefix("{\"event\":\"times\",\"action\":3,\"seconds\":"))
    #expect(try other.ask("{\"read\":\"counter.value\"}") == "{\"value\":3}")
    #expect(try client.ask("{\"run\":\"trace --times\"}").contains("--times needs trace on"))
    #expect(try client.ask("{\"run\":\"trace on --times --stable\"}").contains("cannot be combined"))
  }

  @Test func longValuesAreReadByPages() throws {
    let house = try House([.read])
    house.host.store.dispatch(.tasks(.add(title: "aé漢🙂" + String(repeating: "x", count: 9_000_000))))
    let client = try house.client()
    #expect(
      try client.ask("{\"read\":\"tasks.items[1].title\",\"from\":2,\"count\":3}")
        == "{\"count\":9000004,\"next\":5,\"value\":\"é漢🙂\"}")
    #expect(try client.ask("{\"read\":\"tasks.items[1].title\"}").utf8.count < 8 << 20)
    for path in ["tasks.items", "tasks.items[1]", "tasks"] {
      #expect(try client.ask("{\"read\":\"\(path)\"}").contains("\"code\":\"line-too-long\""))
    }
    // Nor is an entry of the log longer than a line.
    let entry = try client.ask("{\"log\":1}")
    #expect(entry.hasPrefix("{\"entries\":[{\"id\":1,\"action\":\"tasks.add\",\"bytes\":"), "\(entry.prefix(100))")
    for _ in 0..<3 { house.host.store.dispatch(.tasks(.add(title: String(repeating: "y", count: 3_000_000)))) }
    #expect(
      try client.ask("{\"read\":\"tasks.items\",\"from\":2}").hasPrefix("{\"count\":4,\"next\":4,\"value\":[{"))
  }

  @Test func longResultsComeInParts() throws {
    let house = try House()
    house.host.store.dispatch(.tasks(.add(title: String(repeating: "é", count: 5_000_000))))
    let client = try house.client()
    client.send("{\"id\":1,\"run\":\"show tasks.nextId\\nshow tasks.items[1].title\",\"form\":\"json\"}")
    var whole = ""
    while true {
      let line = try client.line()
      #expect(line.utf8.count < 1 << 20)
      if line.contains("\"status\"") { break }
      let message = try #require(DoorMessage(Array(line.utf8)[...]))
      guard let part = message.text("part") else {
        #expect(whole.isEmpty && line.contains("\"results\":[{\"ok\":true,\"line\":1,\"data\":2}]"))
        continue
      }
      whole += part + (message["whole"] == .bool(true) ? "!" : "")
    }
    #expect(
      whole == "{\"ok\":true,\"line\":2,\"data\":\"\(String(repeating: "é", count: 5_000_000))\"}!",
      "\(whole.prefix(80))")
  }

  /// Each line of an answer has something of it.
  @Test func aLongResultBeginsWithItsFirstPart() throws {
    let house = try House()
    let client = try house.client()
    client.send(#"{"id":7,"run":"echo $((\"y\"):rep(3000000))","form":"json"}"#)
    let first = try client.line()
    #expect(first.hasPrefix(#"{"id":7,"part":"#), "\(first.prefix(60))")
    _ = try client.lines(until: "\"status\"")
  }

  @Test func textHasStylesAsTags() throws {
    let house = try House()
    let client = try house.client()
    func ask(_ statement: String) throws -> String {
      try client.ask("{\"run\":\"\(statement)\",\"styles\":true,\"width\":80}")
    }
    #expect(
      try ask("dispatch counter.increment")
        == "{\"output\":[{\"out\":\"#1 counter.increment\\n  counter.value  \"},{\"out\":\"0\",\"style\":\"removed\"},"
        + "{\"out\":\" -> \"},{\"out\":\"1\",\"style\":\"added\"},{\"out\":\"\\n\"}],\"status\":0}")
    #expect(try ask("nonsense").contains("{\"err\":\"error[unknown-command]:\",\"style\":\"error\"}"))
    #expect(try !client.ask("{\"run\":\"nonsense\"}").contains("style"))
    // What stands in the state is text.
    #expect(
      try ask("lua print('\\\\27[31mred\\\\27[0m')")
        == "{\"output\":[{\"out\":\"\\u001b[31mred\\u001b[0m\\n\"}],\"status\":0}")
    #expect(
      try ask("lua print('{\\\"event\\\":\\\"end\\\"}')")
        == "{\"output\":[{\"out\":\"{\\\"event\\\":\\\"end\\\"}\\n\"}],\"status\":0}")
  }

  @Test func aFollowerHearsOfAll() throws {
    let house = try House([.read])
    let client = try house.client()
    house.host.store.dispatch(.counter(.increment()))
    #expect(try client.ask("{\"id\":7,\"follow\":1}") == "{\"id\":7,\"head\":1}")
    #expect(try client.line().contains("\"event\":\"actions\",\"entries\":[{\"id\":1,"))
    for _ in 0..<5 {
      house.host.store.dispatch(.counter(.increment()))
      usleep(50_000)
    }
    var numbers: [Int] = []
    while numbers.last != 6 {
      let line = try client.line()
      numbers += (2...6).filter { line.contains("{\"id\":\($0),") }
    }
    #expect(numbers == Array(2...6))
    // More than a batch holds are told as a number.
    for _ in 0..<5000 { house.host.store.dispatch(.counter(.increment())) }
    let lines = try client.lines(until: "\"head\":5006")
    let folded = lines.compactMap { line in line.firstRange(of: "\"folded\":").map { line[$0.upperBound...] } }
      .compactMap { Int($0.prefix { $0.isNumber }) }.reduce(0, +)
    let told = lines.map { $0.split(separator: "\"at\":").count - 1 }.reduce(0, +)
    #expect(folded + told == 5000)
  }

  @Test func aFollowerChoosesTheSizeOfABatch() throws {
    let house = try House([.read])
    let client = try house.client()
    for _ in 0..<500 { house.host.store.dispatch(.counter(.increment())) }
    _ = try client.ask("{\"follow\":1,\"count\":10}")
    let line = try client.line()
    #expect(line.contains("\"entries\":[{\"id\":491,") && line.hasSuffix("\"folded\":490,\"head\":500}"))
    #expect(try client.ask("{\"follow\":1,\"count\":0}") == "{\"head\":500}")
    #expect(try client.line().contains("\"folded\":499,"))
  }

  @Test(arguments: ["lua while true do end", "wait 1h", "wait until state.counter.value == 9"])
  func whatRunsIsInterrupted(_ statement: String) throws {
    let house = try House()
    let client = try house.client()
    client.send("{\"id\":1,\"run\":\"\(statement)\"}")
    try house.waitUntilRuns(statement)
    client.send("{\"id\":2,\"interrupt\":true}")
    let answer = try client.line()
    #expect(answer.contains("error[interrupted]") && answer.hasSuffix("\"status\":130}"), "\(answer)")
    #expect(try client.line() == "{\"id\":2,\"status\":0}")
    #expect(try client.ask("{\"run\":\"echo on\"}").contains("on"))
  }

  @Test func whoSaysNothingMoreIsAnsweredToTheEnd() throws {
    let house = try House()
    let client = try house.client()
    client.send(Array("{\"run\":\"echo a\"}\n{\"run\":\"echo b\"}".utf8))
    shutdown(client.descriptor, Int32(SHUT_WR))
    #expect(try client.rest().count == 2)
  }

  @Test func aDoorWithRightsRefuses() throws {
    let house = try House([.read])
    let client = try house.client()
    #expect(try client.ask("{\"run\":\"dispatch counter.increment\"}").contains("error[not-allowed]"))
    #expect(try client.ask("{\"run\":\"show counter | touch \(house.folder)/other\"}").contains("not-allowed"))
    #expect(try client.ask("{\"complete\":\"source \(house.folder)/\"}").hasSuffix("\"candidates\":[]}"))
    let blind = try House([.dispatch()])
    let other = try blind.client()
    for request in ["{\"read\":\"counter\"}", "{\"log\":1}", "{\"follow\":true}", "{\"watch\":\"counter\"}"] {
      #expect(try other.ask(request).contains("not-allowed"), "\(request)")
    }
    #expect(try other.ask("{\"run\":\"dispatch counter.increment --quiet\"}") == "{\"status\":0}")
  }

  /// Clients that do not give it keep no place from one that does.
  @Test func thoseWithoutTheTokenHaveFewPlaces() throws {
    var limits = DoorLimits()
    limits.conversations = 100
    let house = try House(limits: limits, at: .loopback(port: 0))
    let token = try #require(house.door.token)
    var silent: [Client] = []
    for _ in 0..<150 { silent.append(try house.client()) }
    let client = try house.client()
    #expect(try client.ask("{\"token\":\"\(token)\"}").hasPrefix("{\"door\":1"))
    #expect(try client.ask("{\"run\":\"show counter.value\"}").contains("\"status\":0"))
    withExtendedLifetime(silent) {}
  }

  @Test func aPortNeedsItsToken() throws {
    let house = try House(at: .loopback(port: 0))
    let token = try #require(house.door.token)
    #expect(token.utf8.count == 32)
    for first in ["{\"run\":\"show counter\"}", "{\"token\":\"\(String(token.reversed()))\"}", "{\"token\":\"\"}"] {
      let client = try Client(house.door.address)
      #expect(try client.line().hasPrefix("{\"event\":\"token\""))
      #expect(try client.ask(first).contains("\"code\":\"no-door\""))
      #expect(try client.rest() == [])
    }
    let client = try Client(house.door.address)
    _ = try client.line()
    #expect(try client.ask("{\"token\":\"\(token)\"}").hasPrefix("{\"door\":1"))
    #expect(try client.ask("{\"run\":\"echo in\"}").contains("in"))
    #expect(throws: ShellError.self) { try DoorAddress(parsing: "0.0.0.0:80") }
  }

  @Test func aHostThatClosesSaysSo() throws {
    let house = try House(beforeDoorEnds: { usleep(200_000) })
    let clients = try (0..<4).map { _ in try house.client() }
    _ = try clients[1].ask("{\"run\":\"watch counter\"}")
    _ = try clients[2].ask("{\"run\":\"watch counter\",\"form\":\"json\"}")
    clients[3].send("{\"run\":\"wait 1h\"}")
    try house.waitUntilRuns("wait 1h")
    house.host.store.dispatch(.counter(.increment()))
    // The sessions hear of it a while before the door has ended.
    try house.host.close()
    let end = "{\"event\":\"end\",\"message\":\"the store was closed by the program that owns it\"}"
    let said = try clients.map { try $0.rest() }
    #expect(said.map(\.last) == Array(repeating: end, count: 4))
    #expect(said.map { $0.count { $0.hasPrefix("{\"event\":\"end\"") } } == [1, 1, 1, 1])
    #expect(said[3][0].contains("error[connection-lost]") && said[3][0].hasSuffix("\"status\":6}"))
    #expect(said.map(\.count) == [1, 2, 2, 2])
    #expect(access(house.path, F_OK) != 0)
    let late = #expect(throws: ShellError.self) { try Door(house.host, at: .unix(house.path), allow: [.read]) }
    #expect(late?.message == "the store was closed by the program that owns it")
  }

  /// Clients hear of an action that was accepted before the end, however late its turn comes.
  @Test func whatComesWhileAHostClosesIsHeard() throws {
    var limits = DoorLimits()
    limits.ending = .seconds(600)
    let house = try House(limits: limits)
    let clients = try (0..<8).map { _ in try house.client() }
    for client in clients { _ = try client.ask("{\"run\":\"watch counter\"}") }
    let (hasTurn, isEnding, isClosed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
    let host = house.host
    host.live.whenClosed(begin: { isEnding.signal() }, end: {})
    DispatchQueue.global().async(group: isClosed) {
      host.live.turn {
        hasTurn.signal()
        isEnding.wait()
        // Long enough for a door that would not wait.
        usleep(50_000)
      }
    }
    hasTurn.wait()
    host.store.dispatch(.counter(.increment()))
    try host.close()
    isClosed.wait()
    for client in clients {
      let said = try client.rest()
      #expect(said.count == 2 && said[0].contains("counter.value  0 -> 1"), "\(said)")
    }
  }

  /// A client reads why it goes although an action does not end, whether the client waits for that or not.
  @Test func aHostThatClosesDuringAnActionThatHangsSaysSo() throws {
    let house = try House()
    let clients = try (0..<2).map { _ in try house.client() }
    let (hasBegun, mayEnd, isClosed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
    let host = house.host
    DispatchQueue.global().async(group: isClosed) {
      host.live.turn {
        hasBegun.signal()
        mayEnd.wait()
      }
    }
    hasBegun.wait()
    clients[0].send("{\"run\":\"dispatch counter.increment\"}")
    DispatchQueue.global().async(group: isClosed) { try? host.close() }
    for client in clients {
      let end = try client.lines(until: "\"event\":\"end\"").last
      #expect(end == "{\"event\":\"end\",\"message\":\"the store was closed by the program that owns it\"}")
    }
    mayEnd.signal()
    isClosed.wait()
    for client in clients { #expect(try client.rest().isEmpty) }
  }

  /// However busy they are: each conversation has one end.
  @Test func aHostThatClosesUnderLoadSaysSoOnce() throws {
    for _ in 0..<10 {
      let house = try House()
      let clients = try (0..<4).map { _ in try house.client() }
      for client in clients {
        client.send("{\"watch\":\"counter\"}", "{\"follow\":true}")
        for _ in 0..<20 { client.send("{\"run\":\"dispatch counter.increment\"}") }
      }
      try house.host.close()
      for client in clients {
        let said = try client.rest()
        #expect(said.count { $0.hasPrefix("{\"event\":\"end\"") } == 1)
        #expect(said.last?.hasPrefix("{\"event\":\"end\"") == true)
        #expect(!said.contains { $0.contains("\"event\":\"output\"") && $0.contains("was closed") })
      }
    }
  }

  // MARK: The place

  @Test func oneListensAtAPlace() throws {
    let house = try House()
    let error = #expect(throws: ShellError.self) { try Door(house.host, at: .unix(house.path), allow: [.read]) }
    #expect(error?.code == .doorInUse)
    #expect(try house.client().ask("{\"run\":\"echo still\"}").contains("still"))
  }

  @Test func aSocketThatNobodyHoldsIsReplacedByOne() throws {
    let folder = try House.makeFolder()
    defer { House.remove(folder) }
    let address = DoorAddress.unix("\(folder)/door")
    let stale = address.makeSocket()
    _ = address.withSystemAddress { bind(stale, $0, $1) }
    close(stale)
    let host = try Host(Application(initial: StandardState(), reducer: StandardState.reducer), program: "stsh")
    let doors = (0..<2).map { _ in try? Door(host, at: address, allow: [.all]) }
    #expect(doors.compactMap(\.self).count == 1)
    var status = stat()
    #expect(stat("\(folder)/door", &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try Client(address).line().contains("\"door\":1"))
    // What stands there in its place by then is another's.
    unlink("\(folder)/door")
    let other = address.makeSocket()
    _ = address.withSystemAddress { bind(other, $0, $1) }
    for door in doors { door?.close() }
    #expect(access("\(folder)/door", F_OK) == 0)
    close(other)
  }

  @Test func whatIsNoSocketIsLeftAlone() throws {
    let folder = try House.makeFolder()
    defer { House.remove(folder) }
    close(open("\(folder)/door", O_CREAT | O_WRONLY, 0o644))
    let host = try Host(Application(initial: StandardState(), reducer: StandardState.reducer), program: "stsh")
    #expect(throws: ShellError.self) { try Door(host, at: .unix("\(folder)/door"), allow: [.all]) }
    #expect(access("\(folder)/door", F_OK) == 0)
  }

  /// A socket at which another program listens stays, and so does a file that has the name of the door's lock.
  @Test func whatBelongsToOtherProgramsIsLeftAlone() throws {
    let folder = try House.makeFolder()
    defer { House.remove(folder) }
    let host = try Host(Application(initial: StandardState(), reducer: StandardState.reducer), program: "stsh")
    let address = DoorAddress.unix("\(folder)/door")
    let other = address.makeSocket()
    #expect(address.withSystemAddress { bind(other, $0, $1) } == 0 && listen(other, 1) == 0)
    let error = #expect(throws: ShellError.self) { try Door(host, at: address, allow: [.all]) }
    #expect(error?.code == .doorInUse)
    let client = address.makeSocket()
    #expect(address.withSystemAddress { connect(client, $0, $1) } == 0)
    for descriptor in [other, client] { close(descriptor) }
    let versions = open("\(folder)/other.lock", O_CREAT | O_WRONLY, 0o644)
    #expect(write(versions, "1", 1) == 1)
    close(versions)
    let refusal = #expect(throws: ShellError.self) { try Door(host, at: .unix("\(folder)/other"), allow: [.all]) }
    #expect(refusal?.message.contains("other.lock is not the lock of a door") == true)
    #expect(access("\(folder)/other.lock", F_OK) == 0)
    #expect(access("\(folder)/other", F_OK) != 0)
  }

  /// No door takes a place that belongs to a store, be that open, another's or closed.
  @Test(arguments: ["", "-wal", "-shm", "-journal"]) func noDoorStandsWhereAStoreDoes(ending: String) throws {
    let folder = try House.makeFolder()
    let file = "\(folder)/kept.db"
    defer {
      for ending in ["", "-wal", "-shm", "-journal"] { unlink(file + ending) }
      House.remove(folder)
    }
    let application = Application(initial: StandardState(), reducer: StandardState.reducer)
    let owner = try Host(application, program: "stsh", journal: JournalPlan(path: file))
    owner.store.dispatch(.counter(.increment()))
    let host = try Host(application, program: "stsh")
    func refuse(_ host: Host) {
      let error = #expect(throws: ShellError.self) { try Door(host, at: .unix(file + ending), allow: [.all]) }
      #expect(error?.message == "\(file)\(ending) is the file of a store, or one that SQLite keeps beside it")
    }
    refuse(owner)
    try owner.close()
    refuse(host)
    #expect(access("\(file)\(ending).lock", F_OK) != 0)
    let again = try Host(application, program: "stsh", journal: JournalPlan(path: file))
    #expect(again.store.withState { $0.counter.value } == 1)
    try again.close()
  }

  @Test func textFromElsewhereCommandsNoTerminal() {
    #expect(SafeText.lines("a\u{1B}[31mb\n\u{202E}c\td\u{9B}") == "a\\u{1b}[31mb\n\\u{202e}c\td\\u{9b}")
    #expect(SafeText.lines("plain ü 漢\n") == "plain ü 漢\n")
  }

  // MARK: Many at a time

  /// Meant for the thread sanitizer too.
  @Test func manyTalkWhileTheOwnerActs() async throws {
    let house = try House()
    let path = house.door.address
    let host = house.host
    await withTaskGroup(of: Int.self) { group in
      for number in 0..<6 {
        group.addTask {
          guard let client = try? Client(path), (try? client.line()) != nil else { return -1 }
          var answers = 0
          client.send("{\"watch\":\"counter.value\"}", "{\"follow\":true}")
          for round in 0..<40 {
            let statement = round % 4 == number % 4 ? "dispatch tasks.add x --quiet" : "= state.counter.value"
            client.send("{\"id\":\(round),\"run\":\"\(statement)\"}")
          }
          while answers < 40, let line = try? client.lineIfAny() {
            if line.hasPrefix("{\"id\":"), line.contains("\"status\":0") { answers += 1 }
          }
          return answers
        }
      }
      group.addTask {
        for _ in 1..<400 { host.store.dispatch(.counter(.increment())) }
        // Behind the others, which may wait for another thread to do them.
        await host.store.dispatchAndWait(.counter(.increment()))
        return 40
      }
      for await answers in group { #expect(answers == 40) }
    }
    #expect(house.host.store.withState { ($0.counter.value, $0.tasks.items.count) } == (400, 60))
  }
}
