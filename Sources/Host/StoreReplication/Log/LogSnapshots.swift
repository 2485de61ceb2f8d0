/// The snapshots of a shared log: bytes that stand for all records up to a position (R47). A new node starts from the newest one.
///
/// The bytes are stored under their digest. Then the head, a position with that digest, takes the place of the head before.
package struct LogSnapshots: Sendable {
  /// A position in the log, and the digest of the bytes that stand for it.
  private struct Head: Equatable {
    var position: Replica.Position
    var digest: String

    init(_ position: Replica.Position, _ digest: String) { (self.position, self.digest) = (position, digest) }

    init?(_ bytes: [UInt8]) {
      var reader = ByteReader(bytes[...])
      guard let digest = reader.name(), let position = Replica.Position(Array(reader.rest)) else { return nil }
      self.init(position, digest)
    }

    var bytes: [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(name: digest)
      return bytes + position.bytes
    }
  }

  private static let name = "snapshot"

  private let log: any SharedLog
  private let digest: @Sendable ([UInt8]) -> String

  /// The snapshots of a log.
  ///
  /// - Parameter digest: the digest of a snapshot's bytes, in letters and digits.
  package init(of log: any SharedLog, digest: @escaping @Sendable ([UInt8]) -> String) {
    (self.log, self.digest) = (log, digest)
  }

  /// The newest snapshot; nil: there is none. Waits for the engine.
  ///
  /// - Throws: ``LogError``: the log does not answer, or the bytes are not those of the digest.
  package func newest() throws(LogError) -> (position: Replica.Position, bytes: [UInt8])? {
    var head = try self.head()
    while let found = head {
      let reason: LogError
      do throws(LogError) {
        if let bytes = try log.blob(found.digest), digest(bytes) == found.digest { return (found.position, bytes) }
        reason = .damagedBlob(digest: found.digest)
      } catch {
        guard case .damagedBlob = error else { throw error }
        reason = error
      }
      // A newer one may have taken its place meanwhile.
      head = try self.head()
      if head == found { throw reason }
    }
    return nil
  }

  /// Stores a snapshot, unless there is a newer one. Then drops the one before, and the records that the log does not keep
  /// (``SharedLog/reach``). Waits for the engine.
  package func put(_ bytes: [UInt8], at position: Replica.Position) throws(LogError) {
    let old = try head()
    if let old, old.position.sequence >= position.sequence { return }
    let head = Head(position, digest(bytes))
    try log.put(bytes, digest: head.digest)
    try log.keep(head.bytes, as: Self.name)
    if let old, old.digest != head.digest { try log.remove(old.digest) }
    if let reach = log.reach, position.sequence > reach { try log.drop(before: position.sequence - reach + 1) }
  }

  private func head() throws(LogError) -> Head? {
    guard let bytes = try log.kept(as: Self.name) else { return nil }
    guard let head = Head(bytes) else { throw .damagedBlob(digest: Self.name) }
    return head
  }
}
