import Glibc
import Testing

@testable import ShellDoor

/// Many clients that ask for much and do not read it: what waits for them has a bound in sum, and so have threads; others are answered.
@Suite struct DoorStrainTests {
  private static let length = 400_000

  @Test(arguments: [
    #"{"run":"lua print(('x'):rep(400000))"}"#, #"{"run":"= ('x'):rep(400000)","form":"json"}"#,
    #"{"run":"show tasks.items"}"#, #"{"read":"tasks.items"}"#, #"{"read":"tasks.items[1].title"}"#,
  ])
  func answersThatNobodyReadsHaveABound(request: String) throws {
    var limits = DoorLimits()
    limits.allAnswerBytes = 1 << 20
    limits.threads = 4
    limits.slowReaders = 1
    let house = try House(limits: limits)
    let loop = house.door.loop
    let other = try house.client()
    let text = String(repeating: "x", count: Self.length)
    _ = try other.ask("{\"run\":\"dispatch tasks.add \(text) --quiet\"}")
    let crowd = try (0..<12).map { _ in try house.client() }
    for client in crowd { client.send(Array(String(repeating: request + "\n", count: 20).utf8)) }
    var peak = (bytes: 0, threads: 0)
    for round in 0..<200 {
      let isLong = round.isMultiple(of: 20)
      other.send(isLong ? #"{"run":"lua print(('y'):rep(400000))"}"# : #"{"run":"= 1"}"#)
      let answer = try other.lines(until: "\"status\":0").joined()
      if isLong { #expect(answer.utf8.count { $0 == UInt8(ascii: "y") } == Self.length) }
      peak = (max(peak.bytes, loop.answers.held), max(peak.threads, loop.threads))
    }
    // Each statement or look that runs, or waits for its reader, may have added one part.
    #expect(peak.bytes > 1 << 19, "\(peak)")
    #expect(peak.bytes <= (1 << 20) + (4 + DoorLoop.spare + 1) * (Self.length + (1 << 16)), "\(peak)")
    #expect(peak.threads <= 4 + DoorLoop.spare + 1, "\(peak)")
    withExtendedLifetime(crowd) {}
  }

  /// Threads and bytes are there for no longer than there is something to do.
  @Test func aStrainLeavesNothingBehind() throws {
    var limits = DoorLimits()
    limits.allAnswerBytes = 16 << 20
    let house = try House(limits: limits)
    let loop = house.door.loop
    do {
      let crowd = try (0..<40).map { _ in try house.client() }
      for client in crowd { client.send(#"{"run":"wait 1h"}"#) }
      let readers = try (0..<20).map { _ in try house.client() }
      for client in readers { client.send(#"{"run":"lua print(('x'):rep(4000000))"}"#) }
      for _ in 0..<2000 where loop.threads < 40 || loop.answers.held == 0 { usleep(5000) }
      #expect(loop.threads >= 40)
      #expect(loop.answers.held > 0)
      withExtendedLifetime((crowd, readers)) {}
    }
    for _ in 0..<4000 where loop.threads > DoorLoop.spare || loop.answers.held > 0 { usleep(5000) }
    #expect(loop.threads <= DoorLoop.spare)
    #expect(loop.answers.held == 0)
    #expect(try house.client().ask(#"{"run":"= 1"}"#).contains(#""out":"1\n""#))
  }

  /// So many statements wait at a time; a further wait fails, and all else is answered.
  @Test func waitsHaveABound() throws {
    var limits = DoorLimits()
    (limits.waits, limits.threads) = (3, 2)
    let house = try House(limits: limits)
    let crowd = try (0..<3).map { _ in try house.client() }
    for client in crowd { client.send(#"{"id":1,"run":"wait 1h"}"#) }
    for _ in 0..<4000 where house.door.loop.waiting < 3 { usleep(5000) }
    let other = try house.client()
    for wait in ["wait 1h", "wait until false", "retry 3 every 1h assert false", "wait idle --timeout 1h"] {
      let answer = try other.ask(#"{"id":1,"run":"\#(wait)"}"#)
      #expect(answer.contains("3 statements wait at this door already"), "\(answer)")
      #expect(try other.ask(#"{"run":"= 1"}"#).contains(#""status":0"#))
    }
    #expect(house.door.loop.threads <= 3 + 2 + DoorLoop.spare)
    crowd[0].send(#"{"id":2,"interrupt":true}"#)
    for _ in 0..<4000 where house.door.loop.waiting == 3 { usleep(5000) }
    #expect(try other.ask(#"{"run":"wait 1ms"}"#).contains(#""status":0"#))
  }

  /// An answer of some MiB is whole before its client reads, and holds no thread meanwhile.
  @Test func aLongAnswerWaitsWithoutAThread() throws {
    let house = try House()
    let loop = house.door.loop
    let clients = try (0..<30).map { _ in try house.client() }
    for client in clients { client.send(#"{"run":"lua print(('x'):rep(2000000))"}"#) }
    let other = try house.client()
    let all = clients.count * 1_500_000
    for _ in 0..<4000 where loop.answers.held < all || loop.threads > DoorLoop.spare { usleep(5000) }
    #expect(loop.answers.held >= all)
    #expect(loop.threads <= DoorLoop.spare)
    #expect(try other.ask(#"{"run":"= 1"}"#).contains(#""out":"1\n""#))
    for client in clients {
      let answer = try client.lines(until: "\"status\":0").joined()
      #expect(answer.utf8.count { $0 == UInt8(ascii: "x") } == 2_000_000)
    }
    #expect(loop.answers.held == 0)
  }

  /// Clients that wait for one answer take places in turn with those that have sent more.
  @Test func whoWaitsForOneAnswerIsNotBehindAll() {
    final class Item {}
    let (patient, others) = ((0..<6).map { _ in Item() }, (0..<3).map { _ in Item() })
    var queue = ParkedQueue<Item>()
    for item in patient { queue.append(item, behindOthers: true) }
    for item in others { queue.append(item, behindOthers: false) }
    let removals = [queue.remove(patient[1]), queue.remove(patient[1])]
    #expect(removals == [true, false])
    var order: [Item] = []
    while let item = queue.takeFirst() { order.append(item) }
    let expected = [others[0], patient[0], others[1], patient[2], others[2], patient[3], patient[4], patient[5]]
    #expect(order.elementsEqual(expected) { $0 === $1 })
    #expect(queue.isEmpty)
  }

  /// Only blank lines are passed over.
  @Test(arguments: ["\u{0}", "\u{1}", "\u{7F}", "\u{B}"])
  func aLineOfControlCharactersIsNoRequest(character: String) throws {
    let house = try House()
    let client = try house.client()
    client.send("", " ", "\t \r", String(repeating: character, count: 100))
    #expect(try client.line().contains("\"code\":\"bad-request\""))
    #expect(try client.ask(#"{"run":"= 1"}"#).contains(#""out":"1\n""#))
  }
}
