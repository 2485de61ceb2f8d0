import StoreSchema

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The settings of a stream of JetStream that a shared store uses, and how an existing one differs from them.
struct NATSStream: Sendable {
  /// The version of the streams' form.
  static let format = 3
  private static let mark = "StoreShell shared store, format "
  private static let reachMark = ", keeps "

  let name: String
  let subject: String
  let replicas: Int?
  /// The number of messages that it keeps before the newest snapshot; nil: all of them.
  private let reach: UInt64?
  /// True if a message takes the place of the one before on its subject.
  private let replaces: Bool

  /// The stream of a store's actions.
  static func log(of address: NATSAddress) -> NATSStream {
    NATSStream(
      name: "store-\(address.store)", subject: "store.\(address.store).log", replicas: address.replicas,
      reach: address.reach,
      replaces: false)
  }

  /// The stream of a store's larger data.
  static func blobs(of address: NATSAddress) -> NATSStream {
    NATSStream(
      name: "store-\(address.store)-blobs", subject: "store.\(address.store).blob.*.*", replicas: address.replicas,
      reach: nil, replaces: true)
  }

  /// The settings, for a stream that keeps so many messages.
  private func wanted(_ reach: UInt64?) -> [(name: String, value: Value)] {
    [
      ("retention", .string("limits")), ("discard", .string("new")), ("storage", .string("file")), ("max_age", .int(0)),
      ("max_msgs", .int(-1)), ("max_bytes", .int(-1)), ("max_msgs_per_subject", .int(replaces ? 1 : -1)),
      ("max_msg_size", .int(-1)), ("deny_delete", .bool(true)), ("deny_purge", .bool(reach == nil && !replaces)),
      ("allow_rollup_hdrs", .bool(false)),
    ]
  }

  /// The request to make the stream.
  var settings: Value {
    .object(
      [
        ("name", .string(name)), ("subjects", .list([.string(subject)])),
        (
          "description",
          .string("\(NATSStream.mark)\(NATSStream.format)\(reach.map { "\(NATSStream.reachMark)\($0)" } ?? "")")
        ),
        ("num_replicas", .int(replicas ?? 1)),
      ] + wanted(reach))
  }

  /// Makes sure that a stream is one of these.
  ///
  /// - Parameter found: its settings, as the server tells them.
  /// - Returns: the number of messages that it keeps before the newest snapshot; nil: all of them.
  @discardableResult
  func check(_ found: Value) throws(LogError) -> UInt64? {
    guard let (version, reach) = found.member("description")?.text.flatMap(NATSStream.read) else {
      throw .otherApplication(stream: name, reason: "its description does not say so")
    }
    guard version == NATSStream.format else {
      throw .otherFormat(stream: name, found: version, known: NATSStream.format)
    }
    var expected = wanted(reach) + [("subjects", .list([.string(subject)]))]
    if let replicas { expected.append(("num_replicas", .int(replicas))) }
    var differences = expected.compactMap { setting, value -> String? in
      // The server leaves out what is false.
      let other = found.member(setting) ?? .bool(false)
      return other == value ? nil : "\(setting) is \(JSON.text(of: other)) instead of \(JSON.text(of: value))"
    }
    if let asked = self.reach, asked != reach {
      differences.append("keep is \(reach.map { "\($0)" } ?? "all") instead of \(asked)")
    }
    guard differences.isEmpty else { throw .otherSettings(stream: name, differences: differences) }
    return reach
  }

  /// The format and the number of kept messages that a description tells; nil: it is not one of StoreShell.
  private static func read(_ description: String) -> (format: Int, reach: UInt64?)? {
    guard description.hasPrefix(mark) else { return nil }
    let words = description.dropFirst(mark.count).split(separator: reachMark)
    guard let format = words.first.flatMap({ Int($0) }), words.count <= 2 else { return nil }
    guard words.count == 2 else { return (format, nil) }
    return UInt64(words[1]).map { (format, $0) }
  }
}

extension Value {
  /// An object of JSON, with its members in order.
  static func object(_ members: [(name: String, value: Value)]) -> Value {
    .record(Record(RecordLayout(name: "", fields: members.map(\.name)), members.map(\.value)))
  }

  /// A member of an object that was read.
  func member(_ name: String) -> Value? { if case .map(let map) = self { map[.string(name)] } else { nil } }

  var integer: Int? { if case .int(let number) = self { number } else { nil } }
}

/// A time as JetStream writes it, such as `2026-11-28T06:57:00.123456789Z`, in milliseconds since 1970.
func milliseconds(ofTime text: String) -> Int64? {
  let parts = text.split { "-T:.Z".contains($0) }
  let numbers = parts.compactMap { Int32($0) }
  guard text.hasSuffix("Z"), (6...7).contains(parts.count), numbers.count == parts.count else { return nil }
  var time = tm()
  (time.tm_year, time.tm_mon, time.tm_mday) = (numbers[0] - 1_900, numbers[1] - 1, numbers[2])
  (time.tm_hour, time.tm_min, time.tm_sec) = (numbers[3], numbers[4], numbers[5])
  let fraction = parts.count == 7 ? parts[6].prefix(3) : "000"
  return Int64(timegm(&time)) * 1_000 + (Int64(fraction + repeatElement("0", count: 3 - fraction.count)) ?? 0)
}
