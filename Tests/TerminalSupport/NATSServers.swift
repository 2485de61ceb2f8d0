import Glibc

/// Servers of NATS on loopback, each with a folder of its own. They end with the object, and with the tests' process.
public final class NATSServers {
  /// True when tests may need servers: `nats-server` and libnats are installed, as by `scripts/test-shared`, or must be, as in CI.
  public static let areThere: Bool = {
    if getenv("STORESHELL_NATS") != nil { return true }
    guard path != nil, let library = dlopen("libnats.so.3.4", RTLD_LAZY) ?? dlopen("libnats.so", RTLD_LAZY) else {
      return false
    }
    dlclose(library)
    return true
  }()

  private static let path: String? = {
    let folders = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":") + ["/usr/sbin", "/usr/bin"]
    return folders.map { "\($0)/nats-server" }.first { access($0, X_OK) == 0 }
  }()

  private struct Server {
    var process: pid_t
    /// The end of a pipe; the server is killed when it is closed.
    var lifeline: Int32
  }

  private let folder: String
  private let ports: [ReservedPort]
  private let routes: [ReservedPort]
  private let extra: String
  private var servers: [Server?]

  /// Starts servers; more than one form a cluster.
  ///
  /// - Parameter settings: lines for their configuration.
  public init(count: Int = 1, jetStream: Bool = true, settings: String = "") throws {
    folder = try makeNATSFolder()
    ports = try (0..<count).map { _ in try ReservedPort() }
    routes = try (0..<count).map { _ in try ReservedPort() }
    extra = settings
    servers = Array(repeating: nil, count: count)
    for index in 0..<count {
      try write(configuration(index, jetStream: jetStream), to: "\(folder)/\(index).conf")
      try launch(index)
    }
    for index in 0..<count { try waitUntilServing(index) }
  }

  deinit {
    for index in servers.indices { stop(index) }
    removeFolder(folder)
  }

  private func configuration(_ index: Int, jetStream: Bool) -> String {
    var lines = ["server_name: s\(index)", "listen: 127.0.0.1:\(ports[index].number)", extra]
    if jetStream { lines.append("jetstream { store_dir: \"\(folder)/\(index)\" }") }
    if ports.count > 1 {
      let others = routes.map { "nats-route://127.0.0.1:\($0.number)" }.joined(separator: ", ")
      lines.append(
        "cluster { name: c, listen: 127.0.0.1:\(routes[index].number), no_advertise: true, routes: [\(others)] }")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Starts a server, and waits until it serves.
  public func start(_ index: Int) throws {
    try launch(index)
    try waitUntilServing(index)
  }

  private func launch(_ index: Int) throws {
    guard let path = NATSServers.path else {
      throw ProgramFailure("nats-server is not installed; scripts/test-shared installs it")
    }
    let pipe = try Lifeline()
    var server = Launch(program: "/bin/sh")
    // The shell becomes the server. What it started before waits for the pipe's end.
    server.arguments = [
      "-c", "{ read line || kill -KILL $$; } <&3 & exec \"$0\" \"$@\" 3<&-", path, "-c",
      "\(folder)/\(index).conf", "-l", "\(folder)/\(index).log",
    ]
    server.environment = ["PATH": "/usr/bin:/bin"]
    server.descriptors = [(theirs: 3, ours: pipe.read)]
    servers[index] = Server(process: try server.start(), lifeline: pipe.takeWrite())
  }

  /// Waits until a server greets.
  private func waitUntilServing(_ index: Int) throws(ProgramFailure) {
    guard eventually({ ports[index].isServed }) else {
      throw ProgramFailure("a server does not start: see \(folder)/\(index).log")
    }
  }

  /// Sends a server a signal: `SIGSTOP` and `SIGCONT` hold it up.
  public func signal(_ index: Int, _ signal: Int32) {
    if let server = servers[index] { kill(server.process, signal) }
  }

  /// True while a server runs.
  public func isRunning(_ index: Int) -> Bool { servers[index] != nil }

  /// Kills a server.
  public func stop(_ index: Int) {
    guard let server = servers[index] else { return }
    // By its number, which is the server's until it has been waited for: a program that was started at the same moment may hold the
    // pipe open. The line ends what waits for the pipe.
    _ = Glibc.write(server.lifeline, "\n", 1)
    kill(server.process, SIGKILL)
    waitpid(server.process, nil, 0)
    close(server.lifeline)
    servers[index] = nil
  }

  /// The port of a server.
  public func port(_ index: Int) -> UInt16 { ports[index].number }

  /// The servers' hosts and ports, as addresses have them.
  public var hosts: String { ports.map { "127.0.0.1:\($0.number)" }.joined(separator: ",") }

  /// Writes a file.
  private func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw ProgramFailure("\(path) cannot be written") }
    defer { fclose(file) }
    try ProgramFailure.check(path, fputs(text, file))
  }
}

