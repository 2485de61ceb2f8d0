import Glibc
import StandardModules
import StoreCore
import StoreHost
import StoreShell
import Testing

@testable import ShellDoor

/// What a client may ask for that nobody should, and what others notice of it.
@Suite struct DoorLimitTests {
  /// Numbers that no sum survives are refused, and the host goes on.
  @Test(arguments: [Int.max, Int.max - 1, Int.min, 0, -1])
  func numbersHaveBounds(number: Int) throws {
    let house = try House([.read])
    let client = try house.client()
    for request in [
      #"{"run":"\n\n= x","line":N}"#, #"{"run":"= 1","line":N,"file":"f"}"#, #"{"run":"= 1","width":N}"#,
      #"{"run":"plot counter.value","width":N}"#,
    ] {
      let answer = try client.ask(request.replacing("N", with: "\(number)"))
      #expect(
        answer.contains("'line' is a whole number from 1 to") || answer.contains("'width' is a whole number from 1 to"))
      #expect(try client.ask(#"{"run":"= 1"}"#) == #"{"output":[{"out":"1\n"}],"status":0}"#)
    }
    for name in ["follow", "log", "first", "at", "from", "count", "to", "cursor"] {
      _ = try client.ask(#"{"\#(name == "log" || name == "follow" ? "" : "log\":1,\"")\#(name)":\#(number)}"#)
      #expect(try client.ask(#"{"run":"= 1"}"#).contains("status\":0"))
    }
  }

