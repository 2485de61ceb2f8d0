/// An append-only log in one total order, which an engine keeps and many nodes read (R40).
///
/// The log numbers its records from 1 without holes. It hands each event to the closure given to ``start(_:)``, on any thread, also
/// within a call. None of the methods waits for the engine, except those for blobs.
package protocol SharedLog: AnyObject, Sendable {
  /// Starts telling of events. To be called once.
  func start(_ handler: @escaping @Sendable (LogEvent) -> Void)

  /// Appends a record if the number of the last record is the expected one. The outcome is an event; without an answer by the
  /// engine there is none.
  ///
  /// - Parameters:
  ///   - id: the record's name, which the outcome repeats.
  ///   - last: the expected number; 0 for an empty log.
  func append(_ bytes: [UInt8], id: MessageID, expecting last: UInt64)

  /// Delivers the records from a number on, each once and in order, those that exist and those to come. After a lost connection the
  /// user asks again.
  ///
  /// - Parameter reading: a number of the call, which each delivery repeats.
  func follow(from sequence: UInt64, reading: UInt64)

  /// Says something to all nodes, this one included (``NodeWord``). The words may be lost.
  func say(_ bytes: [UInt8])

  /// Stores bytes that are too large for a record, under the digest that the caller computed. Waits for the engine.
  func put(_ blob: [UInt8], digest: String) throws(LogError)

  /// The bytes that some node stored under a digest; nil: there are none. The caller compares the digest. Waits for the engine.
  func blob(_ digest: String) throws(LogError) -> [UInt8]?

  /// Stores bytes under a name, in the place of those that were there, such as the head of the newest snapshot. Waits for the engine.
  ///
  /// - Parameter name: letters, digits, `-` and `_`.
  func keep(_ bytes: [UInt8], as name: String) throws(LogError)

  /// The bytes that were stored last under a name; nil: there are none. Waits for the engine.
  func kept(as name: String) throws(LogError) -> [UInt8]?

  /// Removes the bytes of a digest, if there are any. Waits for the engine.
  func remove(_ digest: String) throws(LogError)

  /// The number of records that the log keeps up to its newest snapshot, one at least: so a node that lacks some notices. Nil: it keeps
  /// all.
  var reach: UInt64? { get }

  /// Drops the records before a number; the numbers of the others stay. A log without ``reach`` refuses that. Waits for the engine.
  func drop(before sequence: UInt64) throws(LogError)

  /// Ends the connection. No event follows.
  func close()
}

package enum LogEvent: Hashable, Sendable {
  /// The log can be reached. It holds the records from the first to the last; when it is empty, the last is the one before the
  /// first. Comes again when a reading has ended, or when the log may have lost its end: the user follows anew.
  case connected(first: UInt64, last: UInt64)
  /// The log can no longer be reached. Appends that were not answered may still arrive there.
  case disconnected(reason: String)
  /// The next record of a reading.
  case delivered(reading: UInt64, sequence: UInt64, bytes: [UInt8])
  /// A record stands in the log under a number.
  case acknowledged(MessageID, sequence: UInt64)
  /// The log refused a record since its last number is another than the expected one.
  case stale(MessageID)
  /// A record never left this process.
  case unsent(MessageID, reason: String)
  /// The engine answered with an error that does not tell whether the record stands in the log.
  case failed(MessageID, reason: String)
  /// The engine's clock is ahead of this machine's by so many milliseconds.
  case clockAhead(milliseconds: Int64)
  /// Words of ``SharedLog/say(_:)``.
  case heard(bytes: [UInt8])
}
