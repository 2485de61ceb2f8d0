import CNATS
import Platform
import StandardModules
import StoreCore
import StoreHost
import StoreModules
import StoreReplication

/// A store on many machines: its cost beside the figures of the engine, with servers of NATS on this machine.
func sharedBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      row: "N1", work: "a dispatch to its acknowledgement, beyond an append", unit: "us", target: 60,
      limit: Benchmark.Limit(name: "a conditional append of 200 bytes by libnats") {
        let engine = try Engine(Servers(1))
        return { try engine.microseconds(bytes: 200) }
      },
      obstacle: Servers.obstacle,
      prepare: {
        let (servers, count) = (try Servers(1), 2_000)
        let (node, engine) = (try Node(servers), try Engine(servers))
        return {
          let start = monotonicNanoseconds()
          for _ in 0..<count { try node.dispatch() }
          let each = Double(monotonicNanoseconds() - start) / Double(count) / 1_000
          return each - (try engine.microseconds(bytes: 200))
        }
      }),
    ingesting("N2", servers: 1), ingesting("N2C", servers: 3),
    Benchmark(
      row: "N3", work: "a second node follows N2, in times of N2", unit: "x", target: 1.2, obstacle: Servers.obstacle,
      prepare: {
        let servers = try Servers(1)
        return {
          let address = servers.nextStore()
          let follower = try Node(address)
          let start = monotonicNanoseconds()
          let ingest = try ingestRun(into: address)
          try follower.synchronize()
          return Double(monotonicNanoseconds() - start) / 1e6 / ingest.milliseconds
        }
      }),
    Benchmark(
      row: "N4", work: "a new node on a million entries and a snapshot", unit: "s", target: 2,
      obstacle: Servers.obstacle,
      prepare: {
        let servers = try Servers(1)
        let writer = try Node(servers)
        try writer.fill(1_000_000)
        return {
          let start = monotonicNanoseconds()
          let node = try Node(servers.address, isReadOnly: true)
          let seconds = Double(monotonicNanoseconds() - start) / 1e9
          // A server that is held up has some refused.
          guard node.head >= 990_000, node.oldest > 0 else {
            throw ProgramRun.Failure(reason: "the new node has #\(node.oldest) to #\(node.head)")
          }
          return seconds
        }
      }),
    Benchmark(
      row: "N5", work: "takeover by another keeper, time to live 2 s", unit: "s", target: 4, obstacle: Servers.obstacle,
      prepare: {
        let servers = try Servers(1)
        return {
          let address = servers.nextStore()
          let keeper = try Node(address)
          try keeper.wait { $0.runsTasks }
          let other = try Node(address)
          let start = monotonicNanoseconds()
          keeper.close()
          try other.wait { $0.runsTasks }
          return Double(monotonicNanoseconds() - start) / 1e9
        }
      }),
    Benchmark(
      row: "N6", work: "8 nodes at full speed, of one alone", unit: "%", target: 100, better: .higher,
      // Each of them has to follow what the others do, here on the same processors.
      limit: Benchmark.Limit(
        name: "never idle: the processors' time for an action of a node that 7 others follow, and of the server"
      ) {
        let servers = try Servers(1)
        return {
          let alone = try rates(of: 1, on: servers)[0]
          let spent = servers.processorSeconds
          let actions = try rates(of: 8, acting: 1, on: servers, isTotal: true)[0]
          return actions * processors / (servers.processorSeconds - spent) / alone * 100
        }
      },
      obstacle: Servers.obstacle,
      prepare: {
        let servers = try Servers(1)
        return {
          let alone = try rates(of: 1, on: servers)[0]
          return try rates(of: 8, on: servers).reduce(0, +) / alone * 100
        }
      }),
    Benchmark(
      row: "N6F", work: "the slowest of them, of the fastest", unit: "%", target: 25, better: .higher,
      obstacle: Servers.obstacle,
      prepare: {
        let servers = try Servers(1)
        return {
          let rates = try rates(of: 8, on: servers).sorted()
          return rates[0] / rates[7] * 100
        }
      }),
  ]
}

/// The ingest of the packages into a shared store, in percent of the lesser of half of the engine's batched rate and 80 % of B2.
private func ingesting(_ row: String, servers count: Int) -> Benchmark {
  Benchmark(
    row: row, work: "B2 into a shared store, \(count == 1 ? "one server" : "three servers")", unit: "%", target: 100,
    better: .higher,
    limit: Benchmark.Limit(name: "never idle: the processors' time for a record, of the program and the servers") {
      let servers = try Servers(count)
      let engine = try Engine(servers)
      return {
        let goal = try goal(engine)
        let spent = servers.processorSeconds
        _ = try ingestRun(into: servers.nextStore())
        return try Double(packages().count) * processors / (servers.processorSeconds - spent) / goal * 100
      }
    },
    obstacle: Servers.obstacle,
    prepare: {
      let servers = try Servers(count)
      let engine = try Engine(servers)
      return { try ingestRun(into: servers.nextStore()).perSecond(packages().count) / goal(engine) * 100 }
    })
}

