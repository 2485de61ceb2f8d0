import Dispatch
import Glibc
import StandardModules
import StoreCore
import StoreHost
import StoreShell
import Synchronization
import Testing

@testable import ShellDoor

/// Clients that do what they should not: the store goes on, memory stays bounded, and each gets its error.
@Suite struct DoorAbuseTests {
  private static let seed = getenv("STSH_ABUSE_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
  private static let rounds = getenv("STSH_ABUSE_SESSIONS").flatMap { Int(String(cString: $0)) } ?? 20

  private static func limits(_ change: (inout DoorLimits) -> Void) -> DoorLimits {
    var limits = DoorLimits()
    change(&limits)
    return limits
  }

  private static func works(_ house: House) throws -> Bool {
    try house.client().ask("{\"run\":\"echo works\"}").contains("works")
  }

  /// The memory that the process holds, in bytes.
  private static var memory: Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, 255, file) != nil else { return 0 }
    let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
      separator: " ")
    return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * 4096
  }

  @Test func rubbishEndsTheConversationAtTheThirdLine() throws {
    let house = try House()
    let client = try house.client()
    client.send(
      "rubbish", "{\"run\":1}", "{\"run\":\"echo x\"}", "[]", "{\"run\":\"echo x\",\"other\":1}", "{}",
      "{\"run\":\"echo y\"}")
    let lines = try client.rest()
    #expect(lines.count { $0.contains("\"code\":\"bad-request\"") } == 5)
    #expect(lines.count { $0.contains("{\"out\":\"x") } == 1)
    #expect(lines.last == "{\"event\":\"end\",\"message\":\"3 lines in a row were not requests\"}")
    #expect(try Self.works(house))
  }

  @Test func generatedRubbishIsSurvived() throws {
    let house = try House([.read, .dispatch()])
    var random = Random(seed: Self.seed)
    let parts = [
      "{", "}", "\"run\"", ":", "\"show counter\"", ",", "\"id\"", "1", "\n", "\n", "[", "]", "\\", "\"", "\u{0}", "é",
      "{\"run\":\"echo 1\"}\n", "{\"interrupt\":true}\n", "{\"follow\":1}\n", "{\"read\":\"counter\"}\n", "1e999", "-",
      "{\"complete\":\"show \",\"cursor\":3}\n", "{\"watch\":\"counter.value\"}\n", "{\"log\":-5}\n",
    ]
    for _ in 0..<Self.rounds {
      let client = try Client(house.door.address)
      var bytes: [UInt8] = []
      for _ in 0..<random.below(60) {
        if random.below(8) == 0 { bytes.append(UInt8(random.below(256))) }
        bytes += Array(parts[random.below(parts.count)].utf8)
      }
      client.send(bytes)
      if random.below(2) == 0 { shutdown(client.descriptor, Int32(SHUT_WR)) }
    }
    #expect(try Self.works(house))
  }

  @Test func aLineWithoutEndTakesNoMemory() throws {
    let house = try House(limits: Self.limits { $0.lineBytes = 1 << 16 })
    let client = try house.client()
    let before = Self.memory
    let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    // 1 GiB where abuse is what is asked for.
    for _ in 0..<(Self.rounds < 100 ? 128 : 1024) { client.send(block) }
    #expect(Self.memory - before < 64 << 20)
    client.send("")
    #expect(try client.line().contains("a line has at most 65536 bytes"))
    #expect(try client.ask("{\"run\":\"echo on\"}").contains("on"))
  }

  @Test func halfARequestIsNotWaitedForForEver() throws {
    let house = try House(limits: Self.limits { $0.patience = .milliseconds(200) })
    let client = try house.client()
    client.send(Array("{\"run\":\"echo".utf8))
    #expect(try client.rest() == ["{\"event\":\"end\",\"message\":\"the rest of a request did not come in time\"}"])
    let patient = try house.client()
    usleep(500_000)
    #expect(try patient.ask("{\"run\":\"echo idle\"}").contains("idle"))
  }

  @Test func moreThanItMayAreRefused() throws {
    let house = try House(limits: Self.limits { $0.conversations = 8 })
    let clients = try (0..<8).map { _ in try house.client() }
    for _ in 0..<(Self.rounds < 100 ? 50 : 10_000) {
      let client = try Client(house.door.address)
      #expect(
        try client.rest() == [
          "{\"event\":\"end\",\"message\":\"this door has as many connections as it may; try again later\"}"
        ])
    }
    #expect(try clients[3].ask("{\"run\":\"quit\"}").contains("\"quit\":0"))
    #expect(try clients[3].rest() == [])
    #expect(try Self.works(house))
  }

  /// The store does not wait for one who does not read, and keeps little for them.
  @Test func aListenerThatNeverReadsHoldsNobodyUp() throws {
    let house = try House(limits: Self.limits { $0.patience = .milliseconds(500) })
    let client = try house.client()
    client.send("{\"watch\":\"tasks\"}", "{\"follow\":1}")
    let other = try house.client()
    let text = String(repeating: "x", count: 10_000)
    _ = try other.ask("{\"run\":\"dispatch tasks.add \(text) --quiet\"}")
    let before = Self.memory
    for _ in 0..<3000 { house.host.store.dispatch(.tasks(.complete(id: 1))) }
    for _ in 0..<3000 { house.host.store.dispatch(.counter(.increment())) }
    #expect(Self.memory - before < 128 << 20)
    // What was dispatched while another thread had the turn is done soon after.
    #expect(try other.ask("{\"run\":\"wait until state.counter.value == 3000\"}") == "{\"status\":0}")
    // One who asks for more than they read is given up.
    let greedy = try house.client()
    for _ in 0..<2000 { greedy.send("{\"run\":\"show tasks\"}") }
    #expect(try other.ask("{\"run\":\"echo on\"}").contains("on"))
  }

  /// Who watches and does not read is told, once they do, how much was left out.
  @Test func aWatchThatIsNotReadIsBounded() throws {
    let house = try House()
    let client = try house.client()
    _ = try client.ask("{\"run\":\"watch counter.value\",\"form\":\"json\",\"utf8\":true}")
    let count = 60_000
    for _ in 0..<count { house.host.store.dispatch(.counter(.increment())) }
    var (told, leftOut) = (0, 0)
    while told + leftOut < count {
      let line = try client.line()
      if let gap = line.firstMatch(of: /"text":"… (\d+) lines? left out"/) {
        leftOut += Int(gap.1) ?? 0
      } else {
        told += 1
      }
    }
    #expect(leftOut > count / 2)
    #expect(told + leftOut == count)
  }

  @Test func aClientThatIsGoneEndsWhatItRan() throws {
    let house = try House()
    let records = "\(house.folder)/records.jsonl"
    let file = try #require(fopen(records, "w"))
    for _ in 0..<300_000 { fputs("{\"by\":1}\n", file) }
    fclose(file)
    do {
      let client = try house.client()
      client.send("{\"run\":\"ingest \(records) --as counter.increment\"}")
      for _ in 0..<2000 where house.host.store.withState({ $0.counter.value }) == 0 { usleep(10_000) }
    }
    var last = -1
    for _ in 0..<200 {
      usleep(50_000)
      let value = house.host.store.withState { $0.counter.value }
      if value == last { break }
      last = value
    }
    #expect(last > 0 && last < 300_000)
    #expect(try Self.works(house))
  }

  @Test func waitsOfManyLeaveRoomForOthers() throws {
    let house = try House(limits: Self.limits { $0.threads = 7 })
    let waiting = try (0..<5).map { _ in try house.client() }
    for client in waiting { client.send("{\"run\":\"wait 1h\"}") }
    try house.waitUntilRuns("wait 1h")
    #expect(try Self.works(house))
    for client in waiting { client.send("{\"interrupt\":true}") }
    for client in waiting { #expect(try client.line().contains("interrupted")) }
  }

  /// Waits take no place among the statements that run, in whatever statement they stand.
  @Test func waitsKeepNobodyOut() throws {
    let house = try House(limits: Self.limits { $0.threads = 3 })
    let waiting = try (0..<40).map { _ in try house.client() }
    for (index, client) in waiting.enumerated() {
      let wait = [
        "wait until state.counter.value >= 1", "retry 1000000 every 10ms assert state.counter.value >= 1",
        "try wait until state.counter.value >= 1", "step \\\"s\\\" wait until state.counter.value >= 1",
      ][index % 4]
      client.send("{\"run\":\"\(wait)\"}")
    }
    #expect(try house.client().ask(#"{"run":"dispatch counter.increment --quiet"}"#) == #"{"status":0}"#)
    for client in waiting { #expect(try client.line().hasSuffix("\"status\":0}")) }
  }

  /// Nor do those for the other end of a pipe at the host, which end by an interruption.
  @Test func waitsForPipesKeepNobodyOut() throws {
    let house = try House(limits: Self.limits { $0.threads = 3 })
    let statements = [
      "source PIPE", "ingest PIPE --as counter.increment", "import state PIPE", "replay PIPE", "export state PIPE",
      "export journal PIPE", "echo x > PIPE",
    ]
    var pipes: [String] = []
    defer { for pipe in pipes { unlink(pipe) } }
    let waiting = try (statements + statements).map { statement in
      pipes.append("\(house.folder)/pipe\(pipes.count)")
      #expect(mkfifo(pipes[pipes.count - 1], 0o600) == 0)
      let client = try house.client()
      client.send("{\"run\":\"\(statement.replacing("PIPE", with: pipes[pipes.count - 1]))\"}")
      return (statement, client)
    }
    #expect(try Self.works(house))
    for (statement, client) in waiting {
      client.send(#"{"id":1,"interrupt":true}"#)
      #expect(try client.line().hasSuffix("\"status\":130}"), "\(statement)")
      #expect(try client.line() == #"{"id":1,"status":0}"#, "\(statement)")
    }
    #expect(try Self.works(house))
  }

  /// A socket is at its path only once it listens, so that a client that waits for the file comes in.
  @Test func aSocketIsThereOnceItListens() async throws {
    let house = try House()
    let (path, address) = ("\(house.folder)/early", DoorAddress.unix("\(house.folder)/early"))
    for round in 0..<100 {
      let visitor = Task.detached {
        var status = stat()
        while lstat(path, &status) != 0, !Task.isCancelled { sched_yield() }
        let descriptor = address.makeSocket()
        defer { Glibc.close(descriptor) }
        return address.withSystemAddress { connect(descriptor, $0, $1) } == 0 ? 0 : errno
      }
      defer { visitor.cancel() }
      let socket = try DoorSocket(address)
      let code = await visitor.value
      socket.close()
      #expect(code == 0, "round \(round)")
    }
  }

  /// The place of a socket in the making is nobody else's: a file there stays, and a socket that a killed door left does not.
  @Test func aSocketInTheMakingTakesNoFile() throws {
    let house = try House()
    let address = DoorAddress.unix("\(house.folder)/making")
    let other = "\(house.folder)/making~"
    let file = try #require(fopen(other, "w"))
    fputs("a copy", file)
    fclose(file)
    for isLeft in [false, true] {
      if isLeft {
        unlink(other)
        let left = DoorAddress.unix(other)
        let descriptor = left.makeSocket()
        #expect(left.withSystemAddress { bind(descriptor, $0, $1) } == 0)
        Glibc.close(descriptor)
      }
      let socket = try DoorSocket(address)
      #expect(access(house.folder + "/making", F_OK) == 0)
      #expect((access(other, F_OK) == 0) == !isLeft)
      socket.close()
      #expect(access(house.folder + "/making", F_OK) != 0)
    }
  }

  /// A thread that is woken for two conversations, and waits in the first, leaves the second to another thread.
  @Test func aResumedStatementThatWaitsLeavesOthersToAnotherThread() throws {
    let house = try House()
    let gate = Gate(5)
    defer { gate.open(1..<5) }
    let socket = try DoorSocket(.unix("\(house.folder)/other"), group: nil)
    var options = SessionOptions()
    options.rights = Rights([.all])
    // One statement runs at a time, by five threads at most.
    let loop = try DoorLoop(
      DoorHost(live: house.host.live, options: options, users: [:], admitsOthers: false) {
        [host = house.host] options, width, wake, output in
        gate.pass()
        return try Session(throughDoorOf: host, options: options, width: width, wake: wake, output: output)
      }, at: socket, token: nil, limits: Self.limits { $0.threads = 1 })
    loop.open()
    defer { loop.close(because: "the test has ended") }
    let clients = try (0..<7).map { _ in
      let client = try Client(socket.address)
      _ = try client.line()
      return client
    }
    _ = try clients[6].ask(#"{"run":"watch counter.value"}"#)
    gate.shut()
    clients[0].send(#"{"run":"= 1"}"#)
    gate.waitForOneMore()
    clients[1].send(#"{"run":"wait 1h"}"#)
    while !loop.hasParked.load(ordering: .sequentiallyConsistent) { usleep(1000) }
    for client in clients[2...5] { client.send(#"{"read":"counter.value"}"#) }
    for _ in 0..<4 { gate.waitForOneMore() }
    // No thread is free: the watch is ready, and is joined by the statement that gets the place of the first.
    house.host.store.dispatch(.counter(.increment()))
    gate.open(0..<1)
    #expect(try clients[6].line().contains("counter.value"))
  }

  /// While as many statements run as may, looks and interruptions are answered, and a statement is as soon as one has ended.
  @Test func looksAreAnsweredWhileAllPlacesAreTaken() throws {
    let house = try House(limits: Self.limits { $0.threads = 3 })
    let busy = try (0..<6).map { _ in try house.client() }
    // Two of them run; the others are queued. Each loop ends after some instructions, and the next one begins.
    let loops = String(repeating: #"lua while true do end\n"#, count: 1000)
    for client in busy { client.send(#"{"id":1,"run":"\#(loops)","keepGoing":true,"quiet":true}"#) }
    let other = try house.client()
    #expect(try other.ask(#"{"read":"counter.value"}"#) == #"{"value":0}"#)
    #expect(try other.ask(#"{"log":1}"#) == #"{"entries":[]}"#)
    #expect(try other.ask(#"{"time":true}"#).contains("\"head\":0"))
    #expect(try other.ask(#"{"id":2,"interrupt":true}"#) == #"{"id":2,"status":0}"#)
    other.send(#"{"id":3,"run":"= 1"}"#)
    for client in busy {
      client.send(#"{"id":2,"interrupt":true}"#)
      _ = try client.lines(until: "\"status\":130}")
      #expect(try client.line() == #"{"id":2,"status":0}"#)
    }
    #expect(try other.line().contains(#""out":"1\n""#))
  }

  /// Whole requests of a client that closes at once are done; its waits end, and what is endless ends too.
  @Test func requestsOfAClientThatClosesAreDone() throws {
    // A machine that is busy takes longer than the second that a door leaves them.
    let patient = try House(limits: Self.limits { $0.unattended = .seconds(120) })
    for _ in 1...20 {
      let client = try Client(patient.door.address)
      client.send(Array(String(repeating: "{\"run\":\"dispatch counter.increment\"}\n", count: 50).utf8))
      withExtendedLifetime(client) {}
    }
    try Self.settles(patient) { $0.counter.value == 1000 }
    let house = try House(limits: Self.limits { $0.unattended = .seconds(5) })
    do {
      let client = try house.client()
      client.send(
        #"{"run":"wait 1h"}"#, #"{"run":"wait until false"}"#, #"{"run":"dispatch counter.increment"}"#,
        #"{"run":"lua while true do end"}"#, #"{"run":"dispatch counter.reset"}"#)
    }
    try Self.settles(house) { $0.counter.value == 1 }
    let other = try house.client()
    for _ in 0..<400 where try !other.ask(#"{"run":"= 1"}"#).contains("1") {}
    #expect(house.host.store.withState { $0.counter.value } == 1)
  }

  private static func settles(_ house: House, _ holds: (StandardState) -> Bool) throws {
    for _ in 0..<2000 where !house.host.store.withState(holds) { usleep(10_000) }
    let isSettled = house.host.store.withState(holds)
    #expect(isSettled)
  }

  /// More statements than may run at a time wait for each other; an interruption is heard all the same.
  @Test func waitsOfMoreThanMayRunAreInterrupted() throws {
    let house = try House(limits: Self.limits { $0.threads = 3 })
    let waiting = try (0..<6).map { _ in try house.client() }
    for (index, client) in waiting.enumerated() { client.send("{\"run\":\"wait \(index < 2 ? "1h" : "1s")\"}") }
    try house.waitUntilRuns("wait 1h")
    for client in waiting.prefix(2) {
      client.send("{\"interrupt\":true}")
      #expect(try client.line().contains("interrupted"))
    }
    for client in waiting.dropFirst(2) { #expect(try client.line() == "{\"status\":0}") }
    #expect(try Self.works(house))
  }
}

/// Holds threads back while it is shut, and lets each go by its number.
private final class Gate: Sendable {
  private let state = Mutex((isShut: false, held: 0))
  private let arrived = DispatchSemaphore(value: 0)
  private let places: [DispatchSemaphore]

  init(_ count: Int) { places = (0..<count).map { _ in DispatchSemaphore(value: 0) } }

  func shut() { state.withLock { $0.isShut = true } }

  func pass() {
    let place = state.withLock { state -> Int? in
      guard state.isShut else { return nil }
      state.held += 1
      return state.held - 1
    }
    guard let place else { return }
    arrived.signal()
    places[place].wait()
  }

  func waitForOneMore() { arrived.wait() }

  /// Lets all pass from now on, and of those held back the ones in a range.
  func open(_ held: Range<Int>) {
    state.withLock { $0.isShut = false }
    for place in held { places[place].signal() }
  }
}

/// Numbers that a seed decides.
private struct Random {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func below(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(limit))
  }
}