  /// The keys of the terminal that a host has are its own.
  @Test func nothingIsDrawnAgainOnTheScreenOfTheHost() throws {
    let house = try House()
    let client = try house.client()
    let answer = try client.ask(#"{"run":"show counter.value --every 1s","width":80}"#)
    #expect(answer.contains("--every needs a terminal to draw on"), "\(answer)")
  }

  /// A conversation that ends is read to its end, however much is on its way.
  @Test func whatWasSaidBeforeTheEndArrives() throws {
    let house = try House()
    let client = try house.client()
    let text = String(repeating: "x", count: 700_000)
    client.send("{\"run\":\"echo \(text)\"}", #"{"run":"quit 4"}"#)
    let lines = try client.rest()
    #expect(lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
    #expect(lines.joined().utf8.count { $0 == UInt8(ascii: "x") } >= text.utf8.count)
    #expect(lines.last?.contains(#""quit":4"#) == true)
  }

  /// Nothing that never happened is told of as left out.
  @Test func followingBeginsAtTheFirstAction() throws {
    let house = try House()
    house.host.store.dispatch(.counter(.increment(by: 1)))
    let client = try house.client()
    client.send(#"{"id":1,"follow":0}"#)
    let lines = try client.lines(until: "actions")
    #expect(lines.last?.contains("folded") == false, "\(lines)")
  }

  /// Half requests of others take no room that a short one needs, and what was put off comes when they have gone.
  @Test func halfRequestsOfOthersStopNobody() throws {
    var limits = DoorLimits()
    limits.allBytes = 1 << 20
    let house = try House(limits: limits)
    let waiting = try house.client()
    do {
      let others = try (0..<3).map { _ in try house.client() }
      for other in others { other.send(Array(repeating: UInt8(ascii: " "), count: 600_000)) }
      // A long one has to wait.
      let text = String(repeating: "x", count: 300_000)
      waiting.send(#"{"id":1,"run":"= #'\#(text)'"}"#)
      #expect(try house.client().ask(#"{"id":2,"run":"= 1"}"#).contains("\"id\":2"))
      withExtendedLifetime(others) {}
    }
    #expect(try waiting.line().contains("300000"))
  }

  /// What was sent before an interruption and has not begun is not done.
  @Test func anInterruptionStopsWhatWaitsBeforeIt() throws {
    let house = try House()
    let client = try house.client()
    client.send(
      #"{"id":1,"run":"wait 20s"}"#, #"{"id":2,"run":"dispatch counter.increment"}"#,
      #"{"id":3,"interrupt":true}"#, #"{"id":4,"run":"show counter.value"}"#)
    #expect(try client.line().contains("\"status\":130"))
    #expect(try client.line().hasSuffix("\"status\":130}"))
    #expect(try client.line().contains("\"id\":3"))
    #expect(try client.line().contains(#""out":"0\n""#))
  }

  /// An interruption is heard behind more requests than are usual.
  @Test func anInterruptionBehindManyRequestsIsHeard() throws {
    let house = try House()
    let client = try house.client()
    client.send(#"{"run":"wait 1h"}"#)
    let text = String(repeating: "x", count: 1 << 16)
    for _ in 0..<40 { client.send(#"{"run":"= #'\#(text)'"}"#) }
    client.send(#"{"id":2,"interrupt":true}"#)
    for _ in 0..<41 { #expect(try client.line().hasSuffix("\"status\":130}")) }
    #expect(try client.line() == #"{"id":2,"status":0}"#)
  }

  /// One behind more than may wait is heard once there is room for it, before all of that is done.
  @Test func anInterruptionComesInOnceThereIsRoom() throws {
    var limits = DoorLimits()
    limits.waitingBytes = 1 << 14
    var intake = Conversation.Intake(limits: limits, answers: ClientFileAnswers())
    let budget = DoorBudget(limit: 1 << 20)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 16)
    defer { block.deallocate() }
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let line = "{\"run\":\"= #'\(String(repeating: "x", count: 2000))'\"}\n"
    let lines = Array((String(repeating: line, count: 20) + "{\"interrupt\":true}\n").utf8)
    try #require(write(ends[1], lines, lines.count) == lines.count)
    #expect(intake.receive(from: ends[0], toTheEnd: true, block, budget) == nil)
    var interrupted: [Bool] = []
    while case .request(_, let interrupt)? = intake.next(from: ends[0], block, budget) {
      interrupted.append(interrupt != nil)
    }
    #expect(interrupted.count == 21)
    #expect(interrupted.prefix(12).allSatisfy { !$0 })
    #expect(interrupted.dropFirst(14).prefix(6).allSatisfy { $0 })
  }

  /// The value that a watch begins with is the one from which its first change is told.
  @Test func noChangeGoesBetweenAWatchAndItsValue() throws {
    let house = try House()
    let client = try house.client()
    for round in 1...40 {
      let thread = try WorkerThread { [host = house.host] in
        for _ in 0..<20 { host.store.dispatch(.counter(.increment(by: 1))) }
      }
      client.send(#"{"run":"watch counter.value","form":"json"}"#)
      let first = try client.lines(until: "results")
      thread.join()
      // Actions of the thread may still be queued, and the next statement would come between two of them.
      while house.host.store.withState({ $0.counter.value }) < 20 * round { usleep(1000) }
      client.send(#"{"run":"watch stop all","form":"json"}"#)
      let told = try client.lines(until: "results")
      let value = try #require(first.last?.firstMatch(of: /"value":(\d+)/)?.1)
      // Lines of watches may stand before and behind the answer.
      let next = (first + told).lazy.compactMap({ $0.firstMatch(of: /"from":(\d+)/)?.1 }).first
      #expect(next ?? "\(20 * round)" == value, "\(first) \(told)")
    }
  }

  /// A session that watches an expression is told of each action that changed it, by its name.
  @Test func expressionsAreLookedAtActionByAction() throws {
    let house = try House()
    let client = try house.client()
    _ = try client.ask(#"{"run":"watch $(state.counter.value)"}"#)
    let other = try house.client()
    _ = try other.ask(
      #"{"run":"lua dispatch('counter.increment') dispatch('counter.increment') dispatch('tasks.add', {title='x'})"}"#)
    let lines = try client.lines(until: "1 -> 2")
    let text = lines.joined()
    #expect(
      text.contains("0 -> 1  (#1 counter.increment)") && text.contains("1 -> 2  (#2 counter.increment)"), "\(text)")
    #expect(!text.contains("tasks.add"))
  }
}
