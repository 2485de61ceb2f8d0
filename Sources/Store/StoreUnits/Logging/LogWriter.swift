import StoreCore
import Dispatch

/// Writes the entries of logs on a thread of its own, so that no store waits for text or files. The number of waiting
/// entries is bounded. An entry without room is dropped, and the log says how many were, at the place where they are
/// missing.
public final class LogWriter: Sendable {
  /// Makes an entry's text, on the writer's thread: lines without the last one's end; nil: nothing to say.
  public typealias Entry = @Sendable () -> String?

  private enum Waiting: Sendable {
    case entry(Entry)
    case gap(Int)
  }

  private struct Buffer {
    var waiting: [Waiting] = []
    /// The number of entries accepted and not yet written.
    var pending = 0
    /// The number of entries dropped since the last that was accepted.
    var missing = 0
    var dropped = 0
    var isWriting = false
  }

  private let buffer = Lock(Buffer())
  private let thread = DispatchQueue(label: "StoreUnits.LogWriter")
  private let destination: any LogDestination
  private let capacity: Int
  private let stamp: (@Sendable () -> String)?
  private let onError: (@Sendable (any Error) -> Void)?

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - destination: the destination of the log.
  ///   - capacity: the number of entries that may wait; entries of a log of states hold the states until written.
  ///   - stamp: begins every entry, such as with the date; asked when the entry is written.
  ///   - onError: is told of what the destination throws, on the writer's thread; what could not be written is lost.
  public init(
    to destination: any LogDestination, capacity: Int = 1024, stamp: (@Sendable () -> String)? = nil,
    onError: (@Sendable (any Error) -> Void)? = nil
  ) {
    self.destination = destination
    self.capacity = max(capacity, 1)
    self.stamp = stamp
    self.onError = onError
  }

  /// The number of entries dropped so far.
  public var dropped: Int { buffer.withLock { $0.dropped } }

  /// Has an entry written, or drops it where too many wait. Returns at once, on any thread.
  public func write(_ entry: @escaping Entry) {
    let starts = buffer.withLock { buffer in
      guard buffer.pending < capacity else {
        buffer.missing += 1
        buffer.dropped += 1
        return false
      }
      if buffer.missing > 0 { buffer.waiting.append(.gap(buffer.missing)) }
      buffer.missing = 0
      buffer.waiting.append(.entry(entry))
      buffer.pending += 1
      defer { buffer.isWriting = true }
      return !buffer.isWriting
    }
    if starts { thread.async { self.writeAll() } }
  }

  /// Waits until everything that was accepted is written. Not to be called by a destination.
  public func flush() { thread.sync {} }

  private func writeAll() {
    while true {
      let waiting = take()
      guard !waiting.isEmpty else { return }
      write(waiting)
    }
  }

  private func take() -> [Waiting] {
    buffer.withLock { buffer in
      // Many at a time, so that a busy store costs few writes; not all, so that there is room again soon.
      var taken = Array(buffer.waiting.prefix(64))
      buffer.waiting.removeFirst(taken.count)
      if buffer.waiting.isEmpty, buffer.missing > 0 {
        taken.append(.gap(buffer.missing))
        buffer.missing = 0
      }
      if taken.isEmpty { buffer.isWriting = false }
      return taken
    }
  }

  private func write(_ waiting: [Waiting]) {
    var lines = ""
    var entries = 0
    for element in waiting {
      let text: String?
      switch element {
      case .gap(let count): text = "… \(count) log \(count == 1 ? "entry" : "entries") dropped"
      case .entry(let entry):
        entries += 1
        text = entry()
      }
      guard let text else { continue }
      if let stamp { lines += "\(stamp()) " }
      lines += "\(text)\n"
    }
    do {
      if !lines.isEmpty { try destination.write(lines) }
    } catch {
      onError?(error)
    }
    buffer.withLock { $0.pending -= entries }
  }
}
