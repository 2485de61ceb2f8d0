import StoreCore
@testable import StoreReplication
import Synchronization
import TerminalSupport
import Testing

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite(
  "A log in NATS JetStream",
  .enabled(if: NATSServers.areThere, "nats-server or libnats is not installed; scripts/test-shared installs both"),
  .serialized)
struct NATSLogTests {
  private static func fault(_ body: () throws -> Void) -> LogError? {
    do {
      try body()
      return nil
    } catch {
      return error as? LogError
    }
  }

  /// The name of an error's case: the reasons are those of libnats.
  private func kind(_ error: LogError?) -> String? {
    error.flatMap { Mirror(reflecting: $0).children.first?.label }
  }

  @Test func `Several nodes follow one log, and each acknowledged command is where its caller was told`() throws {
    let servers = try NATSServers()
    let nodes = try (0..<3).map {
      try NATSNode(servers.address("shop"), name: "n\($0)", incarnation: UInt64($0 + 1))
    }
    #expect(eventually { nodes.allSatisfy(\.isCurrent) })
    for command in 0..<300 { nodes[command % 3].runner.take(.command(CommandID(command), term: nil)) }
    #expect(eventually { nodes.reduce(0) { $0 + $1.store.settlements.count } == 300 })
    try expectAlike(nodes)
    // A new node reads all from the beginning.
    let late = try NATSNode(servers.address("shop"), name: "late", incarnation: 9)
    #expect(eventually { late.store.entries == nodes[0].store.entries })
  }

