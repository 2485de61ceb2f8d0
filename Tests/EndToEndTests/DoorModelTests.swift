import Glibc
import StoreCore
import TerminalSupport
import Testing

/// Two hundred clients of a door that ask, wait, interrupt, reach limits, stop reading, shut down a half and close at random, while the
/// host is stopped now and then, and at times a hundred more ask for much and read nothing: each request that must be answered is, once and in order, and memory and threads stay in bounds.
///
/// `STSH_DOOR_STEPS` is the number of steps, `STSH_DOOR_SEED` the seed.
@Suite("A model of a door")
struct DoorModelTests {
  private static func variable(_ name: String) -> Int? {
    getenv("STSH_DOOR_\(name)").flatMap { Int(String(cString: $0)) }
  }

  @Test func everyRequestThatMustBeAnsweredIs() throws {
    let shell = try Shell()
    let program = getenv("STSH_DURABILITY_PROGRAM").map { String(cString: $0) } ?? "stsh"
    let server = try Server(shell, ["--store", "kept.db"], program: program)
    var model = Model(server, seed: UInt64(Self.variable("SEED") ?? 1))
    for _ in 0..<(Self.variable("STEPS") ?? 3000) { try model.step() }
    try model.end()
    #expect(model.peak.threads < 64 + 4 + Model.clients + 16, "\(model.peak)")
    // Each of 64 threads may be making an answer of 8 MiB, and 128 MiB of answers may wait.
    #expect(model.peak.memory < 64 * 8 + 128 + 64, "\(model.peak)")
    #expect(model.rest.threads < 16, "\(model.rest)")
    #expect(model.rest.memory < 256, "\(model.rest)")
    #expect(try server.end(by: SIGTERM) == 128 + SIGTERM)
    let kept = try shell.run("--store", "kept.db", "--read-only", "-c", "show counter.value").output
    #expect(kept == "\(model.value)\n")
  }
}

/// What the clients have asked, and what they have yet to be answered.
private struct Model {
  static let clients = 200
  private let server: Server
  private var random: SeededGenerator
  private var clients: [ModelClient?] = Array(repeating: nil, count: clients)
  /// The most that the host took: threads, and MiB of memory.
  private(set) var peak = (threads: 0, memory: 0)
  /// The value of the counter in the end.
  private(set) var value = 0
  /// The same behind all.
  private(set) var rest = (threads: Int.max, memory: Int.max)
  private var steps = 0
  /// Those who ask for much and read nothing.
  private var storm: [DoorClient] = []

  init(_ server: Server, seed: UInt64) {
    self.server = server
    random = SeededGenerator(seed: seed)
  }

  mutating func step() throws {
    steps += 1
    if steps % 1000 == 500 { try beginStorm() }
    if steps % 1000 == 800 { storm = [] }
    if !storm.isEmpty { for client in clients where client?.isReading == false { client?.mayBeGivenUp = true } }
    let index = random.number(0...(Self.clients - 1))
    let client = try clients[index] ?? ModelClient(server.path)
    clients[index] = client
    switch random.number(0...99) {
    case 0..<25: try client.ask("\"run\":\"dispatch counter.increment\"")
    case 25..<30: try client.ask("\"run\":\"dispatch tasks.add x\(steps)\",\"form\":\"json\"")
    case 30..<38: try client.ask("\"run\":\"wait until state.counter.value % 5 == \(steps % 5) --timeout 20s\"")
    case 38..<42: try client.ask("\"run\":\"wait 1h\"")
    case 42..<46: try client.ask("\"run\":\"retry 100000 every 5ms assert state.counter.value % 3 == 0\"")
    case 46:
      // More memory than the Lua of a session has.
      try client.ask("\"run\":\"lua local t = {} for i = 1, 100000000 do t[i] = i end\"")
    case 47:
      try client.ask("\"run\":7")
      try client.ask("\"time\":true")
    case 48 where steps.isMultiple(of: 5): try client.sendTooLong()
    case 48..<50: try client.ask("\"run\":\"lua local n = 0 for i = 1, 100000 do n = n + i end print(n)\"")
    case 50..<55: try client.ask("\"read\":\"counter.value\"")
    case 55..<60: try client.ask("\"log\":1,\"count\":20")
    case 60..<64: try client.ask("\"time\":true")
    case 64..<66: try client.ask("\"follow\":true")
    case 66..<68: try client.ask("\"watch\":\"counter.value\"")
    case 68..<71: try client.ask("\"run\":\"= ('x'):rep(200000)\"")
    case 71..<74: try client.ask("\"run\":\"let v = \(steps)\"")
    case 74..<84: try client.interrupt()
    case 84..<87: client.isReading = false
    case 87..<91: client.isReading = true
    case 91..<93: try client.shutDown()
    case 93..<96:
      // Not a word about what it waited for.
      clients[index] = nil
    case 96:
      try client.send("half a requ")
      clients[index] = nil
    default:
      if steps.isMultiple(of: 10) {
        server.stop()
        kill(server.process, SIGCONT)
      }
    }
    try pump(waiting: 0)
    if steps.isMultiple(of: storm.isEmpty ? 100 : 10) { look() }
    // Few wait in each, so that some of it is done.
    while clients.contains(where: { $0?.isBehind == true }) { try pump(waiting: 10) }
  }

  /// Takes what has come in.
  private mutating func pump(waiting milliseconds: Int32) throws {
    let reading = clients.indices.filter { clients[$0]?.isReading == true }
    var sources = reading.map { pollfd(fd: clients[$0]?.descriptor ?? -1, events: Int16(POLLIN), revents: 0) }
    guard poll(&sources, nfds_t(sources.count), milliseconds) > 0 else { return }
    for (index, source) in zip(reading, sources) where source.revents != 0 {
      if try clients[index]?.take() == false { clients[index] = nil }
    }
  }