/// The number of processors, which nodes, servers and clients share here.
private var processors: Double { Double(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

/// The records in a second that an ingest is to reach.
private func goal(_ engine: Engine) throws -> Double {
  let alone = try ProgramRun(catalog).perSecond(packages().count)
  return min(1e6 / (try engine.microseconds(bytes: 20_000)) * 100 * 0.5, alone * 0.8)
}

private var catalog: [String] {
  get throws { ["-c", "plugin load ./plugins/catalog", "-c", "ingest \(try packages().file) --as catalog.add"] }
}

private func ingestRun(into address: String) throws -> ProgramRun {
  try ProgramRun(["--store", address, "--name", "ingest"] + catalog)
}

/// The actions in a second that each of some nodes has committed, all at once, until all nodes have them.
///
/// - Parameters:
///   - acting: so many act, and the others only follow; nil: all act.
///   - isTotal: whether all actions are given, and not those of a second.
private func rates(
  of count: Int, acting: Int? = nil, on servers: Servers, isTotal: Bool = false
) throws -> [Double] {
  let address = servers.nextStore()
  let nodes = try (0..<count).map { _ in try Node(address) }
  let start = monotonicNanoseconds()
  let done = Lock(Array(repeating: 0, count: count))
  let threads = try nodes.prefix(acting ?? count).enumerated().map { index, node in
    try WorkerThread {
      var own = 0
      while monotonicNanoseconds() < start + 3_000_000_000 { own += (try? node.fill(2_000)) ?? 0 }
      done.withLock { [own] in $0[index] = own }
    }
  }
  for thread in threads { thread.join() }
  for node in nodes { try node.synchronize() }
  let seconds = isTotal ? 1 : Double(monotonicNanoseconds() - start) / 1e9
  return done.withLock { $0 }.map { Double($0) / seconds }
}

private final class Node: Sendable {
  private let host: StoreHost<StandardAction, StandardState>
  private let node: StoreNode

  convenience init(_ servers: Servers) throws { try self.init(servers.address) }

  /// Joins a store, and waits until all of it is there.
  init(_ address: String, isReadOnly: Bool = false) throws {
    host = try StoreHost(
      alone: Application(initial: StandardState(), reducer: StandardState.reducer), clock: RealClock(), program: "bench"
    )
    let log = try NATSLog(NATSAddress(address), node: "bench", appends: !isReadOnly)
    node = try host.live.join(log, as: "bench", isReadOnly: isReadOnly)
    try wait { $0.link == .current }
  }

  deinit { node.close() }

  var head: Int { host.live.head }
  var oldest: Int { host.live.oldest }

  func close() { node.close() }

  func synchronize() throws { try node.synchronize(atMost: .seconds(600), endedBy: Interruption()) }

  func wait(_ holds: (Replica) -> Bool) throws {
    let end = monotonicNanoseconds() + 60_000_000_000
    while !(node.replica.map(holds) ?? false) {
      if monotonicNanoseconds() > end { throw ProgramRun.Failure(reason: "nothing came in a minute") }
      usleep(500)
    }
  }

  /// Dispatches an action, and waits for its acknowledgement.
  func dispatch() throws {
    let live = host.live
    guard let type = live.action(named: "counter.increment") else { return }
    let report = live.turn { live.dispatch(live.typed(ActionCall(type, [.int(1)])), .here()) }
    if let failure = report.failure { throw failure }
  }

  /// Dispatches many actions, a thousand ahead of the log at most, and waits for the last.
  @discardableResult
  func fill(_ count: Int) throws -> Int {
    for index in 0..<count {
      host.store.dispatch(.counter(.increment()))
      if index % 256 == 0 { try wait { $0.openCommands < 1_000 } }
    }
    try synchronize()
    return count
  }
}

/// Servers of NATS that end with this object.
private final class Servers {
  let address: String
  let ports: [Int]
  private let folder: String
  private let processes: [pid_t]
  private var stores = 0

  static var obstacle: String? {
    if program == nil { return "nats-server is not installed" }
    return dlopen("libnats.so.3.4", RTLD_LAZY) == nil ? "libnats3.4 is not installed" : nil
  }

  private static var program: String? {
    ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"].first { access($0, X_OK) == 0 }
  }

  init(_ count: Int) throws {
    folder = try temporaryFolder()
    let all = try (0..<2 * count).map { _ in try Self.freePort() }
    ports = Array(all[..<count])
    address = "nats://\(ports.map { "127.0.0.1:\($0)" }.joined(separator: ","))/bench?replicas=\(count)"
    let routes = all[count...].map { "nats-route://127.0.0.1:\($0)" }.joined(separator: ", ")
    processes = try (0..<count).map { [folder] index in
      let settings = """
        server_name: s\(index)
        listen: 127.0.0.1:\(all[index])
        jetstream { store_dir: "\(folder)/\(index)" }
        \(count == 1 ? "" : "cluster { name: c, listen: 127.0.0.1:\(all[count + index]), routes: [ \(routes) ] }")
        """
      try Files.write(settings, to: "\(folder)/\(index).conf")
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      return try ProgramRun.spawn(
        Self.program ?? "", ["-c", "\(folder)/\(index).conf", "-l", "\(folder)/\(index).log"], actions: &actions,
        environment: [])
    }
    // The servers choose a leader first.
    let end = monotonicNanoseconds() + 30_000_000_000
    while true {
      do throws(LogError) {
        try NATSLog(NATSAddress(address), node: "bench").close()
        return
      } catch {
        if monotonicNanoseconds() > end { throw error }
        usleep(50_000)
      }
    }
  }

  deinit {
    for process in processes {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    _ = try? ProgramRun(["-rf", folder], program: "/bin/rm")
  }

  func nextStore() -> String {
    stores += 1
    return address.replacing("/bench", with: "/bench\(stores)")
  }

  /// The processors' time that the servers, this process and its children that have ended took so far.
  var processorSeconds: Double {
    var ticks = 0.0
    for (name, parts) in [("self", 13..<17)] + processes.map({ ("\($0)", 13..<15) }) {
      let text = String(decoding: (try? Files.read("/proc/\(name)/stat")) ?? [], as: UTF8.self)
      let words = text.split(separator: " ")
      for part in parts where part < words.count { ticks += Double(words[part]) ?? 0 }
    }
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func freePort() throws -> Int {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard isBound else { throw ProgramRun.Failure(reason: "no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

/// A stream of the engine and appends to it, by libnats alone.
private final class Engine {
  private let servers: Servers
  private let functions: CNATSFunctions
  private let connection: OpaquePointer
  private let subject: String
  private var last = 0

  init(_ servers: Servers) throws {
    self.servers = servers
    functions = try Self.libnats()
    connection = try Self.connect(to: servers.ports[0], functions)
    let name = "engine\(monotonicNanoseconds())"
    subject = name
    let settings =
      #"{"name":"\#(name)","subjects":["\#(name)"],"storage":"file","discard":"new","num_replicas":\#(servers.ports.count)}"#
    try request("$JS.API.STREAM.CREATE.\(name)", Array(settings.utf8), nil)
  }

  private static func libnats() throws -> CNATSFunctions {
    let place = UnsafeMutablePointer<CNATSFunctions>.allocate(capacity: 1)
    defer { place.deallocate() }
    var reason = [CChar](repeating: 0, count: 512)
    guard cnats_open("libnats.so.3.4", place, &reason, reason.count) else {
      throw ProgramRun.Failure(reason: "libnats cannot be opened")
    }
    return place.pointee
  }

  private static func connect(to port: Int, _ functions: CNATSFunctions) throws -> OpaquePointer {
    var (options, connection): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    guard functions.natsOptions_Create(&options) == 0, let options else {
      throw ProgramRun.Failure(reason: "no options")
    }
    defer { functions.natsOptions_Destroy(options) }
    var url: UnsafePointer<CChar>? = UnsafePointer(strdup("nats://127.0.0.1:\(port)"))
    defer { free(UnsafeMutableRawPointer(mutating: url)) }
    guard functions.natsOptions_SetServers(options, &url, 1) == 0,
      functions.natsOptions_SetSendAsap(options, true) == 0,
      functions.natsConnection_Connect(&connection, options) == 0, let connection
    else { throw ProgramRun.Failure(reason: "no connection") }
    return connection
  }

  deinit { functions.natsConnection_Destroy(connection) }

  /// The mean time of a conditional append of so many bytes, one after the other.
  func microseconds(bytes count: Int) throws -> Double {
    let (bytes, times) = ([UInt8](repeating: 7, count: count), count > 1_000 ? 300 : 2_000)
    let start = monotonicNanoseconds()
    for _ in 0..<times {
      try request(subject, bytes, last)
      last += 1
    }
    return Double(monotonicNanoseconds() - start) / Double(times) / 1_000
  }

  private func request(_ subject: String, _ bytes: [UInt8], _ expected: Int?) throws {
    var (message, reply): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    guard functions.natsMsg_Create(&message, subject, nil, bytes, Int32(bytes.count)) == 0, let message else {
      throw ProgramRun.Failure(reason: "no message")
    }
    defer { functions.natsMsg_Destroy(message) }
    if let expected {
      _ = functions.natsMsgHeader_Set(message, "Nats-Expected-Last-Sequence", "\(expected)")
    }
    guard functions.natsConnection_RequestMsg(&reply, connection, message, 5_000) == 0, let reply else {
      throw ProgramRun.Failure(reason: "no answer to \(subject)")
    }
    defer { functions.natsMsg_Destroy(reply) }
    let answer = functions.natsMsg_GetData(reply).map { String(cString: $0) } ?? ""
    if answer.contains("\"error\"") { throw ProgramRun.Failure(reason: answer) }
  }
}