  @Test func `A new node starts from a snapshot, and one that was away for longer than the log reaches begins anew`()
    throws
  {
    let servers = try NATSServers()
    let address = try servers.address("shop", options: "?keep=3")
    let keeper = try NATSNode(address, name: "n0", incarnation: 1, every: 20)
    #expect(eventually { keeper.store.term == 1 })
    // The other's way to the server can be cut.
    let link = try FaultyLink(to: servers.port(0))
    let away = try NATSNode(NATSAddress("nats://127.0.0.1:\(link.port)/shop"), name: "n1", incarnation: 2)
    func dispatch(_ commands: Range<CommandID>) {
      for command in commands {
        keeper.runner.take(.command(command, term: nil))
        #expect(eventually { keeper.store.settlements[command] != nil })
      }
    }
    dispatch(0..<10)
    #expect(eventually { away.store.entries == keeper.store.entries })
    link.become(.cut)
    #expect(eventually { !away.isCurrent })
    dispatch(10..<50)
    link.become(.open)
    #expect(eventually { away.isCurrent && away.store.entries == keeper.store.entries })
    let late = try NATSNode(servers.address("shop"), name: "late", incarnation: 9)
    #expect(eventually { late.store.entries == keeper.store.entries })
    #expect(late.store.applied < 30)
    try expectAlike([keeper, away, late])
    // Snapshots before the newest are gone, and so are the records that none needs.
    let log = try NATSLog(address, node: "n")
    defer { log.close() }
    let first = Lock<UInt64>(0)
    log.start { if case .connected(let number, _) = $0 { first.withLock { $0 = number } } }
    #expect(eventually { first.withLock { $0 } > 30 })
    #expect(try log.blob(ListStore.digest(ListStore.bytes(Array(keeper.store.entries.prefix(20))))) == nil)
    #expect(
      Self.fault { _ = try NATSLog(servers.address("shop", options: "?keep=9"), node: "n") }
        == .otherSettings(stream: "store-shop", differences: ["keep is 3 instead of 9"]))
  }

  @Test func `A log that keeps all of its records drops none`() throws {
    let servers = try NATSServers()
    let log = try NATSLog(servers.address("shop"), node: "n")
    defer { log.close() }
    #expect(log.reach == nil)
    #expect(kind(Self.fault { try log.drop(before: 1) }) == "refused")
  }

  /// All nodes come to the same actions, none twice, and each where its caller was told.
  private func expectAlike(_ nodes: [NATSNode]) throws {
    #expect(eventually { Set(nodes.map(\.store.entries)).count == 1 })
    let entries = nodes[0].store.entries
    let commands = entries.filter { $0 != .max }
    #expect(Set(commands).count == commands.count)
    for node in nodes {
      #expect(node.store.faults == [])
      #expect(node.runner.replica.stopped == nil)
      for (command, settlement) in node.store.settlements {
        switch settlement {
        case .committed(let number, _): #expect(entries[Int(number) - 1] == command)
        case .refused: #expect(!commands.contains(command))
        case .unknown: Issue.record("the outcome of command \(command) stays unknown")
        }
      }
    }
  }

  @Test func `A killed server comes back, and nothing acknowledged is lost`() throws {
    let servers = try NATSServers()
    let nodes = try (0..<2).map {
      try NATSNode(servers.address("shop"), name: "n\($0)", incarnation: UInt64($0 + 1))
    }
    #expect(eventually { nodes.allSatisfy(\.isCurrent) })
    var next: CommandID = 0
    for _ in 0..<3 {
      for _ in 0..<50 {
        nodes[Int(next % 2)].runner.take(.command(next, term: nil))
        next += 1
      }
      servers.stop(0)
      #expect(eventually { nodes.allSatisfy(\.isAway) })
      // Without the log a node refuses; it does not queue.
      nodes[0].runner.take(.command(next, term: nil))
      #expect(eventually { nodes[0].store.settlements[next] != nil })
      guard case .refused(.cutOff) = nodes[0].store.settlements[next] else {
        Issue.record("\(String(describing: nodes[0].store.settlements[next]))")
        return
      }
      next += 1
      try servers.start(0)
      #expect(eventually { nodes.allSatisfy(\.isCurrent) })
    }
    #expect(eventually { nodes.reduce(0) { $0 + $1.store.settlements.count } == Int(next) })
    try expectAlike(nodes)
  }

  @Test func `Another node becomes keeper when the keeper is gone`() throws {
    let servers = try NATSServers()
    let timing = ReplicaTiming(timeToLive: .milliseconds(900))
    var keeper: NATSNode? = try NATSNode(servers.address("shop"), name: "n0", incarnation: 1, timing: timing)
    #expect(eventually { keeper?.store.term == 1 })
    let other = try NATSNode(servers.address("shop"), name: "n1", incarnation: 2, timing: timing)
    #expect(eventually { other.isCurrent })
    usleep(2_000_000)
    #expect(other.store.term == nil)
    keeper?.runner.close()
    keeper = nil
    #expect(eventually { other.store.term == 2 })
  }

  @Test func `Records larger than a message go by the second stream`() throws {
    let servers = try NATSServers()
    let log = try NATSLog(servers.address("shop"), node: "n")
    defer { log.close() }
    let blob = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try log.put(blob, digest: "0a1b")
    try log.put(blob, digest: "0a1b")
    try log.put([], digest: "empty")
    #expect(try log.blob("0a1b") == blob)
    #expect(try log.blob("empty") == [])
    #expect(try log.blob("none") == nil)
    #expect(try log.kept(as: "snapshot") == nil)
    for bytes in [[1], [2, 3]] as [[UInt8]] { try log.keep(bytes, as: "snapshot") }
    #expect(try log.kept(as: "snapshot") == [2, 3])
  }

  @Test func `The engine's clock is compared with this machine's`() throws {
    let servers = try NATSServers()
    let log = try NATSLog(servers.address("shop"), node: "n", wallClock: { NATSLog.systemTime() - 60_000 })
    defer { log.close() }
    let ahead = Lock<Int64?>(nil)
    log.start { [weak log] event in
      switch event {
      case .connected: log?.follow(from: 1, reading: 1)
      case .clockAhead(let milliseconds): ahead.withLock { $0 = milliseconds }
      default: break
      }
    }
    #expect(eventually { ahead.withLock { $0 } != nil })
    let found = try #require(ahead.withLock { $0 })
    #expect((55_000...65_000).contains(found))
  }

  @Test func `A clock that goes wrong is noticed at the next append`() throws {
    let servers = try NATSServers()
    let error = Lock<Int64>(0)
    let log = try NATSLog(
      servers.address("shop"), node: "n", wallClock: { NATSLog.systemTime() + error.withLock { $0 } })
    defer { log.close() }
    let ahead = Lock<[Int64]>([])
    let last = Lock<UInt64>(0)
    log.start { [weak log] event in
      switch event {
      case .connected: log?.follow(from: 1, reading: 1)
      case .clockAhead(let milliseconds): ahead.withLock { $0.append(milliseconds) }
      case .delivered(_, let sequence, _): last.withLock { $0 = sequence }
      default: break
      }
    }
    #expect(eventually { ahead.withLock { $0.count == 1 } })
    for number in 1...UInt64(3) {
      log.append([1], id: MessageID(incarnation: 1, place: number), expecting: number - 1)
      #expect(eventually { last.withLock { $0 } == number })
      if number == 2 { error.withLock { $0 = 3_600_000 } }
    }
    #expect(eventually { ahead.withLock { $0.count == 2 } })
    let found = ahead.withLock { $0 }
    #expect(abs(found[0]) < 5_000)
    #expect((-3_700_000 ... -3_500_000).contains(found[1]))
  }

  // MARK: What can be missing or refused

  @Test func `Without the library the message names the package`() throws {
    let servers = try NATSServers()
    let error = Self.fault { _ = try NATSLog(servers.address("shop"), node: "n", libraries: ["libnone.so.1"]) }
    #expect(kind(error) == "noLibrary")
    #expect(error?.description.hasSuffix("Debian's package is libnats3.4") == true)
    let another = Self.fault { _ = try NATSLog(servers.address("shop"), node: "n", libraries: ["libm.so.6"]) }
    #expect(another == .noLibrary(reason: "libm.so.6 lacks natsStatus_GetText"))
  }

  @Test func `Without a server, without JetStream, without room for messages`() throws {
    let gone = try NATSServers()
    let address = try gone.address("shop")
    gone.stop(0)
    #expect(kind(Self.fault { _ = try NATSLog(address, node: "n") }) == "noServer")
    let plain = try NATSServers(jetStream: false)
    #expect(kind(Self.fault { _ = try NATSLog(plain.address("shop"), node: "n") }) == "noJetStream")
    let small = try NATSServers(settings: "max_payload: 65536")
    #expect(
      Self.fault { _ = try NATSLog(small.address("shop"), node: "n") }
        == .smallMessages(limit: 65_536, needed: NATSLog.mostPayload))
  }

  @Test func `A wrong password, and subjects that are not permitted`() throws {
    let servers = try NATSServers(
      settings: """
        authorization { users: [
          { user: anna, password: right }
          { user: reader, password: right, permissions: { publish: ["$JS.API.>", "store.shop.alive"], subscribe: ">" } }
          { user: guest, password: right, permissions: { publish: ["nothing"], subscribe: ">" } }
          { user: deaf, password: right, permissions: { publish: ">", subscribe: ["_INBOX.none"] } }
        ] }
        """)
    let wrong = Self.fault { _ = try NATSLog(servers.address("shop", login: "anna:wrong@"), node: "n") }
    #expect(kind(wrong) == "loginRefused")
    try NATSLog(servers.address("shop", login: "anna:right@"), node: "n").close()
    #expect(
      Self.fault { _ = try NATSLog(servers.address("shop", login: "reader:right@"), node: "n") }
        == .notPermitted(subject: "store.shop.log"))
    try NATSLog(servers.address("shop", login: "reader:right@"), node: "n", appends: false).close()
    // Who only follows makes nothing.
    let missing = Self.fault {
      _ = try NATSLog(servers.address("none", login: "anna:right@"), node: "n", appends: false)
    }
    #expect(kind(missing) == "noLog")
    #expect(
      Self.fault {
        _ = try NATSLog(servers.address("shop", login: "guest:right@"), node: "n", timeout: .milliseconds(500))
      }
        == .notPermitted(subject: "$JS.API.STREAM.INFO.store-shop"))
    let deaf = Self.fault {
      _ = try NATSLog(servers.address("shop", login: "deaf:right@"), node: "n", timeout: .milliseconds(500))
    }
    #expect(kind(deaf) == "notPermitted")
  }

  @Test func `A file of credentials lets in the user whom an operator's account vouches for, and no other`() throws {
    let servers = try NATSServers(settings: TestOperator.settings)
    let folder = try makeNATSFolder()
    defer { removeFolder(folder) }
    let path = "\(folder)/anna.creds"
    func open(_ credentials: String?) throws -> LogError? {
      if let credentials {
        let file = try #require(fopen(path, "w"))
        #expect(fputs(credentials, file) >= 0)
        fclose(file)
      }
      return Self.fault {
        try NATSLog(servers.address("shop"), login: NATSLogin(credentials: credentials.map { _ in path }), node: "n")
          .close()
      }
    }
    #expect(try open(TestOperator.credentials) == nil)
    #expect(try kind(open(nil)) == "loginRefused")
    #expect(try kind(open("no credentials")) == "badFile")
    // A key that does not belong to the token.
    let other = TestOperator.credentials.replacing("SUAEJ7", with: "SUAEJ8")
    #expect(try open(other) != nil)
  }

  @Test func `An encrypted connection is made to the server that the authorities vouch for, and to no other`() throws {
    let certificates = try Certificates(names: ["right": "IP:127.0.0.1", "other": "DNS:example.org"])
    func serve(_ name: String) throws -> NATSServers {
      let folder = certificates.folder
      return try NATSServers(
        settings: "tls { cert_file: \"\(folder)/\(name).pem\", key_file: \"\(folder)/\(name).key\" }")
    }
    func open(_ servers: NATSServers, _ scheme: String, _ login: NATSLogin) -> LogError? {
      Self.fault { try NATSLog(servers.address("shop", scheme: scheme), login: login, node: "n").close() }
    }
    let right = try serve("right")
    let known = NATSLogin(authorities: "\(certificates.folder)/right.pem")
    #expect(open(right, "tls", known) == nil)
    #expect(kind(open(right, "tls", NATSLogin())) == "insecure")
    #expect(kind(open(right, "nats", NATSLogin())) == "insecure")
    for login in [NATSLogin(authorities: "/none"), NATSLogin(credentials: "/none"), NATSLogin(certificate: "/none")] {
      #expect(open(right, "tls", login) == .badFile(path: "/none", reason: "No such file or directory"))
    }
    // The certificate is vouched for, but is that of another host.
    let other = try serve("other")
    #expect(kind(open(other, "tls", NATSLogin(authorities: "\(certificates.folder)/other.pem"))) == "insecure")
    let plain = try NATSServers()
    #expect(kind(open(plain, "tls", known)) == "insecure")
  }

  @Test func `A stream of something else, with other settings or of another format`() throws {
    let servers = try NATSServers()
    let mark = "StoreShell shared store, format"
    let strict = #""deny_delete":true,"deny_purge":true,"discard":"new""#
    try servers.ask("STREAM.CREATE.store-a", #"{"name":"store-a","subjects":["store.a.log"]}"#)
    try servers.ask(
      "STREAM.CREATE.store-b",
      #"{"name":"store-b","subjects":["store.b.log"],"description":"\#(mark) 3","max_age":60000000000}"#)
    try servers.ask(
      "STREAM.CREATE.store-c", #"{"name":"store-c","subjects":["store.c.log"],"description":"\#(mark) 0",\#(strict)}"#)
    try servers.ask(
      "STREAM.CREATE.store-d", #"{"name":"store-d","subjects":["store.d.log"],"description":"\#(mark) 9",\#(strict)}"#)
    try servers.ask("STREAM.CREATE.mine", #"{"name":"mine","subjects":["store.e.>"]}"#)
    func open(_ store: String, _ options: String = "") -> LogError? {
      Self.fault { try NATSLog(servers.address(store, options: options), node: "n").close() }
    }
    #expect(open("a") == .otherApplication(stream: "store-a", reason: "its description does not say so"))
    #expect(
      open("b")
        == .otherSettings(
          stream: "store-b",
          differences: [
            #"discard is "old" instead of "new""#, "max_age is 60000000000 instead of 0",
            "deny_delete is false instead of true", "deny_purge is false instead of true",
          ]))
    #expect(open("c") == .otherFormat(stream: "store-c", found: 0, known: 3))
    #expect(open("c")?.description.contains("older format 0") == true)
    #expect(open("d")?.description.contains("newer format 9") == true)
    #expect(open("e") == .otherApplication(stream: "store-e", reason: "another stream stores the subject store.e.log"))
    #expect(open("f") == nil)
    #expect(
      open("f", "?replicas=3")
        == .otherSettings(stream: "store-f", differences: ["num_replicas is 1 instead of 3"]))
  }

  @Test func `Nodes that make one store at the same time all come into it`() throws {
    let servers = try NATSServers()
    for round in 1...10 {
      let address = try servers.address("new-\(round)")
      let faults = Mutex<[LogError]>([])
      let threads = try (1...6).map { number in
        try WorkerThread {
          let found = Self.fault { try NATSLog(address, node: "n\(number)").close() }
          faults.withLock { $0 += found.map { [$0] } ?? [] }
        }
      }
      for thread in threads { thread.join() }
      #expect(faults.withLock { $0 }.isEmpty)
    }
  }
}

/// An operator, two accounts and a user that exist for tests alone, made once by the rules of NATS for keys and tokens.
private enum TestOperator {
  /// Lines for a server: who may vouch for users, and the accounts.
  static let settings = """
    operator: eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJpYXQiOjE3MDAwMDAwMDAsImlzcyI6Ik9BRzNMNFh\
    DTEc3TkRFRUpBWE9EVklINUxUWUdOWlZKWU5QUVZUMlAyTUQ3NTJONUM0VU8zSU5ZIiwibmFtZSI6InRlc3RzIiwic3ViIjoiT0F\
    HM0w0WENMRzdOREVFSkFYT0RWSUg1TFRZR05aVkpZTlBRVlQyUDJNRDc1Mk41QzRVTzNJTlkiLCJuYXRzIjp7InR5cGUiOiJvcGV\
    yYXRvciIsInZlcnNpb24iOjJ9LCJqdGkiOiJGQ0FVRDJXWVhHNFFXQTI0SlFOTFNNRVdMNUZSTjVNVDVFTjZVMlhPTkVRUEtBNFp\
    XRzZBIn0.zenXYpxRPDlYyr168scxOdmNACLE5J2hYCWLL8ad5eofaJNzrhIBRUtOpTCF2A58nExQCCkZHjYYpTRWk9IpBA
    system_account: ADTMDB7HDY5EV6UZT4CXUTDEXXW6QMLFS43GJJYAHIGIV7L3GYNIA5GJ
    resolver: MEMORY
    resolver_preload {
      AAYMMMCSOZESPCBCUZWO2NH2UZIJ6WPKAK6KWW23Q6GSWKRNOQDUNQKC: eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5r\
    ZXkifQ.eyJpYXQiOjE3MDAwMDAwMDAsImlzcyI6Ik9BRzNMNFhDTEc3TkRFRUpBWE9EVklINUxUWUdOWlZKWU5QUVZUMlAyTUQ3N\
    TJONUM0VU8zSU5ZIiwibmFtZSI6InNob3AiLCJzdWIiOiJBQVlNTU1DU09aRVNQQ0JDVVpXTzJOSDJVWklKNldQS0FLNktXVzIzU\
    TZHU1dLUk5PUURVTlFLQyIsIm5hdHMiOnsidHlwZSI6ImFjY291bnQiLCJsaW1pdHMiOnsic3VicyI6LTEsImRhdGEiOi0xLCJwY\
    Xlsb2FkIjotMSwiaW1wb3J0cyI6LTEsImV4cG9ydHMiOi0xLCJ3aWxkY2FyZHMiOnRydWUsImNvbm4iOi0xLCJsZWFmIjotMSwib\
    WVtX3N0b3JhZ2UiOi0xLCJkaXNrX3N0b3JhZ2UiOi0xLCJzdHJlYW1zIjotMSwiY29uc3VtZXIiOi0xfSwiZGVmYXVsdF9wZXJta\
    XNzaW9ucyI6eyJwdWIiOnt9LCJzdWIiOnt9fSwidmVyc2lvbiI6Mn0sImp0aSI6Iks1UkFMVEdVSlJFUTdGQzVUR1NBTU80VlNQU\
    0JCM0g1TFZJRk9FNEhXRTNMWkZSV0czNkEifQ.GkexiJF66MTnQI4_ypZ-wZU8EwjNVeravS5bH2BY7kFM_hvCIXqn1hRU8Q4wAl\
    ucU_6963ifB8zEzk_9m1PTAQ
      ADTMDB7HDY5EV6UZT4CXUTDEXXW6QMLFS43GJJYAHIGIV7L3GYNIA5GJ: eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5r\
    ZXkifQ.eyJpYXQiOjE3MDAwMDAwMDAsImlzcyI6Ik9BRzNMNFhDTEc3TkRFRUpBWE9EVklINUxUWUdOWlZKWU5QUVZUMlAyTUQ3N\
    TJONUM0VU8zSU5ZIiwibmFtZSI6IlNZUyIsInN1YiI6IkFEVE1EQjdIRFk1RVY2VVpUNENYVVRERVhYVzZRTUxGUzQzR0pKWUFIS\
    UdJVjdMM0dZTklBNUdKIiwibmF0cyI6eyJ0eXBlIjoiYWNjb3VudCIsImxpbWl0cyI6eyJzdWJzIjotMSwiZGF0YSI6LTEsInBhe\
    WxvYWQiOi0xLCJpbXBvcnRzIjotMSwiZXhwb3J0cyI6LTEsIndpbGRjYXJkcyI6dHJ1ZSwiY29ubiI6LTEsImxlYWYiOi0xfSwiZ\
    GVmYXVsdF9wZXJtaXNzaW9ucyI6eyJwdWIiOnt9LCJzdWIiOnt9fSwidmVyc2lvbiI6Mn0sImp0aSI6IlM1NVVXRkNEREE2Sko2V\
    E1YVExORU5FMk1QS1pKNVFUSFhaU1I1TkxYUlhYVUpKVlBRRFEifQ.RyWPPA9V53CGWtXowsd6tKksl3nJmh-5WGHmvEW2rfsKeQ\
    7VVwQBTnsxX95BJUv6TUIeBNyAeQY0W_peMNFfDA
    }
    """

  /// The user's file of credentials, as `nsc` writes it.
  static let credentials = """
    -----BEGIN NATS USER JWT-----
    eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJpYXQiOjE3MDAwMDAwMDAsImlzcyI6IkFBWU1NTUNTT1pFU1BDQ\
    kNVWldPMk5IMlVaSUo2V1BLQUs2S1dXMjNRNkdTV0tSTk9RRFVOUUtDIiwibmFtZSI6ImFubmEiLCJzdWIiOiJVRFNES0lHWU5YR\
    UpGSzNPREFRVVlEWVBNN1NUU1ZVVUxURUlCNkkyTFAyRlk3TTU1MklTTDY2NyIsIm5hdHMiOnsidHlwZSI6InVzZXIiLCJwdWIiO\
    nt9LCJzdWIiOnt9LCJzdWJzIjotMSwiZGF0YSI6LTEsInBheWxvYWQiOi0xLCJ2ZXJzaW9uIjoyfSwianRpIjoiT0hJUUFBUUhEU\
    VVWNjY1TkFRSUpXVEYzMlk2UTRLQ1lSQlRLTUdPU1hDNFNCVkYyR1FWUSJ9.TBDKB1ddAxxlbAIdpkOkyckPUObetsGNulnN9PCh\
    e6REQRhzXqYxfaGqtGRPF679IWKBSwNQ9_8d2O54P6jSAg
    ------END NATS USER JWT------

    -----BEGIN USER NKEY SEED-----
    SUAEJ7MJS3WPT2X7ED4XUT7AXG2EEIQ7WNWG4EYFVO22IZVF27PJVFPY2A
    ------END USER NKEY SEED------
    """
}

@Suite("An address of a shared store")
struct NATSAddressTests {
  @Test func `An address has servers, a store and options`() throws {
    let address = try NATSAddress("nats://anna:p@ss@a:4222,b/shop?replicas=3&keep=100000")
    #expect(address.servers == ["nats://anna:p@ss@a:4222", "nats://anna:p@ss@b"])
    #expect(address.store == "shop")
    #expect(address.replicas == 3)
    #expect(address.reach == 100_000)
    #expect(address.shownServers == "nats://a:4222, nats://b")
    #expect(try NATSAddress("tls://[::1]:4222/s").servers == ["tls://[::1]:4222"])
  }

  @Test(arguments: [
    ("http://a/shop", "it begins neither with nats:// nor with tls://"),
    ("nats://a:4222", "the store's name is missing"), ("nats://a/", "the store's name is missing"),
    ("nats://a/a.b", "a store's name has up to 32 letters, digits, - and _"), ("nats://,a/shop", "a host is missing"),
    ("nats://a:x/shop", "a:x is no host and port"), ("nats://a/shop?replicas=9", "replicas is a number from 1 to 5"),
    ("nats://a/shop?copies=3", "the options are replicas=NUMBER and keep=NUMBER"),
    ("nats://a/shop?replicas=3&keep=0", "keep is a number of records, at least 1"),
  ])
  func `A wrong address is refused with the reason`(text: String, reason: String) {
    #expect(throws: LogError.badAddress(text, reason: reason)) { try NATSAddress(text) }
  }

  @Test func `A message of an error never shows the password`() {
    #expect(throws: LogError.badAddress("nats://a/", reason: "the store's name is missing")) {
      try NATSAddress("nats://anna:secret@a/")
    }
  }
}
