import StoreCore
@testable import StoreReplication
import TerminalSupport
import Testing

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

extension NATSServers {
  /// The address of a store on all the servers.
  func address(_ store: String, login: String = "", options: String = "", scheme: String = "nats") throws -> NATSAddress
  {
    return try NATSAddress("\(scheme)://\(login)\(hosts)/\(store)\(options)")
  }

  /// The answer to a request to JetStream.
  @discardableResult
  func ask(_ request: String, _ body: String = "") throws -> String {
    let connection = try NATSConnection(
      address("any"), login: NATSLogin(), name: "test", library: NATSLibrary(), timeout: .seconds(5), disconnected: {},
      reconnected: {})
    defer { connection.close() }
    let answer = try connection.request(Array(body.utf8), of: "$JS.API.\(request)", timeout: .seconds(5))
    let text = String(decoding: try #require(answer).bytes, as: UTF8.self)
    try #require(!text.contains("error"))
    return text
  }

  /// The names of a stream's consumers.
  func consumers(of stream: String) throws -> [String] {
    let list = try ask("CONSUMER.NAMES.\(stream)").split(separator: "\"consumers\":[").last?.prefix { $0 != "]" } ?? ""
    return list.split(separator: ",").map { $0.filter { $0 != "\"" } }
  }
}

/// Certificates that vouch for themselves, by openssl.
final class Certificates {
  /// The folder with a file `NAME.pem` and a key `NAME.key` for each.
  let folder: String

  /// Makes certificates.
  ///
  /// - Parameter names: for each certificate the host that it is for, as openssl writes it.
  init(names: [String: String]) throws {
    folder = try makeNATSFolder()
    for (name, host) in names {
      var program = Launch(program: "/usr/bin/openssl")
      program.arguments =
        ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        + ["-subj", "/CN=StoreShell", "-addext", "subjectAltName=\(host)"]
        + ["-keyout", "\(folder)/\(name).key", "-out", "\(folder)/\(name).pem"]
      program.descriptors = [(theirs: 2, ours: -1)]
      var status: Int32 = -1
      try #require(waitpid(program.start(), &status, 0) > 0 && status == 0)
    }
  }

  deinit { removeFolder(folder) }
}

/// A node on a shared log of NATS, with its own clock.
final class NATSNode: Sendable {
  let store: ListStore
  let runner: ReplicaRunner

  /// Starts a node.
  ///
  /// - Parameters:
  ///   - period: the entries after which a keeper makes a snapshot; nil: it makes none.
  ///   - history: the history that takes the outcomes of its commands.
  init(
    _ address: NATSAddress, name: String, incarnation: UInt64, timing: ReplicaTiming = ReplicaTiming(),
    every period: Int? = nil, history: CallHistory? = nil
  ) throws {
    let log = try NATSLog(address, node: name)
    store = ListStore(snapshots: ListStore.snapshots(of: log), every: period)
    if let history { store.onSettle { history.settle($0, $1) } }
    runner = ReplicaRunner(
      Replica(node: NodeID(name: name, incarnation: incarnation)), log: log, store: store, clock: RealClock(),
      order: RecordedOrder(seed: incarnation), timing: timing)
    runner.start()
  }

  deinit { runner.close() }

  var isCurrent: Bool { runner.replica.link == .current }
  /// True while the node has no way to the log. Before that it may ask for the rest of a reading that broke off.
  var isAway: Bool { if case .away = runner.replica.link { true } else { false } }
}
