import Glibc
import StandardModules
import StoreCore
import StoreHost
import StoreShell
import TerminalSupport
import Testing

@testable import ShellDoor

typealias Host = StoreHost<StandardAction, StandardState>

/// A host of the standard modules with a door in a folder that goes with it.
final class House {
  let host: Host
  let door: Door
  let folder: String
  let path: String

  /// - Parameters:
  ///   - watchPatience: the time that a look at watches may take, and after which output comes in parts; by default enough for a slow
  ///     machine.
  ///   - wallTime: the clock on the wall of the file that the store is kept in; nil: it is kept in none.
  ///   - beforeDoorEnds: what is done when the host closes, before it waits for the door.
  init(
    _ rights: [Right] = [.all], limits: DoorLimits = DoorLimits(), clock: any StoreClock = RealClock(),
    at address: DoorAddress? = nil, watchPatience: Duration = .seconds(60),
    wallTime: (@Sendable () -> Duration)? = nil,
    beforeDoorEnds: (@Sendable () -> Void)? = nil
  ) throws {
    folder = try Self.makeFolder()
    path = "\(folder)/door"
    let store = "\(folder)/store.db"
    let application = Application(initial: StandardState(), reducer: StandardState.reducer)
    host =
      try wallTime.map { wallTime in
        try Host(
          application, clock: clock, program: "stsh", journal: JournalPlan(path: store, wallTime: wallTime))
      } ?? Host(application, clock: clock, program: "stsh")
    if let beforeDoorEnds { host.live.whenClosed(begin: {}, end: beforeDoorEnds) }
    var options = SessionOptions()
    options.name = "stsh"
    options.watchPatience = watchPatience
    options.outputPause = watchPatience
    door = try Door(host, at: address ?? .unix(path), allow: rights, options: options, limits: limits)
  }

  deinit {
    door.close()
    Self.remove(folder)
  }

  static func makeFolder() throws -> String {
    var template = Array("/tmp/stsh-door-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  static func remove(_ folder: String) {
    for name in [
      "door", "door.lock", "records.jsonl", "other", "other.lock", "store.db", "store.db-wal", "store.db-shm",
    ] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  /// Waits until a statement runs, as `who` tells it.
  func waitUntilRuns(_ statement: String) throws {
    let client = try client()
    while try !client.ask(#"{"run":"who --as csv"}"#).contains(statement) {}
  }

  func client() throws -> Client {
    let client = try Client(door.address)
    _ = try client.line()
    return client
  }
}

/// A client as anybody could write one: it sends bytes, and reads lines within a minute.
final class Client {
  let descriptor: Int32
  private var lines = ReceivedLines()

  struct Silence: Error {}

  init(_ address: DoorAddress) throws {
    descriptor = address.makeSocket()
    try #require(address.withSystemAddress { connect(descriptor, $0, $1) } == 0)
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// - Returns: false where nobody is there any more.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  func send(_ lines: String...) -> Bool { send(Array(lines.map { "\($0)\n" }.joined().utf8)) }

  /// The next line; nil: the door has ended the conversation.
  func lineIfAny() throws -> String? {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let line = lines.next() { return line }
      let count = recv(descriptor, &block, block.count, 0)
      if count == 0 || (count < 0 && errno == ECONNRESET) { return nil }
      guard count > 0 else { throw Silence() }
      lines.append(block, count: count)
    }
  }

  func line() throws -> String { try #require(try lineIfAny()) }

  /// Lines until one holds a text.
  func lines(until text: String) throws -> [String] {
    var lines: [String] = []
    while true {
      lines.append(try line())
      if lines[lines.count - 1].contains(text) { return lines }
    }
  }

  /// What is left until the door ends the conversation.
  func rest() throws -> [String] {
    var lines: [String] = []
    while let line = try lineIfAny() { lines.append(line) }
    return lines
  }

  /// The answer to a request.
  func ask(_ request: String) throws -> String {
    send(request)
    return try line()
  }
}
