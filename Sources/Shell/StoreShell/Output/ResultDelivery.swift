import Platform

/// The way of results, or of errors, to the system, in pieces where the run can be stopped between two of them and Ctrl-C keeps the rest from
/// the terminal.
struct ResultDelivery {
  private let descriptor: Int32
  /// Readable once the run is to end, which then waits no longer for somebody who does not read its results.
  var stop: Int32 = -1
  /// Readable while Ctrl-C waits to be taken, which keeps results from going on to the terminal.
  var interrupt: Int32 = -1
  /// True once the reader of the results went away, where that has not ended the program by SIGPIPE. It is a failure as any other.
  private(set) var hasLostReader = false
  /// True if the reader of the results was waited for in vain.
  private var hasGivenUp = false
  /// The number of bytes written since ``start()``.
  private var count = 0
  /// True if Ctrl-C has kept results back since ``start()``.
  private(set) var hasDropped = false
  private(set) var failure: FileError?
  /// True once the failure was told.
  var hasToldOfFailure = false

  init(to descriptor: Int32) { self.descriptor = descriptor }

  /// The terminal that results go to; nil: they go elsewhere.
  var terminal: Int32? { isatty(descriptor) == 1 ? descriptor : nil }

  mutating func start() {
    count = 0
    hasDropped = false
  }

  /// Writes text, and notes why that failed.
  mutating func deliver(_ text: ArraySlice<UInt8>) {
    if let code = write(text), failure == nil {
      failure = FileError(path: "standard output", code: code, .writing)
    }
  }

  /// As much of a statement's results is shown whatever happens: it may tell of what was done.
  private static let shownBytes = 1 << 16

  private var canBeInterrupted: Bool { interrupt >= 0 && terminal != nil }

  /// Writes text, in pieces that a pipe takes at once or not at all.
  private mutating func write(_ text: ArraySlice<UInt8>) -> Int32? {
    guard stop >= 0 || canBeInterrupted else { return hand(text) }
    var rest = text
    while !rest.isEmpty, !hasGivenUp, !hasDropped {
      guard isTaken() else { return nil }
      let piece = rest.prefix(Int(PIPE_BUF))
      if let code = hand(piece) { return code }
      rest = rest.dropFirst(piece.count)
      count += piece.count
    }
    return nil
  }

  private mutating func hand(_ bytes: ArraySlice<UInt8>) -> Int32? {
    let code = Files.write(bytes, to: descriptor).failure
    if code == EPIPE { hasLostReader = true }
    return code
  }

  /// Waits until results are taken; once the run is to end, for a second at most.
  private mutating func isTaken() -> Bool {
    let isInterruptible = canBeInterrupted && count >= Self.shownBytes
    var sources = [
      pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      pollfd(fd: isInterruptible ? interrupt : -1, events: Int16(POLLIN), revents: 0),
    ]
    var isStopped = false
    while true {
      if sources[1].revents != 0 {
        isStopped = true
        sources[1].fd = -1
      }
      hasGivenUp = poll(&sources, nfds_t(sources.count), isStopped ? 1000 : -1) == 0
      hasDropped = sources[2].revents != 0
      if hasGivenUp || hasDropped { return false }
      if sources[0].revents != 0 { return true }
    }
  }
}
