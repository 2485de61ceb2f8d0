/// The two ends of a pipe; programs that are started do not inherit them.
package struct Pipe {
  package let read: Int32
  package let write: Int32

  /// The event of a socket whose other end is closed: POLLRDHUP, which Swift does not see.
  static let closedConnection: Int16 = 0x2000

  /// Makes a pipe; nil where the system refuses, which `errno` explains.
  package init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (read, write) = (ends[0], ends[1])
  }

  package func close() { for end in [read, write] { Platform.close(end) } }

  /// Makes a terminal of the size of another. Its read end gives the bytes written to it as they are. Nil where the
  /// system refuses, or the other is no terminal.
  package init?(like terminal: Int32) {
    var modes = termios()
    var size = winsize()
    guard tcgetattr(terminal, &modes) == 0, ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    cfmakeraw(&modes)
    var (ours, theirs) = (Int32(-1), Int32(-1))
    guard openpty(&ours, &theirs, nil, &modes, &size) == 0 else { return nil }
    for end in [ours, theirs] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (read, write) = (ours, theirs)
  }
}
