import StoreSchema

/// A line of a recording behind the header.
public struct RecordedEntry: Equatable, Sendable {
  /// The entry of the log.
  public let entry: LoggedEntry
  /// The hashes, after the action, of the slices that it changed, brought or took away, by module.
  public let hashes: [String: UInt64]

  /// Joins the two.
  public init(_ entry: LoggedEntry, hashes: [String: UInt64]) {
    self.entry = entry
    self.hashes = hashes
  }

  /// Reads a line, each value by its declared type.
  ///
  /// - Throws: ``EntryError`` with the first place that does not fit.
  public init(of bytes: UnsafeBufferPointer<UInt8>, by reader: EntryReader) throws(EntryError) {
    let (entry, hashes) = try reader.recorded(of: bytes)
    self.init(entry, hashes: Dictionary(hashes, uniquingKeysWith: { first, _ in first }))
  }

  /// Appends a line, without its end.
  ///
  /// - Parameter hashes: in the order of the modules.
  public static func append(
    _ entry: LoggedEntry, hashes: [(module: String, hash: UInt64)], to out: inout [UInt8]
  ) {
    EntryWriter.appendMembers(of: entry, to: &out)
    for (index, (module, hash)) in hashes.enumerated() { append(key(of: module), hash, isFirst: index == 0, to: &out) }
    JSON.append(hashes.isEmpty ? "}" : "}}" as StaticString, to: &out)
  }

  /// The name of a module as a member of an object.
  static func key(of module: String) -> [UInt8] {
    var key: [UInt8] = []
    JSON.append(quoted: module, to: &key)
    return key + [UInt8(ascii: ":")]
  }

  /// Appends a hash to a line, behind the changes. Two braces end a line with hashes, one ends another.
  static func append(_ key: [UInt8], _ hash: UInt64, isFirst: Bool, to out: inout some JSONSink & ~Copyable) {
    if isFirst { out.append(",\"hash\":{" as StaticString) } else { out.append(UInt8(ascii: ",")) }
    out.append(text: key)
    out.append(UInt8(ascii: "\""))
    StableHash.append(hash, to: &out)
    out.append(UInt8(ascii: "\""))
  }
}
