import CEvents
import Platform
import ShellDoor
import StoreCore
import StoreHost
import StoreSchema
import StoreShell

// @Schema, by scripts/expand.
struct Board: Sendable {
  var count = 0
  var cells: PersistentList<Cell> = []

  // @Schema, by scripts/expand.
  struct Cell: Sendable {
    var id: Int
    var value = 0
  }
}

// @Schema, by scripts/expand.
enum BoardAction: Sendable {
  case add(by: Int = 1)
  case fill(count: Int)
  case touch(cell: Int)
}

// @Schema, by scripts/expand.
struct BoardState: Sendable { var board = Board() }

// @Schema, by scripts/expand.
enum BoardActions: Sendable { case board(BoardAction) }

private let boards = Application<BoardActions, BoardState>(
  initial: BoardState(),
  reducer: Reducer<BoardAction, Board>("board") { action, board in
    switch action {
    case .add(let amount): board.count &+= amount
    case .fill(let count): for id in 0..<max(0, count) { board.cells.append(Board.Cell(id: id)) }
    case .touch(let cell):
      board.cells[cell].value &+= 1
      board.count &+= 1
    }
  }.lift(action: \.board, state: \.board))

/// The door: what others cost the store, and what the store costs them.
func doorBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      row: "D1", work: "one statement over a socket, in PINGs of redis", unit: "x", target: 2,
      obstacle: Redis.obstacle,
      prepare: {
        let shop = try Shop()
        let redis = try Redis()
        return {
          let statement = try shop.client.nanoseconds(each: 20_000, of: Shop.statement, lines: 1)
          return statement / (try redis.client.nanoseconds(each: 20_000, of: "PING\r\n", lines: 1))
        }
      }),
    Benchmark(
      row: "D2", work: "100 statements pipelined", unit: "1/s", target: 200_000, better: .higher,
      limit: Redis.obstacle != nil
        ? nil
        : Benchmark.Limit(
          name: "PING of redis, pipelined",
          prepare: {
            let redis = try Redis()
            let pings = String(repeating: "PING\r\n", count: 100)
            return { 1e11 / (try redis.client.nanoseconds(each: 1000, of: pings, lines: 100)) }
          }),
      prepare: {
        let shop = try Shop()
        let statements = String(repeating: Shop.statement, count: 100)
        return { 1e11 / (try shop.client.nanoseconds(each: 500, of: statements, lines: 100)) }
      }),
    Benchmark(
      row: "D3", work: "rate of dispatches with a follower, of that alone", unit: "%", target: 90, better: .higher,
      prepare: { { try rate(beside: .reader) } }),
    Benchmark(
      row: "D3S", work: "the same with a follower that never reads", unit: "%", target: 98, better: .higher,
      prepare: { { try rate(beside: .sleeper) } }),
    Benchmark(
      row: "D4", work: "dispatch, 1,000 conversations watch a path each, in times of that without them", unit: "x",
      target: 3,
      prepare: {
        let (alone, watched) = (try watched(by: 0), try watched(by: 1000))
        return { try watched() / alone() }
      }),
    Benchmark(
      row: "D4M", work: "memory of each of them", unit: "KiB", target: 64,
      prepare: {
        {
          let shop = try Shop(cells: 1000)
          let before = ProcessMemory.allocated
          let clients = try shop.watchers(1000)
          return withExtendedLifetime(clients) { (ProcessMemory.allocated - before) / 1000 }
        }
      }),
    Benchmark(
      row: "D6", work: "100 MB of JSON lines by ingest through a door, rate of that without one", unit: "%", target: 70,
      better: .higher,
      prepare: {
        let lines = try IngestedLines(megabytes: 100)
        return { try lines.run(atDoor: false).milliseconds / lines.run(atDoor: true).milliseconds * 100 }
      }),
    Benchmark(
      row: "D6M", work: "memory that 1 GB takes at the end that takes more", unit: "MiB", target: 50, isSteady: true,
      prepare: {
        let lines = try IngestedLines(megabytes: 1000)
        return { try lines.memory() }
      }),
  ]
}

