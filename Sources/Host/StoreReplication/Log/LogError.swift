/// Why a shared log cannot be opened or used.
package enum LogError: Error, Hashable, Sendable {
  /// The address is none; the reason says which part.
  case badAddress(String, reason: String)
  /// The client library is not installed, or lacks a function.
  case noLibrary(reason: String)
  /// No server answers.
  case noServer(servers: String, reason: String)
  /// The server does not let this user in.
  case loginRefused(servers: String, reason: String)
  /// The encrypted connection cannot be made.
  case insecure(servers: String, reason: String)
  /// A file of credentials or certificates cannot be used.
  case badFile(path: String, reason: String)
  /// The server runs without JetStream, or this account may not use it.
  case noJetStream(servers: String, reason: String)
  /// The server does not permit a subject to this user.
  case notPermitted(subject: String)
  /// A stream with this name is not a log of StoreShell.
  case otherApplication(stream: String, reason: String)
  /// The stream's settings are not those of a shared log.
  case otherSettings(stream: String, differences: [String])
  /// The stream has another format.
  case otherFormat(stream: String, found: Int, known: Int)
  /// There is no log of the name, and a node that only follows makes none.
  case noLog(store: String, servers: String)
  /// The server's limit for a message is too low.
  case smallMessages(limit: Int, needed: Int)
  /// The engine refused a request.
  case refused(request: String, reason: String)
  /// The engine did not answer a request in time.
  case noAnswer(request: String)
  /// A stored blob is incomplete.
  case damagedBlob(digest: String)
}

extension LogError: CustomStringConvertible {
  /// The error in a sentence or two: what is wrong, and what to try.
  package var description: String {
    switch self {
    case .badAddress(let address, let reason):
      "\(address) is no address of a shared store: \(reason); write nats://HOST:PORT/NAME"
    case .noLibrary(let reason): "a shared store needs libnats: \(reason); Debian's package is libnats3.4"
    case .noServer(let servers, let reason): "no NATS server answers at \(servers): \(reason)"
    case .loginRefused(let servers, let reason):
      "\(servers) refuses the login: \(reason); give the credentials in the address or by a file"
    case .insecure(let servers, let reason): "no secure connection to \(servers): \(reason)"
    case .badFile(let path, let reason): "\(path) cannot be used: \(reason)"
    case .noJetStream(let servers, let reason): "\(servers) has no JetStream: \(reason); start it by nats-server -js"
    case .notPermitted(let subject): "this user may not use the subject \(subject); the server's configuration decides"
    case .otherApplication(let stream, let reason): "the stream \(stream) is no log of StoreShell: \(reason)"
    case .otherSettings(let stream, let differences):
      "the stream \(stream) has other settings than a shared log: \(differences.joined(separator: ", "))"
    case .otherFormat(let stream, let found, let known) where found < known:
      "the stream \(stream) has the older format \(found); this program reads format \(known)"
    case .otherFormat(let stream, let found, let known):
      "the stream \(stream) has the newer format \(found); this program reads format \(known)"
    case .noLog(let store, let servers):
      "there is no shared store \(store) at \(servers) yet; a node that may append makes it"
    case .smallMessages(let limit, let needed):
      "the server takes messages of \(limit) bytes at most; a shared store needs max_payload: \(needed)"
    case .refused(let request, let reason): "the server refused \(request): \(reason)"
    case .noAnswer(let request): "the servers do not answer (\(request)); a log with replicas needs most of its servers"
    case .damagedBlob(let digest): "the stored data \(digest) is incomplete"
    }
  }
}
