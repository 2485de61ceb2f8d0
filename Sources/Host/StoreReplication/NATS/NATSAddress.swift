/// Where a shared store is: the NATS servers, and the store's name there.
///
/// ```swift
/// let address = try NATSAddress("nats://anna:secret@127.0.0.1:4222,127.0.0.1:4223/shop?replicas=3")
/// ```
package struct NATSAddress: Hashable, Sendable {
  /// The servers' addresses, one at least, each with the login if there is one.
  package let servers: [String]
  package let store: String
  /// True when the address demands an encrypted connection (`tls://`).
  package let isEncrypted: Bool
  /// The number of servers that keep the log; nil: one for a new log, and any for a log that exists.
  package let replicas: Int?
  /// The number of records that the log keeps before its newest snapshot; nil: all for a new log, and any for a log that exists.
  package let reach: UInt64?

  private static let forms = ["nats://", "tls://"]
  private static let mostReplicas = 5
  private static let longestName = 32

  /// Reads an address: a scheme (`nats://` or `tls://`), an optional login before `@`, hosts with optional ports, the store's name,
  /// and the options `replicas` and `keep` behind `?`, separated by `&`.
  package init(_ text: String) throws(LogError) {
    func fault(_ reason: String) -> LogError { .badAddress(NATSAddress.withoutLogin(text), reason: reason) }
    guard let form = NATSAddress.forms.first(where: text.hasPrefix) else {
      throw fault("it begins neither with nats:// nor with tls://")
    }
    isEncrypted = form == NATSAddress.forms[1]
    let rest = text.dropFirst(form.count)
    guard let slash = rest.lastIndex(of: "/") else { throw fault("the store's name is missing") }
    let parts = rest[rest.index(after: slash)...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    store = String(parts[0])
    guard !store.isEmpty else { throw fault("the store's name is missing") }
    guard store.utf8.count <= NATSAddress.longestName, store.utf8.allSatisfy(NATSAddress.isOfName) else {
      throw fault("a store's name has up to \(NATSAddress.longestName) letters, digits, - and _")
    }
    let authority = rest[..<slash]
    let login = authority.lastIndex(of: "@").map { authority[...$0] } ?? ""
    let hosts = authority.dropFirst(login.count).split(separator: ",", omittingEmptySubsequences: false)
    for host in hosts {
      let pieces = host.split(separator: ":", omittingEmptySubsequences: false)
      guard let name = pieces.first, !name.isEmpty else { throw fault("a host is missing") }
      // An address of IPv6 stands in brackets and has colons of its own.
      guard host.hasPrefix("[") || pieces.count <= 2 && pieces.dropFirst().allSatisfy({ UInt16($0) != nil }) else {
        throw fault("\(host) is no host and port")
      }
    }
    servers = hosts.map { form + login + $0 }
    var (replicas, reach): (Int?, UInt64?) = (nil, nil)
    for option in parts.dropFirst().flatMap({ $0.split(separator: "&", omittingEmptySubsequences: false) }) {
      let words = option.split(separator: "=", maxSplits: 1)
      switch (words.first, words.count) {
      case ("replicas", 2):
        replicas = Int(words[1]).flatMap { (1...NATSAddress.mostReplicas).contains($0) ? $0 : nil }
        guard replicas != nil else { throw fault("replicas is a number from 1 to \(NATSAddress.mostReplicas)") }
      case ("keep", 2):
        reach = UInt64(words[1]).flatMap { $0 > 0 ? $0 : nil }
        guard reach != nil else { throw fault("keep is a number of records, at least 1") }
      default: throw fault("the options are replicas=NUMBER and keep=NUMBER")
      }
    }
    (self.replicas, self.reach) = (replicas, reach)
  }

  /// The servers without login, for messages.
  package var shownServers: String { servers.map(NATSAddress.withoutLogin).joined(separator: ", ") }

  /// The servers without login, as an address has them.
  package var shown: String {
    let form = NATSAddress.forms[isEncrypted ? 1 : 0]
    return form + servers.map { NATSAddress.withoutLogin($0).dropFirst(form.count) }.joined(separator: ",")
  }

  static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func withoutLogin(_ text: String) -> String {
    guard let form = forms.first(where: text.hasPrefix), let at = text.lastIndex(of: "@") else { return text }
    return form + text[text.index(after: at)...]
  }
}
