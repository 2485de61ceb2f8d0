import StoreCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Stops Lua when Ctrl-C is pressed while a command runs: the command's own thread is busy, so another one waits for it.
enum InterruptWatch {
  /// Runs a command; meanwhile a thread waits for the descriptor of interrupts to become readable.
  static func run(_ descriptor: Int32, stopping session: Session, _ command: () -> Void) {
    var ends: [Int32] = [-1, -1]
    guard descriptor >= 0, pipe(&ends) == 0 else { return command() }
    let (end, interrupts) = (ends[0], session.interrupts)
    let watch = try? WorkerThread { wait(for: descriptor, until: end, interrupts) }
    command()
    close(ends[1])
    watch?.join()
    close(end)
  }

  private static func wait(for descriptor: Int32, until end: Int32, _ interrupts: [@Sendable () -> Void]) {
    var sources = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: end, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&sources, 2, -1) < 0, errno == EINTR {}
    guard sources[1].revents == 0 else { return }
    for interrupt in interrupts { interrupt() }
  }
}