/// Makes a folder for servers.
public func makeNATSFolder() throws(ProgramFailure) -> String {
  var template = Array("/tmp/stsh-nats-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw ProgramFailure("no folder in /tmp") }
  return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Removes a folder with all that is in it.
public func removeFolder(_ folder: String) {
  var remove = Launch(program: "/bin/rm")
  remove.arguments = ["-rf", folder]
  if let process = try? remove.start() { waitpid(process, nil, 0) }
}

/// A pipe whose write end goes to an owner.
private struct Lifeline: ~Copyable {
  let read: Int32
  private let write: Int32

  init() throws(ProgramFailure) {
    var ends: [Int32] = [-1, -1]
    try ProgramFailure.check("pipe", pipe(&ends))
    for end in ends { try ProgramFailure.check("fcntl", fcntl(end, F_SETFD, FD_CLOEXEC)) }
    (read, write) = (ends[0], ends[1])
  }

  deinit { close(read) }

  borrowing func takeWrite() -> Int32 { write }
}

/// A port of loopback that no other process gets by chance, while a server may listen there.
public final class ReservedPort {
  /// The port's number.
  public let number: UInt16
  private let socket: Int32

  /// Reserves a free port.
  public init() throws(ProgramFailure) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.socket = socket
    // With this option on both sides a server may listen at the port of a socket that does not.
    var isReused: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in(loopbackPort: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = address.withPointer { bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0 }
    number = UInt16(bigEndian: address.sin_port)
    guard isBound else { throw ProgramFailure("no port is free") }
  }

  deinit { close(socket) }

  /// True when a server of NATS greets there.
  public var isServed: Bool {
    let socket = connection(to: number)
    defer { close(socket) }
    guard socket >= 0 else { return false }
    var limit = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var greeting = [UInt8](repeating: 0, count: 4)
    return recv(socket, &greeting, 4, Int32(MSG_WAITALL)) == 4 && greeting == Array("INFO".utf8)
  }
}

/// A connection to a port of loopback; below 0: no process listens there.
public func connection(to port: UInt16) -> Int32 {
  let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_in(loopbackPort: port)
  guard address.withPointer({ connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }) == 0 else {
    close(socket)
    return -1
  }
  return socket
}

extension sockaddr_in {
  /// A port of loopback; 0: any free one.
  public init(loopbackPort port: UInt16) {
    self.init()
    sin_family = sa_family_t(AF_INET)
    sin_port = port.bigEndian
    sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  }

  /// Hands the address to a call of the system.
  public mutating func withPointer<Result>(_ body: (UnsafeMutablePointer<sockaddr>) -> Result) -> Result {
    withUnsafeMutablePointer(to: &self) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }
}

/// Waits until something holds, for a bounded time.
public func eventually(within seconds: Int = 60, _ holds: () -> Bool) -> Bool {
  let start = ContinuousClock.now
  while !holds() {
    guard .now - start < .seconds(seconds) else { return false }
    usleep(2_000)
  }
  return true
}