/// A host with a door, and a client that has come in.
private final class Shop {
  static let statement = "{\"id\":1,\"run\":\"dispatch board.add\"}\n"

  let host: StoreHost<BoardActions, BoardState>
  let client: SocketClient
  private let door: Door
  private let path: String

  init(cells: Int = 0) throws {
    path = "/tmp/stsh-bench-\(getpid())-\(monotonicNanoseconds())"
    host = try StoreHost(boards, program: "bench")
    host.start()
    if cells > 0 { host.store.dispatch(.board(.fill(count: cells))) }
    door = try Door(host, at: .unix(path), allow: [.all])
    client = try SocketClient(path)
    try client.read(lines: 1)
  }

  deinit {
    door.close()
    unlink("\(path).lock")
  }

  /// Clients of which each watches another path.
  func watchers(_ count: Int) throws -> [SocketClient] {
    try (0..<count).map { index in
      let client = try SocketClient(path)
      try client.send("{\"watch\":\"board.cells[id=\(index)].value\"}\n")
      try client.read(lines: 2)
      return client
    }
  }

  func follower() throws -> SocketClient {
    let client = try SocketClient(path)
    try client.send("{\"follow\":true}\n")
    try client.read(lines: 2)
    return client
  }

  /// The dispatches of one thread in a second.
  var rate: Double { 1e9 / nanoseconds(each: 300_000) { _ in .add() } }

  /// Nanoseconds that each of so many actions takes until it is done, on whichever thread. Each adds one to the count.
  func nanoseconds(each count: Int, _ action: (Int) -> BoardAction) -> Double {
    let start = monotonicNanoseconds()
    let goal = host.store.withState { $0.board.count } + count
    for index in 0..<count {
      while case .stopped(.queueFull) = host.store.dispatch(.board(action(index))).outcome { usleep(10) }
    }
    while host.store.withState({ $0.board.count }) < goal { usleep(10) }
    return Double(monotonicNanoseconds() - start) / Double(count)
  }
}

private enum Listener {
  case reader
  case sleeper
}

/// The rate of dispatches while somebody follows, in percent of that alone; the two are measured in turns.
private func rate(beside listener: Listener) throws -> Double {
  let (alone, followed) = (try Shop(), try Shop())
  let follower = try followed.follower()
  let reading = listener == .reader ? try WorkerThread { while (try? follower.read(lines: 1)) != nil {} } : nil
  _ = (alone.rate, followed.rate)
  var rates = (alone: 0.0, followed: 0.0)
  for _ in 0..<3 {
    rates.alone += alone.rate
    rates.followed += followed.rate
  }
  follower.end()
  reading?.join()
  return rates.followed / rates.alone * 100
}

/// A file whose lines a program reads, as a client of a server or by itself. Its actions leave a state that does not grow.
private final class IngestedLines {
  private let folder: String
  private let server: pid_t
  private var file: String { "\(folder)/lines.jsonl" }
  private var door: String { "\(folder)/door" }

  init(megabytes: Int) throws {
    folder = try temporaryFolder()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for output in [1, 2] { posix_spawn_file_actions_addopen(&actions, Int32(output), "/dev/null", O_WRONLY, 0) }
    server = try ProgramRun.spawn(
      ProgramRun.stsh, ["serve", "--listen", "\(folder)/door"], actions: &actions, environment: [])
    let output = fopen(file, "w")
    defer { fclose(output) }
    for part in 0..<megabytes {
      var text = ""
      for line in 0..<10_000 {
        text +=
          "{\"by\":1,\"user\":\"ann\",\"path\":\"/shop/books/\(part * 10_000 + line + 10_000_000)\",\"status\":200,"
        text += "\"at\":\"2026-11-29 14:03:07\",\"bytes\":\(line + 10_000)}\n"
      }
      fputs(text, output)
    }
    for _ in 0..<500 where access(door, F_OK) != 0 { usleep(10_000) }
  }