  private mutating func beginStorm() throws {
    storm = try (0..<100).map { _ in try DoorClient(server.path) }
    let requests = String(repeating: "{\"run\":\"= ('x'):rep(2000000)\"}\n", count: 5)
    for client in storm { try client.send(requests) }
  }

  private mutating func look() {
    let found = taken
    peak = (max(peak.threads, found.threads), max(peak.memory, found.memory))
  }

  /// What the host takes now.
  private var taken: (threads: Int, memory: Int) {
    var found = (threads: 0, memory: 0)
    guard let file = fopen("/proc/\(server.process)/status", "r") else { return found }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        .split { $0 == ":" || $0 == "\t" || $0 == " " || $0 == "\n" }
      if words.first == "Threads" { found.threads = Int(words[1]) ?? 0 }
      if words.first == "VmRSS" { found.memory = (Int(words[1]) ?? 0) >> 10 }
    }
    return found
  }

  /// Interrupts all, and has each wait for its answers.
  mutating func end() throws {
    look()
    storm = []
    for client in clients {
      client?.isReading = true
      try client?.interrupt()
    }
    let end = ContinuousClock.now + .seconds(120)
    while clients.contains(where: { $0?.isAnswered == false }) {
      guard ContinuousClock.now < end else {
        let waiting = clients.compactMap(\.self).filter { !$0.isAnswered }
        throw ProgramFailure("\(waiting.count) clients wait for \(waiting.prefix(3).map(\.unanswered))")
      }
      try pump(waiting: 50)
    }
    look()
    // Those that have closed are over once nobody else is there.
    clients = []
    let last = try DoorClient(server.path)
    _ = try last.line()
    var others = Int.max
    while others > 0 {
      try last.send("{\"run\":\"who --json\"}\n")
      // A long answer comes in parts.
      var text = ""
      repeat { text += try last.line() } while !text.contains("\"status\":")
      others = text.ranges(of: "/door:").count - 1
      usleep(20_000)
    }
    value = try answer(last)
    for _ in 0..<600 where rest.threads >= 16 || rest.memory >= 256 {
      usleep(100_000)
      rest = taken
    }
  }

  private func answer(_ client: DoorClient) throws -> Int {
    try client.send("{\"read\":\"counter.value\"}\n")
    let line = try client.line()
    return line.firstMatch(of: /"value":(\d+)/).flatMap { Int($0.1) } ?? -1
  }
}

/// A client with the requests that it has sent and that were not answered.
private final class ModelClient {
  let descriptor: Int32
  var isReading = true
  /// True if it has not read while others wanted the memory.
  var mayBeGivenUp = false
  private(set) var unanswered: [Int] = []
  private let client: DoorClient
  private var next = 1
  private var lines = ReceivedLines()
  private var hasShutDown = false
  /// The number of lines that are no requests and were not answered.
  private var faults = 0

  init(_ path: String) throws {
    client = try DoorClient(path)
    descriptor = client.descriptor
    _ = try client.line()
  }

  var isAnswered: Bool { unanswered.isEmpty && faults == 0 }
  /// True if so much waits that a person would wait, too.
  var isBehind: Bool { isReading && !hasShutDown && unanswered.count > 40 }

  func send(_ text: String) throws {
    guard !hasShutDown else { return }
    do {
      try client.send(text)
    } catch {
      // What it was told before is still to be read.
      guard mayBeGivenUp else { throw error }
    }
  }

  func ask(_ request: String) throws {
    // What has no room in the socket would have the model wait for the host, and the host for the model.
    guard !hasShutDown, unanswered.count < 40 else { return try interrupt() }
    try send("{\"id\":\(next),\(request)}\n")
    unanswered.append(next)
    next += 1
  }

  /// Sends a line that is longer than a door takes, where the host has nothing else to say meanwhile.
  func sendTooLong() throws {
    guard isReading, !hasShutDown, isAnswered else { return }
    try send(String(repeating: "x", count: 9 << 20) + "\n")
    faults += 1
    try ask("\"time\":true")
  }

  func interrupt() throws {
    guard !hasShutDown, unanswered.count < 80 else { return }
    try send("{\"id\":\(next),\"interrupt\":true}\n")
    unanswered.append(next)
    next += 1
  }

  /// Says that nothing more comes; what waits for others is over with that.
  func shutDown() throws {
    try interrupt()
    guard !hasShutDown else { return }
    hasShutDown = true
    isReading = true
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Takes what has come in; false: the host has closed it, behind all answers.
  func take() throws -> Bool {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &block, block.count, Int32(MSG_DONTWAIT))
    guard count > 0 else {
      guard mayBeGivenUp || (hasShutDown && isAnswered) else {
        throw ProgramFailure("the door has closed before it answered \(unanswered), and \(faults) faults")
      }
      return false
    }
    lines.append(block, count: count)
    while let line = lines.next() { try take(line) }
    return true
  }

  private func take(_ line: String) throws {
    let head = line.prefix(200)
    guard !head.contains("\"event\":"), let id = head.firstMatch(of: /^\{"id":(\d+)/).flatMap({ Int($0.1) }) else {
      if head.contains("\"event\":") { return }
      guard faults > 0, line.contains("bad-request") else { throw ProgramFailure("the door says \(head)") }
      faults -= 1
      return
    }
    guard id == unanswered.first else {
      throw ProgramFailure("#\(id) is answered, and \(unanswered.prefix(3)) come first")
    }
    // The members of a line that others follow stand first.
    let isPart = head.firstMatch(of: /^\{"id":\d+,"(?:output|results|part|steps|line)":/) != nil
    if !isPart || line.suffix(200).contains("\"status\":") { unanswered.removeFirst() }
  }
}