  deinit {
    kill(server, SIGTERM)
    waitpid(server, nil, 0)
    for path in [file, "\(door).lock"] { unlink(path) }
    rmdir(folder)
  }

  private func arguments(atDoor: Bool) -> [String] {
    (atDoor ? ["--attach", door] : []) + ["-c", "ingest \(file) --as counter.increment --ignore-others"]
  }

  func run(atDoor: Bool) throws -> ProgramRun { try ProgramRun(arguments(atDoor: atDoor)) }

  /// The memory that the end takes which takes more, in MiB.
  func memory() throws -> Double {
    let idle = try ProgramRun.peakMemory(["--attach", door, "-c", "dispatch counter.increment", "-c", "wait 200ms"])
    let idleServer = ProcessMemory.resident(of: server) ?? 0
    let client = try ProgramRun.peakMemory(arguments(atDoor: true)) - idle
    return max(client, (ProcessMemory.peak(of: server) ?? .infinity) - idleServer)
  }
}

private func watched(by count: Int) throws -> Benchmark.Sample {
  let shop = try Shop(cells: 1000)
  let clients = try shop.watchers(count)
  // What reads for a thousand clients on the same two cores is to cost no more than it must.
  let ready = epoll_create1(0)
  for (index, client) in clients.enumerated() {
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u32: UInt32(index)))
    epoll_ctl(ready, EPOLL_CTL_ADD, client.descriptor, &event)
  }
  let reading = try WorkerThread {
    var events = [epoll_event](repeating: epoll_event(), count: 64)
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      for event in events.prefix(Int(max(0, epoll_wait(ready, &events, Int32(events.count), -1)))) {
        if recv(clients[Int(event.data.u32)].descriptor, &block, block.count, Int32(MSG_DONTWAIT)) == 0 { return }
      }
    }
  }
  reading.detach()
  return {
    withExtendedLifetime(clients) {
      shop.nanoseconds(each: 20_000) { .touch(cell: $0 * 7919 % 1000) }
    }
  }
}

/// A redis server of its own, on a socket.
private final class Redis {
  let client: SocketClient
  private let process: pid_t
  private let path: String
  private static let program = "/usr/bin/redis-server"

  /// Why there is none; nil: there is.
  static var obstacle: String? { access(program, X_OK) == 0 ? nil : "\(program) is not installed" }

  init() throws {
    path = "/tmp/stsh-bench-redis-\(getpid())-\(monotonicNanoseconds())"
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    process = try ProgramRun.spawn(
      Self.program, ["--port", "0", "--unixsocket", path, "--save", "", "--dir", "/tmp"], actions: &actions,
      environment: [])
    for _ in 0..<500 where access(path, F_OK) != 0 { usleep(10_000) }
    client = try SocketClient(path)
  }

  deinit {
    kill(process, SIGTERM)
    waitpid(process, nil, 0)
    unlink(path)
  }
}

/// A client that sends text and counts the lines that come back.
private final class SocketClient: Sendable {
  let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let code = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0 else { throw ProgramRun.Failure(reason: "\(path): \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  private func send(_ bytes: [UInt8]) throws {
    guard Platform.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw ProgramRun.Failure(reason: "the connection is gone")
    }
  }

  func read(lines count: Int) throws {
    try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { block in
      var left = count
      while left > 0 {
        let got = recv(descriptor, block.baseAddress, block.count, 0)
        guard got > 0 else { throw ProgramRun.Failure(reason: "the connection is gone") }
        for index in 0..<got where block[index] == 0x0A { left -= 1 }
      }
    }
  }

  /// The time that sending a text takes until so many lines are there.
  func nanoseconds(each count: Int, of text: String, lines: Int) throws -> Double {
    let bytes = Array(text.utf8)
    let start = monotonicNanoseconds()
    for _ in 0..<count {
      try send(bytes)
      try read(lines: lines)
    }
    return Double(monotonicNanoseconds() - start) / Double(count)
  }
}
